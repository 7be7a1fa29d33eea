//! Makes ONNX files.

use prost::Message;

use crate::onnx::{Attribute, FLOAT, Graph, INTEGER, Model, Node, Opset, Tensor, Value};

#[derive(Default)]
pub(super) struct Build(Graph);

/// An attribute of a node.
pub(super) enum Of {
    Float(f32),
    Integer(i64),
    Integers(Vec<usize>),
    Text(&'static str),
}

impl Build {
    /// A network from `input` to `output`.
    pub(super) fn new() -> Self {
        let value = |name: &str| Value { name: name.to_owned(), kind: None };
        Self(Graph { inputs: vec![value("input")], outputs: vec![value("output")], ..Graph::default() })
    }

    pub(super) fn node(mut self, operation: &str, inputs: &[&str], output: &str, attributes: &[(&str, Of)]) -> Self {
        let attributes = attributes.iter().map(|(name, of)| {
            let name = (*name).to_owned();
            match of {
                Of::Float(float) => Attribute { name, float: *float, ..Attribute::default() },
                Of::Integer(integer) => Attribute { name, integer: *integer, ..Attribute::default() },
                Of::Integers(sizes) => {
                    let integers = sizes.iter().map(|size| i64::try_from(*size).unwrap()).collect();
                    Attribute { name, integers, ..Attribute::default() }
                }
                Of::Text(text) => Attribute { name, text: text.as_bytes().to_vec(), ..Attribute::default() },
            }
        });
        self.0.nodes.push(Node {
            inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
            outputs: output.split(' ').map(str::to_owned).collect(),
            operation: operation.to_owned(),
            attributes: attributes.collect(),
            domain: String::new(),
        });
        self
    }

    pub(super) fn constant(mut self, name: &str, tensor: &inference_kernels::Tensor) -> Self {
        let shape = tensor.shape.iter().map(|side| i64::try_from(*side).unwrap()).collect();
        let raw = tensor.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.0.constants.push(Tensor { name: name.to_owned(), shape, kind: FLOAT, raw, ..Tensor::default() });
        self
    }

    pub(super) fn integers(mut self, name: &str, integers: &[i64]) -> Self {
        let shape = vec![i64::try_from(integers.len()).unwrap()];
        let integers = integers.to_vec();
        self.0.constants.push(Tensor { name: name.to_owned(), shape, kind: INTEGER, integers, ..Tensor::default() });
        self
    }

    pub(super) fn file(&self) -> Vec<u8> {
        let opsets = vec![Opset { domain: String::new(), version: 13 }];
        Model { graph: Some(self.0.clone()), opsets }.encode_to_vec()
    }
}
