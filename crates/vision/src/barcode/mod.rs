//! Article numbers in photographs: EAN-13, EAN-8, UPC-A and UPC-E, with JAN and ISBN among them.
//!
//! A picture is looked at along scan lines, in steps from the quickest to the most thorough (`ladder.rs`). What a line shows is
//! not read at once: it says how well each digit would fit at each place, and these votes are added up over all lines
//! through a symbol (`evidence.rs`). A number is given only when its check digit is right, no other number comes near, and
//! more than one line speaks for it.
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places within pictures, whose sides are far below 2^24"
)]

pub mod digits;
mod direction;
mod evidence;
mod ladder;
mod scan;
mod symbol;
mod view;

use crate::{Area, Picture};
pub use digits::{isbn_13, thirteen};

/// What a symbol looked like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Thirteen digits: EAN, JAN, ISBN.
    Ean13,
    /// Eight digits.
    Ean8,
    /// Twelve digits.
    UpcA,
    /// Twelve digits of which six are printed as bars; the first is 0.
    UpcE,
}

/// A number found in a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Code {
    /// Thirteen digits: shorter numbers have zeros in front, and UPC-E is expanded first.
    pub digits: String,
    /// What the symbol looked like.
    pub kind: Kind,
    /// Where it was read.
    pub area: Area,
}

/// The numbers in a picture, the surest first. How long it takes is bounded by the picture's size: the steps are counted.
#[must_use]
pub fn read(picture: &Picture) -> Vec<Code> {
    let found = ladder::climb(picture.width() as usize, picture.height() as usize, picture.grey());
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let code = |found: ladder::Found| {
        let digits = format!("{:0>13}", digits::text(&found.digits));
        let [left, top, right, bottom] = found.bounds;
        let part = |place: f32, side: f32| (place / side).clamp(0.0, 1.0);
        let area = Area {
            x_min: part(left, width),
            y_min: part(top, height),
            x_max: part(right, width),
            y_max: part(bottom, height),
        };
        Code { kind: found.kind, digits, area }
    };
    found.into_iter().map(code).collect()
}

#[cfg(test)]
mod tests;
