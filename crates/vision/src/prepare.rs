//! From a picture to the tensor that a model wants.

use fast_image_resize::{
    FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer,
    images::{Image, ImageRef},
};

use crate::{
    Picture,
    manifest::{Channels, Filter, Fit, Input, Layout},
};

/// A part of a picture, in pixels that need not be whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Part {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A picture made ready: the tensor, and how far it was resized.
pub(crate) struct Prepared {
    pub(crate) tensor: Vec<f32>,
    /// Pixels of the tensor for one of the picture, across and down.
    pub(crate) scale: (f64, f64),
}

/// The shorter side that a picture needs for this input, for decoding no more than that.
pub(crate) fn short_side(input: &Input) -> u32 {
    let longest = f64::from(input.width.max(input.height));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 4096 / 0.1")]
    let side = (longest / input.crop_fraction).ceil() as u32;
    side
}

/// The shape of the tensor.
pub(crate) fn shape(input: &Input) -> [usize; 4] {
    let (width, height) = (input.width as usize, input.height as usize);
    match input.layout {
        Layout::Nchw => [1, 3, height, width],
        Layout::Nhwc => [1, height, width, 3],
    }
}

/// Resizes, crops, pads and normalises as `input` says.
pub(crate) fn prepare(resizer: &mut Resizer, picture: &Picture, input: &Input) -> Option<Prepared> {
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    let (wide, high) = (f64::from(input.width), f64::from(input.height));
    let whole = Part { left: 0.0, top: 0.0, width, height };
    let (part, target) = match input.fit {
        Fit::Stretch => (whole, (input.width, input.height)),
        Fit::Crop => (centre(width, height, input), (input.width, input.height)),
        Fit::Pad => {
            let scale = (wide / width).min(high / height);
            (whole, (pixels(width * scale, input.width), pixels(height * scale, input.height)))
        }
    };
    let rgb = resize(resizer, picture, part, target, input.filter)?;
    let tensor = normalise(&rgb, target, input);
    let scale = (f64::from(target.0) / part.width, f64::from(target.1) / part.height);
    Some(Prepared { tensor, scale })
}

/// The part of the picture that a resize of the shorter side followed by a centre crop would show. The sides are cut
/// to whole pixels where that pair of steps would cut them.
fn centre(width: f64, height: f64, input: &Input) -> Part {
    let (wide, high) = (f64::from(input.width), f64::from(input.height));
    let short = (wide.max(high) / input.crop_fraction).floor();
    let scale = short / width.min(height);
    let side = |side: f64| if side <= width.min(height) { short } else { (side * scale).floor() };
    let (across, down) = (width / side(width), height / side(height));
    let (left, top) = (((side(width) - wide) / 2.0).round_ties_even(), ((side(height) - high) / 2.0).round_ties_even());
    Part { left: left * across, top: top * down, width: wide * across, height: high * down }
}

/// A part of the picture at another size.
pub(crate) fn resize(
    resizer: &mut Resizer,
    picture: &Picture,
    part: Part,
    (width, height): (u32, u32),
    filter: Filter,
) -> Option<Vec<u8>> {
    let source = ImageRef::new(picture.width(), picture.height(), picture.rgb(), PixelType::U8x3).ok()?;
    let mut target = Image::new(width, height, PixelType::U8x3);
    let filter = match filter {
        Filter::Bicubic => FilterType::CatmullRom,
        Filter::Bilinear => FilterType::Bilinear,
    };
    let options = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(filter))
        .crop(part.left, part.top, part.width, part.height)
        .use_alpha(false);
    resizer.resize(&source, &mut target, &options).ok()?;
    Some(target.into_vec())
}

fn normalise(rgb: &[u8], (width, height): (u32, u32), input: &Input) -> Vec<f32> {
    let (w, h) = (input.width as usize, input.height as usize);
    let (width, height) = (width as usize, height as usize);
    let order = match input.channels {
        Channels::Rgb => [0, 1, 2],
        Channels::Bgr => [2, 1, 0],
    };
    // Every value that a channel can have, worked out once: 256 divisions instead of one a pixel.
    let tables: [Vec<f32>; 3] = std::array::from_fn(|channel| {
        (0..=u8::MAX).map(|value| (f32::from(value) - input.mean[channel]) / input.std[channel]).collect()
    });
    let filling = |channel: usize| tables[channel][usize::from(input.pad_value)];
    let mut tensor: Vec<f32> = match input.layout {
        Layout::Nchw => (0..3).flat_map(|channel| std::iter::repeat_n(filling(channel), w * h)).collect(),
        Layout::Nhwc => (0..3).map(filling).cycle().take(w * h * 3).collect(),
    };
    for y in 0..height.min(h) {
        let row = &rgb[y * width * 3..(y + 1) * width * 3];
        match input.layout {
            Layout::Nchw => {
                for (channel, table) in tables.iter().enumerate() {
                    let plane = &mut tensor[channel * w * h + y * w..][..width];
                    for (value, pixel) in plane.iter_mut().zip(row.chunks_exact(3)) {
                        *value = table[usize::from(pixel[order[channel]])];
                    }
                }
            }
            Layout::Nhwc => {
                for (values, pixel) in tensor[y * w * 3..][..width * 3].chunks_exact_mut(3).zip(row.chunks_exact(3)) {
                    for channel in 0..3 {
                        values[channel] = tables[channel][usize::from(pixel[order[channel]])];
                    }
                }
            }
        }
    }
    tensor
}

/// A side in whole pixels, at least one and at most `limit`.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a positive range first")]
fn pixels(side: f64, limit: u32) -> u32 {
    side.round().clamp(1.0, f64::from(limit)) as u32
}
