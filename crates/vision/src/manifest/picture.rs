//! The parts of a manifest that say how a picture becomes numbers, and numbers an answer.

use serde::{Deserialize, Serialize};

/// What a network runs on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// Our own kernels where they know the processor and the network, ONNX Runtime otherwise.
    #[default]
    Auto,
    /// ONNX Runtime.
    Onnxruntime,
}

/// How the pixels lie in the tensor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// One plane a channel.
    #[default]
    Nchw,
    /// The channels of a pixel side by side.
    Nhwc,
}

/// Which channels, in which order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channels {
    /// Red, green, blue.
    #[default]
    Rgb,
    /// Blue, green, red.
    Bgr,
}

/// How a picture of any shape fits the input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// The shorter side to `size / crop_fraction`, then the centre.
    #[default]
    Crop,
    /// Both sides to the size, whatever the proportions.
    Stretch,
    /// The longer side to the size, the rest filled at the right and below.
    Pad,
}

/// How pixels between pixels are made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// Catmull-Rom.
    #[default]
    Bicubic,
    /// Triangle.
    Bilinear,
}

/// The input of a network that takes one picture.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The tensor's name.
    pub name: String,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// How the pixels lie in it.
    #[serde(default)]
    pub layout: Layout,
    /// Which channels.
    #[serde(default)]
    pub channels: Channels,
    /// How a picture fits.
    #[serde(default)]
    pub fit: Fit,
    /// For `fit = "crop"`: the part of the shorter side that is looked at.
    #[serde(default = "whole")]
    pub crop_fraction: f64,
    /// How pixels between pixels are made.
    #[serde(default)]
    pub filter: Filter,
    /// For `fit = "pad"`: the value of the filling, 0 to 255.
    #[serde(default)]
    pub pad_value: u8,
    /// Subtracted from each channel, on the scale 0 to 255.
    pub mean: [f32; 3],
    /// Divides each channel after that.
    pub std: [f32; 3],
    /// A second input that wants the factors by which the picture was resized, height first.
    pub scale_factor: Option<String>,
    /// A second input that wants the picture's own height and width, as 64-bit integers.
    pub original_size: Option<String>,
}

fn whole() -> f64 {
    1.0
}

/// How the output is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decode {
    /// Classifier: logits, of which exactly one is right.
    Softmax,
    /// Classifier: logits, each right or wrong by itself.
    Sigmoid,
    /// Classifier: probabilities.
    Probabilities,
    /// Detector: boxes `[1, n, 4]` in pixels of the picture as given and scores `[1, classes, n]`.
    BoxesScores,
    /// Detector: logits `[1, n, classes]` and boxes `[1, n, 4]` as centre and size in fractions.
    Detr,
    /// Detector: `[1, n, 5 + classes]` on grids of stride 8, 16 and 32.
    Yolox,
}

/// The output of a network.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// How it is to be read.
    pub decode: Decode,
    /// The tensor with scores or logits.
    pub scores: String,
    /// Classifier: the tensor with the vector before the last layer.
    pub embedding: Option<String>,
    /// Detector: the tensor with boxes, where it is not the one with the scores.
    pub boxes: Option<String>,
    /// Classifier: divides the logits, so that a score of 0.8 is right eight times in ten.
    #[serde(default = "one")]
    pub temperature: f32,
    /// Classifier: when the best score is below this, the answer is "none of these".
    #[serde(default)]
    pub none_below: f32,
    /// Classifier: the ids of classes that mean "none of these". They are never answered.
    #[serde(default)]
    pub none: Vec<String>,
    /// Detector: two boxes of one class that overlap by more than this are one.
    #[serde(default = "usual_overlap")]
    pub nms_iou: f32,
    /// Detector: what scores less is not looked at.
    #[serde(default = "usual_floor")]
    pub score_floor: f32,
    /// Detector: how many of the best boxes of each class are compared.
    #[serde(default = "usual_per_class")]
    pub candidates_per_class: usize,
    /// Detector: how many of all classes are kept.
    #[serde(default = "usual_kept")]
    pub keep: usize,
}

fn one() -> f32 {
    1.0
}

fn usual_overlap() -> f32 {
    0.6
}

fn usual_floor() -> f32 {
    0.025
}

fn usual_per_class() -> usize {
    1000
}

fn usual_kept() -> usize {
    100
}
