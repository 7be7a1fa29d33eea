//! Pages on which text is set in columns: each is read to its end before the next one begins.

use super::extent::Extent;

/// A column of text has at least so many lines that are so many times as long as high. Prices beside the names of
/// dishes are no column of text: they are read with the names.
const LINES: usize = 3;
const LONG: f32 = 6.0;

/// Between two columns of text is a gap of at least so many times the height of a line.
const GUTTER: f32 = 1.0;

/// How many lines above and below the columns, such as headings and page numbers, may reach across the gap.
const ABOVE: usize = 8;
const BELOW: usize = 4;

/// Where a line is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    /// Its number.
    pub(super) at: usize,
    pub(super) extent: Extent,
    /// Whether it is a column of upright letters.
    pub(super) is_column: bool,
}

/// Divides the lines of a page into parts that are read one after the other.
pub(super) fn columns_of_text(mut lines: Vec<Placed>) -> Vec<Vec<Placed>> {
    if lines.iter().any(|line| line.is_column) {
        return vec![lines];
    }
    lines.sort_by(|a, b| a.extent.middle().total_cmp(&b.extent.middle()));
    let count = lines.len();
    // The fewest lines are left out above and below.
    for out in 0..=(ABOVE + BELOW).min(count) {
        for above in out.saturating_sub(BELOW)..=out.min(ABOVE) {
            let end = count - (out - above);
            let Some(gutter) = lines.get(above..end).and_then(gutter) else { continue };
            let below = lines.split_off(end);
            let (left, right): (Vec<Placed>, Vec<Placed>) =
                lines.split_off(above).into_iter().partition(|line| line.extent.right <= gutter);
            let mut parts = vec![lines];
            parts.extend(columns_of_text(left));
            parts.extend(columns_of_text(right));
            parts.push(below);
            return parts;
        }
    }
    vec![lines]
}

/// Where the text to the left of the first gap between columns of text ends.
fn gutter(lines: &[Placed]) -> Option<f32> {
    let mut heights: Vec<f32> = lines.iter().map(|line| line.extent.bottom - line.extent.top).collect();
    heights.sort_by(f32::total_cmp);
    let least = GUTTER * heights.get(heights.len() / 2)?;
    let mut by_left: Vec<Extent> = lines.iter().map(|line| line.extent).collect();
    by_left.sort_by(|a, b| a.left.total_cmp(&b.left));
    let mut end = f32::NEG_INFINITY;
    for (at, extent) in by_left.iter().enumerate() {
        if extent.left - end >= least && are_columns(&by_left[..at], &by_left[at..]) {
            return Some(end);
        }
        end = end.max(extent.right);
    }
    None
}

/// Whether the lines on both sides of a gap are columns of text that stand beside each other.
fn are_columns(left: &[Extent], right: &[Extent]) -> bool {
    let long = |line: &&Extent| line.right - line.left >= LONG * (line.bottom - line.top);
    let is_text = |side: &[Extent]| {
        let long = side.iter().filter(long).count();
        long >= LINES && 2 * long >= side.len()
    };
    let around = |side: &[Extent]| side.iter().copied().reduce(Extent::around);
    let (Some(one), Some(other)) = (around(left), around(right)) else { return false };
    let shared = one.bottom.min(other.bottom) - one.top.max(other.top);
    is_text(left) && is_text(right) && 2.0 * shared >= (one.bottom - one.top).min(other.bottom - other.top)
}

#[cfg(test)]
mod tests {
    use super::{Extent, Placed, columns_of_text};

    /// The numbers of the lines of each part, the empty ones left out.
    fn parts(lines: &[(f32, f32, f32)]) -> Vec<Vec<usize>> {
        let placed = |(at, (left, top, width)): (usize, &(f32, f32, f32))| {
            let extent = Extent { left: *left, right: left + width, top: *top, bottom: top + 20.0 };
            Placed { at, extent, is_column: false }
        };
        let parts = columns_of_text(lines.iter().enumerate().map(placed).collect());
        parts.iter().filter(|part| !part.is_empty()).map(|part| part.iter().map(|line| line.at).collect()).collect()
    }

    /// Two columns with lines at the same heights.
    fn page(width: f32) -> Vec<(f32, f32, f32)> {
        (0..4_u8).flat_map(|row| [0.0, 400.0].map(|left| (left, 100.0 + 30.0 * f32::from(row), width))).collect()
    }

    #[test]
    fn the_left_column_comes_before_the_right_one() {
        assert_eq!(parts(&page(300.0)), [[0, 2, 4, 6], [1, 3, 5, 7]]);
    }

    #[test]
    fn what_reaches_across_the_gap_stays_above_and_below() {
        let mut lines = page(300.0);
        lines.extend([(100.0, 10.0, 500.0), (50.0, 50.0, 600.0), (300.0, 400.0, 130.0)]);
        assert_eq!(parts(&lines), [vec![8, 9], vec![0, 2, 4, 6], vec![1, 3, 5, 7], vec![10]]);
    }

    #[test]
    fn short_words_beside_lines_are_read_with_them() {
        let priced: Vec<_> =
            page(300.0).into_iter().map(|(left, top, width)| (left, top, width - left / 2.0)).collect();
        assert_eq!(parts(&priced).len(), 1);
        assert_eq!(parts(&page(398.0)).len(), 1, "there is no gap");
        assert_eq!(parts(&page(300.0)[..4]).len(), 1, "two lines are no column");
        assert_eq!(parts(&[]).len(), 0);
    }
}
