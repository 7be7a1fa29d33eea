//! Writes an ONNX file with one convolution and runs it: horizontal edges of a small image.
#![allow(clippy::print_stdout, clippy::cast_possible_truncation, reason = "an example prints; its numbers are small")]

use std::{error::Error, sync::Arc};

use inference_kernels::{Network, Processor, Runner};

const SIDE: usize = 8;

/// A field of a protocol buffer with some bytes.
fn bytes(tag: u8, content: &[u8]) -> Vec<u8> {
    // Lengths of 128 and more take two bytes.
    let length = if content.len() < 128 {
        vec![content.len() as u8]
    } else {
        vec![content.len() as u8 | 128, (content.len() >> 7) as u8]
    };
    [vec![tag << 3 | 2], length, content.to_vec()].concat()
}

/// A field of a protocol buffer with a number below 128.
fn number(tag: u8, value: u8) -> Vec<u8> {
    vec![tag << 3, value]
}

/// One convolution of `input` with a window of 3 × 3 and a margin of one pixel.
fn model(window: [f32; 9]) -> Vec<u8> {
    let raw: Vec<u8> = window.iter().flat_map(|weight| weight.to_le_bytes()).collect();
    let weights =
        [number(1, 1), number(1, 1), number(1, 3), number(1, 3), number(2, 1), bytes(8, b"weights"), bytes(9, &raw)];
    let pads = [bytes(1, b"pads"), number(8, 1), number(8, 1), number(8, 1), number(8, 1)];
    let node =
        [bytes(1, b"input"), bytes(1, b"weights"), bytes(2, b"output"), bytes(4, b"Conv"), bytes(5, &pads.concat())];
    let graph = [
        bytes(1, &node.concat()),
        bytes(5, &weights.concat()),
        bytes(11, &bytes(1, b"input")),
        bytes(12, &bytes(1, b"output")),
    ];
    [bytes(7, &graph.concat()), bytes(8, &number(2, 13))].concat()
}

fn main() -> Result<(), Box<dyn Error>> {
    let processor = Processor::available().pop().unwrap_or_else(Processor::baseline);
    let file = model([1.0, 2.0, 1.0, 0.0, 0.0, 0.0, -1.0, -2.0, -1.0]);
    let mut runner = Runner::new(Arc::new(Network::read(processor, file)?));
    // Dark above, light below.
    let pixels: Vec<f32> = (0..SIDE * SIDE).map(|at| if at / SIDE < SIDE / 2 { 0.0 } else { 1.0 }).collect();
    let [output] = runner.run(&[("input", &[1, 1, SIDE, SIDE], &pixels)], ["output"])?;
    println!("{} on {:?}", processor.name(), output.shape);
    for row in output.values.chunks(SIDE) {
        println!("{row:4.0?}");
    }
    Ok(())
}
