//! Operations on pictures of few channels, which lie channel by channel, and on the channels of a pixel.

use inference_kernels::Tensor;
use proptest::prelude::*;

use crate::{
    Case, assert_makes,
    build::{Build, Of},
    plain::{Geometry, add, each, numbers},
};

fn relu(tensor: &Tensor) -> Tensor {
    each(tensor, |value| value.max(0.0))
}

prop_compose! {
    /// Two convolutions of few channels, one after the other.
    fn few()(
        channels in [1usize..9, 1usize..9],
        to in 1usize..40,
        window in [1usize..6, 1usize..6],
        stride in [1usize..4, 1usize..4],
        before in [0usize..3, 0usize..3],
        after in [0usize..3, 0usize..3],
        size in [5usize..20, 5usize..80],
    ) -> (Case, Case) {
        let first = Case { groups: 1, channels, size, geometry: Geometry { window, stride, before, after } };
        let then = first.geometry.outputs(size);
        let around = Geometry { window: [3; 2], stride: [2; 2], before: [1; 2], after: [1; 2] };
        (first, Case { groups: 1, channels: [channels[1], to], size: then, geometry: around })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn convolutions_from_few_channels_to_few((first, then) in few()) {
        let model = first.node(Build::new(), 1, "input", "a").node("Relu", &["a"], "b", &[]);
        let model = then.node(model, 3, "b", "output");
        assert_makes(&model, &first.input(), &then.plain(3, &relu(&first.plain(1, &first.input()))));
    }
}

fn standardised(input: &Tensor) -> Tensor {
    let count = input.values.len() as f32;
    let mean = input.values.iter().sum::<f32>() / count;
    let variance = input.values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
    each(input, |value| (value - mean) / (variance + 1e-5).sqrt())
}

/// The mean of squares of four by four pixels.
fn pooled(input: &Tensor) -> Tensor {
    let (height, width) = (input.shape[2], input.shape[3]);
    let mean = |row: usize, column: usize| {
        let of = |at: usize| input.values[(row * 4 + at / 4) * width + column * 4 + at % 4];
        (0..16).map(of).sum::<f32>() / 16.0
    };
    let values = (0..height / 4 * (width / 4)).map(|at| mean(at / (width / 4), at % (width / 4))).collect();
    Tensor { shape: vec![1, 1, height / 4, width / 4], values }
}

/// The beginning of a network for local features: a picture of one channel is standardised, then convolved with few
/// channels beside its own small version.
#[test]
fn a_grey_picture_in_few_channels_beside_its_small_version() {
    let around = |channels, size, stride| Case {
        groups: 1,
        channels,
        size,
        geometry: Geometry { window: [3; 2], stride: [stride; 2], before: [1; 2], after: [1; 2] },
    };
    let size = [24, 40];
    let (a, b) = (around([1, 4], size, 1), around([4, 8], size, 2));
    let (c, skip) = (around([8, 24], [12, 20], 2), Case::pointwise([1, 24], [6, 10]));
    let one = Tensor { shape: vec![1], values: vec![1.0] };
    let zero = Tensor { shape: vec![1], values: vec![0.0] };
    let model = Build::new().constant("one", &one).constant("zero", &zero);
    let model = model.node("InstanceNormalization", &["input", "one", "zero"], "x", &[("epsilon", Of::Float(1e-5))]);
    let model = a.node(model, 1, "x", "a").node("Relu", &["a"], "ar", &[]);
    let model = b.node(model, 3, "ar", "b").node("Relu", &["b"], "br", &[]);
    let model = c.node(model, 5, "br", "c").node("Relu", &["c"], "cr", &[]);
    let squares = [("kernel_shape", Of::Integers(vec![4, 4])), ("strides", Of::Integers(vec![4, 4]))];
    let model = skip.node(model.node("AveragePool", &["x"], "small", &squares), 7, "small", "s");
    let model = model.node("Add", &["cr", "s"], "output", &[]);
    let input = a.input();
    let x = standardised(&input);
    let fine = relu(&c.plain(5, &relu(&b.plain(3, &relu(&a.plain(1, &x))))));
    assert_makes(&model, &input, &add(&fine, &skip.plain(7, &pooled(&x))));
}

#[test]
fn squares_of_pixels_become_channels() {
    let (size, side) = ([16, 24], 8);
    let point = Case::pointwise([64, 5], [2, 3]);
    let model = Build::new().node("SpaceToDepth", &["input"], "cells", &[("blocksize", Of::Integer(8))]);
    let model = point.node(model, 1, "cells", "output");
    let input = numbers(7, &[1, 1, size[0], size[1]]);
    let value = |at: usize| {
        let (channel, row, column) = (at / 6, at / 3 % 2, at % 3);
        input.values[(row * side + channel / side) * size[1] + column * side + channel % side]
    };
    let cells = Tensor { shape: vec![1, 64, 2, 3], values: (0..64 * 6).map(value).collect() };
    assert_makes(&model, &input, &point.plain(1, &cells));
}

#[test]
fn vectors_of_pixels_are_brought_to_length_one() {
    let input = numbers(3, &[1, 32, 3, 5]);
    let tiny = Tensor { shape: vec![1], values: vec![1e-12] };
    let axes = [("axes", Of::Integers(vec![1])), ("keepdims", Of::Integer(1))];
    let model = Build::new().constant("tiny", &tiny).node("ReduceL2", &["input"], "length", &axes);
    let model = model.node("Max", &["length", "tiny"], "some", &[]).node("Div", &["input", "some"], "output", &[]);
    let of = |at: usize| (0..32).map(|channel| input.values[channel * 15 + at % 15].powi(2)).sum::<f32>().sqrt();
    let values = (0..32 * 15).map(|at| input.values[at] / of(at)).collect();
    assert_makes(&model, &input, &Tensor { shape: input.shape.clone(), values });
}

#[test]
fn softmax_over_channels() {
    for channels in [1, 16, 65] {
        let input = numbers(3, &[1, channels, 2, 3]);
        let model = Build::new().node("Softmax", &["input"], "output", &[("axis", Of::Integer(1))]);
        let powers = each(&input, f32::exp);
        let sum = |at: usize| (0..channels).map(|channel| powers.values[channel * 6 + at % 6]).sum::<f32>();
        let values = (0..channels * 6).map(|at| powers.values[at] / sum(at)).collect();
        assert_makes(&model, &input, &Tensor { shape: input.shape.clone(), values });
    }
}

#[test]
fn a_picture_is_enlarged_with_straight_lines() {
    let input = numbers(5, &[1, 20, 3, 4]);
    for factor in [2usize, 4] {
        let scales = Tensor { shape: vec![4], values: vec![1.0, 1.0, factor as f32, factor as f32] };
        let how = [("mode", Of::Text("linear")), ("coordinate_transformation_mode", Of::Text("half_pixel"))];
        let model = Build::new().constant("scales", &scales).node("Resize", &["input", "", "scales"], "output", &how);
        let between = |at: usize, size: usize| {
            let place = ((at as f32 + 0.5) / factor as f32 - 0.5).max(0.0).min(size as f32 - 1.0);
            (place.floor() as usize, (place.floor() as usize + 1).min(size - 1), place.fract())
        };
        let (height, width) = (3 * factor, 4 * factor);
        let value = |at: usize| {
            let (channel, row, column) = (at / (height * width), at / width % height, at % width);
            let ((top, bottom, down), (left, right, across)) = (between(row, 3), between(column, 4));
            let pixel = |row: usize, column: usize| input.values[(channel * 3 + row) * 4 + column];
            let line = |row: usize| pixel(row, left) * (1.0 - across) + pixel(row, right) * across;
            line(top) * (1.0 - down) + line(bottom) * down
        };
        let values = (0..20 * height * width).map(value).collect();
        assert_makes(&model, &input, &Tensor { shape: vec![1, 20, height, width], values });
    }
}
