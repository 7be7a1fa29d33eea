//! Pictures of unusual sizes.

use image::{DynamicImage, ImageBuffer, ImageFormat, Luma, Rgb, RgbImage};
use kaisatsu_e2e::{User, http};
use serde_json::json;

use super::{ask_everything, fill_collection, start, written};

/// Sides at which the rounding of a crop or a resize has gone wrong, or could.
const ODD_SIDES: [u32; 8] = [1, 2, 3, 6, 12, 14, 24, 31];

/// A small picture of stripes.
fn icon(width: u32, height: u32, class: u32) -> Vec<u8> {
    let stripe = |x: u32, y: u32| {
        let on = if class == 0 { x % 4 < 2 } else { y % 4 < 2 };
        if on { Rgb([230, 40, 40]) } else { Rgb([20, 60, 200]) }
    };
    written(&DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, stripe)), ImageFormat::Png)
}

#[test]
fn pictures_of_any_size_are_answered_by_every_function() {
    let (database, key, server) = start(&[]);
    fill_collection(&database, &server);
    for short in ODD_SIDES {
        for (width, height) in [(short, short), (short, short * 3 + 1), (200, short), (short, 1000)] {
            for (operation, answer) in ask_everything(&server, &key, &icon(width, height, 0)) {
                assert_eq!(answer.status, 200, "{operation}, {width} × {height}: {}", answer.text());
            }
        }
    }
}

#[test]
fn a_dataset_of_icons_is_built_and_used() {
    let (_database, key, server) = start(&[]);
    let user = User::named(&server, &key, "u");
    let mut images = Vec::new();
    for (class, tag) in ["columns", "rows"].into_iter().enumerate() {
        for side in ODD_SIDES.into_iter().skip(2) {
            let icon = icon(side, side + u32::try_from(class).unwrap(), u32::try_from(class).unwrap());
            images.push(json!({"imageId": user.upload(&icon, tag)}));
        }
    }
    let built = user.built(&user.create(&images));
    assert_eq!((&built["state"], &built["progress"]["fetched"]), (&json!("ready"), &json!(images.len())), "{built}");
    let id = built["dataSetId"].as_str().unwrap();
    for side in ODD_SIDES {
        for operation in ["concept/classify", "similarImage/search"] {
            let answer = user.ask(operation, id, &icon(side, side * 2, 1));
            assert_eq!(answer.status, 200, "{operation}, {side}: {}", answer.text());
        }
    }
}

#[test]
fn a_very_narrow_picture_needs_no_more_memory_than_another() {
    let (_database, key, server) = start(&[]);
    // A file of a few kilobytes; scaled in one direction first, it would need four gigabytes.
    let thread: ImageBuffer<Luma<u8>, _> = ImageBuffer::from_pixel(1, 4_000_000, Luma([90]));
    let thread = written(&DynamicImage::ImageLuma8(thread), ImageFormat::Png);
    for operation in ["concept/classify", "objectDetection/detect", "recognize"] {
        let target = format!("/imageRecognition/v1/{operation}?APIKEY={key}");
        let answer = if operation == "recognize" {
            http::post(server.address, &target, "image/png", &thread)
        } else {
            server.post_form(&target, &[("image", &thread)])
        };
        assert_eq!(answer.status, 200, "{operation}: {}", answer.text());
    }
    assert!(server.peak_memory() < 1_500, "{} MB", server.peak_memory());
}
