//! What to do next about the segments of a catalogue.

use kaisatsu_store::{CatalogueSegment, SegmentRange};

/// Segments of about one size that become one. Few large segments answer faster than many small ones, and every item is
/// written again once for each size.
const MERGED: usize = 4;

/// The most items of a segment that is made of others: about six gigabytes.
const MOST_ENTRIES: i64 = 1 << 19;

/// The ranges of changes that no segment has; the last has no end.
pub(super) fn gaps(recorded: &[CatalogueSegment]) -> Vec<SegmentRange> {
    let (mut gaps, mut from) = (Vec::new(), (0, 0));
    for one in recorded {
        let range = one.segment.range;
        if from < range.from {
            gaps.push(SegmentRange { from, to: range.from });
        }
        from = range.to;
    }
    gaps.push(SegmentRange { from, to: (i64::MAX, i64::MAX) });
    gaps
}

/// The segments that should become one, if there are any: neighbours without a gap, of about one size. `smallest` is
/// how many items make a segment.
pub(super) fn to_merge(recorded: &[CatalogueSegment], smallest: i64) -> Option<&[CatalogueSegment]> {
    let is_one_run = |run: &&[CatalogueSegment]| {
        let of_first = run.first().map(|one| size_class(one, smallest));
        let adjacent = run.iter().zip(run.iter().skip(1)).all(|(a, b)| a.segment.range.to == b.segment.range.from);
        let entries: i64 = run.iter().map(|one| one.segment.entries).sum();
        adjacent && entries <= MOST_ENTRIES && run.iter().all(|one| Some(size_class(one, smallest)) == of_first)
    };
    recorded.windows(MERGED).find(is_one_run)
}

/// How often segments of the smallest size were merged to make one of this size.
fn size_class(one: &CatalogueSegment, smallest: i64) -> u32 {
    let times = u64::try_from(one.segment.entries / smallest.max(1)).unwrap_or(0);
    times.checked_ilog(MERGED as u64).unwrap_or(0)
}

/// The range of neighbours.
pub(super) fn whole_range(run: &[CatalogueSegment]) -> Option<SegmentRange> {
    let (first, last) = (run.first()?, run.last()?);
    Some(SegmentRange { from: first.segment.range.from, to: last.segment.range.to })
}

#[cfg(test)]
mod tests {
    use kaisatsu_store::{CatalogueSegment, NewSegment, SegmentRange};

    use super::{gaps, to_merge, whole_range};

    fn segments(rows: &[(i64, i64, i64)]) -> Vec<CatalogueSegment> {
        let segment = |(number, (from, to, entries)): (i64, &(i64, i64, i64))| {
            let range = SegmentRange { from: (*from, 0), to: (*to, 0) };
            let segment = NewSegment { sha256: [0; 32], size: 1, range, entries: *entries, items: *entries };
            CatalogueSegment { number, segment }
        };
        (1..).zip(rows).map(segment).collect()
    }

    fn merged(rows: &[(i64, i64, i64)]) -> Vec<i64> {
        to_merge(&segments(rows), 10).unwrap_or_default().iter().map(|one| one.number).collect()
    }

    #[test]
    fn gaps_are_what_no_segment_has() {
        let ranges = |rows: &[(i64, i64, i64)]| {
            gaps(&segments(rows)).iter().map(|gap| (gap.from.0, gap.to.0)).collect::<Vec<_>>()
        };
        assert_eq!(ranges(&[]), [(0, i64::MAX)]);
        assert_eq!(ranges(&[(0, 5, 1), (5, 9, 1)]), [(9, i64::MAX)]);
        assert_eq!(ranges(&[(2, 5, 1), (7, 9, 1)]), [(0, 2), (5, 7), (9, i64::MAX)]);
    }

    #[test]
    fn four_neighbours_of_one_size_become_one() {
        let four = [(0, 1, 10), (1, 2, 12), (2, 3, 39), (3, 4, 10)];
        assert_eq!(merged(&four), [1, 2, 3, 4]);
        assert_eq!(whole_range(&segments(&four)).unwrap(), SegmentRange { from: (0, 0), to: (4, 0) });
        assert!(merged(&four[..3]).is_empty(), "three stay");
        assert!(merged(&[(0, 1, 10), (1, 2, 10), (2, 3, 40), (3, 4, 10)]).is_empty(), "one is larger");
        assert!(merged(&[(0, 1, 10), (1, 2, 10), (3, 4, 10), (4, 5, 10)]).is_empty(), "there is a gap");
        assert_eq!(merged(&[(0, 1, 160), (1, 2, 40), (2, 3, 45), (3, 4, 50), (4, 5, 40)]), [2, 3, 4, 5]);
        let large = 1 << 18;
        assert!(merged(&[(0, 1, large), (1, 2, large), (2, 3, large), (3, 4, large)]).is_empty(), "too large");
    }
}
