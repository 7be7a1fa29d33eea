//! Photographs that are stored turned.

use super::{coffee, jpeg, start};

/// A JPEG with an EXIF orientation tag after its first marker.
fn oriented(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let tiff =
        [&b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"[..], &[orientation], &[0, 0, 0, 0, 0, 0]]
            .concat();
    let length = u16::try_from(tiff.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xff, 0xe1], &length, &tiff, &jpeg[2..]].concat()
}

/// The same photograph, and rotated copies with a tag that rotates them back: the boxes are in pixels of the file as
/// sent.
#[test]
fn boxes_are_in_pixels_of_the_file_as_sent() {
    let (_database, key, server) = start(&[]);
    let coffee = coffee();
    let target = format!("/imageRecognition/v1/objectDetection/detect?APIKEY={key}&minScore=0.5");
    let cup = |bytes: &[u8]| {
        let answer = server.post_form(&target, &[("image", bytes)]).json();
        let found = answer["candidates"].as_array().unwrap().iter().find(|found| found["tag"] == "cup").cloned();
        let found = found.unwrap_or_else(|| panic!("{answer}"));
        let edge = |name: &str| found[name].as_f64().unwrap();
        let size = (answer["width"].as_u64().unwrap(), answer["height"].as_u64().unwrap());
        (size, [edge("xMin"), edge("yMin"), edge("xMax"), edge("yMax")])
    };
    let (size, [x_min, y_min, x_max, y_max]) = cup(&jpeg(&coffee));
    assert_eq!(size, (600, 400));
    // Tag 6: viewers rotate the file by 90 degrees to the right, so it is stored rotated to the left.
    let (size, turned) = cup(&oriented(&jpeg(&coffee.rotate270()), 6));
    assert_eq!(size, (400, 600));
    for (found, expected) in turned.iter().zip([y_min, 600.0 - x_max, y_max, 600.0 - x_min]) {
        assert!((found - expected).abs() < 6.0, "{turned:?} for {:?}", [y_min, 600.0 - x_max, y_max, 600.0 - x_min]);
    }
    // Tag 3: rotated by 180 degrees.
    let (size, turned) = cup(&oriented(&jpeg(&coffee.rotate180()), 3));
    assert_eq!(size, (600, 400));
    for (found, expected) in turned.iter().zip([600.0 - x_max, 400.0 - y_max, 600.0 - x_min, 400.0 - y_min]) {
        assert!((found - expected).abs() < 6.0, "{turned:?}");
    }
}
