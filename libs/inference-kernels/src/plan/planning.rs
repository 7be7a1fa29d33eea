//! Chooses a kernel and an output layout for each layer.

use std::{collections::HashMap, sync::Arc};

use super::{Kernel, Layout, Location, Step};
use crate::{
    Processor,
    graph::{Binary, Constant, Elementwise, Geometry, Operation, Unsupported, unsupported},
    kernels::{
        LANES, blocks,
        depthwise::Field,
        elementwise::{Second, Spaced},
        in_blocks,
    },
    layers::{Convolve, Layer, Sum, Weights, Work},
};

/// A plan under construction: every step has a buffer of its own, after those of the inputs.
pub(super) struct Planning<'a> {
    pub(super) fed: usize,
    pub(super) steps: Vec<Step>,
    pub(super) values: HashMap<String, Location>,
    pub(super) constants: &'a HashMap<String, Constant>,
    pub(super) processor: Processor,
}

impl Planning<'_> {
    /// Adds the steps of a layer.
    pub(super) fn layer(&mut self, layer: &Layer) -> Result<(), Unsupported> {
        let mut inputs = Vec::new();
        for name in &layer.inputs {
            match self.values.get(name) {
                Some(place) => inputs.push(place.clone()),
                None if matches!(layer.work, Work::Other(Operation::Binary(_))) => {}
                None => return unsupported(format!("'{name}' is taken before it is made")),
            }
        }
        let places = match &layer.work {
            Work::Convolve(convolve) => vec![self.convolve(convolve, &inputs)?],
            Work::Sum(sum) => vec![self.sum(sum, &inputs[0])?],
            Work::Dense(dense) => vec![self.dense(dense, &inputs[0])?],
            Work::Other(Operation::Split { axis }) => self.split(&inputs[0], *axis, layer.outputs.len())?,
            Work::Other(Operation::Binary(pairs)) => vec![self.pairs(*pairs, &layer.inputs)?],
            Work::Other(operation) => vec![self.other(operation, &inputs)?],
        };
        for (name, place) in layer.outputs.iter().zip(places) {
            if self.values.insert(name.clone(), place).is_some() {
                return unsupported(format!("'{name}' is made twice"));
            }
        }
        Ok(())
    }

    fn step(&mut self, kernel: Kernel, inputs: &[&Location], form: Layout) -> Location {
        let output = self.fed + self.steps.len();
        let inputs = inputs.iter().map(|place| place.buffer).collect();
        self.steps.push(Step { kernel, inputs, output, size: form.blocks() });
        Location { buffer: output, form }
    }

    fn convolve(&mut self, convolve: &Arc<Convolve>, inputs: &[Location]) -> Result<Location, Unsupported> {
        let (size, channels) = match (&inputs[0].form, &convolve.weights) {
            (Layout::Planes { size, channels }, Weights::Planes(_) | Weights::BetweenPlanes(_))
            | (Layout::Pixels { size, channels }, Weights::Matrix(_) | Weights::Windows(_)) => (*size, *channels),
            _ => return unsupported("a convolution of what is no picture"),
        };
        if channels != convolve.channels[0] {
            return unsupported("a convolution is for another number of channels");
        }
        let (field, mut form) = self.window(&convolve.geometry, size, channels, convolve.channels[1])?;
        if matches!(convolve.weights, Weights::BetweenPlanes(_)) {
            form = Layout::Planes { size: field.outputs, channels: convolve.channels[1] };
        }
        if inputs.get(1).is_some_and(|add| add.form != form) {
            return unsupported("a sum of different sizes");
        }
        let kernel = Kernel::Convolve(Arc::clone(convolve), field);
        Ok(self.step(kernel, &inputs.iter().collect::<Vec<_>>(), form))
    }

    fn sum(&mut self, sum: &Arc<Sum>, input: &Location) -> Result<Location, Unsupported> {
        let Layout::Pixels { size, channels } = input.form else {
            return unsupported("a convolution of what is no picture");
        };
        let (field, form) = self.window(&sum.geometry, size, channels, sum.channels)?;
        Ok(self.step(Kernel::Sum(Arc::clone(sum), field), &[input], form))
    }

    fn dense(&mut self, dense: &Arc<Convolve>, input: &Location) -> Result<Location, Unsupported> {
        if input.form != Layout::Plain(vec![1, dense.channels[0]]) || !dense.channels[0].is_multiple_of(LANES) {
            return unsupported("a matrix is multiplied with something else than one row of channels");
        }
        let (field, _) = self.window(&dense.geometry, [1; 2], dense.channels[0], dense.channels[1])?;
        let form = Layout::Plain(vec![1, dense.channels[1]]);
        Ok(self.step(Kernel::Convolve(Arc::clone(dense), field), &[input], form))
    }

    fn pairs(&mut self, pairs: Binary, names: &[String]) -> Result<Location, Unsupported> {
        let [first, second] = names else { return unsupported("an operation on two values has not two") };
        let commutes = matches!(pairs, Binary::Add | Binary::Multiply | Binary::Maximum);
        if pairs == Binary::Divide && self.values.get(first).is_some_and(|place| !place.form.is_full()) {
            return unsupported("a division of channels in part of a block");
        }
        let place = |name: &String| self.values.get(name).cloned();
        let constant = |name: &String| self.constants.get(name);
        match (place(first), place(second)) {
            (Some(first), Some(second)) => {
                let (first, second) = if commutes && second.form.blocks() > first.form.blocks() {
                    (second, first)
                } else {
                    (first, second)
                };
                let with = matching(&first.form, &second.form)?;
                Ok(self.step(Kernel::Binary(pairs, with), &[&first, &second], first.form.clone()))
            }
            (Some(value), None) => self.with_constant(pairs, &value, constant(second)),
            (None, Some(value)) if commutes => self.with_constant(pairs, &value, constant(first)),
            _ => unsupported("an operation on two constants"),
        }
    }

    fn with_constant(
        &mut self,
        pairs: Binary,
        value: &Location,
        constant: Option<&Constant>,
    ) -> Result<Location, Unsupported> {
        let Some(constant) = constant else { return unsupported("a value is taken before it is made") };
        if constant.values.is_empty() {
            return unsupported("a sum with whole numbers");
        }
        let form = match value.form {
            Layout::Pixels { .. } => {
                let missing = 4usize.saturating_sub(constant.shape.len());
                Layout::of(&std::iter::repeat_n(1, missing).chain(constant.shape.iter().copied()).collect::<Vec<_>>())
            }
            Layout::Planes { .. } | Layout::Plain(_) => Layout::Plain(constant.shape.clone()),
        };
        if matches!(form, Layout::Pixels { size, .. } if size != [1, 1]) {
            return unsupported("a constant for each pixel");
        }
        if constant.shape.len() > value.form.shape().len() {
            return unsupported("the second value has more dimensions");
        }
        let second = if constant.values.len() == 1 { Second::Only } else { matching(&value.form, &form)? };
        let kernel = Kernel::BinaryWith(pairs, second, in_blocks(&constant.values));
        Ok(self.step(kernel, &[value], value.form.clone()))
    }

    fn split(&mut self, input: &Location, axis: i64, parts: usize) -> Result<Vec<Location>, Unsupported> {
        let Layout::Plain(shape) = &input.form else { return unsupported("pixels are split") };
        let axis = axis_of(axis, shape.len())?;
        if !shape[axis].is_multiple_of(parts) {
            return unsupported("a split into unequal parts");
        }
        let mut part = shape.clone();
        part[axis] /= parts;
        let (times, width) = (shape[..axis].iter().product(), part[axis..].iter().product::<usize>());
        let mut places = Vec::new();
        for number in 0..parts {
            let from = Spaced { offset: number * width, width, stride: width * parts };
            let copies = vec![(from, Spaced { offset: 0, width, stride: width })];
            places.push(self.step(Kernel::Copy { times, copies }, &[input], Layout::Plain(part.clone())));
        }
        Ok(places)
    }

    fn other(&mut self, operation: &Operation, inputs: &[Location]) -> Result<Location, Unsupported> {
        let input = &inputs[0];
        Ok(match operation {
            Operation::Elementwise(Elementwise::Sqrt) if !input.form.is_full() => {
                return unsupported("a root of channels in part of a block");
            }
            Operation::Elementwise(each) => self.step(Kernel::Elementwise(*each), &[input], input.form.clone()),
            Operation::Average => {
                let Layout::Pixels { size, channels } = input.form else {
                    return unsupported("the mean of what is no picture");
                };
                self.step(
                    Kernel::Average { size: size[0] * size[1] },
                    &[input],
                    Layout::Pixels { size: [1, 1], channels },
                )
            }
            Operation::Concat { axis } => self.concat(inputs, *axis)?,
            Operation::Reshape { shape } => {
                let shape = reshaped(&input.form.shape(), shape)?;
                self.plain(input, shape)
            }
            Operation::Flatten { axis } => {
                let shape = input.form.shape();
                let axis = axis_of(*axis, shape.len())?;
                self.plain(input, vec![shape[..axis].iter().product(), shape[axis..].iter().product()])
            }
            Operation::Transpose { order } => match input.form {
                Layout::Pixels { size, channels } if *order == [0, 2, 3, 1] => {
                    let form = Layout::Plain(vec![1, size[0], size[1], channels]);
                    self.step(Kernel::ToPixels { channels, size: size[0] * size[1] }, &[input], form)
                }
                _ => return unsupported("dimensions change places"),
            },
            Operation::Softmax { axis } => match &input.form {
                Layout::Plain(shape) if axis_of(*axis, shape.len())? + 1 == shape.len() => {
                    let width = shape[shape.len() - 1];
                    self.step(Kernel::Softmax { width }, &[input], input.form.clone())
                }
                Layout::Pixels { size, channels } if *axis == 1 => {
                    let kernel = Kernel::SoftmaxOfPixel { channels: *channels, size: size[0] * size[1] };
                    self.step(kernel, &[input], input.form.clone())
                }
                _ => return unsupported("a softmax over other than the last dimension"),
            },
            Operation::Dot { weights } => match &input.form {
                Layout::Plain(shape) if shape.last() == Some(&weights.len()) => {
                    let form = Layout::Plain(shape[..shape.len() - 1].to_vec());
                    self.step(Kernel::Dot { weights: Arc::clone(weights) }, &[input], form)
                }
                _ => return unsupported("a product of different sizes"),
            },
            Operation::Repeat { factors } => {
                let Layout::Pixels { size, channels } = input.form else {
                    return unsupported("what is no picture is resized");
                };
                let form = Layout::Pixels { size: [size[0] * factors[0], size[1] * factors[1]], channels };
                self.step(Kernel::Repeat { size, factors: *factors }, &[input], form)
            }
            Operation::Enlarge { factors } => {
                let Layout::Pixels { size, channels } = input.form else {
                    return unsupported("what is no picture is resized");
                };
                let form = Layout::Pixels { size: [size[0] * factors[0], size[1] * factors[1]], channels };
                self.step(Kernel::Enlarge { size, factors: *factors }, &[input], form)
            }
            Operation::Norm => {
                let Layout::Pixels { size, channels } = input.form else {
                    return unsupported("the length of what is no pixel");
                };
                let kernel = Kernel::Norm { channels, size: size[0] * size[1] };
                self.step(kernel, &[input], Layout::Pixels { size, channels: 1 })
            }
            Operation::Standardise { .. } | Operation::Pool { .. } | Operation::Gather { .. } => {
                self.of_planes(operation, input)?
            }
            Operation::Same => input.clone(),
            _ => return unsupported("an operation in a place where it is not known"),
        })
    }

    /// An operation on a picture that lies channel by channel.
    fn of_planes(&mut self, operation: &Operation, input: &Location) -> Result<Location, Unsupported> {
        let Layout::Planes { size, channels } = input.form else {
            return unsupported("an operation on channels that lie in blocks");
        };
        let parts = |side: usize| [size[0] / side, size[1] / side];
        Ok(match operation {
            Operation::Standardise { factors, summands, epsilon }
                if [factors.len(), summands.len()] == [channels; 2] =>
            {
                let (factors, summands) = (factors.clone(), summands.clone());
                let kernel = Kernel::Standardise { factors, summands, epsilon: *epsilon, size: size[0] * size[1] };
                self.step(kernel, &[input], input.form.clone())
            }
            Operation::Pool { side } if !parts(*side).contains(&0) => {
                let form = Layout::Planes { size: parts(*side), channels };
                self.step(Kernel::Pool { side: *side, size, channels }, &[input], form)
            }
            Operation::Gather { side } if channels == 1 && parts(*side).map(|part| part * side) == size => {
                let form = Layout::Pixels { size: parts(*side), channels: side * side };
                self.step(Kernel::Gather { side: *side, size }, &[input], form)
            }
            _ => return unsupported("an operation on a picture of another size or number of channels"),
        })
    }

    fn concat(&mut self, inputs: &[Location], axis: i64) -> Result<Location, Unsupported> {
        let mut shape = inputs[0].form.shape();
        let axis = axis_of(axis, shape.len())?;
        let same = |other: &[usize]| {
            other.len() == shape.len() && (0..shape.len()).all(|at| at == axis || other[at] == shape[at])
        };
        if !inputs.iter().all(|input| same(&input.form.shape())) {
            return unsupported("values of different sizes are put side by side");
        }
        shape[axis] = inputs.iter().map(|input| input.form.shape()[axis]).sum();
        let pictures = inputs.iter().filter(|input| matches!(input.form, Layout::Pixels { .. })).count();
        // Pictures lie in blocks of channels, which are put one after the other if they are full.
        let full = |input: &Location| input.form.shape()[1].is_multiple_of(LANES);
        if pictures > 0 && (pictures < inputs.len() || axis != 1 || !inputs[..inputs.len() - 1].iter().all(full)) {
            return unsupported("pictures are put side by side");
        }
        let times = if pictures > 0 { 1 } else { shape[..axis].iter().product() };
        let width = |input: &Location| {
            if pictures > 0 { input.form.blocks() * LANES } else { input.form.shape()[axis..].iter().product() }
        };
        let stride = inputs.iter().map(width).sum();
        let (mut offset, mut copies) = (0, Vec::new());
        for width in inputs.iter().map(width) {
            copies.push((Spaced { offset: 0, width, stride: width }, Spaced { offset, width, stride }));
            offset += width;
        }
        let form = if pictures > 0 { Layout::of(&shape) } else { Layout::Plain(shape) };
        Ok(self.step(Kernel::Copy { times, copies }, &inputs.iter().collect::<Vec<_>>(), form))
    }

    /// The geometry of a window over pixels, and the layout of its result.
    fn window(
        &self,
        geometry: &Geometry,
        size: [usize; 2],
        channels: usize,
        made: usize,
    ) -> Result<(Field, Layout), Unsupported> {
        let Some(outputs) = geometry.outputs(size) else { return unsupported("a window is larger than the picture") };
        let wide = self.processor.has_wide_registers();
        let field = Field { depth: blocks(channels), size, outputs, geometry: *geometry, wide };
        Ok((field, Layout::Pixels { size: outputs, channels: made }))
    }

    /// The same values in the order in which the network counts them, in other dimensions.
    fn plain(&mut self, input: &Location, shape: Vec<usize>) -> Location {
        let form = Layout::Plain(shape);
        match input.form {
            Layout::Pixels { size: [1, 1], .. } | Layout::Planes { .. } | Layout::Plain(_) => {
                Location { buffer: input.buffer, form }
            }
            Layout::Pixels { size, channels } => {
                self.step(Kernel::ToPlanes { channels, size: size[0] * size[1] }, &[input], form)
            }
        }
    }
}

fn axis_of(axis: i64, dimensions: usize) -> Result<usize, Unsupported> {
    let count = i64::try_from(dimensions).unwrap_or(i64::MAX);
    let axis = usize::try_from(if axis < 0 { axis + count } else { axis });
    axis.ok()
        .filter(|axis| *axis < dimensions)
        .ok_or_else(|| Unsupported("it names a dimension that is not there".to_owned()))
}

fn reshaped(shape: &[usize], wanted: &[i64]) -> Result<Vec<usize>, Unsupported> {
    let all: usize = shape.iter().product();
    let mut sides = Vec::new();
    for (at, side) in wanted.iter().enumerate() {
        sides.push(match *side {
            0 => shape.get(at).copied().unwrap_or(0),
            -1 => 1,
            side => usize::try_from(side).unwrap_or(0),
        });
    }
    let product = |sides: &[usize]| sides.iter().try_fold(1usize, |product, side| product.checked_mul(*side));
    let known = product(&sides);
    if let (Some(open), Some(known)) = (wanted.iter().position(|side| *side == -1), known) {
        sides[open] = all / known.max(1);
    }
    if product(&sides) == Some(all) {
        Ok(sides)
    } else {
        unsupported("values are put into dimensions that do not hold them")
    }
}

/// Which of `second` belongs to each of `first`.
fn matching(first: &Layout, second: &Layout) -> Result<Second, Unsupported> {
    match (first, second) {
        (first, second) if first == second => Ok(Second::Same),
        (Layout::Pixels { size, channels }, Layout::Pixels { size: [1, 1], channels: same }) if channels == same => {
            Ok(Second::OfChannel(size[0] * size[1]))
        }
        (Layout::Pixels { size, .. }, Layout::Pixels { size: same, channels: 1 }) if size == same => {
            Ok(Second::OfPixel(size[0] * size[1]))
        }
        (Layout::Plain(first), Layout::Plain(second)) => places(first, second).map(Second::At),
        _ => unsupported("an operation on two values of different sizes"),
    }
}

/// For each value of `first`, the place in `second` that numpy would pair it with.
fn places(first: &[usize], second: &[usize]) -> Result<Vec<u32>, Unsupported> {
    let missing = first
        .len()
        .checked_sub(second.len())
        .ok_or_else(|| Unsupported("the second value is the larger one".to_owned()))?;
    let mut places = vec![0u32];
    for (at, side) in first.iter().enumerate() {
        let own = if at < missing { 1 } else { second[at - missing] };
        if own != *side && own != 1 {
            return unsupported("an operation on two values of different sizes");
        }
        let next = |place: &u32| {
            let place = *place;
            (0..*side).map(move |step| {
                place * u32::try_from(own).unwrap_or(0) + if own == 1 { 0 } else { u32::try_from(step).unwrap_or(0) }
            })
        };
        places = places.iter().flat_map(next).collect();
    }
    Ok(places)
}
