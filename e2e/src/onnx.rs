//! Tiny networks, written as ONNX files.

/// A network; every tensor is of 32-bit floating-point numbers.
#[derive(Debug, Clone, Default)]
pub struct Onnx {
    graph: Vec<u8>,
}

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
        block(&mut self.graph, 11, &value(name, shape));
        self
    }

    /// An output and its shape.
    #[must_use]
    pub fn output(mut self, name: &str, shape: &[u64]) -> Self {
        block(&mut self.graph, 12, &value(name, shape));
        self
    }

    /// Weights.
    #[must_use]
    pub fn weights(self, name: &str, shape: &[u64], values: &[f32]) -> Self {
        self.tensor(name, shape, 1, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    /// Constant whole numbers.
    #[must_use]
    pub fn integers(self, name: &str, values: &[i64]) -> Self {
        self.tensor(name, &[values.len() as u64], 7, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    fn tensor(mut self, name: &str, shape: &[u64], kind: u64, raw: Vec<u8>) -> Self {
        let mut tensor = Vec::new();
        shape.iter().for_each(|side| number(&mut tensor, 1, *side));
        number(&mut tensor, 2, kind);
        block(&mut tensor, 8, name.as_bytes());
        block(&mut tensor, 9, &raw);
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
        inputs.iter().for_each(|input| block(&mut node, 1, input.as_bytes()));
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
                    values.iter().for_each(|value| number(&mut attribute, 8, value.cast_unsigned()));
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

fn value(name: &str, shape: &[u64]) -> Vec<u8> {
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
    number(&mut tensor, 1, 1);
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
    while value >= 0x80 {
        to.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}
