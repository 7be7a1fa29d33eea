//! Networks against a plain computation of what they mean, with every instruction set that this processor has.
#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "a test stops at the first surprise; its numbers are small"
)]

mod build;
#[path = "../../src/onnx.rs"]
#[allow(dead_code, reason = "the files made here use a part of the format")]
mod onnx;
mod operations;
mod plain;
mod planes;

use std::sync::Arc;

use inference_kernels::{Network, Processor, Runner, Tensor};
use proptest::prelude::*;

use self::{
    build::{Build, Of},
    plain::{Geometry, numbers},
};

#[track_caller]
fn assert_makes(model: &Build, input: &Tensor, expected: &Tensor) {
    for processor in Processor::available() {
        let network = Arc::new(Network::read(processor, model.file()).unwrap());
        let mut runner = Runner::new(network);
        let feeds = [("input", input.shape.as_slice(), input.values.as_slice())];
        // Twice, because the second run meets what the first has left in the buffers.
        runner.run(&feeds, ["output"]).unwrap();
        let [found] = runner.run(&feeds, ["output"]).unwrap();
        assert_eq!(found.shape, expected.shape);
        let largest = expected.values.iter().fold(1.0f32, |largest, value| largest.max(value.abs()));
        for (at, (found, expected)) in found.values.iter().zip(&expected.values).enumerate() {
            let name = processor.name();
            assert!((found - expected).abs() <= largest * 1e-4, "{name}: {found} for {expected} at {at}");
        }
    }
}

/// A convolution to be tested.
#[derive(Debug, Clone)]
struct Case {
    groups: usize,
    /// That come in and go out.
    channels: [usize; 2],
    size: [usize; 2],
    geometry: Geometry,
}

impl Case {
    fn weights(&self, seed: u32) -> (Tensor, Tensor) {
        let [rows, columns] = self.geometry.window;
        let weights = numbers(seed, &[self.channels[1], self.channels[0] / self.groups, rows, columns]);
        (weights, numbers(seed + 1, &[self.channels[1]]))
    }

    fn input(&self) -> Tensor {
        numbers(7, &[1, self.channels[0], self.size[0], self.size[1]])
    }

    /// Adds it to a network.
    fn node(&self, model: Build, seed: u32, from: &str, to: &str) -> Build {
        let Geometry { stride, before, after, .. } = self.geometry;
        let pads = vec![before[0], before[1], after[0], after[1]];
        let (weights, bias) = self.weights(seed);
        let [weights_name, bias_name] = [format!("weights of {to}"), format!("bias of {to}")];
        let model = model.constant(&weights_name, &weights).constant(&bias_name, &bias);
        let attributes = [
            ("strides", Of::Integers(stride.to_vec())),
            ("pads", Of::Integers(pads)),
            ("group", Of::Integer(i64::try_from(self.groups).unwrap())),
        ];
        model.node("Conv", &[from, &weights_name, &bias_name], to, &attributes)
    }

    fn plain(&self, seed: u32, input: &Tensor) -> Tensor {
        let (weights, bias) = self.weights(seed);
        plain::convolve(input, &weights, &bias.values, &self.geometry, self.groups)
    }

    /// A convolution of single pixels.
    fn pointwise(channels: [usize; 2], size: [usize; 2]) -> Self {
        Self { groups: 1, channels, size, geometry: Geometry::POINT }
    }
}

prop_compose! {
    fn cases()(
        depthwise in any::<bool>(),
        from in 1usize..70,
        to in 1usize..70,
        window in [1usize..6, 1usize..6],
        stride in [1usize..4, 1usize..4],
        before in [0usize..3, 0usize..3],
        after in [0usize..3, 0usize..3],
        size in [5usize..20, 5usize..20],
    ) -> Case {
        let (groups, to) = if depthwise { (from, from) } else { (1, to) };
        Case { groups, channels: [from, to], size, geometry: Geometry { window, stride, before, after } }
    }
}

fn swish(value: f32) -> f32 {
    value * (value / 6.0 + 0.5).clamp(0.0, 1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn convolutions_of_what_is_fed(case in cases()) {
        let model = case.node(Build::new(), 1, "input", "sums").node("Relu", &["sums"], "output", &[]);
        assert_makes(&model, &case.input(), &plain::each(&case.plain(1, &case.input()), |value| value.max(0.0)));
    }

    #[test]
    fn convolutions_of_what_was_made(case in cases()) {
        let model = Build::new().node("Sigmoid", &["input"], "pixels", &[]);
        let model = case.node(model, 1, "pixels", "sums");
        let attributes = [("alpha", Of::Float(1.0 / 6.0)), ("beta", Of::Float(0.5))];
        let model = model.node("HardSigmoid", &["sums"], "factor", &attributes);
        let model = model.node("Mul", &["factor", "sums"], "output", &[]);
        let input = plain::each(&case.input(), |value| 1.0 / (1.0 + (-value).exp()));
        assert_makes(&model, &case.input(), &plain::each(&case.plain(1, &input), swish));
    }

    /// Wide, narrow and back: what is made band by band is what is made as a whole.
    #[test]
    fn chains(case in cases(), narrow in 1usize..40, tall in 1usize..5) {
        let wide = case.channels[0];
        let size = [case.size[0] * tall, case.size[1] * 2];
        let first = Case::pointwise([narrow, wide], size);
        let middle = Case { groups: wide, channels: [wide; 2], size, geometry: case.geometry };
        let last = Case::pointwise([wide, narrow], middle.geometry.outputs(size));
        let model = Build::new().node("Identity", &["input"], "start", &[]);
        let model = first.node(model, 1, "start", "a").node("Relu", &["a"], "b", &[]);
        let model = middle.node(model, 3, "b", "c").node("Relu", &["c"], "d", &[]);
        let model = last.node(model, 5, "d", "output");
        let relu = |tensor: &Tensor| plain::each(tensor, |value| value.max(0.0));
        let wide = relu(&first.plain(1, &first.input()));
        assert_makes(&model, &first.input(), &last.plain(5, &relu(&middle.plain(3, &wide))));
    }
}

#[test]
fn a_chain_that_is_larger_than_its_bands_adds_its_input() {
    let (size, wide) = ([70, 61], 100);
    for stride in [1, 2] {
        let geometry = Geometry { window: [5; 2], stride: [stride; 2], before: [2; 2], after: [2; 2] };
        let (first, middle) =
            (Case::pointwise([20, wide], size), Case { groups: wide, channels: [wide; 2], size, geometry });
        let last = Case::pointwise([wide, 20], geometry.outputs(size));
        let model = first.node(Build::new(), 1, "input", "a");
        let model = last.node(middle.node(model, 3, "a", "b"), 5, "b", "c");
        let sum = last.plain(5, &middle.plain(3, &first.plain(1, &first.input())));
        if stride == 1 {
            let model = model.node("Add", &["c", "input"], "output", &[]);
            assert_makes(&model, &first.input(), &plain::add(&sum, &first.input()));
        } else {
            assert_makes(&model.node("Identity", &["c"], "output", &[]), &first.input(), &sum);
        }
    }
}
