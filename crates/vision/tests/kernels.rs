//! `inference-kernels` against ONNX Runtime: the same networks and photographs give the same numbers.

use std::path::PathBuf;

use inference_kernels::{Network, Processor, Runner};
use kaisatsu_vision::{Bounds, Feed, Picture, Runtime, Tensor, decode, manifest::Backend};

fn folder(variable: &str) -> PathBuf {
    let Some(folder) = std::env::var_os(variable) else {
        panic!("{variable} is not set; `make test` installs models and photographs and sets it");
    };
    folder.into()
}

fn photo(name: &str) -> Picture {
    let bytes = std::fs::read(folder("KAISATSU_TEST_PHOTOS").join(name)).unwrap();
    decode(&bytes, Bounds::default(), None).unwrap().picture
}

/// The photograph's first pixels as a tensor: what matters here is that it is not made up.
fn tensor(picture: &Picture, side: usize) -> Vec<f32> {
    let (rgb, width) = (picture.rgb(), picture.width() as usize);
    let value = |channel: usize, row: usize, column: usize| {
        let (row, column) = (row % picture.height() as usize, column % width);
        (f32::from(rgb[(row * width + column) * 3 + channel]) - 127.0) / 64.0
    };
    (0..3 * side * side).map(|at| value(at / side / side, at / side % side, at % side)).collect()
}

/// The largest difference between two outputs.
fn apart(first: &Tensor, second: &Tensor) -> f32 {
    assert_eq!(first.shape, second.shape);
    let differences = first.values.iter().zip(&second.values).map(|(first, second)| (first - second).abs());
    differences.fold(0.0, f32::max)
}

/// Every instruction set that this processor has, the baseline among them, agrees with ONNX Runtime.
#[test]
#[ignore = "needs the models; `make test` runs it"]
fn the_kernels_agree_with_onnx_runtime() {
    let models = folder("KAISATSU_TEST_MODELS");
    let runtime = Runtime::at(&models.join("runtime/libonnxruntime.so")).unwrap();
    // How far the two outputs may be apart: scores 0.001, boxes a twentieth of a pixel.
    for (model, input, side, outputs, allowed) in [
        ("general", "input", 260, ["logits", "embedding"], [0.001, 0.001]),
        ("general-fast", "input", 224, ["logits", "embedding"], [0.001, 0.001]),
        ("general-lcnet", "x", 224, ["logits", "embedding"], [0.001, 0.001]),
        ("coco", "image", 416, ["boxes", "scores"], [0.05, 0.001]),
    ] {
        let file = models.join(model).join("model.onnx");
        let mut library = runtime.network(&file, Backend::Onnxruntime).unwrap();
        assert_eq!(library.runs_on(), "ONNX Runtime");
        let (bytes, shape, scale) = (std::fs::read(&file).unwrap(), [1, 3, side, side], [1.0, 1.0]);
        let mut runners: Vec<Runner> = Processor::available()
            .into_iter()
            .map(|processor| Runner::new(Network::read(processor, bytes.clone()).unwrap().into()))
            .collect();
        for name in ["chelsea.png", "coffee.png", "rocket.jpg"] {
            let pixels = tensor(&photo(name), side);
            let mut inputs: Vec<(&str, &[usize], &[f32])> = vec![(input, &shape, &pixels)];
            if model == "coco" {
                inputs.push(("scale_factor", &[1, 2], &scale));
            }
            let feeds: Vec<_> =
                inputs.iter().map(|(name, shape, values)| (*name, Feed::Floats(shape, values))).collect();
            let theirs = library.run(&feeds, outputs).unwrap();
            for runner in &mut runners {
                let ours = runner.run(&inputs, outputs).unwrap();
                for ((ours, theirs), allowed) in ours.iter().zip(&theirs).zip(allowed) {
                    let (apart, on) = (apart(ours, theirs), runner.network().processor().name());
                    assert!(apart <= allowed, "{model} {name}: {apart} apart on {on}");
                }
            }
        }
    }
}

/// The network for local features, whose picture is grey and of any size. Descriptors and scores may differ by a
/// hundredth: of 64 numbers that are rounded to 127 steps, and probabilities.
#[test]
#[ignore = "needs the models; `make test` runs it"]
fn local_features_agree_with_onnx_runtime() {
    let models = folder("KAISATSU_TEST_MODELS");
    let runtime = Runtime::at(&models.join("runtime/libonnxruntime.so")).unwrap();
    let file = models.join("local-features/model.onnx");
    let mut library = runtime.network(&file, Backend::Onnxruntime).unwrap();
    let outputs = ["descriptors", "keypoints", "reliability"];
    for processor in Processor::available() {
        let mut runner = Runner::new(Network::read(processor, std::fs::read(&file).unwrap()).unwrap().into());
        for (name, height, width) in [("chelsea.png", 64, 96), ("graf1.png", 448, 320), ("rocket.jpg", 32, 32)] {
            let picture = photo(name);
            let (rgb, across) = (picture.rgb(), picture.width() as usize);
            let grey = |at: usize| {
                let pixel = &rgb[(at / width * across + at % width % across) * 3..][..3];
                pixel.iter().map(|value| f32::from(*value)).sum::<f32>() / 765.0
            };
            let grey: Vec<f32> = (0..height * width).map(grey).collect();
            let shape = [1, 1, height, width];
            let theirs = library.run(&[("image", Feed::Floats(&shape, &grey))], outputs).unwrap();
            let ours = runner.run(&[("image", &shape, &grey)], outputs).unwrap();
            for ((ours, theirs), output) in ours.iter().zip(&theirs).zip(outputs) {
                let apart = apart(ours, theirs);
                assert!(apart <= 0.01, "{name} {output}: {apart} apart on {}", processor.name());
            }
        }
    }
}

/// Networks run on the kernels on the processors where these are faster, and nowhere else.
#[test]
#[ignore = "needs the models; `make test` runs it"]
fn networks_run_on_the_kernels_where_that_pays() {
    let models = folder("KAISATSU_TEST_MODELS");
    let runtime = Runtime::at(&models.join("runtime/libonnxruntime.so")).unwrap();
    let network = runtime.network(&models.join("general/model.onnx"), Backend::Auto).unwrap();
    assert_eq!(network.runs_on(), Processor::worthwhile().map_or("ONNX Runtime", Processor::name));
}

/// ONNX Runtime takes what the kernels do not support.
#[test]
#[ignore = "needs the models; `make test` runs it"]
fn the_library_takes_what_the_kernels_do_not_know() {
    let models = folder("KAISATSU_TEST_MODELS");
    let runtime = Runtime::at(&models.join("runtime/libonnxruntime.so")).unwrap();
    let mut network = runtime.network(&models.join("local-features/matcher.onnx"), Backend::Auto).unwrap();
    assert_eq!(network.runs_on(), "ONNX Runtime");
    let (places, descriptors) = ([0.0; 4], [0.1; 128]);
    let places = || Feed::Floats(&[2, 2], &places);
    let descriptors = || Feed::Floats(&[2, 64], &descriptors);
    let feeds = [
        ("places0", places()),
        ("descriptors0", descriptors()),
        ("places1", places()),
        ("descriptors1", descriptors()),
    ];
    network.run(&feeds, ["scores"]).unwrap();

    // Two pictures at once show only when they are fed.
    let mut network = runtime.network(&models.join("general-fast/model.onnx"), Backend::Auto).unwrap();
    let pixels = vec![0.0; 2 * 3 * 224 * 224];
    let [logits] = network.run(&[("input", Feed::Floats(&[2, 3, 224, 224], &pixels))], ["logits"]).unwrap();
    assert_eq!(logits.shape, [2, 1000]);
    assert_eq!(network.runs_on(), "ONNX Runtime");
}
