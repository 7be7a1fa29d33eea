//! Draws the marks of stations, exactly as large as their shapes in the map.

use kaisatsu_model::Shape;
use kaisatsu_railmap::Mark;

use crate::{
    bounds::Bounds,
    color::Color,
    style::Palette,
    xml::{Num, put},
};

/// A circle with at least this radius is an interchange.
const INTERCHANGE_RADIUS: i64 = 7;
/// The largest width of an outline.
const MAX_OUTLINE: f64 = 2.0;
/// A mark with a smaller side is filled.
const MIN_OPEN_SIDE: f64 = 5.0;

/// Whether a mark looks like an interchange.
pub(crate) fn is_interchange(mark: &Mark) -> bool {
    match mark.shape {
        Shape::Circle(circle) => i64::from(circle.r) >= INTERCHANGE_RADIUS,
        Shape::Rect(_) => mark.chamfering,
    }
}

/// Writes a mark. `line_color` is the colour of the station's line, if it is on only one.
pub(crate) fn write(out: &mut String, mark: &Mark, line_color: Option<Color>, palette: &Palette) {
    let color = line_color.filter(|_| !is_interchange(mark)).unwrap_or(palette.ink);
    let bounds = Bounds::of(&mark.shape.bounds());
    // The outline is inside the shape, so that its outer edge is that of the shape. A mark that is too small for an
    // outline is filled, because strokes below one pixel would be drawn wider than they are.
    let side = bounds.width().min(bounds.height());
    let outline = if side < MIN_OPEN_SIDE { 0.0 } else { (side / 5.0).min(MAX_OUTLINE) };
    let inner = bounds.expanded(-outline / 2.0);
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
