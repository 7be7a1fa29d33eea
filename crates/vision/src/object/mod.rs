//! Object recognition: which item of a catalogue a picture shows, by local features.
#![allow(
    clippy::many_single_char_names,
    clippy::needless_range_loop,
    clippy::similar_names,
    clippy::large_stack_arrays,
    reason = "geometry, written as in a book"
)]

mod bytes;
mod extract;
mod features;
mod homography;
mod index;
mod look;
mod matching;
mod random;
mod recognise;
mod sketch;
mod trim;
mod verify;
mod words;

pub use bytes::Malformed;
pub use extract::{Extractor, Plane, REFERENCE_SIZES, whole_plane};
pub use features::{DIMENSIONS, Descriptor, Features, MOST_FEATURES, Point, Reference};
pub use index::{Index, ItemId, PictureId, Vote};
pub use look::{LOOK_NUMBERS, digits_look};
pub use recognise::{Catalogue, LookError, Looked, Recognised, Recogniser};
pub use sketch::{Code, Sketch};
pub use verify::{Sighting, Subject, verify};
pub use words::{Asked, PROBES, Vocabulary, WORDS};
