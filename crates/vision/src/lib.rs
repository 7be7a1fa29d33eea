//! Pictures to numbers: decoding, the model runtime, and the tasks of image recognition.
//!
//! Nothing here knows of HTTP, of the database, or of time. Models are data: [`manifest`] describes them.

mod classify;
mod decode;
mod detect;
mod labels;
pub mod manifest;
mod picture;
mod prepare;
mod runtime;
pub mod vector;

pub use classify::{Classified, Classifier, Scored};
pub use decode::{Bounds, DecodeError, Decoded, decode};
pub use detect::{Detector, Found};
pub use fast_image_resize::Resizer;
pub use labels::{Label, Labels};
pub use picture::{Area, Picture, PixelBox, Sent};
pub use runtime::{Feed, Network, Runtime, RuntimeError, Tensor};
