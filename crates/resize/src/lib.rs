//! Resizing of RGB pictures.
//!
//! The resizer is generic, and its kernels are a quarter of what a crate that calls it has to compile. Here they are
//! compiled once, and not again with every change of recognition and for each of its test programs.

use fast_image_resize::{
    FilterType, PixelType, ResizeAlg, ResizeOptions,
    images::{Image, ImageRef},
    pixels::U8x3,
};

/// How new pixels are made of old ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Catmull-Rom over all pixels that count.
    Bicubic,
    /// Bilinear over all pixels that count.
    Bilinear,
    /// Bilinear between the nearest four alone, however much the picture shrinks.
    Interpolated,
}

/// A part of a picture, in pixels that need not be whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Where it begins from the left.
    pub left: f64,
    /// Where it begins from the top.
    pub top: f64,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
}

/// The pixels of a picture, three bytes each, row by row.
#[derive(Debug, Clone, Copy)]
pub struct Rgb<'a> {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The bytes.
    pub bytes: &'a [u8],
}

impl Rgb<'_> {
    /// All of it.
    #[must_use]
    pub fn whole(&self) -> Part {
        Part { left: 0.0, top: 0.0, width: f64::from(self.width), height: f64::from(self.height) }
    }
}

/// Resizes pictures, and keeps its buffers from one to the next.
#[derive(Debug, Default)]
pub struct Resizer(fast_image_resize::Resizer);

impl Resizer {
    /// One with the instructions of this processor.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A part of a picture at another size; `None` if there are too few bytes, or the part is not within the picture.
    pub fn resize(
        &mut self,
        picture: Rgb<'_>,
        part: Part,
        (width, height): (u32, u32),
        method: Method,
    ) -> Option<Vec<u8>> {
        let source = ImageRef::new(picture.width, picture.height, picture.bytes, PixelType::U8x3).ok()?;
        let mut target = Image::new(width, height, PixelType::U8x3);
        let algorithm = match method {
            Method::Bicubic => ResizeAlg::Convolution(FilterType::CatmullRom),
            Method::Bilinear => ResizeAlg::Convolution(FilterType::Bilinear),
            Method::Interpolated => ResizeAlg::Interpolation(FilterType::Bilinear),
        };
        let options = ResizeOptions::new()
            .resize_alg(algorithm)
            .crop(part.left, part.top, part.width, part.height)
            .use_alpha(false);
        // Typed views: the untyped call would compile the resizer for every kind of pixel there is.
        let (from, mut to) = (source.typed_image::<U8x3>()?, target.typed_image_mut::<U8x3>()?);
        self.0.resize_typed(&from, &mut to, &options).ok()?;
        Some(target.into_vec())
    }
}
