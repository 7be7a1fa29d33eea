//! Pictures to numbers: decoding, the model runtime, and the tasks of image recognition.
//!
//! Nothing here knows of HTTP, of the database, or of time. Models are data: [`manifest`] describes them.

pub mod adding;
pub mod barcode;
mod classify;
mod decode;
mod detect;
mod digest;
mod embed;
mod engine;
pub mod instances;
mod labels;
pub mod manifest;
pub mod object;
mod picture;
mod prepare;
pub mod probe;
pub mod registry;
mod residency;
mod runtime;
mod softmax;
pub mod text;
mod text_encoder;
mod thumbnail;
pub mod training;
pub mod vector;
mod vocabulary;
mod worker;

pub use classify::{ClassScore, Classification, Classifier, best};
pub use decode::{
    Bounds, DecodeError, Decoded, DecodedGrey, HeifLibrary, HeifSupport, decode, decode_grey, decode_whole_grey,
    load_heif,
};
pub use detect::{Accuracy, Detection, Detections, Detector, Tiles};
pub use embed::Embedder;
pub use engine::Engine;
pub use kaisatsu_resize::Resizer;
pub use labels::{Label, Labels};
pub use picture::{Area, ImageFile, Picture, PixelBox};
pub use registry::ModelRegistry;
pub use residency::Residency;
pub use runtime::{Feed, Kernels, Network, Runtime, RuntimeError, Tensor};
pub use text_encoder::TextError;
pub use thumbnail::thumbnail;
pub use vocabulary::Vocabulary;
pub use worker::{Readers, Worker};
