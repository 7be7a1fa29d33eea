//! Barcodes in pictures; the library `barcode-reader` reads them.

use barcode_reader::GreyImage;
pub use barcode_reader::{Symbology, isbn_10_to_13, to_ean_13};

use crate::{Area, Picture};

/// A barcode found in a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Barcode {
    /// Thirteen digits: shorter numbers have zeros in front, and UPC-E is expanded first.
    pub digits: String,
    /// What was printed.
    pub symbology: Symbology,
    /// Where it was read.
    pub area: Area,
}

/// Reads the barcodes of a picture, the surest first.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "the sides of pictures are far below 2^24")]
pub fn read(picture: &Picture) -> Vec<Barcode> {
    let Some(image) = GreyImage::new(picture.width() as usize, picture.height() as usize, picture.grey()) else {
        return Vec::new();
    };
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let part = |position: f32, side: f32| (position / side).clamp(0.0, 1.0);
    let barcode = |found: barcode_reader::Barcode| Barcode {
        area: Area {
            x_min: part(found.bounds.left, width),
            y_min: part(found.bounds.top, height),
            x_max: part(found.bounds.right, width),
            y_max: part(found.bounds.bottom, height),
        },
        digits: found.digits,
        symbology: found.symbology,
    };
    barcode_reader::read(image).into_iter().map(barcode).collect()
}
