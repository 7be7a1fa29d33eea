//! The operations around convolutions, and what is refused.

use inference_kernels::{Network, Processor, Runner, Tensor};
use proptest::prelude::*;

use super::{
    Case, assert_makes,
    build::{Build, Of},
    plain::{self, numbers},
};

fn tensor(shape: &[usize], values: &[f32]) -> Tensor {
    Tensor { shape: shape.to_vec(), values: values.to_vec() }
}

#[test]
fn a_normalisation_becomes_part_of_its_convolution() {
    let case = Case::pointwise([3, 20], [6, 5]);
    let of = |seed| numbers(seed, &[20]);
    let model = case.node(Build::new(), 1, "input", "sums");
    let (scale, shift, mean, variance) = (of(3), of(4), of(5), plain::each(&of(6), |value| value.abs() + 0.1));
    let model = model
        .constant("scale", &scale)
        .constant("shift", &shift)
        .constant("mean", &mean)
        .constant("variance", &variance);
    let model = model.node(
        "BatchNormalization",
        &["sums", "scale", "shift", "mean", "variance"],
        "output",
        &[("epsilon", Of::Float(0.01))],
    );
    let mut expected = case.plain(1, &case.input());
    for (channel, plane) in expected.values.chunks_exact_mut(30).enumerate() {
        for value in plane {
            let normal = (*value - mean.values[channel]) / (variance.values[channel] + 0.01).sqrt();
            *value = normal * scale.values[channel] + shift.values[channel];
        }
    }
    assert_makes(&model, &case.input(), &expected);
}

#[test]
fn channels_are_weighed_by_their_mean() {
    let input = numbers(1, &[1, 18, 4, 3]);
    let model = Build::new()
        .node("GlobalAveragePool", &["input"], "mean", &[])
        .node("Sigmoid", &["mean"], "weight", &[])
        .node("Mul", &["input", "weight"], "output", &[]);
    let mut expected = input.clone();
    for plane in expected.values.chunks_exact_mut(12) {
        let mean = plane.iter().sum::<f32>() / 12.0;
        for value in plane {
            *value /= 1.0 + (-mean).exp();
        }
    }
    assert_makes(&model, &input, &expected);
}

#[test]
fn pixels_are_weighed_by_one_channel() {
    let (input, case) = (numbers(1, &[1, 17, 3, 3]), Case::pointwise([17, 1], [3, 3]));
    let model = case.node(Build::new(), 1, "input", "weight").node("Mul", &["input", "weight"], "output", &[]);
    let weight = case.plain(1, &input);
    let weighed = input
        .values
        .chunks_exact(9)
        .flat_map(|plane| plane.iter().zip(&weight.values).map(|(value, weight)| value * weight));
    assert_makes(&model, &input, &tensor(&[1, 17, 3, 3], &weighed.collect::<Vec<_>>()));
}

#[test]
fn pictures_are_repeated_and_put_side_by_side() {
    let input = numbers(1, &[1, 16, 2, 3]);
    let nearest = [
        ("mode", Of::Text("nearest")),
        ("coordinate_transformation_mode", Of::Text("asymmetric")),
        ("nearest_mode", Of::Text("floor")),
    ];
    let model = Build::new()
        .constant("factors", &tensor(&[4], &[1.0, 1.0, 2.0, 2.0]))
        .node("Resize", &["input", "", "factors"], "large", &nearest)
        .node("Concat", &["large", "large"], "output", &[("axis", Of::Integer(1))]);
    let large =
        |channel: usize| (0..24).map(move |at| (channel * 6 + at / 6 / 2 * 3 + at % 6 / 2, at)).map(|(from, _)| from);
    let values: Vec<f32> = (0..32).flat_map(|channel| large(channel % 16)).map(|from| input.values[from]).collect();
    assert_makes(&model, &input, &tensor(&[1, 32, 4, 6], &values));
}

/// What has four dimensions and is no picture any more stays in the order in which the network counts.
#[test]
fn plain_values_are_put_side_by_side() {
    let input = numbers(1, &[1, 18, 2, 3]);
    let order = [("perm", Of::Integers(vec![0, 2, 3, 1]))];
    let model = Build::new()
        .integers("flat", &[1, -1])
        .node("Transpose", &["input"], "one", &order)
        .node("Relu", &["input"], "positive", &[])
        .node("Transpose", &["positive"], "other", &order)
        .node("Concat", &["one", "other"], "both", &[("axis", Of::Integer(3))])
        .node("Reshape", &["both", "flat"], "output", &[]);
    let at = |pixel: usize, channel: usize| input.values[channel * 6 + pixel];
    let row = |pixel: usize| {
        let positive = (0..18).map(move |channel| at(pixel, channel).max(0.0));
        (0..18).map(move |channel| at(pixel, channel)).chain(positive)
    };
    let values: Vec<f32> = (0..6).flat_map(row).collect();
    assert_makes(&model, &input, &tensor(&[1, 216], &values));
}

/// How a detector turns eight scores for each side of a box into a length, and lengths into corners.
#[test]
fn distributions_become_boxes() {
    let input = numbers(1, &[1, 32, 2, 2]);
    let model = Build::new()
        .integers("rows", &[-1, 8])
        .integers("sides", &[-1, 4, 4])
        .constant("steps", &tensor(&[8], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]))
        .constant("minus", &tensor(&[1], &[-1.0]))
        .constant("centres", &tensor(&[4, 2], &[0.5, 0.5, 1.5, 0.5, 0.5, 1.5, 1.5, 1.5]))
        .constant("scale", &tensor(&[4, 1], &[8.0, 8.0, 8.0, 8.0]))
        .node("Transpose", &["input"], "pixels", &[("perm", Of::Integers(vec![0, 2, 3, 1]))])
        .node("Reshape", &["pixels", "rows"], "scores", &[])
        .node("Softmax", &["scores"], "parts", &[("axis", Of::Integer(1))])
        .node("MatMul", &["parts", "steps"], "lengths", &[])
        .node("Reshape", &["lengths", "sides"], "boxes", &[])
        .node("Split", &["boxes"], "first second", &[("axis", Of::Integer(2))])
        .node("Mul", &["first", "minus"], "back", &[])
        .node("Add", &["back", "centres"], "start", &[])
        .node("Add", &["second", "centres"], "end", &[])
        .node("Concat", &["start", "end"], "corners", &[("axis", Of::Integer(-1))])
        .node("Mul", &["corners", "scale"], "output", &[]);
    let mut values = Vec::new();
    for pixel in 0..4 {
        let length = |side: usize| {
            let score = |step: usize| input.values[(side * 8 + step) * 4 + pixel].exp();
            (0..8).map(|step| score(step) * step as f32).sum::<f32>() / (0..8).map(score).sum::<f32>()
        };
        let centre = [(pixel % 2) as f32 + 0.5, (pixel / 2) as f32 + 0.5];
        values.extend(
            [centre[0] - length(0), centre[1] - length(1), centre[0] + length(2), centre[1] + length(3)]
                .map(|side| side * 8.0),
        );
    }
    assert_makes(&model, &input, &tensor(&[1, 4, 4], &values));
}

#[test]
fn a_matrix_ends_a_classifier() {
    let (input, weights, bias) = (numbers(1, &[1, 32, 3, 3]), numbers(2, &[21, 32]), numbers(3, &[21]));
    let model = Build::new()
        .constant("weights", &weights)
        .constant("bias", &bias)
        .node("GlobalAveragePool", &["input"], "mean", &[])
        .node("Flatten", &["mean"], "row", &[])
        .node("Gemm", &["row", "weights", "bias"], "output", &[("transB", Of::Integer(1))]);
    let mean: Vec<f32> = input.values.chunks_exact(9).map(|plane| plane.iter().sum::<f32>() / 9.0).collect();
    let dot = |row: &[f32]| row.iter().zip(&mean).map(|(weight, value)| weight * value).sum::<f32>();
    let values: Vec<f32> =
        weights.values.chunks_exact(32).zip(&bias.values).map(|(row, bias)| dot(row) + bias).collect();
    assert_makes(&model, &input, &tensor(&[1, 21], &values));
}

#[test]
fn a_runner_takes_inputs_of_changing_size() {
    let case = Case::pointwise([3, 5], [0, 0]);
    let model = case.node(Build::new(), 1, "input", "output");
    for processor in Processor::available() {
        let mut runner = Runner::new(Network::read(processor, model.file()).unwrap().into());
        for side in (1..12).chain([40, 3, 40]) {
            let input = numbers(9, &[1, 3, side, 4]);
            let [output] = runner.run(&[("input", &input.shape, &input.values)], ["output"]).unwrap();
            let expected = case.plain(1, &input);
            assert_eq!(output.shape, expected.shape);
            assert!(
                output.values.iter().zip(&expected.values).all(|(found, expected)| (found - expected).abs() < 1e-4)
            );
        }
    }
}

#[test]
fn what_is_not_known_is_said() {
    let processor = Processor::baseline();
    let reason = |model: Build| Network::read(processor, model.file()).err().unwrap().to_string();
    let softsign = Build::new().node("Softsign", &["input"], "output", &[]);
    assert_eq!(reason(softsign), "its operation Softsign is not known here (it)");
    let nothing = Build::new().node("Relu", &[], "output", &[]);
    assert_eq!(reason(nothing), "its operation Relu is not known here (without input or output)");
    let still = [("strides", Of::Integers(vec![0, 1]))];
    let still = Build::new().constant("weights", &numbers(1, &[2, 3, 1, 1])).node(
        "Conv",
        &["input", "weights"],
        "output",
        &still,
    );
    assert_eq!(reason(still), "a convolution has not as many weights as it should have");
    let case = Case { groups: 2, ..Case::pointwise([4, 4], [3, 3]) };
    assert!(reason(case.node(Build::new(), 1, "input", "output")).contains("in groups of several channels"));
    assert!(
        Network::read(processor, b"no model at all".to_vec())
            .err()
            .unwrap()
            .to_string()
            .starts_with("it is not an ONNX file")
    );

    // What a last block has too many would be divided by nothing, and spoil the sums of a convolution after it.
    for (operation, channels, known) in [("Div", 20, false), ("Div", 32, true), ("Sqrt", 20, false), ("Sqrt", 32, true)]
    {
        let model = Build::new().constant("two", &tensor(&[1], &[2.0]));
        let inputs: &[&str] = if operation == "Div" { &["input", "two"] } else { &["input"] };
        let model = model.node(operation, inputs, "output", &[]);
        let mut runner = Runner::new(Network::read(processor, model.file()).unwrap().into());
        let input = numbers(1, &[1, channels, 2, 2]);
        assert_eq!(
            runner.run(&[("input", &input.shape, &input.values)], ["output"]).is_ok(),
            known,
            "{operation} {channels}"
        );
    }

    let twice = Build::new().node("Relu", &["input"], "output", &[]).node("Sqrt", &["input"], "output", &[]);
    let mut runner = Runner::new(Network::read(processor, twice.file()).unwrap().into());
    let told = runner.run(&[("input", &[1, 16, 1, 1], &[1.0; 16])], ["output"]).unwrap_err();
    assert_eq!(told.to_string(), "'output' is made twice");

    let model = Case::pointwise([3, 5], [2, 2]).node(Build::new(), 1, "input", "output");
    let mut runner = Runner::new(Network::read(processor, model.file()).unwrap().into());
    let input = numbers(1, &[1, 4, 2, 2]);
    let told = runner.run(&[("input", &input.shape, &input.values)], ["output"]).unwrap_err();
    assert_eq!(told.to_string(), "a convolution is for another number of channels");
    let input = numbers(1, &[1, 3, 2, 2]);
    let told = runner.run(&[("input", &input.shape, &input.values)], ["something else"]).unwrap_err();
    assert_eq!(told.to_string(), "it has no output 'something else'");
    let told = runner.run(&[("input", &[1, 3, 2, 1], &input.values)], ["output"]).unwrap_err();
    assert_eq!(told.to_string(), "an input is not of its size");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Reading and running a damaged file ends in a refusal or in numbers, never in a panic.
    #[test]
    fn a_damaged_file_is_refused_or_runs(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let case = Case { groups: 4, ..Case::pointwise([4, 4], [6, 6]) };
        let model = Case::pointwise([3, 4], [6, 6]).node(Build::new(), 1, "input", "a");
        let model = case.node(model.node("Relu", &["a"], "b", &[]), 3, "b", "c");
        let model = model
            .node("GlobalAveragePool", &["c"], "mean", &[])
            .node("Flatten", &["mean"], "row", &[("axis", Of::Integer(1))])
            .node("Softmax", &["row"], "output", &[("axis", Of::Integer(-1))]);
        let mut file = model.file();
        for (at, byte) in &changes {
            let at = at.index(file.len());
            file[at] = *byte;
        }
        if let Ok(network) = Network::read(Processor::baseline(), file) {
            let _ = Runner::new(network.into()).run(&[("input", &[1, 3, 6, 6], &[0.5; 108])], ["output"]);
        }
    }
}
