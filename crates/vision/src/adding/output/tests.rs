use super::{Family, Form, read};
use crate::{
    adding::{input, tests::options},
    manifest::{Decode, Input, Output, Pool, Task},
    runtime::{Number, Tensor, TensorInfo},
};

fn tensor(shape: &[usize], value: f32) -> Tensor {
    Tensor { shape: shape.to_vec(), values: vec![value; shape.iter().product()] }
}

fn input(side: usize) -> Input {
    let shape = vec![Some(1), Some(3), Some(side), Some(side)];
    let info = TensorInfo { name: "images".to_owned(), number: Number::Float, shape };
    let shape = input::read(&[info], &options(Task::Detect)).unwrap();
    input::at(&shape, shape.sizes[0])
}

fn outputs(list: &[(&str, &[usize], f32)]) -> Vec<(String, Tensor)> {
    list.iter().map(|(name, shape, value)| ((*name).to_owned(), tensor(shape, *value))).collect()
}

fn scores(form: Form) -> (Output, usize) {
    let Form::Scores { output, count } = form else { panic!("no scores") };
    (*output, count)
}

#[test]
fn the_form_of_scores_is_told_by_the_scores() {
    for (value, expected) in [(0.25, Decode::Probabilities), (0.9, Decode::Probabilities), (-3.0, Decode::Softmax)] {
        let outputs = outputs(&[("features", &[1, 8], 0.5), ("logits", &[1, 4], value)]);
        let (output, count) = scores(read(&outputs, &options(Task::Classify), Some(4), &input(64)).unwrap().form);
        assert_eq!((output.decode, output.scores.as_str(), count), (expected, "logits", 4), "{value}");
        assert_eq!(output.embedding.as_deref(), Some("features"));
    }
}

#[test]
fn labels_that_do_not_fit_are_refused() {
    let only = outputs(&[("logits", &[1, 4], 2.0)]);
    let fault = read(&only, &options(Task::Classify), Some(3), &input(64)).unwrap_err();
    assert!(fault.0.starts_with("the output 'logits' has 4 classes and --labels names 3. Perhaps"), "{fault}");
    let two = outputs(&[("a", &[1, 4], 2.0), ("b", &[1, 5], 2.0)]);
    let fault = read(&two, &options(Task::Classify), Some(3), &input(64)).unwrap_err();
    assert_eq!(fault.0, "no output has 3 scores, one for each of --labels. It has 'a' [1, 4], 'b' [1, 5]");
}

#[test]
fn vectors_are_found_in_the_outputs_of_encoders() {
    for (list, name, pool, family) in [
        (
            &[("last_hidden_state", &[1, 50, 8][..], 1.0), ("image_embeds", &[1, 16], 1.0)][..],
            "image_embeds",
            Pool::None,
            Family::Clip,
        ),
        (&[("last_hidden_state", &[1, 50, 8], 1.0)], "last_hidden_state", Pool::First, Family::Encoder),
        (&[("map", &[1, 8, 7, 7], 1.0)], "map", Pool::Mean, Family::Encoder),
        (&[("y", &[1, 8, 1, 1], 1.0)], "y", Pool::None, Family::Encoder),
    ] {
        let found = read(&outputs(list), &options(Task::Embed), None, &input(64)).unwrap();
        let Form::Vector(output) = found.form else { panic!("no vector") };
        assert_eq!((output.embedding.as_str(), output.pool, found.family), (name, pool, family));
    }
}

#[test]
fn detectors_are_told_by_their_shapes() {
    let detr = outputs(&[("logits", &[1, 30, 5], -1.0), ("pred_boxes", &[1, 30, 4], 0.5)]);
    for (classes, family) in [(5, Family::RtDetr), (4, Family::Detector)] {
        let found = read(&detr, &options(Task::Detect), Some(classes), &input(64)).unwrap();
        assert_eq!(found.family, family);
        let (output, count) = scores(found.form);
        assert_eq!((output.decode, output.boxes.as_deref(), count), (Decode::Detr, Some("pred_boxes"), classes));
    }
    let yolox = outputs(&[("output", &[1, 84, 7], 0.5)]);
    let (output, count) = scores(read(&yolox, &options(Task::Detect), None, &input(64)).unwrap().form);
    assert_eq!((output.decode, count), (Decode::Yolox, 2));
    let mut scaled = input(64);
    scaled.scale_factor = Some("scale_factor".to_owned());
    let paddle = outputs(&[("boxes", &[1, 30, 4], 50.0), ("scores", &[1, 5, 30], 0.5)]);
    let (output, count) = scores(read(&paddle, &options(Task::Detect), Some(5), &scaled).unwrap().form);
    assert_eq!((output.decode, count), (Decode::BoxesScores, 5));
}

#[test]
fn detectors_that_would_be_misread_are_refused() {
    for (list, told) in [
        (&[("output", &[1, 84, 7][..], 90.0)][..], "the output 'output' has boxes in pixels; export without"),
        (
            &[("output", &[1, 7, 84], 0.5)],
            "the output 'output' [1, 7, 84] is not YOLOX's, which is [1, 84, 5 + classes]",
        ),
        (&[("boxes", &[1, 30, 4], 50.0), ("s", &[1, 30, 5], 0.5)], "the boxes 'boxes' are not fractions"),
        (
            &[("boxes", &[1, 30, 4], 50.0), ("s", &[1, 5, 30], 0.5)],
            "the boxes 'boxes' would be in pixels of the picture",
        ),
        (&[("boxes", &[1, 30, 4], 50.0), ("scores", &[1, 30], 0.5)], "no output is the scores of all classes"),
        (&[("logits", &[1, 30], 0.5)], "its outputs are not those of a detector that is known"),
    ] {
        let fault = read(&outputs(list), &options(Task::Detect), None, &input(64)).unwrap_err();
        assert!(fault.0.starts_with(told), "{fault}");
    }
}
