//! Pictures to numbers: decoding, the model runtime, and the tasks of image recognition.
//!
//! Nothing here knows of HTTP, of the database, or of time. Models are data: [`manifest`] describes them.

pub mod barcode;
mod classify;
pub mod classroom;
mod decode;
mod detect;
mod engine;
pub mod head;
mod labels;
pub mod manifest;
pub mod nearest;
pub mod object;
mod picture;
mod prepare;
mod runtime;
pub mod shelf;
mod softmax;
pub mod text;
mod thumbnail;
pub mod vector;
mod worker;

pub use classify::{Classified, Classifier, Scored, best};
pub use decode::{Bounds, DecodeError, Decoded, decode};
pub use detect::{Detected, Detector, Found};
pub use engine::Engine;
pub use fast_image_resize::Resizer;
pub use labels::{Label, Labels};
pub use picture::{Area, Picture, PixelBox, Sent};
pub use runtime::{Feed, Network, Runtime, RuntimeError, Tensor};
pub use shelf::Shelf;
pub use thumbnail::thumbnail;
pub use worker::{Readers, Worker};
