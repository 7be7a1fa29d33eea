//! Runs convolutional networks on processors with wide registers, without ONNX Runtime.
//!
//! A network is read from its ONNX file (`onnx.rs`, `graph.rs`), its nodes are joined where one kernel can do the work of several
//! (`join.rs`), their weights are arranged for the kernels (`layers.rs`), and for each size of input there is a plan of steps and buffers
//! (`plan.rs`), which a thread follows (`runner.rs`). The kernels take sixteen channels at a time, which is what a register holds.
//!
//! They know the operations of our classifiers and detectors and of many like them. What they do not know they say, when the network is
//! read or at the latest when they see the size of its input, and the caller takes ONNX Runtime for that network.

mod graph;
mod join;
mod kernels;
mod layers;
mod onnx;
mod plan;
mod processor;
mod runner;
#[cfg(test)]
mod tests;

pub use graph::Unfit;
pub use processor::Processor;
pub use runner::{Network, Runner, Tensor};
