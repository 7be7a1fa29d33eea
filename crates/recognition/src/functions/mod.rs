//! The functions of image recognition, one service each. All of them save what they found.

mod classify;
mod detect;
mod instances;
mod objects;
mod read_text;
mod similar;

pub use classify::{Category, Classify, ClassifyRequest};
pub use detect::{Detect, DetectRequest, Detection};
pub use objects::{Evidence, ItemMatch, ObjectRecognition, RecogniseRequest};
pub use read_text::{ReadText, TextLine};
#[cfg(test)]
pub(crate) use similar::FoundImages;
pub(crate) use similar::{CONSIDERED, nearest_first, similarity};
pub use similar::{SimilarImage, SimilarRequest, SimilarSearch};
