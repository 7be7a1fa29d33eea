//! Reads the barcodes of goods in photographs: EAN-13 (with JAN and ISBN), EAN-8, UPC-A and UPC-E.
//!
//! The reader scans an image along lines: first the whole of it, then those parts that are full of parallel bars
//! (`locate.rs`), from the quickest look to the most thorough (`passes.rs`). It does not decode a line by itself. Each
//! line votes on how well each digit fits at each position, and the votes of all lines through a symbol are added up
//! (`votes.rs`). A number is reported only if its check digit is right, no other number comes near, and more than one
//! line supports it.
//!
//! ```
//! use barcode_reader::{GreyImage, read, to_ean_13};
//!
//! let white = GreyImage::new(640, 480, vec![255; 640 * 480]).expect("as many bytes as pixels");
//! assert!(read(white).is_empty());
//! assert_eq!(to_ean_13("042100005264").as_deref(), Some("0042100005264"));
//! ```
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positions within images, whose sides are far below 2^24"
)]

mod digits;
mod gs1;
mod locate;
mod passes;
mod scan;
mod symbol;
mod view;
mod votes;

pub use digits::{article_numbers, check_digit, expand_upc_e, is_valid, isbn_10_to_13, to_ean_13};
pub use gs1::article_in;

/// The kind of a barcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Symbology {
    /// Thirteen digits: EAN, JAN, ISBN.
    Ean13,
    /// Eight digits.
    Ean8,
    /// Twelve digits.
    UpcA,
    /// Twelve digits of which six are printed as bars; the first is 0.
    UpcE,
}

/// A barcode found in an image.
#[derive(Debug, Clone, PartialEq)]
pub struct Barcode {
    /// Thirteen digits: shorter numbers have zeros in front, and UPC-E is expanded first.
    pub digits: String,
    /// What was printed.
    pub symbology: Symbology,
    /// The rectangle around the scan lines that showed it.
    pub bounds: Rectangle,
}

/// A rectangle in pixels from the left and top edges of an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    /// Left edge.
    pub left: f32,
    /// Top edge.
    pub top: f32,
    /// Right edge.
    pub right: f32,
    /// Bottom edge.
    pub bottom: f32,
}

/// An image of one byte a pixel, rows from the top, without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GreyImage {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl GreyImage {
    /// Makes an image of its pixels; `None` if their number is not `width` times `height`, or is zero.
    #[must_use]
    pub fn new(width: usize, height: usize, pixels: Vec<u8>) -> Option<Self> {
        let fits = width.checked_mul(height) == Some(pixels.len());
        (fits && !pixels.is_empty()).then_some(Self { width, height, pixels })
    }
}

/// Reads the barcodes of an image, the surest first.
///
/// The time it takes is bounded by the number of pixels: the looks at the image are counted.
#[must_use]
pub fn read(image: GreyImage) -> Vec<Barcode> {
    read_with(image, || None)
}

/// Reads the barcodes of a reduced image. `finer` gives the same image with more pixels; it is asked for only where
/// bars were seen that are too small to be read.
#[must_use]
pub fn read_with(image: GreyImage, finer: impl FnOnce() -> Option<GreyImage>) -> Vec<Barcode> {
    let view = |image: GreyImage| view::View::new(image.width, image.height, image.pixels);
    let found = passes::run(view(image), || finer().map(view));
    let barcode = |found: passes::Found| {
        let [left, top, right, bottom] = found.bounds;
        Barcode {
            digits: format!("{:0>13}", digits::text(&found.digits)),
            symbology: found.symbology,
            bounds: Rectangle { left, top, right, bottom },
        }
    };
    found.into_iter().map(barcode).collect()
}

#[cfg(test)]
mod tests;
