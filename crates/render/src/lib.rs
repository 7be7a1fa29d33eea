//! Renders route maps as SVG, PNG and PDF: typeface metrics, labels, lines, marks and the legend.
//!
//! Glyphs are drawn as outlines of a typeface in the binary. So a picture looks the same everywhere, and a label's rect
//! is exactly what is drawn.

mod bounds;
mod bullets;
mod color;
mod connectors;
mod glyph_defs;
mod glyph_outline;
mod label;
mod legend;
mod line_path;
mod marks;
mod pdf;
mod picture;
mod shaped_row;
mod style;
mod svg_document;
mod typeface;
mod way;
mod xml;

pub use bullets::{bullet_size, measure_numbers};
pub use connectors::CONNECTOR_WIDTH;
pub use label::{LabelSize, NAME_SIZE, SMALL_SIZE, measure};
pub use legend::Legend;
pub use pdf::pdf;
pub use picture::{Lettering, MAX_PIXELS, MIN_SCALE, Picture, PictureError, overview, pixel_sides, png, svg};
pub use style::Style;
pub use svg_document::{LINE_PITCH, LINE_WIDTH};
pub use typeface::Typeface;
pub use way::{WayPart, way};

/// The revision of the renderer. Increase it with every change to the look of pictures, so that cached ones are
/// discarded.
pub const REVISION: u32 = 4;
