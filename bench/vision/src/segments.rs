//! A catalogue in segments beside one in memory: bytes, memory, and what a vote costs.
//!
//! The items are made up: their words are spread unevenly, and of the features that share a word about one pair in a
//! thousand has near signatures, somewhat more than of real pictures. A question has a thousand features, those of an
//! item with some bits changed, each looked up in its own word and in others.

use std::{fs, fs::File, path::Path, time::Instant};

use kaisatsu_vision::object::{
    EncodedReference, Index, ItemId, PROBES, PictureId, QueryFeature, Segment, SegmentItem, Vote, vote_over,
    write_segment,
};
use serde_json::{Value, json};

use crate::cpu;

/// The features of the views of an item: 800, as references of photographs have on average.
const VIEWS: [u64; 3] = [480, 220, 100];
/// The features of a question.
const ASKED: u64 = 1_000;
const QUESTIONS: u64 = 9;
/// More than this many items are not put into memory as well.
const MOST_IN_MEMORY: u64 = 100_000;

/// Writes `count` items in segments of `each` into a folder.
pub(crate) fn write(folder: &str, count: u32, each: u32) -> Value {
    let (folder, count, each) = (Path::new(folder), u64::from(count), u64::from(each));
    let words = Words::new();
    fs::create_dir_all(folder).expect("a folder");
    let (began, mut bytes) = (cpu::now(), 0);
    for first in (0..count).step_by(usize::try_from(each).expect("small")) {
        let items = (first..count.min(first + each)).map(|number| SegmentItem {
            item: ItemId(number),
            revision: 1,
            category: "book".to_owned(),
            pictures: vec![(PictureId(number), words.item(number))],
        });
        let written = write_segment(&folder.join(format!("segment-{first}")), items.collect());
        bytes += written.expect("a segment").bytes;
    }
    json!({"items": count, "bytes": bytes, "seconds": cpu::milliseconds(began) / 1e3})
}

/// Asks the segments of a folder, and where there are not too many items an index in memory as well.
pub(crate) fn ask(folder: &str) -> Value {
    let words = Words::new();
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let began = Instant::now();
    let open = |path| Segment::open(File::open(path).expect("a file")).expect("a segment");
    let segments: Vec<Segment> = files.map(open).collect();
    let opened = began.elapsed().as_secs_f64();
    let count: u64 = segments.iter().map(|segment| segment.live_items() as u64).sum();
    let vote = |memory: &Index, segments: &[Segment]| -> (Vec<Vec<Vote>>, Vec<(f64, f64)>) {
        let question = |number| {
            let query = words.question(number * (count / QUESTIONS));
            let (began, clock) = (cpu::now(), Instant::now());
            let votes = vote_over(memory, segments, &query, 16, None).expect("votes");
            (votes, (cpu::milliseconds(began), clock.elapsed().as_secs_f64() * 1e3))
        };
        // The first brings files into the cache of the system, and is not counted.
        question(0);
        (0..QUESTIONS).map(question).unzip()
    };
    let (votes, from_segments) = vote(&Index::default(), &segments);
    let resident = resident();
    let found = (0..).zip(&votes).filter(|(number, votes)| votes[0].item.0 == number * (count / QUESTIONS)).count();
    let (mut memory, mut from_memory) = (Index::default(), Vec::new());
    if count <= MOST_IN_MEMORY {
        for number in 0..count {
            memory.insert_in("book", ItemId(number), PictureId(number), &words.item(number));
        }
        let (same, times) = vote(&memory, &[]);
        assert_eq!(same, votes, "the answers are the same, to the bit");
        from_memory = times;
    }
    json!({
        "items": count, "segments": segments.len(), "opened_seconds": opened, "resident_bytes": resident,
        "found": format!("{found} of {QUESTIONS}"), "segments_ms": medians(&from_segments),
        "memory_bytes": memory.bytes(), "memory_ms": medians(&from_memory),
    })
}

/// The spread of words, and what is made of it.
struct Words(Vec<u16>);

impl Words {
    /// Words with weights between 0.25 and 4, of which a drawn one has twice the average.
    fn new() -> Self {
        let weight = |word: u16| 1_u32 << (random(u64::from(word), 0, 1) % 5);
        Self((0..=u16::MAX).flat_map(|word| (0..weight(word)).map(move |_| word)).collect())
    }

    fn word(&self, random: u64) -> u16 {
        self.0[usize::try_from(random >> 20).expect("44 bits") % self.0.len()]
    }

    fn code(&self, item: u64, feature: u64) -> (u16, u64) {
        let word = self.word(random(item, feature, 2));
        // Each bit of the word's usual signature is another with a probability of 9 in 32.
        let bits = |salt| random(item, feature, salt);
        (word, random(u64::from(word), 0, 8) ^ (bits(3) & (bits(4) | (bits(5) & bits(6) & bits(7)))))
    }

    fn item(&self, number: u64) -> EncodedReference {
        let mut bytes = vec![b'K', b'W', 1, u8::try_from(VIEWS.len()).expect("few")];
        let mut first = 0;
        for features in VIEWS {
            bytes.extend(u16::try_from(features).expect("few").to_le_bytes());
            for feature in first..first + features {
                let (word, signature) = self.code(number, feature);
                bytes.extend(word.to_le_bytes());
                bytes.extend(signature.to_le_bytes());
            }
            first += features;
        }
        EncodedReference::from_bytes(&bytes).expect("the stored form")
    }

    fn question(&self, item: u64) -> Vec<QueryFeature> {
        let known: u64 = VIEWS.iter().sum();
        let feature = |number: u64| {
            // Half of what is seen is the item, with one bit in sixteen changed.
            let is_seen = number < known / 2;
            let (word, signature) = self.code(if is_seen { item } else { u64::MAX - item }, number);
            let changed = [9, 10, 11, 12].iter().fold(u64::MAX, |bits, salt| bits & random(item, number, *salt));
            let mut probe = 0;
            let words = [(); PROBES].map(|()| {
                probe += 1;
                if probe == 1 { word } else { self.word(random(item, number, 20 + probe)) }
            });
            QueryFeature { words, signature: signature ^ changed }
        };
        (0..ASKED).map(feature).collect()
    }
}

/// A number that follows from three.
fn random(item: u64, feature: u64, salt: u64) -> u64 {
    let mut mixed =
        item.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ feature.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (salt << 56);
    for _ in 0..2 {
        mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
    }
    mixed ^ (mixed >> 29)
}

/// The memory of this process that is no copy of a file.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("the status of this process");
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).expect("the memory");
    line.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok()).expect("a number") * 1024
}

/// The medians of processor time and of time by the clock.
fn medians(times: &[(f64, f64)]) -> [Option<f64>; 2] {
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    };
    [median(times.iter().map(|time| time.0).collect()), median(times.iter().map(|time| time.1).collect())]
}
