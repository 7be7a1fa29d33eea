//! Tiny networks, written as ONNX files.

/// A network; tensors are of 32-bit floating-point numbers unless their function says otherwise.
#[derive(Debug, Clone, Default)]
pub struct Onnx {
    graph: Vec<u8>,
}

/// Kinds of numbers, as ONNX counts them.
const FLOAT: u64 = 1;
const INTEGER: u64 = 7;

/// An attribute of a node.
#[derive(Debug, Clone, Copy)]
pub enum Attribute<'a> {
    /// A whole number.
    Integer(i64),
    /// Several.
    Integers(&'a [i64]),
}

impl Onnx {
    /// An input and its shape; a side of 0 is not fixed.
    #[must_use]
    pub fn input(mut self, name: &str, shape: &[u64]) -> Self {
        block(&mut self.graph, 11, &value(name, shape, FLOAT));
        self
    }

    /// An input of 64-bit integers.
    #[must_use]
    pub fn integer_input(mut self, name: &str, shape: &[u64]) -> Self {
        block(&mut self.graph, 11, &value(name, shape, INTEGER));
        self
    }

    /// An output and its shape.
    #[must_use]
    pub fn output(mut self, name: &str, shape: &[u64]) -> Self {
        block(&mut self.graph, 12, &value(name, shape, FLOAT));
        self
    }

    /// Weights.
    #[must_use]
    pub fn weights(self, name: &str, shape: &[u64], values: &[f32]) -> Self {
        let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.tensor(name, shape, FLOAT, &raw)
    }

    /// Constant whole numbers.
    #[must_use]
    pub fn integers(self, name: &str, values: &[i64]) -> Self {
        let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.tensor(name, &[values.len() as u64], INTEGER, &raw)
    }

    fn tensor(mut self, name: &str, shape: &[u64], kind: u64, raw: &[u8]) -> Self {
        let mut tensor = Vec::new();
        for side in shape {
            number(&mut tensor, 1, *side);
        }
        number(&mut tensor, 2, kind);
        block(&mut tensor, 8, name.as_bytes());
        block(&mut tensor, 9, raw);
        block(&mut self.graph, 5, &tensor);
        self
    }

    /// An operation.
    #[must_use]
    pub fn node(
        mut self,
        operation: &str,
        inputs: &[&str],
        output: &str,
        attributes: &[(&str, Attribute<'_>)],
    ) -> Self {
        let mut node = Vec::new();
        for input in inputs {
            block(&mut node, 1, input.as_bytes());
        }
        block(&mut node, 2, output.as_bytes());
        block(&mut node, 4, operation.as_bytes());
        for (name, of) in attributes {
            let mut attribute = Vec::new();
            block(&mut attribute, 1, name.as_bytes());
            match of {
                Attribute::Integer(value) => {
                    number(&mut attribute, 3, value.cast_unsigned());
                    number(&mut attribute, 20, 2);
                }
                Attribute::Integers(values) => {
                    for value in *values {
                        number(&mut attribute, 8, value.cast_unsigned());
                    }
                    number(&mut attribute, 20, 7);
                }
            }
            block(&mut node, 5, &attribute);
        }
        block(&mut self.graph, 1, &node);
        self
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> Vec<u8> {
        let (mut file, mut opset, mut graph) = (Vec::new(), Vec::new(), self.graph.clone());
        block(&mut graph, 2, b"tiny");
        number(&mut opset, 2, 13);
        number(&mut file, 1, 8);
        block(&mut file, 7, &graph);
        block(&mut file, 8, &opset);
        file
    }
}

fn value(name: &str, shape: &[u64], kind_of_number: u64) -> Vec<u8> {
    let mut sides = Vec::new();
    for side in shape {
        let mut one = Vec::new();
        if *side == 0 {
            block(&mut one, 2, b"open");
        } else {
            number(&mut one, 1, *side);
        }
        block(&mut sides, 1, &one);
    }
    let (mut tensor, mut kind, mut value) = (Vec::new(), Vec::new(), Vec::new());
    number(&mut tensor, 1, kind_of_number);
    block(&mut tensor, 2, &sides);
    block(&mut kind, 1, &tensor);
    block(&mut value, 1, name.as_bytes());
    block(&mut value, 2, &kind);
    value
}

/// A field of protocol buffers that is a number.
fn number(to: &mut Vec<u8>, tag: u64, value: u64) {
    varint(to, tag << 3);
    varint(to, value);
}

/// A field that is text, bytes or a message.
fn block(to: &mut Vec<u8>, tag: u64, bytes: &[u8]) {
    varint(to, tag << 3 | 2);
    varint(to, bytes.len() as u64);
    to.extend_from_slice(bytes);
}

fn varint(to: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            return to.push(low);
        }
        to.push(low | 0x80);
    }
}
