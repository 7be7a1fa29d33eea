//! Pictures of route maps: the typeface and its metrics, labels, SVG, and PNG.
//!
//! Letters are drawn as outlines of the typeface that comes with the binary, so that a picture looks the same everywhere and a
//! label's rect is exactly what is drawn.

mod area;
mod color;
mod document;
mod label;
mod legend;
mod letters;
mod marks;
mod outline;
mod picture;
mod row;
mod style;
mod track;
mod typeface;
mod xml;

pub use document::{LINE_PITCH, LINE_WIDTH};
pub use label::{NAME_SIZE, Placed, SMALL_SIZE, measure};
pub use legend::Legend;
pub use picture::{MAX_PIXELS, Picture, PictureError, overview, png, svg};
pub use style::Style;
pub use typeface::Typeface;

/// To be raised with every change that makes pictures look different: whoever keeps pictures knows by it that they are old.
pub const REVISION: u32 = 1;
