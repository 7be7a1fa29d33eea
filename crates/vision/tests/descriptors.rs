//! Descriptors of photographs: a photograph taken again is nearer to itself than to any other.

use std::{collections::HashMap, path::PathBuf};

use image::{
    RgbImage,
    imageops::{FilterType, colorops::brighten, resize},
};
use kaisatsu_vision::{
    Bounds, ModelRegistry, Picture, Resizer, Tiles, Worker, decode,
    object::{GLOBAL_DIMENSIONS, Recogniser, Search, barcode_descriptor},
    vector::dot,
};

fn folder(variable: &str) -> PathBuf {
    let Some(folder) = std::env::var_os(variable) else {
        panic!("{variable} is not set; `make test` installs models and photographs and sets it");
    };
    folder.into()
}

fn worker(model: &str) -> Worker {
    Worker::load_only(&ModelRegistry::open(&folder("KAISATSU_TEST_MODELS")).unwrap(), model).unwrap()
}

fn photo(name: &str) -> Picture {
    let bytes = std::fs::read(folder("KAISATSU_TEST_PHOTOS").join(name)).unwrap();
    decode(&bytes, Bounds::default(), None).unwrap().picture
}

/// The same at four fifths of the size and brighter.
fn again(picture: &Picture) -> Picture {
    let image = RgbImage::from_raw(picture.width(), picture.height(), picture.rgb().to_vec()).unwrap();
    let (width, height) = (picture.width() * 4 / 5, picture.height() * 4 / 5);
    let smaller = resize(&image, width, height, FilterType::Triangle);
    Picture::new(width, height, brighten(&smaller, 30).into_raw()).unwrap()
}

/// Each is nearer, by a margin, to itself taken again than to any other taken again.
fn assert_told_apart(descriptors: &[(Vec<f32>, Vec<f32>)], margin: f32) {
    for (at, (descriptor, _)) in descriptors.iter().enumerate() {
        assert!((dot(descriptor, descriptor) - 1.0).abs() < 1e-5);
        let cosines: Vec<f32> = descriptors.iter().map(|(_, again)| dot(descriptor, again)).collect();
        let others = cosines.iter().enumerate().filter(|(other, _)| *other != at);
        assert!(others.map(|(_, cosine)| cosine + margin).all(|other| other < cosines[at]), "{at}: {cosines:?}");
    }
}

/// The descriptor of a picture, which the first round makes. There is no catalogue: nobody votes.
fn words(objects: &mut Recogniser, resizer: &mut Resizer, picture: &Picture) -> Vec<f32> {
    let mut search = Search::default();
    let mut rounds = 0;
    while !search.is_over() {
        assert_eq!(objects.vote(resizer, picture, &mut search, |_, _| Vec::new()).unwrap(), []);
        objects.verify(&mut search, &HashMap::new()).unwrap();
        rounds += 1;
    }
    assert_eq!(rounds, 9, "without an item every size and turn is tried");
    let found = search.finish();
    assert_eq!((found.items.len(), found.descriptor.len()), (0, GLOBAL_DIMENSIONS));
    found.descriptor
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn a_picture_taken_again_has_the_same_words() {
    let mut worker = worker("local-features");
    let mut describe = |picture: &Picture| {
        let (objects, resizer) = worker.objects("local-features").unwrap();
        words(objects, resizer, picture)
    };
    let descriptors = ["chelsea.png", "coffee.png", "graf1.png"].map(|name| {
        let picture = photo(name);
        (describe(&picture), describe(&again(&picture)))
    });
    assert_told_apart(&descriptors, 0.3);
    let barcode = barcode_descriptor("9784101010014");
    assert!(descriptors.iter().all(|(descriptor, _)| dot(descriptor, &barcode).abs() < 0.2));
    let plain = Picture::new(64, 64, vec![90; 64 * 64 * 3]).unwrap();
    assert_eq!(describe(&plain), vec![0.0; GLOBAL_DIMENSIONS]);
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn a_thing_taken_again_has_the_same_scores() {
    let mut worker = worker("coco");
    let mut describe = |picture: &Picture| {
        let (detector, resizer) = worker.detector("coco").unwrap();
        let seen = detector.detect(resizer, picture, Tiles::WHOLE, 10, 0.3).unwrap();
        assert_eq!(seen.descriptors.len(), seen.found.len());
        assert!(seen.descriptors.iter().all(|descriptor| descriptor.len() == detector.labels().len() + 4));
        seen.descriptors[0].clone()
    };
    let descriptors = ["chelsea.png", "coffee.png", "astronaut.png", "motorcycle_left.png"].map(|name| {
        let picture = photo(name);
        (describe(&picture), describe(&again(&picture)))
    });
    assert_told_apart(&descriptors, 0.3);
}
