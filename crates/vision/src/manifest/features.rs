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
    /// A network that matches the features of two pictures; without it descriptors alone decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<File>,
}

/// What goes in: one grey channel, the mean of the three of the picture, from 0 to 1. Its sides are multiples of 32.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureInput {
    /// The tensor's name.
    pub name: String,
}

/// What comes out: maps with a value for each cell of 8×8 pixels, and how points are picked out of them.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureOutput {
    /// `[1, 64, height / 8, width / 8]`, of unit length.
    pub descriptors: String,
    /// `[1, 65, height / 8, width / 8]`: the probability of each pixel of the cell; the last: none.
    pub keypoints: String,
    /// `[1, 1, height / 8, width / 8]`, 0 to 1.
    pub reliability: String,
    /// The least probability of a point.
    pub point_floor: f32,
    /// A point is the greatest within a square of this side.
    pub point_window: usize,
}
