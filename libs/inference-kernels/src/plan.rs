//! The steps and buffers of a network for one size of input.

mod planning;

use std::{collections::HashMap, sync::Arc};

use planning::Planning;

use crate::{
    Processor,
    graph::{Binary, Constant, Elementwise, Unsupported},
    kernels::{
        Buffer, LANES, blocks,
        depthwise::Field,
        elementwise::{Second, Spaced},
    },
    layers::{Convolve, Layer, Sum},
};

pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// Blocks of each buffer.
    pub(crate) buffers: Vec<usize>,
    pub(crate) inputs: HashMap<String, Location>,
    pub(crate) outputs: HashMap<String, Location>,
}

pub(crate) struct Step {
    pub(crate) kernel: Kernel,
    /// The buffers that it reads, and the one that it writes.
    pub(crate) inputs: Vec<usize>,
    pub(crate) output: usize,
    /// Blocks that it writes.
    pub(crate) size: usize,
}

pub(crate) enum Kernel {
    Convolve(Arc<Convolve>, Field),
    /// A depthwise convolution between pointwise ones.
    Bottleneck {
        first: Option<Arc<Convolve>>,
        middle: Arc<Convolve>,
        field: Field,
        last: Option<Arc<Convolve>>,
    },
    Sum(Arc<Sum>, Field),
    /// Over so many pixels.
    Average {
        size: usize,
    },
    Elementwise(Elementwise),
    Binary(Binary, Second),
    BinaryWith(Binary, Second, Buffer),
    /// Copies from each input.
    Copy {
        times: usize,
        copies: Vec<(Spaced, Spaced)>,
    },
    ToPlanes {
        channels: usize,
        size: usize,
    },
    ToPixels {
        channels: usize,
        size: usize,
    },
    Repeat {
        size: [usize; 2],
        factors: [usize; 2],
    },
    Enlarge {
        size: [usize; 2],
        factors: [usize; 2],
    },
    Softmax {
        width: usize,
    },
    /// Over the channels of each of so many pixels.
    SoftmaxOfPixel {
        channels: usize,
        size: usize,
    },
    Norm {
        channels: usize,
        size: usize,
    },
    /// Of planes of so many pixels.
    Standardise {
        factors: Vec<f32>,
        summands: Vec<f32>,
        epsilon: f32,
        size: usize,
    },
    Pool {
        side: usize,
        size: [usize; 2],
        channels: usize,
    },
    Gather {
        side: usize,
        size: [usize; 2],
    },
    Dot {
        weights: Arc<[f32]>,
    },
}

/// The buffer and the layout of a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Location {
    pub(crate) buffer: usize,
    pub(crate) form: Layout,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One picture of four dimensions, in blocks of channels.
    Pixels { size: [usize; 2], channels: usize },
    /// One picture as it was given, channel by channel.
    Planes { size: [usize; 2], channels: usize },
    /// The last dimension fastest.
    Plain(Vec<usize>),
}

impl Layout {
    pub(crate) fn of(shape: &[usize]) -> Self {
        match *shape {
            [1, channels, height, width] => Self::Pixels { size: [height, width], channels },
            _ => Self::Plain(shape.to_vec()),
        }
    }

    /// How many blocks it takes.
    pub(crate) fn blocks(&self) -> usize {
        match self {
            Self::Pixels { size, channels } => size[0] * size[1] * blocks(*channels),
            Self::Planes { size, channels } => blocks(size[0] * size[1] * channels),
            Self::Plain(shape) => blocks(shape.iter().product()),
        }
    }

    /// Whether the last block has no unused lanes. Unused lanes are multiplied with zeros later, so they must stay
    /// finite.
    pub(crate) fn is_full(&self) -> bool {
        !matches!(self, Self::Pixels { channels, .. } if !channels.is_multiple_of(LANES))
    }

    /// The dimensions as the network counts them.
    pub(crate) fn shape(&self) -> Vec<usize> {
        match self {
            Self::Pixels { size, channels } | Self::Planes { size, channels } => vec![1, *channels, size[0], size[1]],
            Self::Plain(shape) => shape.clone(),
        }
    }
}

impl Plan {
    pub(crate) fn new(
        processor: Processor,
        layers: &[Layer],
        constants: &HashMap<String, Constant>,
        inputs: &[(String, Vec<usize>)],
        outputs: &[String],
    ) -> Result<Self, Unsupported> {
        let mut planning =
            Planning { fed: inputs.len(), steps: Vec::new(), values: HashMap::new(), constants, processor };
        for (name, shape) in inputs {
            // The runner writes each input into a buffer of its own.
            let as_it_lies = layers.iter().any(|layer| layer.inputs[0] == *name && layer.takes_planes());
            let form = match Layout::of(shape) {
                Layout::Pixels { size, channels } if as_it_lies => Layout::Planes { size, channels },
                form => form,
            };
            let place = Location { buffer: planning.values.len(), form };
            planning.values.insert(name.clone(), place);
        }
        let fed: Vec<usize> = inputs.iter().map(|(name, _)| planning.values[name].form.blocks()).collect();
        for layer in layers {
            planning.layer(layer)?;
        }
        let place = |name: &String| planning.values.get(name).cloned().map(|place| (name.clone(), place));
        let inputs: HashMap<_, _> = inputs.iter().filter_map(|(name, _)| place(name)).collect();
        let outputs: HashMap<_, _> = outputs.iter().filter_map(place).collect();
        let mut plan = Self { steps: planning.steps, buffers: fed, inputs, outputs };
        plan.chain();
        plan.share_buffers();
        Ok(plan)
    }

    /// Fuses steps to bottlenecks where no other step reads the values in between.
    fn chain(&mut self) {
        let mut reads: HashMap<usize, usize> = HashMap::new();
        let read = self.steps.iter().flat_map(|step| step.inputs.iter().copied());
        for buffer in read.chain(self.outputs.values().map(|place| place.buffer)) {
            *reads.entry(buffer).or_default() += 1;
        }
        let mut chained: Vec<Step> = Vec::with_capacity(self.steps.len());
        for step in self.steps.drain(..) {
            let joined = chained
                .last()
                .filter(|before| step.inputs.first() == Some(&before.output) && reads[&before.output] == 1);
            match joined.and_then(|before| before.fused_with(&step)) {
                Some(kernel) => {
                    if let Some(before) = chained.last_mut() {
                        before.inputs.extend(step.inputs.into_iter().skip(1));
                        *before = Step { kernel, inputs: std::mem::take(&mut before.inputs), ..step };
                    }
                }
                None => chained.push(step),
            }
        }
        self.steps = chained;
    }

    /// Replaces the buffer of each step by one that no later step reads.
    fn share_buffers(&mut self) {
        let fed = self.buffers.len();
        let mut last_read: HashMap<usize, usize> = HashMap::new();
        for (number, step) in self.steps.iter().enumerate() {
            last_read.extend(step.inputs.iter().map(|input| (*input, number)));
        }
        last_read.extend(self.outputs.values().map(|place| (place.buffer, usize::MAX)));
        let mut shared: HashMap<usize, usize> = (0..fed).map(|buffer| (buffer, buffer)).collect();
        let mut free: Vec<usize> = Vec::new();
        for (number, step) in self.steps.iter_mut().enumerate() {
            // The smallest that is large enough, or else the largest, which grows.
            let fit = |buffer: &usize| (self.buffers[*buffer] < step.size, self.buffers[*buffer].abs_diff(step.size));
            let best = free.iter().copied().min_by_key(fit);
            let buffer = best.unwrap_or_else(|| {
                self.buffers.push(0);
                self.buffers.len() - 1
            });
            free.retain(|other| *other != buffer);
            self.buffers[buffer] = self.buffers[buffer].max(step.size);
            let own = std::mem::replace(&mut step.output, buffer);
            shared.insert(own, buffer);
            let mut read: Vec<usize> = step.inputs.clone();
            read.sort_unstable();
            read.dedup();
            // The buffer of an input is never reused, because the next input may be written to it early.
            free.extend(
                read.iter().filter(|input| **input >= fed && last_read[*input] == number).map(|input| shared[input]),
            );
            step.inputs.iter_mut().for_each(|input| *input = shared[input]);
        }
        for place in self.outputs.values_mut() {
            place.buffer = shared[&place.buffer];
        }
    }
}

impl Step {
    /// One kernel for this step and the next one, if there is any.
    fn fused_with(&self, then: &Self) -> Option<Kernel> {
        Some(match (&self.kernel, &then.kernel) {
            (Kernel::Convolve(first, _), Kernel::Convolve(middle, field))
                if first.is_pointwise() && middle.has_windows() && self.inputs.len() == 1 && then.inputs.len() == 1 =>
            {
                Kernel::Bottleneck {
                    first: Some(Arc::clone(first)),
                    middle: Arc::clone(middle),
                    field: *field,
                    last: None,
                }
            }
            (Kernel::Convolve(middle, field), Kernel::Convolve(last, _))
                if middle.has_windows() && last.is_pointwise() && self.inputs.len() == 1 =>
            {
                Kernel::Bottleneck {
                    first: None,
                    middle: Arc::clone(middle),
                    field: *field,
                    last: Some(Arc::clone(last)),
                }
            }
            (Kernel::Bottleneck { first, middle, field, last: None }, Kernel::Convolve(last, _))
                if last.is_pointwise() =>
            {
                let last = Some(Arc::clone(last));
                Kernel::Bottleneck { first: first.clone(), middle: Arc::clone(middle), field: *field, last }
            }
            _ => return None,
        })
    }
}
