//! The parts of an ONNX file that are read here: <https://github.com/onnx/onnx/blob/main/onnx/onnx.proto>.

use prost::{Message, bytes::Bytes};

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Model {
    #[prost(message, optional, tag = "7")]
    pub(crate) graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    pub(crate) opsets: Vec<Opset>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Opset {
    #[prost(string, tag = "1")]
    pub(crate) domain: String,
    #[prost(int64, tag = "2")]
    pub(crate) version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub(crate) nodes: Vec<Node>,
    #[prost(message, repeated, tag = "5")]
    pub(crate) constants: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub(crate) inputs: Vec<Value>,
    #[prost(message, repeated, tag = "12")]
    pub(crate) outputs: Vec<Value>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Node {
    #[prost(string, repeated, tag = "1")]
    pub(crate) inputs: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(crate) outputs: Vec<String>,
    #[prost(string, tag = "4")]
    pub(crate) operation: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) attributes: Vec<Attribute>,
    #[prost(string, tag = "7")]
    pub(crate) domain: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Attribute {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(float, tag = "2")]
    pub(crate) float: f32,
    #[prost(int64, tag = "3")]
    pub(crate) integer: i64,
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) text: Vec<u8>,
    #[prost(int64, repeated, tag = "8")]
    pub(crate) integers: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Tensor {
    #[prost(int64, repeated, tag = "1")]
    pub(crate) shape: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(crate) kind: i32,
    #[prost(float, repeated, tag = "4")]
    pub(crate) floats: Vec<f32>,
    #[prost(int64, repeated, tag = "7")]
    pub(crate) integers: Vec<i64>,
    #[prost(string, tag = "8")]
    pub(crate) name: String,
    /// A part of the file, not a copy of it.
    #[prost(bytes = "bytes", tag = "9")]
    pub(crate) raw: Bytes,
    /// 1 when the values lie in a file of their own.
    #[prost(int32, tag = "14")]
    pub(crate) location: i32,
}

/// The kinds of [`Tensor`] that are read.
pub(crate) const FLOAT: i32 = 1;
pub(crate) const INTEGER: i32 = 7;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Value {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) kind: Option<Kind>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Kind {
    #[prost(message, optional, tag = "1")]
    pub(crate) tensor: Option<TensorKind>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TensorKind {
    #[prost(int32, tag = "1")]
    pub(crate) element: i32,
}
