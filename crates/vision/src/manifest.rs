//! `model.toml`: what a model folder says of its weights. docs/formats/models.md describes it for operators.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The file in every model folder.
pub const MANIFEST: &str = "model.toml";

/// What a model does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Category recognition; with an embedding output also similar image search.
    Classify,
    /// Object detection.
    Detect,
    /// Reading text.
    ReadText,
    /// Key points with descriptors, for object recognition.
    LocalFeatures,
}

impl Task {
    /// The word of the manifest.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Classify => "classify",
            Self::Detect => "detect",
            Self::ReadText => "read-text",
            Self::LocalFeatures => "local-features",
        }
    }
}

/// A manifest, in parts that fit its task.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The model's name, which is also its folder's.
    pub name: String,
    /// What it does.
    pub task: Task,
    /// What people call it.
    pub title: String,
    /// The licence of the weights.
    pub licence: String,
    /// Where they come from.
    pub source: Source,
    /// The file with the weights.
    pub weights: Option<Weights>,
    /// How a picture becomes numbers.
    pub input: Option<Input>,
    /// How numbers become an answer.
    pub output: Option<Output>,
    /// The names of the classes.
    pub labels: Option<Weights>,
    /// A classifier taught on top of another model's embedding, instead of weights of its own.
    pub head: Option<Head>,
    /// The three networks of a text reader.
    pub text: Option<Text>,
}

/// Where weights come from.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The kind of registry, or `local`.
    pub registry: String,
    /// The package.
    pub package: String,
    /// Its version.
    pub version: String,
}

/// A file and its hash.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// Its name in the model's folder.
    pub file: PathBuf,
    /// SHA-256, in hexadecimal.
    pub sha256: String,
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
    /// Detector: two boxes of one class that overlap by more than this are one.
    #[serde(default = "usual_overlap")]
    pub nms_iou: f32,
    /// Detector: what scores less is not looked at.
    #[serde(default = "usual_floor")]
    pub score_floor: f32,
    /// Detector: how many of the best boxes of each class are compared.
    #[serde(default = "usual_per_class")]
    pub nms_top_k: usize,
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

/// A classifier on top of another model's embedding.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The model whose embedding it reads.
    pub base: String,
    /// The hash of that model's weights: another embedding would mean nothing to this head.
    pub base_sha256: String,
    /// The file with the numbers.
    pub file: PathBuf,
    /// Its SHA-256.
    pub sha256: String,
}

/// The networks of a text reader.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// Finds lines of text.
    pub detect: TextDetect,
    /// Reads one line.
    pub recognise: TextRecognise,
    /// Tells whether a line is upside down.
    pub turn: Option<TextTurn>,
}

/// Finds lines of text.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TextDetect {
    /// The network.
    pub file: PathBuf,
    /// Its SHA-256.
    pub sha256: String,
    /// Subtracted from each channel, 0 to 255.
    pub mean: [f32; 3],
    /// Divides each channel.
    pub std: [f32; 3],
    /// Which side is limited: `min` or `max`.
    pub limit_type: String,
    /// To how many pixels.
    pub limit_side: u32,
    /// A pixel above this belongs to text.
    pub threshold: f32,
    /// A box whose mean is below this is no text.
    pub box_threshold: f32,
    /// How far boxes are widened.
    pub unclip_ratio: f32,
    /// The most boxes.
    pub max_candidates: usize,
}

/// Reads one line.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TextRecognise {
    /// The network.
    pub file: PathBuf,
    /// Its SHA-256.
    pub sha256: String,
    /// The alphabet, a character a line.
    pub characters: PathBuf,
    /// Its SHA-256.
    pub characters_sha256: String,
    /// The height of a line.
    pub height: u32,
    /// The width that short lines are filled to.
    pub width: u32,
    /// Subtracted from each channel, 0 to 255.
    pub mean: [f32; 3],
    /// Divides each channel.
    pub std: [f32; 3],
}

/// Tells whether a line is upside down.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TextTurn {
    /// The network.
    pub file: PathBuf,
    /// Its SHA-256.
    pub sha256: String,
    /// The height of its input.
    pub height: u32,
    /// The width of its input.
    pub width: u32,
    /// Subtracted from each channel, 0 to 255.
    pub mean: [f32; 3],
    /// Divides each channel.
    pub std: [f32; 3],
    /// Sure enough to turn a line.
    pub threshold: f32,
}

/// What is wrong with a model folder, in a sentence for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

impl Manifest {
    /// Reads the manifest of a folder and checks what can be checked without the weights.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(folder: &Path) -> Result<Self, Fault> {
        let path = folder.join(MANIFEST);
        let text =
            std::fs::read_to_string(&path).map_err(|error| Fault(format!("{MANIFEST} cannot be read: {error}")))?;
        let manifest: Self =
            toml::from_str(&text).map_err(|error| Fault(format!("{MANIFEST}: {}", error.message())))?;
        manifest.check(folder)?;
        Ok(manifest)
    }

    fn check(&self, folder: &Path) -> Result<(), Fault> {
        if folder.file_name().is_none_or(|name| name != self.name.as_str()) {
            return Err(Fault(format!("{MANIFEST}: name is '{}', and the folder has another name", self.name)));
        }
        let needs = |there: bool, part: &str| {
            let rule = || Fault(format!("{MANIFEST}: task {} needs the part [{part}]", self.task.as_str()));
            if there { Ok(()) } else { Err(rule()) }
        };
        match self.task {
            Task::Classify if self.head.is_some() => needs(self.labels.is_some(), "labels")?,
            Task::Classify | Task::Detect => {
                needs(self.weights.is_some(), "weights")?;
                needs(self.input.is_some(), "input")?;
                needs(self.output.is_some(), "output")?;
                needs(self.labels.is_some(), "labels")?;
            }
            Task::LocalFeatures => needs(self.weights.is_some(), "weights")?,
            Task::ReadText => needs(self.text.is_some(), "text")?,
        }
        if let Some(input) = &self.input {
            let sensible = (1..=4096).contains(&input.width) && (1..=4096).contains(&input.height);
            if !sensible || !(0.1..=1.0).contains(&input.crop_fraction) || input.std.contains(&0.0) {
                let rule = "width and height are 1 to 4096, crop_fraction 0.1 to 1, and no std is 0";
                return Err(Fault(format!("{MANIFEST}: [input]: {rule}")));
            }
        }
        if let Some(output) = &self.output {
            let classifies = matches!(output.decode, Decode::Softmax | Decode::Sigmoid | Decode::Probabilities);
            if classifies != (self.task == Task::Classify) {
                let rule = format!("[output] decode does not fit task {}", self.task.as_str());
                return Err(Fault(format!("{MANIFEST}: {rule}")));
            }
            if output.temperature <= 0.0 {
                return Err(Fault(format!("{MANIFEST}: [output] temperature must be above 0")));
            }
        }
        Ok(())
    }

    /// Every file of the model with its hash.
    #[must_use]
    pub fn files(&self) -> Vec<(&Path, &str)> {
        let mut files: Vec<(&Path, &str)> = Vec::new();
        files.extend(self.weights.iter().chain(&self.labels).map(|w| (w.file.as_path(), w.sha256.as_str())));
        files.extend(self.head.iter().map(|head| (head.file.as_path(), head.sha256.as_str())));
        if let Some(text) = &self.text {
            files.push((&text.detect.file, &text.detect.sha256));
            files.push((&text.recognise.file, &text.recognise.sha256));
            files.push((&text.recognise.characters, &text.recognise.characters_sha256));
            files.extend(text.turn.iter().map(|turn| (turn.file.as_path(), turn.sha256.as_str())));
        }
        files
    }
}
