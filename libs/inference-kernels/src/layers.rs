//! The nodes of a network with their weights arranged for the kernels.

use std::{collections::HashSet, sync::Arc};

use crate::{
    Processor,
    graph::{Convolution, Geometry, Node, Operation, Unsupported, unsupported},
    kernels::{
        Activation, Buffer, Finish, LANES, Lanes, blocks, bottleneck::Pointwise, depthwise::HIGHEST, in_blocks,
        matmul::Matrix, planes,
    },
    placement::FEW,
};

/// A node, or a part of one, ready for any size of input.
pub(crate) struct Layer {
    pub(crate) work: Work,
    pub(crate) inputs: Vec<String>,
    pub(crate) outputs: Vec<String>,
}

pub(crate) enum Work {
    /// Windows times a matrix.
    Convolve(Arc<Convolve>),
    /// Rows times a matrix.
    Dense(Arc<Convolve>),
    Sum(Arc<Sum>),
    Other(Operation),
}

/// A convolution.
pub(crate) struct Convolve {
    pub(crate) geometry: Geometry,
    /// Channels that come in and go out.
    pub(crate) channels: [usize; 2],
    pub(crate) weights: Weights,
    pub(crate) bias: Buffer,
    pub(crate) activation: Activation,
}

impl Convolve {
    /// Bias, addend and activation of its sums.
    pub(crate) fn finish<'a>(&'a self, add: Option<&'a [Lanes]>) -> Finish<'a> {
        Finish { bias: &self.bias, activation: self.activation, add }
    }

    /// Its windows, if each channel has one.
    pub(crate) fn windows(&self) -> Option<&[Lanes]> {
        if let Weights::Windows(weights) = &self.weights { Some(weights) } else { None }
    }

    /// As a part of a chain, if each of its windows is one pixel.
    pub(crate) fn link<'a>(&'a self, add: Option<&'a [Lanes]>) -> Option<Pointwise<'a>> {
        let Weights::Matrix(matrix) = &self.weights else { return None };
        Some(Pointwise { matrix, finish: self.finish(add) })
    }

    /// Whether each window is one pixel.
    pub(crate) fn is_pointwise(&self) -> bool {
        matches!(self.weights, Weights::Matrix(_)) && self.geometry == Geometry::POINT
    }

    /// Whether each channel has a window of its own.
    pub(crate) fn has_windows(&self) -> bool {
        matches!(self.weights, Weights::Windows(_))
    }
}

/// The sum of the products that a window sees: each pixel has one for every output, row and column of the window.
pub(crate) struct Sum {
    pub(crate) geometry: Geometry,
    pub(crate) channels: usize,
    pub(crate) bias: Buffer,
    pub(crate) activation: Activation,
}

pub(crate) enum Weights {
    Matrix(Matrix),
    /// A window for each channel.
    Windows(Buffer),
    /// For a picture with few channels that lies channel by channel.
    Planes(Buffer),
    /// From such a picture to another one.
    BetweenPlanes(planes::Weights),
}

/// Up to so many products of a pixel are computed for each pixel first and summed by window afterwards.
const FEW_PRODUCTS: usize = 64;

impl Layer {
    /// The layers of a node; `planes` are the names of the values that lie channel by channel.
    pub(crate) fn of(processor: Processor, node: Node, planes: &HashSet<String>) -> Result<Vec<Self>, Unsupported> {
        let Node { operation, inputs, outputs } = node;
        let work = match operation {
            Operation::Convolve(it) if !it.is_whole() => {
                return unsupported("a convolution has not as many weights as it should have");
            }
            Operation::Convolve(it) if it.has_few_products() => {
                let products = format!("{} before the sum", outputs[0]);
                let (first, then) = products_and_sum(processor, &it);
                let others = inputs.iter().skip(1).cloned();
                let sum =
                    Self { work: then, inputs: std::iter::once(products.clone()).chain(others).collect(), outputs };
                return Ok(vec![Self { work: first, inputs: inputs[..1].to_vec(), outputs: vec![products] }, sum]);
            }
            Operation::Convolve(it) => {
                let takes = planes.contains(&inputs[0]) && it.channels[1] <= FEW;
                let makes = takes && planes.contains(&outputs[0]);
                Work::Convolve(Arc::new(convolve(processor, &it, takes, makes)?))
            }
            Operation::Standardise { .. } | Operation::Pool { .. } | Operation::Gather { .. }
                if !planes.contains(&inputs[0]) =>
            {
                return unsupported("an operation on channels that lie in blocks");
            }
            Operation::Dense { weights, by_output, bias } => {
                Work::Dense(Arc::new(dense(processor, &weights, by_output, &bias)))
            }
            Operation::Normalise { .. } => return unsupported("it normalises what is not the result of a convolution"),
            other => Work::Other(other),
        };
        Ok(vec![Self { work, inputs, outputs }])
    }

    /// Whether its input is an image as it was given, channel by channel.
    pub(crate) fn takes_planes(&self) -> bool {
        match &self.work {
            Work::Convolve(convolve) => matches!(convolve.weights, Weights::Planes(_) | Weights::BetweenPlanes(_)),
            Work::Other(operation) => {
                matches!(operation, Operation::Standardise { .. } | Operation::Pool { .. } | Operation::Gather { .. })
            }
            _ => false,
        }
    }
}

impl Convolution {
    /// The weight of an output channel for a channel of its group at a place of the window.
    fn weight(&self, output: usize, channel: usize, place: usize) -> f32 {
        let size = self.geometry.window[0] * self.geometry.window[1];
        self.weights[(output * self.channels[1] + channel) * size + place] * self.factors[output]
    }

    fn is_whole(&self) -> bool {
        let [outputs, of_group] = self.channels;
        let size = self.geometry.window[0] * self.geometry.window[1];
        let given = self.weights.len() == outputs * of_group * size && self.bias.len() == outputs;
        given && !self.weights.is_empty() && !self.geometry.stride.contains(&0)
    }

    fn has_few_products(&self) -> bool {
        let [outputs, of_group] = self.channels;
        let size = self.geometry.window[0] * self.geometry.window[1];
        self.groups == 1 && size > 1 && of_group >= 2 * LANES && outputs * size <= FEW_PRODUCTS && !self.adds
    }
}

/// A large window with few outputs: computes all products of each pixel as a pointwise convolution, and then sums those
/// of each window.
fn products_and_sum(processor: Processor, it: &Convolution) -> (Work, Work) {
    let [outputs, channels] = it.channels;
    let size = it.geometry.window[0] * it.geometry.window[1];
    let products = outputs * size;
    let at = |line: usize, column: usize| {
        if line < channels { it.weight(column / size, line, column % size) } else { 0.0 }
    };
    let first = Convolve {
        geometry: Geometry::POINT,
        channels: [channels, products],
        weights: Weights::Matrix(Matrix::new(processor.tiles, blocks(channels), products, at)),
        bias: in_blocks(&vec![0.0; products]),
        activation: Activation::None,
    };
    let then = Sum { geometry: it.geometry, channels: outputs, bias: in_blocks(&it.bias), activation: it.activation };
    (Work::Convolve(Arc::new(first)), Work::Sum(Arc::new(then)))
}

/// `takes` and `makes` say whether what comes in and goes out lies channel by channel.
fn convolve(processor: Processor, it: &Convolution, takes: bool, makes: bool) -> Result<Convolve, Unsupported> {
    let [outputs, of_group] = it.channels;
    let [rows, columns] = it.geometry.window;
    let size = rows * columns;
    // By channel and place, then by output.
    let by_place = |channels: usize| -> Buffer {
        let of = |place: usize| (0..outputs).map(move |output| it.weight(output, place / size, place % size));
        (0..channels * size).flat_map(|place| in_blocks(&of(place).collect::<Vec<_>>()).to_vec()).collect()
    };
    let (inputs, weights) = if it.groups == 1 && makes {
        let at = |output: usize, place: usize| it.weight(output, place / size, place % size);
        (of_group, Weights::BetweenPlanes(planes::Weights::new(of_group * size, &it.bias, at)))
    } else if it.groups == 1 && takes {
        (of_group, Weights::Planes(by_place(of_group)))
    } else if it.groups == 1 {
        let depth = blocks(of_group);
        let at = |line: usize, column: usize| {
            let (place, channel) = (line / (depth * LANES), line % (depth * LANES));
            if channel < of_group { it.weight(column, channel, place) } else { 0.0 }
        };
        (of_group, Weights::Matrix(Matrix::new(processor.tiles, size * depth, outputs, at)))
    } else if it.groups == outputs && of_group == 1 && rows <= HIGHEST {
        (outputs, Weights::Windows(by_place(1)))
    } else {
        return unsupported(
            "it has a convolution in groups of several channels, or with a window for each channel that is too high",
        );
    };
    let (geometry, bias, activation) = (it.geometry, in_blocks(&it.bias), it.activation);
    Ok(Convolve { geometry, channels: [inputs, outputs], weights, bias, activation })
}

/// A matrix is a convolution of one pixel.
fn dense(processor: Processor, weights: &[f32], by_output: bool, bias: &[f32]) -> Convolve {
    let (inputs, outputs) = (weights.len() / bias.len().max(1), bias.len());
    let at = |line: usize, column: usize| match (line < inputs, by_output) {
        (true, true) => weights[column * inputs + line],
        (true, false) => weights[line * outputs + column],
        (false, _) => 0.0,
    };
    Convolve {
        geometry: Geometry::POINT,
        channels: [inputs, outputs],
        weights: Weights::Matrix(Matrix::new(processor.tiles, blocks(inputs), outputs, at)),
        bias: in_blocks(bias),
        activation: Activation::None,
    }
}
