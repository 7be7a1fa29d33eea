//! A network as it is in the file: nodes with named inputs and outputs, and constants.

mod read;

use std::{collections::HashMap, sync::Arc};

use crate::kernels::Activation;

/// Why the kernels cannot run a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

pub(crate) fn unsupported<T>(reason: impl Into<String>) -> Result<T, Unsupported> {
    Err(Unsupported(reason.into()))
}

pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) constants: HashMap<String, Constant>,
    pub(crate) inputs: Vec<String>,
    pub(crate) outputs: Vec<String>,
}

pub(crate) struct Node {
    pub(crate) operation: Operation,
    /// The computed inputs; constants of the operation are part of it.
    pub(crate) inputs: Vec<String>,
    pub(crate) outputs: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Constant {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Arc<[f32]>,
    /// The values of an integer tensor.
    pub(crate) integers: Vec<i64>,
}

pub(crate) enum Operation {
    Convolve(Box<Convolution>),
    /// A batch normalisation, folded to a factor and a summand for each channel.
    Normalise {
        factors: Vec<f32>,
        summands: Vec<f32>,
    },
    Elementwise(Elementwise),
    Binary(Binary),
    /// The mean over all pixels.
    Average,
    Concat {
        axis: i64,
    },
    Split {
        axis: i64,
    },
    Reshape {
        shape: Vec<i64>,
    },
    Flatten {
        axis: i64,
    },
    Transpose {
        order: Vec<usize>,
    },
    Softmax {
        axis: i64,
    },
    /// A matrix of weights; `by_output` when those of an output lie together.
    Dense {
        weights: Arc<[f32]>,
        by_output: bool,
        bias: Vec<f32>,
    },
    /// The dot product of each row with a vector.
    Dot {
        weights: Arc<[f32]>,
    },
    /// Every pixel repeated so many times down and across.
    Repeat {
        factors: [usize; 2],
    },
    /// So many times as high and wide, with straight lines between the middles of pixels.
    Enlarge {
        factors: [usize; 2],
    },
    /// Each channel brought to mean 0 and deviation 1, then a factor and a summand for each.
    Standardise {
        factors: Vec<f32>,
        summands: Vec<f32>,
        epsilon: f32,
    },
    /// The mean of each square of pixels with sides of this length; the squares lie side by side.
    Pool {
        side: usize,
    },
    /// Each square of pixels becomes one with a channel for each of them, row by row.
    Gather {
        side: usize,
    },
    /// The length of each pixel's vector of channels.
    Norm,
    /// The same value under another name.
    Same,
}

/// An operation on each value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Elementwise {
    Activate(Activation),
    HardSigmoid { alpha: f32, beta: f32 },
    Sigmoid,
    Sqrt,
}

/// An operation on two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Maximum,
}

pub(crate) struct Convolution {
    pub(crate) geometry: Geometry,
    pub(crate) groups: usize,
    /// Output channels, input channels of a group.
    pub(crate) channels: [usize; 2],
    /// By output channel, input channel of the group, row, column.
    pub(crate) weights: Arc<[f32]>,
    /// What the weights of each output channel are multiplied with.
    pub(crate) factors: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    pub(crate) activation: Activation,
    /// Whether its second input is added before the activation.
    pub(crate) adds: bool,
}

/// How a window moves over the pixels; down, then across.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) window: [usize; 2],
    pub(crate) stride: [usize; 2],
    /// Padding above and to the left.
    pub(crate) before: [usize; 2],
    pub(crate) after: [usize; 2],
}

impl Geometry {
    /// Each window is one pixel.
    pub(crate) const POINT: Self = Self { window: [1; 2], stride: [1; 2], before: [0; 2], after: [0; 2] };

    /// How many windows there are.
    pub(crate) fn outputs(&self, size: [usize; 2]) -> Option<[usize; 2]> {
        let windows = |at: usize| {
            let covered = (size[at] + self.before[at] + self.after[at]).checked_sub(self.window[at])?;
            Some(covered.checked_div(self.stride[at])? + 1)
        };
        Some([windows(0)?, windows(1)?])
    }
}
