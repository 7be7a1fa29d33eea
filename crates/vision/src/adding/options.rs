//! What the operator says of a model.

use std::path::PathBuf;

use crate::manifest::{Channels, Decode, Filter, Fit, Layout, Load, Pool, Task};

/// What the operator says of a model. What is `None` is guessed.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the fields are those of the manifest")]
pub struct AddOptions {
    pub name: String,
    pub task: Task,
    /// The file with the names of the classes.
    pub labels: Option<PathBuf>,
    /// The picture that it is tried on. A drawn one, if none is named.
    pub picture: Option<PathBuf>,
    /// Replace a model of that name.
    pub force: bool,
    pub title: Option<String>,
    pub licence: Option<String>,
    pub load: Load,
    pub size: Option<(u32, u32)>,
    pub layout: Option<Layout>,
    pub channels: Option<Channels>,
    pub fit: Option<Fit>,
    pub crop_fraction: Option<f64>,
    pub filter: Option<Filter>,
    pub mean: Option<[f32; 3]>,
    pub std: Option<[f32; 3]>,
    pub decode: Option<Decode>,
    pub scores: Option<String>,
    pub boxes: Option<String>,
    pub embedding: Option<String>,
    pub pool: Option<Pool>,
    /// Its text encoder, if it has one.
    pub text: Option<TextOptions>,
}

/// What the operator says of the text encoder of a model. What is `None` is guessed.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the fields are those of the manifest")]
pub struct TextOptions {
    /// The ONNX file.
    pub encoder: PathBuf,
    /// The `tokenizer.json`.
    pub tokenizer: PathBuf,
    pub length: Option<usize>,
    pub pad: Option<u32>,
    pub embedding: Option<String>,
    pub pool: Option<Pool>,
}
