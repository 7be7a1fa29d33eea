//! The networks against the reference runtime: the same photographs, the same answers.
//!
//! The expected figures come out of `tools/models/check.py`, which runs the same files with Python's onnxruntime and
//! Pillow. A wrong normalisation, a wrong channel order or a wrong crop shifts them by far more than is allowed here.

use std::{path::PathBuf, sync::Arc};

use kaisatsu_vision::{Bounds, ModelRegistry, Picture, Resizer, Tiles, Worker, best, decode};

fn folder(variable: &str) -> PathBuf {
    let Some(folder) = std::env::var_os(variable) else {
        panic!("{variable} is not set; `make test` installs models and photographs and sets it");
    };
    folder.into()
}

fn worker() -> Worker {
    let registry = Arc::new(ModelRegistry::open(&folder("KAISATSU_TEST_MODELS")).unwrap());
    Worker::load(&registry, &Arc::default(), &Arc::default(), &|| false)
}

fn photo(name: &str) -> Picture {
    let bytes = std::fs::read(folder("KAISATSU_TEST_PHOTOS").join(name)).unwrap();
    decode(&bytes, Bounds::default(), None).unwrap().picture
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn classifiers_agree_with_the_reference() {
    let mut worker = worker();
    for (model, name, expected) in [
        ("general", "chelsea.png", [("Egyptian cat", 0.8294), ("tiger cat", 0.1014), ("tabby", 0.0610)]),
        ("general", "coffee.png", [("espresso", 0.9929), ("cup", 0.0021), ("consomme", 0.0012)]),
        ("general-fast", "chelsea.png", [("tiger cat", 0.4330), ("Egyptian cat", 0.3915), ("tabby", 0.1538)]),
        ("general-fast", "coffee.png", [("espresso", 0.9882), ("cup", 0.0055), ("consomme", 0.0024)]),
        ("general-lcnet", "chelsea.png", [("tiger cat", 0.4754), ("Egyptian cat", 0.4108), ("tabby", 0.1084)]),
        ("general-lcnet", "coffee.png", [("espresso", 0.9938), ("cup", 0.0029), ("consomme", 0.0006)]),
    ] {
        let (classifier, resizer) = worker.classifier(model).unwrap();
        let found = classifier.classify(resizer, &photo(name)).unwrap();
        let labels = classifier.labels();
        assert_eq!(found.scores.len(), labels.len());
        for (scored, (tag, score)) in best(&found.scores, 3, classifier.none_below()).iter().zip(expected) {
            let label = labels.get(scored.class).unwrap();
            assert_eq!(labels.name(label, "en"), tag, "{model} {name}");
            assert!((scored.score - score).abs() < 2e-3, "{model} {name}: {tag} {} for {score}", scored.score);
        }
        let length: f32 = found.embedding.unwrap().iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-5);
    }
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn the_detector_agrees_with_the_reference() {
    let mut worker = worker();
    for (name, tag, score, [x_min, y_min, x_max, y_max]) in [
        ("chelsea.png", "cat", 0.976, [0.0, 0.0, 413.3, 300.0]),
        ("coffee.png", "cup", 0.915, [168.4, 16.8, 425.5, 301.5]),
    ] {
        let picture = photo(name);
        let (detector, resizer) = worker.detector("coco").unwrap();
        let found = detector.detect(resizer, &picture, Tiles::WHOLE, 10, 0.3).unwrap().found;
        let labels = detector.labels();
        let best = found.iter().find(|found| labels.name(labels.get(found.class).unwrap(), "en") == tag).unwrap();
        assert!((best.score - score).abs() < 3e-3, "{name}: {}", best.score);
        #[allow(clippy::cast_precision_loss, reason = "small pictures")]
        let (w, h) = (picture.width() as f32, picture.height() as f32);
        let near = |a: f32, b: f32| (a - b).abs() < 1.0;
        assert!(near(best.area.x_min * w, x_min) && near(best.area.x_max * w, x_max), "{name}: {:?}", best.area);
        assert!(near(best.area.y_min * h, y_min) && near(best.area.y_max * h, y_max), "{name}: {:?}", best.area);
    }
}

/// The two parts are equally long, and each is that of its member.
#[test]
#[ignore = "needs the models; `make test` runs it"]
fn an_ensemble_joins_the_vectors_of_its_members() {
    let mut worker = worker();
    let picture = photo("chelsea.png");
    let joined = worker.embed("general-joined", &picture).unwrap().unwrap();
    let (first, second) = joined.split_at(1280);
    assert_eq!(worker.short_side("general-joined"), worker.short_side("general"));
    for (part, member) in [(first, "general"), (second, "general-lcnet")] {
        let plain = worker.embed(member, &picture).unwrap().unwrap();
        let roots: f32 = plain.iter().sum();
        for (joined, plain) in part.iter().zip(&plain) {
            assert!((joined - (plain / roots / 2.0).sqrt()).abs() < 1e-5, "{member}");
        }
    }
    let (whole, both) =
        ["general-whole", "general-both"].map(|name| worker.embed(name, &picture).unwrap().unwrap()).into();
    assert_ne!(whole, joined);
    // The centre, then the whole, each half as long.
    for (both, part) in both.iter().zip(joined.iter().chain(&whole)) {
        assert!((both - part / 2.0_f32.sqrt()).abs() < 1e-5);
    }
    assert!(worker.embed("coco", &picture).is_none() && worker.short_side("nothing").is_none());
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn an_answer_is_always_the_same() {
    let mut worker = worker();
    let picture = photo("rocket.jpg");
    let mut run = || {
        let (classifier, resizer) = worker.classifier("general").unwrap();
        classifier.classify(resizer, &picture).unwrap()
    };
    assert_eq!(run(), run());
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn a_picture_of_one_pixel_is_classified() {
    let mut worker = worker();
    let speck = Picture::new(1, 1, vec![200, 10, 10]).unwrap();
    let (classifier, _) = worker.classifier("general").unwrap();
    assert!(classifier.classify(&mut Resizer::new(), &speck).is_ok());
    let (detector, _) = worker.detector("coco").unwrap();
    assert!(detector.detect(&mut Resizer::new(), &speck, Tiles::WHOLE, 5, 0.0).is_ok());
}
