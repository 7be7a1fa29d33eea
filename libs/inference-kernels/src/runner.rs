//! Runs a network on one thread.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use fearless_simd::Simd;

use crate::{
    Processor, Unsupported,
    fusion::fuse,
    graph::{Constant, Geometry, Graph},
    kernels::{
        Buffer, Finish, Lanes, blocks,
        bottleneck::{Between, Bottleneck},
        depthwise::{self, Field, Part},
        direct, elementwise,
        matmul::{self, Places, Target},
        pixels, planes,
        rows::{Pixels, Windows},
    },
    layers::{Convolve, Layer, Sum, Weights},
    placement::in_planes,
    plan::{Kernel, Layout, Location, Plan, Step},
    processor::Instructions,
};

/// A network with its weights; any number of threads share it.
pub struct Network {
    processor: Processor,
    layers: Vec<Layer>,
    constants: HashMap<String, Constant>,
    outputs: Vec<String>,
}

/// Values with their dimensions, the last one fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// The size in each dimension.
    pub shape: Vec<usize>,
    /// The values.
    pub values: Vec<f32>,
}

impl Network {
    /// Reads an ONNX file.
    ///
    /// # Errors
    /// The first operation that is not supported.
    pub fn read(processor: Processor, file: Vec<u8>) -> Result<Self, Unsupported> {
        let mut graph = Graph::read(file)?;
        fuse(&mut graph);
        let planes = in_planes(&graph);
        let Graph { nodes, mut constants, outputs, .. } = graph;
        let layers = nodes.into_iter().map(|node| Layer::of(processor, node, &planes));
        let layers = layers.collect::<Result<Vec<_>, _>>()?;
        let layers: Vec<Layer> = layers.into_iter().flatten().collect();
        // The layers hold the weights now; only operands of binary operations are needed again.
        constants.retain(|name, _| layers.iter().any(|layer| layer.inputs.contains(name)));
        Ok(Self { processor, layers, constants, outputs })
    }

    /// The processor that the weights are arranged for.
    #[must_use]
    pub fn processor(&self) -> Processor {
        self.processor
    }

    /// The names of the outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.outputs.iter().map(String::as_str)
    }
}

/// The names and sizes of inputs.
type Inputs = Vec<(String, Vec<usize>)>;

/// A network on one thread.
pub struct Runner {
    network: Arc<Network>,
    /// Plans by size of input, the last used at the end.
    plans: Vec<(Inputs, Plan)>,
}

/// Scratch space of the kernels.
#[derive(Default)]
struct Space {
    product: matmul::Space,
    between: Between,
    copied: Buffer,
    lines: Vec<f32>,
}

thread_local! {
    /// A thread runs one network at a time, so all of its networks use the same buffers.
    static BUFFERS: RefCell<(Vec<Buffer>, Space)> = RefCell::default();
}

/// The number of plans that are kept.
const PLANS: usize = 8;

impl Runner {
    /// A runner of a network.
    #[must_use]
    pub fn new(network: Arc<Network>) -> Self {
        Self { network, plans: Vec::new() }
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Runs the network and returns the named outputs.
    ///
    /// # Errors
    /// When inputs of this size are not supported, or an output does not exist.
    pub fn run<const N: usize>(
        &mut self,
        feeds: &[(&str, &[usize], &[f32])],
        wanted: [&str; N],
    ) -> Result<[Tensor; N], Unsupported> {
        let outputs = self.outputs(feeds, &wanted)?;
        outputs.try_into().map_err(|_| Unsupported("an output is missing".to_owned()))
    }

    /// As [`Runner::run`]. Not generic, so that the kernels are compiled once and not in every crate that calls them.
    fn outputs(&mut self, feeds: &[(&str, &[usize], &[f32])], wanted: &[&str]) -> Result<Vec<Tensor>, Unsupported> {
        self.prepare(feeds)?;
        let Some((_, plan)) = self.plans.last() else { return Err(Unsupported("it has no plan".to_owned())) };
        if let Some(missing) = wanted.iter().find(|name| !plan.outputs.contains_key(**name)) {
            return Err(Unsupported(format!("it has no output '{missing}'")));
        }
        let instructions = self.network.processor.instructions;
        Ok(BUFFERS.with_borrow_mut(|(buffers, space)| {
            make_room(buffers, plan);
            for (name, _, values) in feeds {
                feed(&plan.inputs[*name], values, buffers);
            }
            match instructions {
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512(simd) => vectorized(simd, plan, buffers, space),
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2(simd) => vectorized(simd, plan, buffers, space),
                Instructions::Baseline(simd) => vectorized(simd, plan, buffers, space),
            }
            wanted.iter().map(|name| tensor(&plan.outputs[*name], buffers)).collect()
        }))
    }

    /// Makes the plan for inputs of this size the last one.
    fn prepare(&mut self, feeds: &[(&str, &[usize], &[f32])]) -> Result<(), Unsupported> {
        let fits = |inputs: &[(String, Vec<usize>)]| {
            inputs.len() == feeds.len()
                && inputs.iter().zip(feeds).all(|((name, shape), feed)| name == feed.0 && shape == feed.1)
        };
        if let Some(at) = self.plans.iter().position(|(inputs, _)| fits(inputs)) {
            self.plans[at..].rotate_left(1);
            return Ok(());
        }
        let inputs: Vec<_> = feeds.iter().map(|(name, shape, _)| ((*name).to_owned(), shape.to_vec())).collect();
        if !feeds.iter().all(|(_, shape, values)| shape.iter().product::<usize>() == values.len()) {
            return Err(Unsupported("an input is not of its size".to_owned()));
        }
        if feeds.iter().any(|(_, _, values)| values.is_empty()) {
            return Err(Unsupported("an input is empty".to_owned()));
        }
        let network = &*self.network;
        let plan = Plan::new(network.processor, &network.layers, &network.constants, &inputs, &network.outputs)?;
        if self.plans.len() == PLANS {
            self.plans.remove(0);
        }
        self.plans.push((inputs, plan));
        Ok(())
    }
}

/// Runs all steps of a plan with an instruction set enabled.
fn vectorized<S: Simd>(simd: S, plan: &Plan, buffers: &mut [Buffer], space: &mut Space) {
    simd.vectorize(
        #[inline(always)]
        || all(simd, plan, buffers, space),
    );
}

/// Makes the buffers as large as a plan needs them.
fn make_room(buffers: &mut Vec<Buffer>, plan: &Plan) {
    buffers.resize(buffers.len().max(plan.buffers.len()), Buffer::default());
    for (buffer, size) in buffers.iter_mut().zip(&plan.buffers) {
        buffer.grow(*size);
    }
}

/// Writes an input to its buffer in its layout.
fn feed(place: &Location, values: &[f32], buffers: &mut [Buffer]) {
    let buffer = &mut buffers[place.buffer];
    match place.form {
        Layout::Pixels { channels, .. } => {
            elementwise::from_planes(values, channels, &mut buffer[..place.form.blocks()]);
        }
        Layout::Planes { .. } | Layout::Plain(_) => buffer.as_flattened_mut()[..values.len()].copy_from_slice(values),
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "the instruction set holds for what is inlined")]
fn all<S: Simd>(simd: S, plan: &Plan, buffers: &mut [Buffer], space: &mut Space) {
    for step in &plan.steps {
        let mut out = std::mem::take(&mut buffers[step.output]);
        one(simd, step, buffers, &mut out[..step.size], space);
        buffers[step.output] = out;
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "the instruction set holds for what is inlined")]
fn one<S: Simd>(simd: S, step: &Step, buffers: &[Buffer], out: &mut [Lanes], space: &mut Space) {
    let input = |number: usize| &*buffers[step.inputs[number]];
    let same = || &input(0)[..out.len()];
    match &step.kernel {
        Kernel::Convolve(convolve, field) => {
            let add = step.inputs.get(1).map(|input| &*buffers[*input]);
            self::convolve(simd, convolve, field, input(0), add, out, space);
        }
        Kernel::Bottleneck { first, middle, field, last } => {
            let (Some(weights), add) = (middle.windows(), step.inputs.get(1).map(|input| &*buffers[*input])) else {
                return;
            };
            let chain = Bottleneck {
                first: first.as_ref().and_then(|first| first.link(None)),
                field,
                weights,
                finish: middle.finish(None),
                last: last.as_ref().and_then(|last| last.link(add)),
            };
            chain.run(simd, input(0), out, &mut space.product, &mut space.between);
        }
        Kernel::Sum(sum, field) => {
            let Sum { channels, bias, activation, .. } = &**sum;
            let finish = Finish { bias, activation: *activation, add: None };
            elementwise::sum(
                simd,
                field,
                *channels,
                &input(0)[..field.size[0] * field.size[1] * field.depth],
                finish,
                out,
            );
        }
        Kernel::Average { size } => elementwise::average(simd, *size, &input(0)[..size * out.len()], out),
        Kernel::Elementwise(operation) => elementwise::apply(simd, *operation, same(), out),
        Kernel::Binary(operation, second) => elementwise::binary(simd, *operation, second, same(), input(1), out),
        Kernel::BinaryWith(operation, second, constant) => {
            elementwise::binary(simd, *operation, second, same(), constant, out);
        }
        Kernel::Copy { times, copies } => {
            copies
                .iter()
                .enumerate()
                .for_each(|(number, (from, to))| elementwise::copy(*times, *from, *to, input(number), out));
        }
        Kernel::ToPlanes { channels, size } => {
            elementwise::to_planes(input(0), *channels, *size, out.as_flattened_mut());
        }
        Kernel::ToPixels { channels, size } => {
            elementwise::to_pixels(&input(0)[..size * blocks(*channels)], *channels, *size, out.as_flattened_mut());
        }
        Kernel::Repeat { size, factors } => {
            elementwise::repeat(*size, *factors, &input(0)[..out.len() / (factors[0] * factors[1])], out);
        }
        Kernel::Softmax { width } => elementwise::softmax(simd, *width, same(), out),
        Kernel::SoftmaxOfPixel { channels, size } => pixels::softmax(simd, *channels, *size, same(), out),
        Kernel::Norm { channels, size } => pixels::norm(simd, *channels, *size, input(0), out),
        Kernel::Enlarge { size, factors } => {
            pixels::enlarge(simd, *size, *factors, &input(0)[..out.len() / (factors[0] * factors[1])], out);
        }
        Kernel::Standardise { factors, summands, epsilon, size } => {
            let values = size * factors.len();
            let (from, to) = (&input(0).as_flattened()[..values], &mut out.as_flattened_mut()[..values]);
            planes::standardise(simd, (factors, summands, *epsilon), *size, from, to);
        }
        Kernel::Pool { side, size, channels } => {
            let (from, to) = (size[0] * size[1] * channels, size[0] / side * (size[1] / side) * channels);
            planes::pool(*side, *size, &input(0).as_flattened()[..from], &mut out.as_flattened_mut()[..to]);
        }
        Kernel::Gather { side, size } => planes::gather(*side, *size, input(0).as_flattened(), out),
        Kernel::Dot { weights } => elementwise::dot(weights, input(0), out),
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "the instruction set holds for what is inlined")]
fn convolve<S: Simd>(
    simd: S,
    it: &Convolve,
    field: &Field,
    input: &[Lanes],
    add: Option<&[Lanes]>,
    out: &mut [Lanes],
    space: &mut Space,
) {
    let finish = it.finish(add);
    let outputs = field.outputs[0] * field.outputs[1];
    let target = Target { plane: outputs, places: Places::From(0) };
    match &it.weights {
        Weights::Planes(weights) => {
            let planes = &input.as_flattened()[..field.pixels() * it.channels[0]];
            direct::convolve(simd, field, planes, weights, finish, out, &mut space.lines);
        }
        Weights::BetweenPlanes(weights) => {
            let seen = &input.as_flattened()[..field.pixels() * it.channels[0]];
            let made = &mut out.as_flattened_mut()[..outputs * it.channels[1]];
            planes::convolve(simd, field, seen, weights, it.activation, made, &mut space.lines);
        }
        Weights::Windows(weights) => {
            let part = Part { rows: 0..field.outputs[0], plane: outputs, offset: 0 };
            depthwise::convolve(simd, field, input, weights, finish, &part, out, &mut space.copied);
        }
        Weights::Matrix(matrix) if field.geometry == Geometry::POINT => {
            let pixels = Pixels { lanes: input, stride: outputs, count: outputs };
            matrix.multiply(simd, &pixels, finish, target, out, &mut space.product);
        }
        Weights::Matrix(matrix) => {
            matrix.multiply(simd, &Windows { lanes: input, field }, finish, target, out, &mut space.product);
        }
    }
}

/// A value in the order of its dimensions.
fn tensor(Location { buffer, form }: &Location, buffers: &[Buffer]) -> Tensor {
    let (buffer, shape) = (&buffers[*buffer], form.shape());
    let count = shape.iter().product();
    let values = match form {
        Layout::Planes { .. } | Layout::Plain(_) => buffer.as_flattened()[..count].to_vec(),
        Layout::Pixels { size, channels } => {
            let mut planes = vec![0.0; count];
            elementwise::to_planes(buffer, *channels, size[0] * size[1], &mut planes);
            planes
        }
    };
    Tensor { shape, values }
}
