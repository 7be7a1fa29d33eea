//! Object recognition: which item of a catalogue a picture shows, by local features.
#![allow(
    clippy::many_single_char_names,
    clippy::needless_range_loop,
    clippy::similar_names,
    clippy::large_stack_arrays,
    reason = "geometry, written as in a book"
)]

mod bytes;
mod encoded;
mod extract;
mod features;
mod global_descriptor;
mod homography;
mod index;
#[cfg(test)]
mod instruction_sets;
mod matcher;
mod matching;
mod random;
mod recognise;
mod segment;
mod trim;
mod turn;
mod verify;
mod vocabulary;
mod vote;

pub use bytes::Malformed;
pub use encoded::{EncodedReference, FeatureCode};
pub use extract::{Extractor, Plane, REFERENCE_SIZES, whole_plane};
pub use features::{DIMENSIONS, Descriptor, Features, MOST_FEATURES, Point, Reference};
pub use global_descriptor::{GLOBAL_DIMENSIONS, barcode_descriptor};
pub use index::Index;
pub use matcher::Matcher;
pub use recognise::{Found, Recognised, Recogniser, Search};
pub use segment::{Segment, SegmentError, SegmentItem, WrittenSegment, merge_segments, vote_over, write_segment};
pub use verify::{Subject, Verification, verify};
pub use vocabulary::{PROBES, QueryFeature, Vocabulary, WORDS};
pub use vote::{ItemId, PictureId, Vote};
