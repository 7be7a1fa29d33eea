//! Draws the connectors between the stations of a group, as one shape with their marks.

use kaisatsu_railmap::RouteMap;

use crate::{
    bounds::Bounds,
    color::Color,
    line_path,
    style::Palette,
    xml::{Num, put},
};

/// The width of a connector with its outline, in map units.
pub const CONNECTOR_WIDTH: f64 = 8.0;
/// The width of the outline, which is that of a mark.
const OUTLINE: f64 = 2.0;

/// Writes what is below the marks: the connectors with their outlines.
pub(crate) fn write_below(out: &mut String, map: &RouteMap, visible: &Bounds, palette: &Palette) {
    let path = path(map, visible);
    if !path.is_empty() {
        out.push_str("<g class=\"connectors\">");
        write(out, &path, palette.ink, CONNECTOR_WIDTH);
        write(out, &path, palette.mark, CONNECTOR_WIDTH - 2.0 * OUTLINE);
        out.push_str("</g>");
    }
}

/// Writes what is above the marks: the inside again, so that marks and connectors are open to each other.
pub(crate) fn write_above(out: &mut String, map: &RouteMap, visible: &Bounds, palette: &Palette) {
    let path = path(map, visible);
    if !path.is_empty() {
        write(out, &path, palette.mark, CONNECTOR_WIDTH - 2.0 * OUTLINE);
    }
}

fn path(map: &RouteMap, visible: &Bounds) -> String {
    let near = visible.expanded(CONNECTOR_WIDTH);
    map.groups.iter().flat_map(|group| &group.paths).map(|path| line_path::path(path, &near)).collect()
}

fn write(out: &mut String, path: &str, color: Color, width: f64) {
    put!(out, "<path fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
    put!(out, " stroke=\"{color}\" stroke-width=\"{}\" d=\"{path}\"/>", Num(width));
}
