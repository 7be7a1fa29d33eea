//! From the bytes of an image file to an upright picture, with the limits checked before a pixel is decoded.

mod bmp;
mod foreign;
mod heif;
mod jpeg;
mod png;

use std::{io::Cursor, panic::catch_unwind};

pub use heif::{HeifLibrary, HeifSupport, load_heif};
use image::{
    DynamicImage, GrayImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, RgbImage,
    metadata::Orientation,
};

use crate::{ImageFile, Picture};

/// How large an image may be, and how large it is needed.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The most pixels a file may declare.
    pub max_pixels: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { max_pixels: 50_000_000 }
    }
}

/// Why bytes did not become a picture. The messages are for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// There are no bytes.
    #[error("the image is empty: it has no bytes")]
    Empty,
    /// The first bytes are of no supported format.
    #[error("{seen}; send JPEG, PNG, GIF, BMP, TIFF or WebP{convert}")]
    UnknownFormat {
        /// What the file is.
        seen: &'static str,
        /// How to convert it, or nothing.
        convert: &'static str,
    },
    /// The contents do not follow the format.
    #[error("the {format} image cannot be decoded: it is {fault}")]
    Broken {
        /// The format by its first bytes.
        format: &'static str,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// The file declares a side that its decoder does not take.
    #[error(
        "the image is too large: {width} × {height} pixels, and at most {limit} on a side are taken of a {format}; \
         make it smaller, or send it as PNG"
    )]
    SideTooLong {
        /// Declared width.
        width: u32,
        /// Declared height.
        height: u32,
        /// The most pixels on a side.
        limit: u32,
        /// The format by its first bytes.
        format: &'static str,
    },
    /// The file declares more pixels than the server takes.
    #[error("the image is too large: {width} × {height} pixels, and at most {limit} pixels are taken")]
    TooManyPixels {
        /// Declared width.
        width: u32,
        /// Declared height.
        height: u32,
        /// The most pixels in all.
        limit: u64,
    },
}

impl DecodeError {
    /// Whether a smaller picture would have been decoded.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::TooManyPixels { .. } | Self::SideTooLong { .. })
    }
}

/// A picture and the facts of its file.
#[derive(Debug, Clone)]
pub struct Decoded {
    /// The picture, upright. It may be smaller than the file: see [`decode`].
    pub picture: Picture,
    /// The file's own size and orientation.
    pub file: ImageFile,
}

/// Decodes an image file.
///
/// `short_side` is what the model needs: a larger JPEG, and a PNG of more than 16 megapixels, may be decoded at a half,
/// a quarter or an eighth of its size, as long as its shorter side keeps that many pixels. `None` keeps every pixel.
///
/// # Errors
/// What is wrong with the file.
pub fn decode(bytes: &[u8], bounds: Bounds, short_side: Option<u32>) -> Result<Decoded, DecodeError> {
    if bytes.is_empty() {
        return Err(DecodeError::Empty);
    }
    let format = Format::of(bytes)?;
    let name = format.name();
    let decoded = catch_unwind(|| match format {
        Format::Jpeg => jpeg::decode(bytes, bounds, short_side),
        Format::Png => png::decode(bytes, bounds, short_side),
        Format::Heif(format) => heif::decode(bytes, format, bounds),
        Format::Other(format, name) => any(bytes, format, name, bounds),
    });
    // A decoder that panics fails this file only.
    decoded.unwrap_or(Err(DecodeError::Broken { format: name, fault: "corrupt" }))
}

/// The brightness of every pixel of an image file that [`decode`] has reduced, upright, with its width and height;
/// `None` for one that it has not.
#[must_use]
pub fn decode_whole_grey(bytes: &[u8], bounds: Bounds, decoded: &Decoded) -> Option<(u32, u32, Vec<u8>)> {
    let ImageFile { width, height, format, .. } = decoded.file;
    let reduced = decoded.picture.width().max(decoded.picture.height()) < width.max(height);
    if !reduced {
        return None;
    }
    let whole = catch_unwind(|| match format {
        "JPEG" => jpeg::whole_grey(bytes, bounds, None),
        "PNG" => png::whole_grey(bytes, bounds),
        _ => None,
    });
    let (width, height, grey, orientation) = whole.ok().flatten()?;
    let image = upright_grey(width, height, grey, orientation)?;
    Some((image.width(), image.height(), image.into_raw()))
}

fn upright_grey(width: u32, height: u32, grey: Vec<u8>, orientation: Orientation) -> Option<GrayImage> {
    let mut image = DynamicImage::ImageLuma8(GrayImage::from_raw(width, height, grey)?);
    image.apply_orientation(orientation);
    Some(image.into_luma8())
}

/// A picture without colours and the facts of its file.
#[derive(Debug, Clone)]
pub struct DecodedGrey {
    /// The brightness of each pixel of the file, upright.
    pub grey: GrayImage,
    /// The file's own size and orientation.
    pub file: ImageFile,
}

/// Decodes every pixel of a JPEG file without its colours. That takes as long as [`decode`] takes at half of the size
/// in colours, so it is done for files of which that would keep at least a half. `None` for all others, and for what is
/// damaged: [`decode`] says what is wrong with it.
#[must_use]
pub fn decode_grey(bytes: &[u8], bounds: Bounds, short_side: u32) -> Option<DecodedGrey> {
    if !matches!(Format::of(bytes), Ok(Format::Jpeg)) {
        return None;
    }
    let whole = catch_unwind(|| jpeg::whole_grey(bytes, bounds, Some(short_side)));
    let (width, height, grey, orientation) = whole.ok().flatten()?;
    let file = ImageFile { width, height, orientation, format: "JPEG" };
    Some(DecodedGrey { grey: upright_grey(width, height, grey, orientation)?, file })
}

/// A format that is read.
#[derive(Clone, Copy)]
enum Format {
    Jpeg,
    Png,
    Heif(heif::Format),
    /// A format of the image crate's, and its name.
    Other(ImageFormat, &'static str),
}

impl Format {
    /// The format by the first bytes; the name and the declared type of a file are ignored.
    fn of(bytes: &[u8]) -> Result<Self, DecodeError> {
        if let Some(format) = heif::Format::of(bytes) {
            return Ok(Self::Heif(format));
        }
        match image::guess_format(bytes) {
            Ok(ImageFormat::Jpeg) => Ok(Self::Jpeg),
            Ok(ImageFormat::Png) => Ok(Self::Png),
            Ok(ImageFormat::Gif) => Ok(Self::Other(ImageFormat::Gif, "GIF")),
            Ok(ImageFormat::Bmp) => Ok(Self::Other(ImageFormat::Bmp, "BMP")),
            Ok(ImageFormat::Tiff) if !foreign::is_canon_raw(bytes) => Ok(Self::Other(ImageFormat::Tiff, "TIFF")),
            Ok(ImageFormat::WebP) => Ok(Self::Other(ImageFormat::WebP, "WebP")),
            _ => Err(foreign::unknown(bytes)),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "JPEG",
            Self::Png => "PNG",
            Self::Heif(format) => format.name(),
            Self::Other(_, name) => name,
        }
    }
}

/// Every format that is left to the image crate.
fn any(bytes: &[u8], format: ImageFormat, name: &'static str, bounds: Bounds) -> Result<Decoded, DecodeError> {
    let broken = |error: ImageError| DecodeError::Broken { format: name, fault: fault(&error) };
    if let Some((width, height)) = bmp::declared_size(bytes).filter(|_| format == ImageFormat::Bmp) {
        check_size(width, height, name, bounds)?;
        check_sides(width, height, bmp::MAX_SIDE, name)?;
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    // Read before the limits are set: a decoder of ours may hold the picture once over, in its widest form.
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(bounds.max_pixels.saturating_mul(16).saturating_add(16 << 20));
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(broken)?;
    let (width, height) = decoder.dimensions();
    check_size(width, height, name, bounds)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder).map_err(broken)?;
    image.apply_orientation(orientation);
    let picture = flatten(image).ok_or(DecodeError::Broken { format: name, fault: "corrupt" })?;
    Ok(Decoded { picture, file: ImageFile { width, height, orientation, format: name } })
}

fn check_size(width: u32, height: u32, format: &'static str, bounds: Bounds) -> Result<(), DecodeError> {
    if width == 0 || height == 0 {
        return Err(DecodeError::Broken { format, fault: "corrupt: it has no pixels" });
    }
    if u64::from(width) * u64::from(height) > bounds.max_pixels {
        return Err(DecodeError::TooManyPixels { width, height, limit: bounds.max_pixels });
    }
    Ok(())
}

/// Refuses a size that only the format's decoder cannot take.
fn check_sides(width: u32, height: u32, limit: u32, format: &'static str) -> Result<(), DecodeError> {
    if width.max(height) > limit {
        return Err(DecodeError::SideTooLong { width, height, limit, format });
    }
    Ok(())
}

/// A picture turned as the orientation tag of its file says.
fn upright(width: u32, height: u32, rgb: Vec<u8>, orientation: Orientation) -> Option<Picture> {
    if orientation == Orientation::NoTransforms {
        return Picture::new(width, height, rgb);
    }
    let mut image = DynamicImage::ImageRgb8(RgbImage::from_raw(width, height, rgb)?);
    image.apply_orientation(orientation);
    Picture::new(image.width(), image.height(), image.into_rgb8().into_raw())
}

/// Eight bits a channel, and what is transparent laid on white.
fn flatten(image: DynamicImage) -> Option<Picture> {
    let (width, height) = (image.width(), image.height());
    let rgb = if image.color().has_alpha() {
        let rgba = image.into_rgba8();
        rgba.pixels().flat_map(|p| [on_white(p[0], p[3]), on_white(p[1], p[3]), on_white(p[2], p[3])]).collect()
    } else {
        image.into_rgb8().into_raw()
    };
    Picture::new(width, height, rgb)
}

/// A channel of a transparent pixel, laid on white.
fn on_white(colour: u8, alpha: u8) -> u8 {
    let (colour, alpha) = (u32::from(colour), u32::from(alpha));
    u8::try_from((colour * alpha + 255 * (255 - alpha) + 127) / 255).unwrap_or(u8::MAX)
}

/// A short reason that does not quote the decoder.
fn fault(error: &ImageError) -> &'static str {
    match error {
        ImageError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => "truncated",
        ImageError::Limits(_) => "too large to decode",
        ImageError::Unsupported(_) => {
            "of a kind that we do not read; convert it to PNG, for example with `magick FILE image.png`"
        }
        _ if error.to_string().contains("end of") || error.to_string().contains("UnexpectedEof") => "truncated",
        _ => "truncated or corrupt",
    }
}
