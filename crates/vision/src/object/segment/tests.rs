use std::{
    collections::{HashMap, HashSet},
    fs::File,
};

use proptest::prelude::*;

use super::{Segment, SegmentError, SegmentItem, WrittenSegment, merge_segments, vote_over, write_segment};
use crate::object::{
    index::{
        Index,
        tests::{asked, encoded, encoded_in_turns},
    },
    vote::{ItemId, PictureId, Vote},
};

const CATEGORIES: [&str; 3] = ["book", "food", "本"];

fn category(item: u64) -> &'static str {
    CATEGORIES[usize::try_from(item % 3).unwrap()]
}

/// An item at a revision, by which its features differ; a revision of 0 is its removal.
fn item(number: u64, revision: u64) -> SegmentItem {
    let pictures = (0..u64::from(revision > 0) * (1 + number % 2)).map(|picture| {
        let picture = number + revision * 1_000 + picture * 100;
        (PictureId(picture), encoded(picture))
    });
    SegmentItem { item: ItemId(number), revision, category: category(number).to_owned(), pictures: pictures.collect() }
}

fn insert(index: &mut Index, item: &SegmentItem) {
    for (picture, encoded) in &item.pictures {
        index.insert_in(&item.category, item.item, *picture, encoded);
    }
}

fn in_memory(items: impl IntoIterator<Item = (u64, u64)>) -> Index {
    let mut index = Index::default();
    items.into_iter().for_each(|(number, revision)| insert(&mut index, &item(number, revision)));
    index
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: usize, items: &[(u64, u64)]) -> WrittenSegment {
        let items = items.iter().map(|(number, revision)| item(*number, *revision)).collect();
        write_segment(&self.0.path().join(name.to_string()), items).unwrap()
    }

    fn open(&self, name: usize) -> Segment {
        Segment::open(File::open(self.0.path().join(name.to_string())).unwrap()).unwrap()
    }

    fn merge(&self, name: usize, from: &[usize], wanted: &[(u64, u64)]) -> Option<WrittenSegment> {
        let wanted: HashMap<ItemId, u64> = wanted.iter().map(|(item, revision)| (ItemId(*item), *revision)).collect();
        let segments = from.iter().map(|name| self.open(*name)).collect();
        merge_segments(&self.0.path().join(name.to_string()), segments, &wanted).unwrap()
    }
}

fn questions(memory: &Index, segments: &[Segment]) -> Vec<Vec<Vote>> {
    let queries = [asked(1_003), asked(1_008), [asked(2_004), asked(1_011)].concat()];
    let votes = |category| {
        queries.iter().map(move |query| vote_over(memory, segments, query, 40, category).unwrap()).collect::<Vec<_>>()
    };
    [votes(None), votes(Some("food")), votes(Some("dvd"))].concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Wherever each item lies, the answers are those of one index in memory, to the bit. Each item has one of these
    /// fates: in memory; in the first or second segment; removed out of one; changed from one segment to the other or
    /// to memory.
    #[test]
    fn votes_do_not_depend_on_where_items_lie(fates in proptest::collection::vec(0..7_u8, 14)) {
        let (mut memory, mut live, mut gone) = (Index::default(), Vec::new(), Vec::new());
        let mut written: [Vec<(u64, u64)>; 2] = Default::default();
        for (number, fate) in (0_u64..).zip(&fates) {
            live.push((number, if *fate >= 4 { 2 } else { 1 }));
            match fate {
                0 => insert(&mut memory, &item(number, 1)),
                1 | 2 => written[usize::from(*fate) - 1].push((number, 1)),
                3 => {
                    live.pop();
                    written[0].push((number, 1));
                    gone.push((0, number));
                }
                4 => {
                    written[0].push((number, 1));
                    written[1].push((number, 2));
                    gone.push((0, number));
                }
                5 => {
                    written[1].push((number, 1));
                    insert(&mut memory, &item(number, 2));
                    gone.push((1, number));
                }
                _ => {
                    live.pop();
                    written[0].push((number, 1));
                    written[1].push((number, 0));
                    gone.push((0, number));
                }
            }
        }
        let folder = Folder::new();
        let mut segments: Vec<Segment> = Vec::new();
        for (name, items) in written.iter().enumerate() {
            folder.write(name, items);
            segments.push(folder.open(name));
        }
        for (segment, number) in gone {
            segments[segment].remove(ItemId(number)).unwrap();
            segments[segment].remove(ItemId(number)).unwrap();
        }
        let expected = questions(&in_memory(live.iter().copied()), &[]);
        prop_assert_eq!(&questions(&memory, &segments), &expected);
        let found: usize = segments.iter().map(Segment::live_items).sum();
        prop_assert_eq!(found + memory.items(), live.len());

        // The segments made into one: the same answers, and nothing of what is gone is left.
        let now: HashMap<u64, u64> = live.into_iter().collect();
        let kept: Vec<(u64, u64)> =
            written.concat().into_iter().filter(|(number, revision)| now.get(number) == Some(revision)).collect();
        let one = folder.merge(9, &[0, 1], &kept).unwrap();
        prop_assert_eq!(one.items, kept.len() as u64);
        prop_assert_eq!(&questions(&memory, &[folder.open(9)]), &expected);
        prop_assert_eq!(folder.write(8, &kept), one, "as if written at once, to the byte");
    }
}

/// As the index in memory says: what was taken out does not count.
#[test]
fn a_segment_is_turned_when_each_picture_of_its_live_items_is() {
    let folder = Folder::new();
    let turned = |number: u64| {
        let pictures =
            [PictureId(number), PictureId(number + 100)].map(|picture| (picture, encoded_in_turns(picture.0)));
        SegmentItem { pictures: pictures.to_vec(), ..item(number, 1) }
    };
    write_segment(&folder.0.path().join("0"), vec![turned(1), item(2, 1), turned(3), item(5, 1), item(6, 0)]).unwrap();
    let mut segment = folder.open(0);
    for (gone, is_turned) in [(2, false), (3, false), (5, true), (1, true), (6, true)] {
        segment.remove(ItemId(gone)).unwrap();
        segment.remove(ItemId(gone)).unwrap();
        assert_eq!(segment.is_turned(), is_turned, "without {gone}");
    }
}

#[test]
fn a_merge_misses_nothing_in_silence() {
    let folder = Folder::new();
    folder.write(0, &[(1, 1), (2, 1)]);
    assert!(folder.merge(1, &[0], &[(1, 1)]).is_some());
    assert_eq!(folder.merge(1, &[0], &[(1, 1), (3, 1)]), None);
    assert_eq!(folder.merge(1, &[0], &[(1, 1), (2, 5)]), None, "it has another revision of it");
}

#[test]
fn an_item_that_is_given_twice_is_written_once_as_it_was_last() {
    let folder = Folder::new();
    let twice = folder.write(0, &[(1, 1), (2, 1), (1, 3)]);
    assert_eq!(twice, folder.write(1, &[(2, 1), (1, 3)]));
    assert_eq!((folder.open(0).revision_of(ItemId(1)), twice.entries), (Some(3), 2));
}

#[test]
fn a_segment_tells_its_items_and_their_revisions() {
    let folder = Folder::new();
    let written = folder.write(0, &[(5, 3), (2, 0), (4, 1)]);
    assert_eq!(written.items, 2, "one of them is a removal");
    let segment = folder.open(0);
    let told: HashSet<(ItemId, u64)> = segment.revisions().collect();
    assert_eq!(told, [(ItemId(2), 0), (ItemId(4), 1), (ItemId(5), 3)].into());
    assert_eq!((segment.revision_of(ItemId(5)), segment.revision_of(ItemId(3))), (Some(3), None));
    let bytes = std::fs::read(folder.0.path().join("0")).unwrap();
    assert_eq!((bytes.len() as u64, segment.live_items()), (written.bytes, 2));
}

#[test]
fn a_damaged_file_is_refused() {
    let folder = Folder::new();
    folder.write(0, &[(1, 1), (2, 1)]);
    let whole = std::fs::read(folder.0.path().join("0")).unwrap();
    let path = folder.0.path().join("damaged");
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        matches!(Segment::open(File::open(&path).unwrap()), Err(SegmentError::Malformed(_)))
    };
    assert!(!refused(&whole));
    for length in [0, 10, 63, 64, 5_000, whole.len() - 1] {
        assert!(refused(&whole[..length]), "{length} bytes");
    }
    assert!(refused(&[&whole[..], &[0]].concat()));
    // Mark, version, counts and digest of the header; words, items and views of the directory.
    for at in [0, 4, 8, 15, 16, 20, 24, 31, 40, 64, 1_000, 64 + 4 * 65_536, 64 + 4 * 65_536 + 60] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        assert!(refused(&bytes), "byte {at}");
    }
}
