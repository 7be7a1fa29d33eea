//! The marks of stations, each exactly as large as the shape that the map gives it.

use kaisatsu_model::Shape;
use kaisatsu_railmap::Mark;

use crate::{
    area::Area,
    color::Color,
    style::Palette,
    xml::{Num, put},
};

/// A circle from this radius on is an interchange.
const INTERCHANGE_RADIUS: i64 = 7;
/// The widest outline.
const OUTLINE: f64 = 2.0;
/// The smallest side of a mark that has an inside.
const SMALLEST_OPEN: f64 = 5.0;

/// Whether a mark looks like a place to change.
pub(crate) fn is_interchange(mark: &Mark) -> bool {
    match mark.shape {
        Shape::Circle(circle) => i64::from(circle.r) >= INTERCHANGE_RADIUS,
        Shape::Rect(_) => mark.chamfering,
    }
}

/// Writes a mark. `own` is the colour of the station's line, when it is on one only.
pub(crate) fn write(out: &mut String, mark: &Mark, own: Option<Color>, palette: &Palette) {
    let color = own.filter(|_| !is_interchange(mark)).unwrap_or(palette.ink);
    let area = Area::of(&mark.shape.bounds());
    // The outline lies inside, so that its outer edge is that of the shape. What is too small for one is all outline: strokes
    // of less than a pixel would be drawn wider than they are.
    let side = area.width().min(area.height());
    let outline = if side < SMALLEST_OPEN { 0.0 } else { (side / 5.0).min(OUTLINE) };
    let inner = area.grown(-outline / 2.0);
    match mark.shape {
        Shape::Circle(circle) => {
            put!(out, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"", circle.x, circle.y, Num(inner.width() / 2.0));
        }
        Shape::Rect(_) => {
            let (width, height) = (inner.width(), inner.height());
            put!(out, "<rect x=\"{}\" y=\"{}\" width=\"{}\"", Num(inner.left), Num(inner.top), Num(width));
            put!(out, " height=\"{}\"", Num(height));
            if mark.chamfering {
                put!(out, " rx=\"{}\"", Num(width.min(height) / 2.0));
            }
        }
    }
    if outline > 0.0 {
        put!(out, " stroke=\"{color}\" stroke-width=\"{}\"/>", Num(outline));
    } else {
        put!(out, " fill=\"{color}\"/>");
    }
}
