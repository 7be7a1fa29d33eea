//! The parts of a manifest of a reader of text.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Channels, File};

/// The networks of a reader.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// What size a picture may have.
    pub picture: TextPicture,
    /// Finds lines of text.
    pub detect: TextDetect,
    /// Tells whether a line is upside down.
    pub turn: TextTurn,
    /// Reads one line.
    pub recognise: TextRecognise,
}

impl Text {
    /// Every file with its hash.
    #[must_use]
    pub fn files(&self) -> Vec<(&Path, &str)> {
        vec![
            (&self.detect.file, &self.detect.sha256),
            (&self.turn.file, &self.turn.sha256),
            (&self.recognise.file, &self.recognise.sha256),
            (&self.recognise.characters.file, &self.recognise.characters.sha256),
        ]
    }
}

/// What size a picture may have before a text reader looks at it.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TextPicture {
    /// A longer side above this is shrunk to it.
    pub max_side: u32,
    /// A shorter side below this is enlarged to it.
    pub min_side: u32,
    /// A picture that is wider than this many times its height gets black bars above and below.
    pub wide_ratio: f32,
    /// So does one that is at most this high.
    pub min_height: u32,
}

/// Finds lines of text.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TextDetect {
    /// The network.
    pub file: PathBuf,
    /// Its SHA-256.
    pub sha256: String,
    /// The tensor that takes the picture, `[1, 3, height, width]`.
    pub input: String,
    /// The tensor with the probability that a pixel is text, `[1, 1, height, width]`.
    pub output: String,
    /// Which channels.
    #[serde(default)]
    pub channels: Channels,
    /// Subtracted from each channel, on the scale 0 to 255.
    pub mean: [f32; 3],
    /// Divides each channel after that.
    pub std: [f32; 3],
    /// A shorter side below this is enlarged to it.
    pub short_side: u32,
    /// Both sides are rounded to a multiple of this.
    pub multiple_of: u32,
    /// A pixel above this belongs to text.
    pub threshold: f32,
    /// A box whose mean is below this is no text.
    pub box_floor: f32,
    /// The most boxes.
    pub candidates: usize,
    /// How far boxes are widened, as a part of area over perimeter.
    pub unclip: f32,
    /// Whether what is text grows by a pixel before boxes are drawn.
    #[serde(default)]
    pub dilate: bool,
}

/// Tells whether a line is upside down.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TextTurn {
    /// The network.
    pub file: PathBuf,
    /// Its SHA-256.
    pub sha256: String,
    /// The tensor that takes lines, `[lines, 3, height, width]`.
    pub input: String,
    /// The tensor with the probabilities of upright and upside down, `[lines, 2]`.
    pub output: String,
    /// Which channels.
    #[serde(default)]
    pub channels: Channels,
    /// The width of its input.
    pub width: u32,
    /// The height of its input.
    pub height: u32,
    /// Subtracted from each channel, on the scale 0 to 255.
    pub mean: [f32; 3],
    /// Divides each channel after that.
    pub std: [f32; 3],
    /// Sure enough to turn a line.
    pub floor: f32,
}

/// Reads one line.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TextRecognise {
    /// The network.
    pub file: PathBuf,
    /// Its SHA-256.
    pub sha256: String,
    /// The tensor that takes lines, `[lines, 3, height, width]`.
    pub input: String,
    /// The tensor with the probability of each symbol at each step, `[lines, steps, symbols]`.
    pub output: String,
    /// Which channels.
    #[serde(default)]
    pub channels: Channels,
    /// The width that short lines are filled to; longer ones make a wider input.
    pub width: u32,
    /// The height of a line.
    pub height: u32,
    /// Subtracted from each channel, on the scale 0 to 255.
    pub mean: [f32; 3],
    /// Divides each channel after that.
    pub std: [f32; 3],
    /// A line with a lower score is left out.
    pub score_floor: f32,
    /// The symbol that stands for no character.
    pub blank: usize,
    /// The alphabet, a character a line; the space comes after its last one.
    pub characters: File,
}
