//! The parts of a manifest of a network for local features.

use serde::{Deserialize, Serialize};

use super::File;

/// A network that finds key points and describes them.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LocalFeatures {
    /// The network.
    pub weights: File,
    /// What goes in.
    pub input: FeatureInput,
    /// What comes out.
    pub output: FeatureOutput,
}

/// One grey channel of any size that is a multiple of `multiple_of`.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureInput {
    /// The tensor's name.
    pub name: String,
    /// The usual width.
    pub width: u32,
    /// The usual height.
    pub height: u32,
    /// Both sides are multiples of this.
    pub multiple_of: u32,
    /// Always `nchw`.
    pub layout: super::Layout,
    /// Always `grey`.
    pub channels: String,
    /// How grey is made: `mean` of the three channels.
    pub grey: String,
    /// How a picture fits.
    pub fit: super::Fit,
    /// How pixels between pixels are made.
    pub filter: super::Filter,
    /// Subtracted first, on the scale 0 to 255.
    pub mean: [f32; 1],
    /// Divides after that.
    pub std: [f32; 1],
}

/// Maps at an eighth of the size, and how points are picked out of them.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureOutput {
    /// `[batch, dimensions, height / cell, width / cell]`, of unit length.
    pub descriptors: String,
    /// `[batch, cell² + 1, height / cell, width / cell]`: the probability of each pixel of the cell; the last: none.
    pub keypoints: String,
    /// `[batch, 1, height / cell, width / cell]`, 0 to 1.
    pub reliability: String,
    /// The side of a cell in pixels.
    pub cell: usize,
    /// The length of a descriptor.
    pub dimensions: usize,
    /// The least probability of a point.
    pub point_floor: f32,
    /// A point is the greatest within a square of this side.
    pub point_window: usize,
    /// At most this many points.
    pub point_limit: usize,
}
