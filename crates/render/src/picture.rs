//! Renders a window of a map as SVG and as PNG.

use std::fmt::Display;

use kaisatsu_model::Window;
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

/// What to render.
#[derive(Debug, Clone, Copy)]
pub struct Picture<'a> {
    /// The map.
    pub map: &'a RouteMap,
    /// The window of the map.
    pub window: Window,
    /// Pixels per map unit: 1 to 3.
    pub scale: u8,
    /// The style, light or dark.
    pub style: Style,
}

/// Renders an SVG document.
#[must_use]
pub fn svg(picture: &Picture<'_>) -> String {
    svg_document::write(picture, Zoom::FULL)
}

/// Renders a PNG file.
///
/// # Errors
/// When the picture is too large, or cannot be rendered, for example because its window is empty.
pub fn png(picture: &Picture<'_>) -> Result<Vec<u8>, PictureError> {
    let scale = i64::from(picture.scale.clamp(1, 3));
    let side = |length: i64| length.max(1).saturating_mul(scale);
    let pixmap = pixmap(side(picture.window.width), side(picture.window.height))?;
    render(&svg(picture), pixmap)
}

/// Renders the window with the given size in pixels, as a PNG file. Labels and marks that would be too small are left
/// out, and lines have a minimum width. The scale of the picture is ignored.
///
/// # Errors
/// As [`png()`].
pub fn overview(picture: &Picture<'_>, width: u32, height: u32) -> Result<Vec<u8>, PictureError> {
    let pixmap = pixmap(width.into(), height.into())?;
    let zoom = f64::from(width) / Bounds::of(&picture.window).width().max(1.0);
    render(&svg_document::write(&Picture { scale: 1, ..*picture }, Zoom(zoom)), pixmap)
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

fn unrenderable(cause: impl Display) -> PictureError {
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
