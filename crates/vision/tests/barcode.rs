//! Photographs without a barcode have no number, however busy they are; and barcodes need no colours.

#![allow(clippy::cast_possible_truncation, reason = "colours of a small picture")]

use std::{io::Cursor, path::PathBuf};

use image::{ImageFormat, Rgb, RgbImage};
use kaisatsu_vision::{Bounds, barcode, decode, decode_grey, decode_whole_grey};

#[test]
#[ignore = "needs the test photographs; `make test` runs it"]
fn no_number_is_read_where_there_is_none() {
    let Some(folder) = std::env::var_os("KAISATSU_TEST_PHOTOS").map(PathBuf::from) else {
        panic!("KAISATSU_TEST_PHOTOS is not set; `make test` installs photographs and sets it");
    };
    let mut seen = 0;
    for name in ["astronaut.png", "brick.png", "chelsea.png", "coffee.png", "grass.png", "page.png", "text.png"] {
        let file = folder.join(name);
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let picture = decode(&bytes, Bounds::default(), None).unwrap().picture;
        assert_eq!(barcode::read(&picture), [], "{name}");
        seen += 1;
    }
    assert!(seen > 1, "{} has none of the photographs; `make test` installs them", folder.display());
}

/// A picture of changing colours as a file.
fn coloured(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let image = RgbImage::from_fn(width, height, |x, y| Rgb([(x / 12) as u8, (y / 11) as u8, ((x + y) / 23) as u8]));
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// Without an index of features only barcodes are searched for, in all pixels without their colours.
#[test]
fn a_large_jpeg_is_decoded_without_its_colours() {
    let (file, bounds) = (coloured(3000, 2500, ImageFormat::Jpeg), Bounds::default());
    let grey = decode_grey(&file, bounds, 960).unwrap();
    let decoded = decode(&file, bounds, Some(960)).unwrap();
    let (width, height, whole) = decode_whole_grey(&file, bounds, &decoded).unwrap();
    assert_eq!((grey.grey.dimensions(), grey.grey.as_raw(), grey.file), ((width, height), &whole, decoded.file));
    // What is kept at less than a half, what is damaged, and other formats are left to `decode`.
    assert!(decode_grey(&file, bounds, 400).is_none());
    assert!(decode_grey(&file[..file.len() / 2], bounds, 960).is_none());
    assert!(decode_grey(&file, Bounds { max_pixels: 1000 }, 960).is_none());
    assert!(decode_grey(&coloured(60, 50, ImageFormat::Png), bounds, 960).is_none());
}
