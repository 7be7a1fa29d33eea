//! Object detection in tiles as a caller sees it: small things are found, and nothing is found twice.

use std::io::Cursor;

use image::{ImageFormat, Rgb, RgbImage, imageops};
use kaisatsu_e2e::{Backend, Database, Server, make_key, pictures};
use serde_json::{Value, json};

fn start() -> (Database, String, Server) {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start_with_models(&database, &[]);
    (database, key, server)
}

/// A photograph at another width.
fn photo(name: &str, width: u32) -> RgbImage {
    let image = image::load_from_memory(&pictures::photo(name)).unwrap().to_rgb8();
    let height = image.height() * width / image.width();
    imageops::resize(&image, width, height, imageops::FilterType::Lanczos3)
}

fn canvas(width: u32, height: u32) -> RgbImage {
    RgbImage::from_pixel(width, height, Rgb([128, 132, 126]))
}

fn png(image: &RgbImage) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

fn detect(server: &Server, key: &str, image: &[u8], fields: &[(&str, &[u8])]) -> Value {
    let fields = [&[("image", image)], fields].concat();
    let answer = server.post_form(&format!("/imageRecognition/v1/objectDetection/detect?APIKEY={key}"), &fields);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// The boxes of a kind: left, top, right, bottom.
fn boxes(answer: &Value, tag: &str) -> Vec<[f64; 4]> {
    let candidates = answer["candidates"].as_array().unwrap().iter().filter(|found| found["tag"] == tag);
    candidates.map(|found| ["xMin", "yMin", "xMax", "yMax"].map(|side| found[side].as_f64().unwrap())).collect()
}

#[test]
fn small_things_are_found_with_high_accuracy() {
    let (_database, key, server) = start();
    let mut table = canvas(1280, 960);
    imageops::replace(&mut table, &photo("chelsea.png", 130), 180, 140);
    let (table, least): (_, (&str, &[u8])) = (png(&table), ("minScore", b"0.3"));
    assert_eq!(boxes(&detect(&server, &key, &table, &[least]), "cat"), Vec::<[f64; 4]>::new());
    let found = detect(&server, &key, &table, &[least, ("accuracy", b"high")]);
    let [[left, top, right, bottom]] = boxes(&found, "cat")[..] else { panic!("{found}") };
    assert!(left > 160.0 && top > 120.0 && right < 330.0 && bottom < 250.0 && right - left > 80.0, "{found}");
}

/// The tiles of a picture meet in its middle. A cat there is cut by all of them, whatever its size.
#[test]
fn a_thing_across_the_borders_of_tiles_is_answered_once() {
    let (_database, key, server) = start();
    for width in [500, 800, 1300] {
        let (cat, mut page) = (photo("chelsea.png", width), canvas(2400, 1800));
        let (x, y) = (1200 - i64::from(width) / 2, 900 - i64::from(cat.height()) / 2);
        imageops::replace(&mut page, &cat, x, y);
        let found = detect(&server, &key, &png(&page), &[("minScore", b"0.25"), ("accuracy", b"high")]);
        let [[left, top, right, bottom]] = boxes(&found, "cat")[..] else { panic!("{width}: {found}") };
        let area = (right - left) * (bottom - top) / f64::from(width * cat.height());
        assert!((0.7..1.2).contains(&area), "{width}: all of the cat, not a piece: {found}");
    }
}

#[test]
fn a_panorama_is_searched_in_tiles_by_itself() {
    let (_database, key, server) = start();
    let mut panorama = canvas(6000, 400);
    let places = [150, 1500, 2430, 3900, 5600];
    for x in places {
        imageops::replace(&mut panorama, &photo("coffee.png", 300), x, 120);
    }
    let found = detect(&server, &key, &png(&panorama), &[("minScore", b"0.3")]);
    let mut cups = boxes(&found, "cup");
    cups.sort_by(|a, b| a[0].total_cmp(&b[0]));
    assert_eq!(cups.len(), places.len(), "each cup once: {found}");
    for ([left, _, right, _], x) in cups.into_iter().zip(places) {
        #[allow(clippy::cast_precision_loss, reason = "a small number")]
        let x = x as f64;
        assert!(left > x + 40.0 && right < x + 260.0, "{left} {right} beside {x}: {found}");
    }
    // The other way round, and shapes that hardly have a pixel to divide.
    for (width, height) in [(400, 6000), (1, 5000), (6000, 40), (3, 3)] {
        detect(&server, &key, &png(&canvas(width, height)), &[]);
        detect(&server, &key, &png(&canvas(width, height)), &[("accuracy", b"high")]);
    }
}

#[test]
fn ordinary_pictures_are_answered_as_before() {
    let (_database, key, server) = start();
    for name in ["coffee.png", "astronaut.png", "rocket.jpg"] {
        let image = pictures::photo(name);
        let without_ids = |mut answer: Value| {
            for found in answer["candidates"].as_array_mut().unwrap() {
                found["itemId"] = json!("");
            }
            answer["candidates"].clone()
        };
        let (plain, normal) =
            (detect(&server, &key, &image, &[]), detect(&server, &key, &image, &[("accuracy", b"normal")]));
        assert_eq!(without_ids(plain), without_ids(normal), "{name}");
    }
    // What is plain to see in the whole picture is found in it with tiles too, once.
    let found = detect(&server, &key, &pictures::photo("coffee.png"), &[("minScore", b"0.5"), ("accuracy", b"high")]);
    let [[left, top, right, bottom]] = boxes(&found, "cup")[..] else { panic!("{found}") };
    for (side, expected) in [(left, 168.4), (top, 16.8), (right, 425.5), (bottom, 301.5)] {
        assert!((side - expected).abs() < 8.0, "{found}");
    }
}

#[test]
fn an_unknown_accuracy_is_refused() {
    let (_database, key, server) = start();
    let image = pictures::photo("coffee.png");
    let target = format!("/imageRecognition/v1/objectDetection/detect?APIKEY={key}");
    for word in ["HIGH", "low", "1", "high "] {
        let answer = server.post_form(&target, &[("image", &image), ("accuracy", word.as_bytes())]);
        let message = "objectDetection/detect: body field accuracy must be normal or high";
        assert_eq!((answer.status, answer.json()), (400, json!({"error": {"code": "106", "message": message}})));
    }
    let answer = server.post_form(&format!("{target}&accuracy=low"), &[("image", &image)]);
    let message = "objectDetection/detect: query parameter accuracy must be normal or high";
    assert_eq!((answer.status, answer.json()), (400, json!({"error": {"code": "104", "message": message}})));
    let answer = server.post_form(&format!("{target}&accuracy="), &[("image", &image)]);
    assert_eq!((answer.status, answer.json()["error"]["code"].as_str()), (400, Some("104")));
}
