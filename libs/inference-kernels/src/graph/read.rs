//! Reads a network from an ONNX file, and refuses what the kernels cannot run.

use std::{collections::HashMap, sync::Arc};

use prost::{Message, bytes::Bytes};

use super::{Binary, Constant, Convolution, Elementwise, Geometry, Graph, Node, Operation, Unsupported, unsupported};
use crate::{kernels::Activation, onnx};

impl Graph {
    pub(crate) fn read(file: Vec<u8>) -> Result<Self, Unsupported> {
        let model = onnx::Model::decode(Bytes::from(file))
            .map_err(|error| Unsupported(format!("it is not an ONNX file: {error}")))?;
        if model.opsets.iter().any(|set| set.domain.is_empty() && set.version < 13) {
            return unsupported("it is written in operations older than version 13");
        }
        let Some(graph) = model.graph else { return unsupported("it holds no graph") };
        let mut constants = HashMap::new();
        for tensor in graph.constants {
            let name = tensor.name.clone();
            constants.insert(name, constant(tensor)?);
        }
        let nodes = graph.nodes.iter().map(|node| Reading { node, constants: &constants }.node());
        let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
        let names = |values: Vec<onnx::Value>| values.into_iter().map(|value| value.name);
        let inputs = names(graph.inputs).filter(|name| !constants.contains_key(name)).collect();
        Ok(Self { nodes, inputs, outputs: names(graph.outputs).collect(), constants })
    }
}

fn constant(tensor: onnx::Tensor) -> Result<Constant, Unsupported> {
    if tensor.location != 0 {
        return unsupported("its weights lie in a file of their own");
    }
    let shape: Vec<usize> = tensor.shape.iter().map(|side| usize::try_from(*side).unwrap_or(0)).collect();
    let (mut values, mut integers) = (tensor.floats, tensor.integers);
    let given = match tensor.kind {
        onnx::FLOAT => {
            if values.is_empty() {
                values = tensor.raw.as_chunks().0.iter().copied().map(f32::from_le_bytes).collect();
            }
            integers.clear();
            values.len()
        }
        onnx::INTEGER => {
            if integers.is_empty() {
                integers = tensor.raw.as_chunks().0.iter().copied().map(i64::from_le_bytes).collect();
            }
            values.clear();
            integers.len()
        }
        kind => return unsupported(format!("the constant '{}' is of kind {kind}", tensor.name)),
    };
    // Sides of zero count as one here, so that no product of some sides overflows later either.
    let bounded = shape.iter().try_fold(1usize, |product, side| product.checked_mul((*side).max(1)));
    if bounded.is_none() || shape.iter().product::<usize>() != given {
        return unsupported(format!("the constant '{}' is not of its size", tensor.name));
    }
    Ok(Constant { shape, values: values.into(), integers })
}

/// No network has a larger stride, margin or factor; a damaged file must not ask for all memory.
const MOST_PIXELS: usize = 64;

/// A node while it is read.
struct Reading<'a> {
    node: &'a onnx::Node,
    constants: &'a HashMap<String, Constant>,
}

impl Reading<'_> {
    fn node(&self) -> Result<Node, Unsupported> {
        if !self.node.domain.is_empty() {
            return self.unknown("its domain");
        }
        if self.node.inputs.is_empty() || self.node.outputs.is_empty() {
            return self.unknown("without input or output");
        }
        let operation = self.operation()?;
        let taken = match operation {
            Operation::Binary(_) | Operation::Concat { .. } => self.node.inputs.len(),
            _ => 1,
        };
        let inputs = self.node.inputs.iter().take(taken).cloned().collect();
        Ok(Node { operation, inputs, outputs: self.node.outputs.clone() })
    }

    fn operation(&self) -> Result<Operation, Unsupported> {
        let clip = |low, high| Operation::Elementwise(Elementwise::Activate(Activation::Clip { low, high }));
        Ok(match self.node.operation.as_str() {
            "Conv" => Operation::Convolve(Box::new(self.convolution()?)),
            "BatchNormalization" => self.normalisation()?,
            "Relu" => clip(0.0, f32::INFINITY),
            "Clip" => clip(self.bound(1, f32::NEG_INFINITY)?, self.bound(2, f32::INFINITY)?),
            "HardSwish" => {
                Operation::Elementwise(Elementwise::Activate(Activation::HardSwish { alpha: 1.0 / 6.0, beta: 0.5 }))
            }
            "HardSigmoid" => Operation::Elementwise(Elementwise::HardSigmoid {
                alpha: self.float("alpha", 0.2),
                beta: self.float("beta", 0.5),
            }),
            "Sigmoid" => Operation::Elementwise(Elementwise::Sigmoid),
            "Sqrt" => Operation::Elementwise(Elementwise::Sqrt),
            "Add" => Operation::Binary(Binary::Add),
            "Sub" => Operation::Binary(Binary::Subtract),
            "Mul" => Operation::Binary(Binary::Multiply),
            "Div" => Operation::Binary(Binary::Divide),
            "Max" => Operation::Binary(Binary::Maximum),
            "GlobalAveragePool" => Operation::Average,
            "Concat" => Operation::Concat { axis: self.integer("axis", 0) },
            "Split" if self.node.inputs.len() == 1 => Operation::Split { axis: self.integer("axis", 0) },
            "Reshape" if self.integer("allowzero", 0) == 0 => {
                Operation::Reshape { shape: self.constant(1)?.integers.clone() }
            }
            "Flatten" => Operation::Flatten { axis: self.integer("axis", 1) },
            "Transpose" => {
                let order = self.integers("perm").iter().map(|side| usize::try_from(*side).unwrap_or(0)).collect();
                Operation::Transpose { order }
            }
            "Softmax" => Operation::Softmax { axis: self.integer("axis", -1) },
            "Gemm" => self.dense()?,
            "MatMul" => {
                let weights = self.constant(1)?;
                if weights.shape.len() != 1 {
                    return self.unknown("a matrix");
                }
                Operation::Dot { weights: Arc::clone(&weights.values) }
            }
            "Resize" => self.resize()?,
            "InstanceNormalization" => Operation::Standardise {
                factors: self.constant(1)?.values.to_vec(),
                summands: self.constant(2)?.values.to_vec(),
                epsilon: self.float("epsilon", 1e-5),
            },
            "AveragePool" => self.pool()?,
            "SpaceToDepth" => Operation::Gather { side: self.side(self.integer("blocksize", 0))? },
            "ReduceL2" if self.integers("axes") == [1] && self.integer("keepdims", 1) == 1 => Operation::Norm,
            "Identity" | "Dropout" => Operation::Same,
            _ => return self.unknown("it"),
        })
    }

    fn unknown<T>(&self, what: &str) -> Result<T, Unsupported> {
        unsupported(format!("its operation {} is not known here ({what})", self.node.operation))
    }

    fn constant(&self, at: usize) -> Result<&Constant, Unsupported> {
        let found = self.node.inputs.get(at).and_then(|name| self.constants.get(name));
        found.ok_or_else(|| Unsupported(format!("input {at} of its operation {} is no constant", self.node.operation)))
    }

    fn given(&self, at: usize) -> bool {
        self.node.inputs.get(at).is_some_and(|name| !name.is_empty())
    }

    fn attribute(&self, name: &str) -> Option<&onnx::Attribute> {
        self.node.attributes.iter().find(|attribute| attribute.name == name)
    }

    fn integer(&self, name: &str, default: i64) -> i64 {
        self.attribute(name).map_or(default, |attribute| attribute.integer)
    }

    fn float(&self, name: &str, default: f32) -> f32 {
        self.attribute(name).map_or(default, |attribute| attribute.float)
    }

    fn integers(&self, name: &str) -> &[i64] {
        self.attribute(name).map_or(&[], |attribute| &attribute.integers)
    }

    fn text(&self, name: &str) -> &[u8] {
        self.attribute(name).map_or(b"", |attribute| &attribute.text)
    }

    fn bound(&self, at: usize, default: f32) -> Result<f32, Unsupported> {
        if !self.given(at) {
            return Ok(default);
        }
        self.constant(at)?.values.first().copied().ok_or_else(|| Unsupported("a bound is missing".to_owned()))
    }

    fn convolution(&self) -> Result<Convolution, Unsupported> {
        let weights = self.constant(1)?;
        let &[out, of_group, rows, columns] = weights.shape.as_slice() else {
            return self.unknown("not in two dimensions");
        };
        // With a side of zero, another side could claim any size without a value behind it.
        if weights.values.is_empty() {
            return self.unknown("without weights");
        }
        let bias = if self.given(2) { self.constant(2)?.values.to_vec() } else { vec![0.0; out] };
        if self.integers("dilations").iter().any(|step| *step != 1) {
            return self.unknown("a window with gaps");
        }
        if !matches!(self.text("auto_pad"), b"" | b"NOTSET") {
            return self.unknown("auto_pad");
        }
        let sizes = |name: &str, default: usize, count: usize| -> Vec<usize> {
            let given = self.integers(name).iter().map(|size| usize::try_from(*size).unwrap_or(default));
            given.chain(std::iter::repeat(default)).take(count).collect()
        };
        let (stride, pads) = (sizes("strides", 1, 2), sizes("pads", 0, 4));
        if stride.iter().chain(&pads).any(|size| *size > MOST_PIXELS) {
            return self.unknown("a stride or a margin of more pixels than a window has");
        }
        Ok(Convolution {
            geometry: Geometry {
                window: [rows, columns],
                stride: [stride[0], stride[1]],
                before: [pads[0], pads[1]],
                after: [pads[2], pads[3]],
            },
            groups: usize::try_from(self.integer("group", 1)).unwrap_or(0),
            channels: [out, of_group],
            weights: Arc::clone(&weights.values),
            factors: vec![1.0; out],
            bias,
            activation: Activation::None,
            adds: false,
        })
    }

    fn normalisation(&self) -> Result<Operation, Unsupported> {
        let of = |at: usize| self.constant(at).map(|constant| &*constant.values);
        let (scale, shift, mean, variance) = (of(1)?, of(2)?, of(3)?, of(4)?);
        let epsilon = self.float("epsilon", 1e-5);
        let factors: Vec<f32> =
            scale.iter().zip(variance).map(|(scale, variance)| scale / (variance + epsilon).sqrt()).collect();
        let summands =
            shift.iter().zip(mean).zip(&factors).map(|((shift, mean), factor)| shift - mean * factor).collect();
        Ok(Operation::Normalise { factors, summands })
    }

    fn dense(&self) -> Result<Operation, Unsupported> {
        let plain =
            |name: &str| self.attribute(name).is_none_or(|attribute| (attribute.float - 1.0).abs() < f32::EPSILON);
        let weights = self.constant(1)?;
        let &[rows, columns] = weights.shape.as_slice() else { return self.unknown("not a matrix") };
        if weights.values.is_empty() {
            return self.unknown("without weights");
        }
        if self.integer("transA", 0) != 0 || !plain("alpha") || !plain("beta") {
            return self.unknown("its attributes");
        }
        let by_output = self.integer("transB", 0) != 0;
        let outputs = if by_output { rows } else { columns };
        let bias = if self.given(2) { self.constant(2)?.values.to_vec() } else { vec![0.0; outputs] };
        if bias.len() != outputs {
            return self.unknown("its bias");
        }
        Ok(Operation::Dense { weights: Arc::clone(&weights.values), by_output, bias })
    }

    /// The side of a square of pixels.
    fn side(&self, side: i64) -> Result<usize, Unsupported> {
        match usize::try_from(side) {
            Ok(side) if (1..=MOST_PIXELS).contains(&side) => Ok(side),
            _ => self.unknown("its size"),
        }
    }

    fn pool(&self) -> Result<Operation, Unsupported> {
        let (window, strides) = (self.integers("kernel_shape"), self.integers("strides"));
        let plain = self.integers("pads").iter().all(|pad| *pad == 0)
            && self.integer("ceil_mode", 0) == 0
            && matches!(self.text("auto_pad"), b"" | b"NOTSET" | b"VALID")
            && self.integers("dilations").iter().all(|step| *step == 1);
        match *window {
            [side, same] if plain && side == same && strides == window => {
                Ok(Operation::Pool { side: self.side(side)? })
            }
            _ => self.unknown("other than squares side by side"),
        }
    }

    fn resize(&self) -> Result<Operation, Unsupported> {
        let transformation = self.text("coordinate_transformation_mode");
        let nearest =
            self.text("mode") == b"nearest" && transformation == b"asymmetric" && self.text("nearest_mode") == b"floor";
        let linear = self.text("mode") == b"linear" && matches!(transformation, b"" | b"half_pixel");
        let factors = self.constant(2)?;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "small whole numbers, looked at below"
        )]
        let whole: Vec<usize> = factors.values.iter().map(|factor| *factor as usize).collect();
        #[allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "they are whole or they are not")]
        let exact = whole.iter().zip(factors.values.iter()).all(|(whole, factor)| *whole as f32 == *factor);
        let &[1, 1, down, across] = whole.as_slice() else { return self.unknown("other dimensions than two") };
        let small = (1..=MOST_PIXELS).contains(&down) && (1..=MOST_PIXELS).contains(&across);
        let factors = [down, across];
        match (exact && small, nearest, linear) {
            (true, true, _) => Ok(Operation::Repeat { factors }),
            (true, _, true) => Ok(Operation::Enlarge { factors }),
            _ => self.unknown("other than repeating pixels, or straight lines between them"),
        }
    }
}
