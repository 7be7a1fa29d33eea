//! `kaisatsu models add`: an operator's own ONNX file becomes a model that the server answers with.

use std::fs;

use kaisatsu_e2e::{
    Backend, Database, Run, Server, eventually, make_key,
    onnx::{Attribute, Onnx},
    operator::{COLOURS, Operator, coloured},
};

/// Ten times the mean of each colour.
const TEN: [f32; 9] = [10.0, 0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 10.0];

fn classifier() -> Onnx {
    Onnx::default()
        .input("input", &[0, 3, 8, 8])
        .weights("w", &[3, 3], &TEN)
        .node("GlobalAveragePool", &["input"], "mean", &[])
        .node("Flatten", &["mean"], "features", &[])
        .node("MatMul", &["features", "w"], "logits", &[])
        .output("logits", &[0, 3])
        .output("features", &[0, 3])
}

/// Colours last, and the softmax is a part of the network.
fn classifier_of_another_kind() -> Onnx {
    Onnx::default()
        .input("x", &[1, 8, 8, 3])
        .weights("w", &[3, 3], &TEN)
        .node(
            "ReduceMean",
            &["x"],
            "mean",
            &[("axes", Attribute::Integers(&[1, 2])), ("keepdims", Attribute::Integer(0))],
        )
        .node("MatMul", &["mean", "w"], "sums", &[])
        .node("Softmax", &["sums"], "output", &[("axis", Attribute::Integer(-1))])
        .output("output", &[1, 3])
}

/// A vision transformer has a vector for each patch, the first for the whole.
fn encoder(output: &str, shape: &[i64]) -> Onnx {
    let sides: Vec<u64> = shape.iter().map(|side| u64::try_from(*side).unwrap()).collect();
    Onnx::default()
        .input("pixel_values", &[0, 3, 0, 0])
        .integers("shape", shape)
        .node(
            "AveragePool",
            &["pixel_values"],
            "pooled",
            &[("kernel_shape", Attribute::Integers(&[64, 64])), ("strides", Attribute::Integers(&[64, 64]))],
        )
        .node("Transpose", &["pooled"], "patches", &[("perm", Attribute::Integers(&[0, 2, 3, 1]))])
        .node("Reshape", &["patches", "shape"], output, &[])
        .output(output, &sides)
}

/// Two queries: the first is of the reddest class in the left half, the second of nothing.
fn detector() -> Onnx {
    let weights: Vec<f32> = (0..3)
        .flat_map(|row| (0..3).map(move |at| if row == at { 9.0 } else { 0.0 }))
        .collect::<Vec<_>>()
        .chunks_exact(3)
        .flat_map(|row| [row, &[0.0; 3]].concat())
        .collect();
    Onnx::default()
        .input("pixel_values", &[1, 3, 32, 32])
        .weights("w", &[3, 6], &weights)
        .weights("bias", &[6], &[-4.0, -4.0, -4.0, -9.0, -9.0, -9.0])
        .weights("zero", &[3, 8], &[0.0; 24])
        .weights("corners", &[8], &[0.25, 0.5, 0.5, 1.0, 0.5, 0.5, 0.1, 0.1])
        .integers("queries", &[1, 2, 3])
        .integers("sides", &[1, 2, 4])
        .node("GlobalAveragePool", &["pixel_values"], "mean", &[])
        .node("Flatten", &["mean"], "features", &[])
        .node("Gemm", &["features", "w", "bias"], "flat", &[])
        .node("Reshape", &["flat", "queries"], "logits", &[])
        .node("Gemm", &["features", "zero", "corners"], "places", &[])
        .node("Reshape", &["places", "sides"], "pred_boxes", &[])
        .output("logits", &[1, 2, 3])
        .output("pred_boxes", &[1, 2, 4])
}

fn operator() -> Operator {
    let operator = Operator::new();
    operator.write(
        "colours.txt",
        "red
green
blue
",
    );
    operator.write(
        "two.txt",
        "red
green
",
    );
    operator.write("config.json", r#"{"id2label": {"0": "red", "1": "green", "2": "blue"}}"#);
    operator
}

fn add(operator: &Operator, name: &str, file: &[u8], args: &[&str]) -> Run {
    let path = format!("{name}.onnx");
    operator.write(&path, file);
    operator.add(&path, args)
}

fn folders(operator: &Operator) -> Vec<String> {
    let list = fs::read_dir(operator.models.path()).unwrap();
    let mut names: Vec<_> = list.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn assert_told(run: &Run, told: &[&str]) {
    assert_eq!(run.code, 0, "{}", run.err);
    for told in told {
        assert!(run.out.contains(told), "{told}\n{}", run.out);
    }
}

#[test]
fn a_file_becomes_a_model_that_answers() {
    let operator = operator();
    operator.write("red.png", coloured(COLOURS[0].1, 40));
    let labels = ["--task", "classify", "--labels", "@colours.txt", "--try", "@red.png"];
    let added = add(&operator, "plain", &classifier().file(), &labels);
    assert_told(&added, &["'input', 8×8, nchw", "'logits', softmax", "vectors  'features'", "\n  1.000 red\n"]);
    let added = add(&operator, "inside", &classifier_of_another_kind().file(), &labels);
    assert_told(
        &added,
        &["'x', 8×8, nhwc", "'output', probabilities (between 0 and 1, and they sum to one", "1.000 red"],
    );
    let detect = ["--task", "detect", "--labels", "@config.json", "--try", "@red.png"];
    let added = add(&operator, "boxes", &detector().file(), &detect);
    assert_told(
        &added,
        &["detr, scores 'logits', boxes 'pred_boxes'", "(x - [0.0, 0.0, 0.0]) / [255.0", "red at 0.00 0.00 0.50 1.00"],
    );
    let checked = operator.run(&["models", "check"]);
    assert_eq!(checked.code, 0, "{}", checked.out);

    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start(&database, &["--models", operator.models.path().to_str().unwrap()]);
    let post = |function: &str, model: &str, colour: [u8; 3]| {
        let target = format!("/imageRecognition/v1/{function}?APIKEY={key}&modelName={model}");
        eventually("the models are loaded", || {
            let answer = server.post_form(&target, &[("image", &coloured(colour, 50))]);
            (answer.status == 200).then(|| answer.json())
        })
    };
    for (name, colour) in COLOURS {
        for model in ["plain", "inside"] {
            let answer = post("concept/classify", model, colour);
            assert_eq!(answer["candidates"][0]["tag"], name, "{model}: {answer}");
        }
        let answer = post("objectDetection/detect", "boxes", colour);
        assert_eq!(answer["candidates"][0]["tag"], name, "{answer}");
        assert_eq!(answer["candidates"][0]["xMax"].as_f64(), Some(25.0), "{answer}");
    }
}

#[test]
fn vectors_of_an_operators_network_make_collections_and_taught_models() {
    let operator = operator();
    // The file leaves the size open: 64 × 3 pixels make nine patches of a token each, and only then the shape fits.
    let added =
        add(&operator, "clip", &encoder("image_embeds", &[1, 27]).file(), &["--task", "embed", "--size", "192"]);
    assert_told(&added, &["'image_embeds' [1, 27]: 27 numbers", "CLIP's, guessed", "a vector of 27 numbers"]);
    let added = add(&operator, "dino", &encoder("last_hidden_state", &[1, 16, 3]).file(), &["--task", "embed"]);
    assert_told(&added, &["256×256", "pool first: 3 numbers", "ImageNet's", "a vector of 3 numbers"]);

    let photos = operator.path("photos");
    let taught = operator.run(&["models", "teach", "colours", &photos, "--base", "dino"]);
    assert_told(&taught, &["3 classes from 12 photographs"]);
    let database = Database::fresh(Backend::Sqlite);
    let imported =
        operator.run(&["--database", &database.address, "collection", "import", "c", &photos, "--base", "clip"]);
    assert_told(&imported, &["12 images added"]);
    let key = make_key(&database, "tests");
    let server = Server::start(&database, &["--models", operator.models.path().to_str().unwrap()]);
    let post = |target: String, fields: &[(&str, &[u8])]| {
        eventually("the models are loaded", || {
            let answer = server.post_form(&target, fields);
            let answered = answer.status == 200 && answer.json()["candidates"] != serde_json::json!([]);
            answered.then(|| answer.json())
        })
    };
    for (name, colour) in COLOURS {
        let image = coloured(colour, 43);
        let target = format!("/imageRecognition/v1/concept/classify?APIKEY={key}&modelName=colours");
        assert_eq!(post(target, &[("image", &image)])["candidates"][0]["tag"], name);
        let target = format!("/imageRecognition/v1/similarImage/search?APIKEY={key}");
        assert_eq!(post(target, &[("image", &image), ("collection", b"c")])["candidates"][0]["tag"], name);
    }
}

#[test]
fn what_does_not_fit_is_named_and_nothing_is_written() {
    let operator = operator();
    let (plain, classify) = (classifier().file(), ["--task", "classify", "--labels", "@colours.txt"]);
    let wrong = |file: &[u8], args: &[&str], told: &str| {
        let refused = add(&operator, "mine", file, args);
        assert_eq!((refused.code, refused.out.as_str()), (1, ""), "{}", refused.err);
        assert!(refused.err.contains(told), "{told}\n{}", refused.err);
        assert_eq!(folders(&operator), ["runtime"]);
    };
    wrong(b"<html>not a network</html>", &classify, "It is not an ONNX file");
    wrong(&plain[..plain.len() / 2], &classify, "mine.onnx cannot be used");
    let two = ["--task", "classify", "--labels", "@two.txt", "--scores", "logits"];
    wrong(&plain, &two, "the output 'logits' has 3 classes and --labels names 2");
    wrong(&plain, &["--task", "detect"], "its outputs are not those of a detector that is known");
    wrong(&plain, &["--task", "embed", "--embedding", "none"], "--embedding none: there is no such output");
    wrong(&plain, &["--task", "classify", "--size", "9"], "does not fit --size: it is fixed at 8");
    wrong(&plain, &["--task", "classify", "--try", "@colours.txt"], "colours.txt: ");

    assert_eq!(add(&operator, "mine", &plain, &["--task", "read-text"]).code, 2);
    assert_eq!(add(&operator, "my model", &plain, &classify).code, 2, "the file's name is no model's");
    assert_told(&add(&operator, "mine", &plain, &["--task", "classify"]), &["called by their numbers; --labels FILE"]);
    let taken = add(&operator, "mine", &plain, &classify);
    assert!(taken.code == 1 && taken.err.contains("there is a model 'mine'; --force replaces it"), "{}", taken.err);
    let again = add(&operator, "mine", &plain, &[&classify[..], &["--force"]].concat());
    assert_told(&again, &["named in colours.txt"]);
    assert_eq!(folders(&operator), ["mine", "runtime"]);
}
