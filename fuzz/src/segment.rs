//! Segments of a catalogue: a file that was cut short is refused. One of which a part was overwritten is refused too,
//! or its votes name items that it has and none that was removed.

use std::{
    fs::{self, File},
    path::Path,
    sync::OnceLock,
};

use kaisatsu_vision::object::{
    EncodedReference, Index, ItemId, PROBES, PictureId, QueryFeature, Segment, SegmentItem, vote_over, write_segment,
};

const ITEMS: u64 = 6;
const FEATURES: u16 = 12;
const MOST: usize = 8;

/// The first four bytes are a place, counted from the end of a whole file, and the others go there.
pub(crate) fn run(bytes: &[u8]) {
    let Some((place, patch)) = bytes.split_first_chunk::<4>() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("segment");
    let mut file = whole(&path).to_vec();
    let at = file.len() - 1 - u32::from_le_bytes(*place) as usize % file.len();
    if patch.is_empty() {
        file.truncate(at);
    }
    file.iter_mut().skip(at).zip(patch).for_each(|(old, new)| *old = *new);
    fs::write(&path, &file).expect("a written file");
    let mut segment = match Segment::open(File::open(&path).expect("the file")) {
        Ok(segment) => segment,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(!patch.is_empty(), "a file that is cut short");
    let memory = Index::default();
    for removed in 0..=ITEMS {
        for category in [None, Some("a"), Some("b")] {
            let votes = vote_over(&memory, [&segment], &asked(), MOST, category).expect("a file that can be read");
            assert!(votes.len() <= MOST);
            for vote in votes {
                assert!(vote.item.0 > removed && vote.item.0 <= ITEMS, "{vote:?}");
                assert!(vote.score.is_finite());
            }
        }
        segment.remove(ItemId(removed + 1)).expect("a file that can be read");
    }
    assert_eq!(segment.live_items(), 0);
}

/// A whole file.
fn whole(path: &Path) -> &'static [u8] {
    static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();
    WHOLE.get_or_init(|| {
        write_segment(path, (1..=ITEMS).map(item).collect()).expect("a written segment");
        fs::read(path).expect("a segment")
    })
}

fn item(number: u64) -> SegmentItem {
    // One view: mark, version, how many views, how many features, and a word and a signature of each.
    let mut sketch = b"KW\x01\x01".to_vec();
    sketch.extend(FEATURES.to_le_bytes());
    for feature in 0..FEATURES {
        sketch.extend((feature % 7 * 1_000).to_le_bytes());
        sketch.extend((number << (feature % 16)).to_le_bytes());
    }
    let encoded = EncodedReference::from_bytes(&sketch).expect("features");
    let category = if number.is_multiple_of(2) { "a" } else { "b" }.to_owned();
    SegmentItem { item: ItemId(number), revision: number, category, pictures: vec![(PictureId(number), encoded)] }
}

fn asked() -> Vec<QueryFeature> {
    let feature = |feature: u16| QueryFeature { words: [feature % 7 * 1_000; PROBES], signature: 1 << (feature % 16) };
    (0..FEATURES).map(feature).collect()
}
