//! Barcodes in pictures: the library `barcode-reader` reads bars, and the crate `rxing` two-dimensional codes.

mod matrix;

pub use barcode_reader::{GreyImage, article_numbers};
pub use matrix::{read_matrix, read_matrix_grey};

use crate::{Area, DecodedGrey, Picture};

/// The kind of a barcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symbology {
    /// Bars: EAN-13, EAN-8, UPC-A or UPC-E.
    Bars(barcode_reader::Symbology),
    /// A QR code.
    QrCode,
    /// A Data Matrix.
    DataMatrix,
}

/// A barcode found in a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Barcode {
    /// Thirteen digits: shorter numbers have zeros in front, UPC-E is expanded first, and the number of a case is that
    /// of the article in it.
    pub digits: String,
    /// What was printed.
    pub symbology: Symbology,
    /// Where it was read.
    pub area: Area,
}

/// Reads the barcodes of a picture that are made of bars, the surest first.
#[must_use]
pub fn read(picture: &Picture) -> Vec<Barcode> {
    read_with(picture, || None)
}

/// Reads the barcodes of a reduced picture. `finer` gives the whole of it with more pixels; it is asked for only where
/// bars were seen that are too small to be read.
#[must_use]
pub fn read_with(picture: &Picture, finer: impl FnOnce() -> Option<GreyImage>) -> Vec<Barcode> {
    bars((picture.width(), picture.height()), picture.grey(), finer)
}

/// Reads the barcodes of a picture without colours that are made of bars, the surest first.
#[must_use]
pub fn read_grey(decoded: &DecodedGrey) -> Vec<Barcode> {
    bars(decoded.grey.dimensions(), decoded.grey.as_raw().clone(), || None)
}

#[allow(clippy::cast_precision_loss, reason = "the sides of pictures are far below 2^24")]
fn bars((width, height): (u32, u32), grey: Vec<u8>, finer: impl FnOnce() -> Option<GreyImage>) -> Vec<Barcode> {
    let Some(image) = GreyImage::new(width as usize, height as usize, grey) else {
        return Vec::new();
    };
    let size = (width as f32, height as f32);
    let barcode = |found: barcode_reader::Barcode| {
        let bounds = found.bounds;
        Barcode {
            area: area([bounds.left, bounds.top, bounds.right, bounds.bottom], size),
            digits: found.digits,
            symbology: Symbology::Bars(found.symbology),
        }
    };
    barcode_reader::read_with(image, finer).into_iter().map(barcode).collect()
}

/// A rectangle as fractions of a picture.
fn area([left, top, right, bottom]: [f32; 4], (width, height): (f32, f32)) -> Area {
    let part = |position: f32, side: f32| (position / side).clamp(0.0, 1.0);
    Area { x_min: part(left, width), y_min: part(top, height), x_max: part(right, width), y_max: part(bottom, height) }
}
