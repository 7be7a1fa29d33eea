//! Renders a window of a map as SVG and as PNG.

use std::fmt::Display;

use kaisatsu_model::{StationCode, Window};
use kaisatsu_railmap::RouteMap;
use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree},
};

use crate::{
    Style,
    bounds::Bounds,
    svg_document::{self, Zoom},
};

/// The largest number of pixels in a picture.
pub const MAX_PIXELS: i64 = 16 * 1024 * 1024;

/// The smallest and the largest number of pixels per map unit.
pub const MIN_SCALE: f64 = 0.1;
const MAX_SCALE: f64 = 3.0;

/// How letters are written in an SVG document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Lettering {
    /// As outlines, which look the same everywhere.
    #[default]
    Outlines,
    /// As text, which can be searched, copied and edited. How it looks depends on the fonts of the reader.
    Text,
}

/// What to render.
#[derive(Debug, Clone, Copy)]
pub struct Picture<'a> {
    /// The map.
    pub map: &'a RouteMap,
    /// The window of the map.
    pub window: Window,
    /// Pixels per map unit: 0.1 to 3.
    pub scale: f64,
    /// The style, light or dark.
    pub style: Style,
    /// The stations of a way that is emphasised, while everything else is dimmed; none if empty.
    pub course: &'a [StationCode],
    /// How letters are written in an SVG document.
    pub lettering: Lettering,
}

impl<'a> Picture<'a> {
    /// A window at scale 1, in the light style, without a way.
    #[must_use]
    pub fn new(map: &'a RouteMap, window: Window) -> Self {
        Self { map, window, scale: 1.0, style: Style::Light, course: &[], lettering: Lettering::Outlines }
    }

    pub(crate) fn clamped_scale(&self) -> f64 {
        self.scale.clamp(MIN_SCALE, MAX_SCALE)
    }
}

/// The width and the height of a window in pixels.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "what is too large is refused")]
pub fn pixel_sides(window: &Window, scale: f64) -> (i64, i64) {
    let side = |length: i64| ((length as f64 * scale).round() as i64).max(1);
    (side(window.width), side(window.height))
}

/// Renders an SVG document.
#[must_use]
pub fn svg(picture: &Picture<'_>) -> String {
    svg_document::write(picture, Zoom::FULL)
}

/// Renders a PNG file. Below scale 1, what would be too small is left out, as in an [`overview`].
///
/// # Errors
/// When the picture is too large, or cannot be rendered, for example because its window is empty.
pub fn png(picture: &Picture<'_>) -> Result<Vec<u8>, PictureError> {
    let scale = picture.clamped_scale();
    let (width, height) = pixel_sides(&picture.window, scale);
    let pixmap = pixmap(width, height)?;
    render(&svg_document::write(&Picture { lettering: Lettering::Outlines, ..*picture }, Zoom(scale.min(1.0))), pixmap)
}

/// Renders the window with the given size in pixels, as a PNG file. Labels and marks that would be too small are left
/// out, and lines have a minimum width. The scale of the picture is ignored.
///
/// # Errors
/// As [`png()`].
pub fn overview(picture: &Picture<'_>, width: u32, height: u32) -> Result<Vec<u8>, PictureError> {
    let pixmap = pixmap(width.into(), height.into())?;
    let zoom = f64::from(width) / Bounds::of(&picture.window).width().max(1.0);
    render(
        &svg_document::write(&Picture { scale: 1.0, lettering: Lettering::Outlines, ..*picture }, Zoom(zoom)),
        pixmap,
    )
}

/// Checks the size before anything is rendered, because pixels cost memory.
fn pixmap(width: i64, height: i64) -> Result<Pixmap, PictureError> {
    if width.saturating_mul(height) > MAX_PIXELS {
        return Err(PictureError::TooLarge);
    }
    let side = |length: i64| u32::try_from(length).map_err(|_| PictureError::TooLarge);
    Pixmap::new(side(width)?, side(height)?).ok_or(PictureError::TooLarge)
}

fn render(document: &str, mut pixmap: Pixmap) -> Result<Vec<u8>, PictureError> {
    // A document that cannot be rendered is an error. Ignoring it would return a black picture.
    let tree = Tree::from_str(document, &Options::default()).map_err(unrenderable)?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let fitted = Transform::from_scale(exact(pixmap.width()) / width, exact(pixmap.height()) / height);
    resvg::render(&tree, fitted, &mut pixmap.as_mut());
    encode(&pixmap).map_err(unrenderable)
}

pub(crate) fn unrenderable(cause: impl Display) -> PictureError {
    PictureError::Unrenderable(cause.to_string())
}

#[expect(clippy::cast_precision_loss, reason = "a side has at most 16 million pixels, which is exact")]
fn exact(side: u32) -> f32 {
    side as f32
}

/// The background is opaque, so there is no alpha channel. Large areas of one colour compress best without filters.
/// Filters and higher levels give larger files, or take several times as long.
fn encode(pixmap: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let colors: Vec<u8> = pixmap.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
    let mut out = Vec::with_capacity(colors.len() / 16);
    let mut encoder = png::Encoder::new(&mut out, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_deflate_compression(png::DeflateCompression::Level(3));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&colors)?;
    writer.finish()?;
    Ok(out)
}

/// Why a picture cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// It has too many pixels.
    #[error("the picture is too large to be drawn")]
    TooLarge,
    /// The SVG renderer rejects the document: it has too many elements, or it is empty.
    #[error("the picture cannot be drawn: {0}")]
    Unrenderable(String),
}

#[cfg(test)]
mod tests {
    use super::{PictureError, pixmap, render};

    #[test]
    fn a_document_that_the_renderer_refuses_is_no_black_picture() {
        for refused in ["", "<svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"0\"/>"] {
            let drawn = pixmap(2, 2).and_then(|pixmap| render(refused, pixmap));
            assert!(matches!(drawn, Err(PictureError::Unrenderable(_))), "{refused}");
        }
    }
}
