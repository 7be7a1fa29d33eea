//! Runs convolutional networks from ONNX files on one thread, without ONNX Runtime.
//!
//! [`Network::read`] reads a file (`onnx.rs`, `graph.rs`), fuses operations that one kernel can do together
//! (`fusion.rs`), decides which values lie channel by channel (`placement.rs`) and arranges the weights for the kernels
//! (`layers.rs`). A [`Runner`] makes a plan of steps and buffers for each size of input (`plan.rs`) and follows it. The
//! kernels take sixteen channels at a time, or sixteen pixels where there are few channels.
//!
//! The kernels know the operations of `MobileNet`, `EfficientNet`, `PicoDet` and `XFeat` and of networks like them.
//! Anything else is [`Unsupported`]: the error names it when the network is read, or at the latest when an input of
//! that size is run, and the caller takes another runtime.
//!
//! ```no_run
//! use inference_kernels::{Network, Processor, Runner};
//!
//! let processor = Processor::available().pop().unwrap_or_else(Processor::baseline);
//! let network = Network::read(processor, std::fs::read("classifier.onnx")?)?;
//! let pixels = vec![0.0; 3 * 224 * 224];
//! let [logits] = Runner::new(network.into()).run(&[("input", &[1, 3, 224, 224], &pixels)], ["logits"])?;
//! println!("{:?}", logits.shape);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fusion;
mod graph;
mod kernels;
mod layers;
mod onnx;
mod placement;
mod plan;
mod processor;
mod runner;

pub use graph::Unsupported;
pub use processor::Processor;
pub use runner::{Network, Runner, Tensor};
