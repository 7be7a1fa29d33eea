//! Small pictures for people to look at.

use kaisatsu_resize::{Part, Resizer};

use crate::{Picture, manifest::Filter, prepare::resize};

/// The longer side of a small picture.
const SIDE: u32 = 256;

/// How much of the detail is kept, of 100.
const QUALITY: i32 = 80;

/// A small picture as a JPEG file, nowhere larger than the picture itself; `None` when it cannot be made.
#[must_use]
pub fn thumbnail(resizer: &mut Resizer, picture: &Picture) -> Option<Vec<u8>> {
    let (width, height) = (picture.width(), picture.height());
    let scale = (f64::from(SIDE) / f64::from(width.max(height))).min(1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the side of a small picture")]
    let side = |side: u32| ((f64::from(side) * scale).round() as u32).max(1);
    let (small_width, small_height) = (side(width), side(height));
    let whole = Part { left: 0.0, top: 0.0, width: f64::from(width), height: f64::from(height) };
    let rgb = resize(resizer, picture, whole, (small_width, small_height), Filter::Bilinear)?;
    let image = turbojpeg::Image {
        pixels: rgb.as_slice(),
        width: small_width as usize,
        pitch: small_width as usize * 3,
        height: small_height as usize,
        format: turbojpeg::PixelFormat::RGB,
    };
    turbojpeg::compress(image, QUALITY, turbojpeg::Subsamp::Sub2x2).ok().map(|file| file.to_vec())
}

#[cfg(test)]
mod tests {
    use super::thumbnail;
    use crate::{Bounds, Picture, Resizer, decode};

    #[test]
    fn a_small_picture_keeps_the_shape() {
        for (width, height, small) in [(800, 400, (256, 128)), (3, 1000, (1, 256)), (20, 10, (20, 10))] {
            let Some(picture) = Picture::new(width, height, vec![90; (width * height * 3) as usize]) else {
                unreachable!()
            };
            let file = thumbnail(&mut Resizer::new(), &picture).unwrap_or_default();
            let Ok(seen) = decode(&file, Bounds::default(), None) else { unreachable!("{width} {height}") };
            assert_eq!((seen.file.width, seen.file.height), small);
        }
    }
}
