//! A network that can be run, and one thread that runs it.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use fearless_simd::Simd;

use crate::{
    Processor, Unfit,
    graph::{Constant, Geometry, Graph},
    join::join,
    kernels::{
        Buffer, Finish, Lanes, blocks,
        chain::{Between, Chain},
        depthwise::{self, Field, Part},
        direct, each,
        product::{self, Places, Target},
        rows::{Pixels, Windows},
    },
    layers::{Convolve, Layer, Sum, Weights},
    plan::{Form, Kernel, Place, Plan, Step},
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
    /// What in it is not known here.
    pub fn read(processor: Processor, file: Vec<u8>) -> Result<Self, Unfit> {
        let mut graph = Graph::read(file)?;
        join(&mut graph);
        let Graph { nodes, mut constants, inputs, outputs } = graph;
        let layers =
            nodes.into_iter().map(|node| Layer::of(processor, node, &inputs)).collect::<Result<Vec<_>, _>>()?;
        let layers: Vec<Layer> = layers.into_iter().flatten().collect();
        // Weights are in the layers by now; only what is paired with values is needed again.
        constants.retain(|name, _| layers.iter().any(|layer| layer.inputs.contains(name)));
        Ok(Self { processor, layers, constants, outputs })
    }

    /// What it was arranged for.
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
    /// The sizes of input that were met last, the latest at the end.
    plans: Vec<(Inputs, Plan)>,
}

/// What kernels need besides their input and output.
#[derive(Default)]
struct Space {
    product: product::Space,
    between: Between,
    copied: Buffer,
    lines: Vec<f32>,
}

thread_local! {
    /// A thread runs one network at a time, so all of its networks use the same buffers.
    static BUFFERS: RefCell<(Vec<Buffer>, Space)> = RefCell::default();
}

/// So many sizes of input are kept in mind.
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

    /// Runs the network and takes out the outputs that are named.
    ///
    /// # Errors
    /// When inputs of this size, or these outputs, are not possible.
    pub fn run<const N: usize>(
        &mut self,
        feeds: &[(&str, &[usize], &[f32])],
        wanted: [&str; N],
    ) -> Result<[Tensor; N], Unfit> {
        self.prepare(feeds)?;
        let Some((_, plan)) = self.plans.last() else { return Err(Unfit("it has no plan".to_owned())) };
        if let Some(missing) = wanted.iter().find(|name| !plan.outputs.contains_key(**name)) {
            return Err(Unfit(format!("it has no output '{missing}'")));
        }
        let simd = self.network.processor.instructions;
        Ok(BUFFERS.with_borrow_mut(|(buffers, space)| {
            make_room(buffers, plan);
            for (name, _, values) in feeds {
                feed(&plan.inputs[*name], values, buffers);
            }
            simd.vectorize(
                #[inline(always)]
                || all(simd, plan, buffers, space),
            );
            wanted.map(|name| tensor(&plan.outputs[name], buffers))
        }))
    }

    /// Makes the plan for inputs of this size the last one.
    fn prepare(&mut self, feeds: &[(&str, &[usize], &[f32])]) -> Result<(), Unfit> {
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
            return Err(Unfit("an input is not of its size".to_owned()));
        }
        let network = &*self.network;
        let plan = Plan::new(&network.layers, &network.constants, &inputs, &network.outputs)?;
        if self.plans.len() == PLANS {
            self.plans.remove(0);
        }
        self.plans.push((inputs, plan));
        Ok(())
    }
}

/// Makes the buffers as large as a plan needs them.
fn make_room(buffers: &mut Vec<Buffer>, plan: &Plan) {
    buffers.resize(buffers.len().max(plan.buffers.len()), Buffer::default());
    for (buffer, size) in buffers.iter_mut().zip(&plan.buffers) {
        buffer.grow(*size);
    }
}

/// Puts an input where the plan wants it.
fn feed(place: &Place, values: &[f32], buffers: &mut [Buffer]) {
    let buffer = &mut buffers[place.buffer];
    match place.form {
        Form::Pixels { channels, .. } => each::from_planes(values, channels, &mut buffer[..place.form.blocks()]),
        Form::Planes { .. } | Form::Plain(_) => buffer.as_flattened_mut()[..values.len()].copy_from_slice(values),
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
        Kernel::Chain { first, middle, field, last } => {
            let (Some(weights), add) = (middle.windows(), step.inputs.get(1).map(|input| &*buffers[*input])) else {
                return;
            };
            let chain = Chain {
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
            each::sum(simd, field, *channels, &input(0)[..field.size[0] * field.size[1] * field.depth], finish, out);
        }
        Kernel::Average { size } => each::average(simd, *size, &input(0)[..size * out.len()], out),
        Kernel::Each(operation) => each::each(simd, *operation, same(), out),
        Kernel::Pairs(operation, second) => each::pairs(simd, *operation, second, same(), input(1), out),
        Kernel::PairsWith(operation, second, constant) => each::pairs(simd, *operation, second, same(), constant, out),
        Kernel::Copy { times, copies } => {
            copies
                .iter()
                .enumerate()
                .for_each(|(number, (from, to))| each::copy(*times, *from, *to, input(number), out));
        }
        Kernel::ToPlanes { channels, size } => each::to_planes(input(0), *channels, *size, out.as_flattened_mut()),
        Kernel::ToPixels { channels, size } => {
            each::to_pixels(&input(0)[..size * blocks(*channels)], *channels, *size, out.as_flattened_mut());
        }
        Kernel::Repeat { size, factors } => {
            each::repeat(*size, *factors, &input(0)[..out.len() / (factors[0] * factors[1])], out);
        }
        Kernel::Softmax { width } => each::softmax(simd, *width, same(), out),
        Kernel::Dot { weights } => each::dot(weights, input(0), out),
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

/// A value in the order in which the network counts it.
fn tensor(Place { buffer, form }: &Place, buffers: &[Buffer]) -> Tensor {
    let (buffer, shape) = (&buffers[*buffer], form.shape());
    let count = shape.iter().product();
    let values = match form {
        Form::Planes { .. } | Form::Plain(_) => buffer.as_flattened()[..count].to_vec(),
        Form::Pixels { size, channels } => {
            let mut planes = vec![0.0; count];
            each::to_planes(buffer, *channels, size[0] * size[1], &mut planes);
            planes
        }
    };
    Tensor { shape, values }
}
