//! A window of a map as SVG and as PNG.

use std::fmt::Display;

use kaisatsu_model::Window;
use kaisatsu_railmap::RouteMap;
use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree},
};

use crate::{
    Style,
    area::Area,
    document::{self, Zoom},
};

/// The most pixels that a picture may have.
pub const MAX_PIXELS: i64 = 16 * 1024 * 1024;

/// What is to be drawn.
#[derive(Debug, Clone, Copy)]
pub struct Picture<'a> {
    /// The map.
    pub map: &'a RouteMap,
    /// The window of it.
    pub window: Window,
    /// Pixels for one map unit: 1 to 3.
    pub scale: u8,
    /// Light or dark.
    pub style: Style,
}

/// The picture as an SVG document.
#[must_use]
pub fn svg(picture: &Picture<'_>) -> String {
    document::write(picture, Zoom::FULL)
}

/// The picture as a PNG file.
///
/// # Errors
/// When the picture is too large to be drawn, or cannot be drawn at all: a window without any extent cannot.
pub fn png(picture: &Picture<'_>) -> Result<Vec<u8>, PictureError> {
    let scale = i64::from(picture.scale.clamp(1, 3));
    let side = |length: i64| length.max(1).saturating_mul(scale);
    let pixels = pixels(side(picture.window.width), side(picture.window.height))?;
    render(&svg(picture), pixels)
}

/// The window drawn into so many pixels, as a PNG file: from far away, so that names and marks too small to be seen are left
/// out and lines keep a width that can be seen. The scale of the picture is not looked at.
///
/// # Errors
/// As [`png()`].
pub fn overview(picture: &Picture<'_>, width: u32, height: u32) -> Result<Vec<u8>, PictureError> {
    let pixels = pixels(width.into(), height.into())?;
    let zoom = f64::from(width) / Area::of(&picture.window).width().max(1.0);
    render(&document::write(&Picture { scale: 1, ..*picture }, Zoom(zoom)), pixels)
}

/// Checked before anything is drawn: pixels cost memory.
fn pixels(width: i64, height: i64) -> Result<Pixmap, PictureError> {
    if width.saturating_mul(height) > MAX_PIXELS {
        return Err(PictureError::TooLarge);
    }
    let side = |length: i64| u32::try_from(length).map_err(|_| PictureError::TooLarge);
    Pixmap::new(side(width)?, side(height)?).ok_or(PictureError::TooLarge)
}

fn render(document: &str, mut pixels: Pixmap) -> Result<Vec<u8>, PictureError> {
    // What cannot be drawn is told, not left out: pixels that nothing was drawn into look like a picture, a black one.
    let tree = Tree::from_str(document, &Options::default()).map_err(unrenderable)?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let fitted = Transform::from_scale(exact(pixels.width()) / width, exact(pixels.height()) / height);
    resvg::render(&tree, fitted, &mut pixels.as_mut());
    encode(&pixels).map_err(unrenderable)
}

fn unrenderable(cause: impl Display) -> PictureError {
    PictureError::Unrenderable(cause.to_string())
}

#[expect(clippy::cast_precision_loss, reason = "a side has at most 16 million pixels, which is exact")]
fn exact(side: u32) -> f32 {
    side as f32
}

/// The ground covers everything, so there is no transparency to keep. Large even areas are best found by plain matching:
/// the filters of PNG, and more effort, give larger files or take several times as long.
fn encode(pixels: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let colors: Vec<u8> = pixels.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
    let mut out = Vec::with_capacity(colors.len() / 16);
    let mut encoder = png::Encoder::new(&mut out, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_deflate_compression(png::DeflateCompression::Level(3));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&colors)?;
    writer.finish()?;
    Ok(out)
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// It has more pixels than are drawn.
    #[error("the picture is too large to be drawn")]
    TooLarge,
    /// Its document is not one that the renderer takes: one with too many elements, or without any extent.
    #[error("the picture cannot be drawn: {0}")]
    Unrenderable(String),
}

#[cfg(test)]
mod tests {
    use super::{PictureError, pixels, render};

    #[test]
    fn a_document_that_the_renderer_refuses_is_no_black_picture() {
        for refused in ["", "<svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"0\"/>"] {
            let drawn = pixels(2, 2).and_then(|pixels| render(refused, pixels));
            assert!(matches!(drawn, Err(PictureError::Unrenderable(_))), "{refused}");
        }
    }
}
