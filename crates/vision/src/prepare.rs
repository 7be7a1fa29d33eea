//! Makes the input tensor of a model from a picture.

use kaisatsu_resize::{Method, Part, Resizer, Rgb};

use crate::{
    Picture,
    manifest::{Channels, Filter, Fit, Input, Layout},
};

/// The input tensor, and the factors of the resize.
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

/// Resizes, crops, pads and normalises as `input` says. `fit` replaces what it says of that.
pub(crate) fn prepare(resizer: &mut Resizer, picture: &Picture, input: &Input, fit: Option<Fit>) -> Option<Prepared> {
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    let whole = Part { left: 0.0, top: 0.0, width, height };
    let full = (input.width, input.height);
    let scaled = |(w, h): (u32, u32)| (f64::from(w) / width, f64::from(h) / height);
    let (rgb, target, scale) = match fit.unwrap_or(input.fit) {
        Fit::Stretch => (resize(resizer, picture, whole, full, input.filter)?, full, scaled(full)),
        Fit::Pad => {
            let scale = (f64::from(input.width) / width).min(f64::from(input.height) / height);
            let target = (pixels(width * scale, input.width), pixels(height * scale, input.height));
            (resize(resizer, picture, whole, target, input.filter)?, target, scaled(target))
        }
        Fit::Crop => {
            let (across, down) = crop(picture, input);
            let scale = (across.whole / width, down.whole / height);
            (cropped(resizer, picture, &across, &down, full, input.filter)?, full, scale)
        }
    };
    Some(Prepared { tensor: normalise(&rgb, target, input), scale })
}

/// One side of a picture that is resized and then cropped: all in pixels of the resized picture, but `source`.
struct Cut {
    source: f64,
    whole: f64,
    /// Where the crop begins.
    from: f64,
    /// Where the part begins that has to be resized for it, and how long that is.
    near: f64,
    length: f64,
}

impl Cut {
    /// A filter looks beyond the edge of what it makes, so a margin is resized along with the crop: the result is that
    /// of resizing the whole picture, without the work.
    fn new(source: u32, whole: f64, wanted: u32) -> Self {
        let (source, wanted) = (f64::from(source), f64::from(wanted));
        let margin = (2.0 * (whole / source).max(1.0)).ceil() + 2.0;
        let from = ((whole - wanted) / 2.0).floor();
        let near = (from - margin).max(0.0);
        Self { source, whole, from, near, length: (from + wanted + margin).min(whole) - near }
    }

    /// Where the part begins in the picture, and how long it is. A rounding must not make it reach beyond the end.
    fn part(&self) -> (f64, f64) {
        let scale = self.source / self.whole;
        let from = self.near * scale;
        (from, (self.length * scale).min(self.source - from))
    }
}

/// The shorter side becomes `size / crop_fraction`, the other follows.
fn crop(picture: &Picture, input: &Input) -> (Cut, Cut) {
    let (width, height) = (picture.width(), picture.height());
    let short = (f64::from(input.width.max(input.height)) / input.crop_fraction).round();
    let scale = short / f64::from(width.min(height));
    let side = |side: u32| if side == width.min(height) { short } else { (f64::from(side) * scale).round_ties_even() };
    (Cut::new(width, side(width), input.width), Cut::new(height, side(height), input.height))
}

fn cropped(
    resizer: &mut Resizer,
    picture: &Picture,
    across: &Cut,
    down: &Cut,
    (width, height): (u32, u32),
    filter: Filter,
) -> Option<Vec<u8>> {
    let ((left, part_width), (top, part_height)) = (across.part(), down.part());
    let part = Part { left, top, width: part_width, height: part_height };
    let target = (pixels(across.length, u32::MAX), pixels(down.length, u32::MAX));
    let rgb = resize(resizer, picture, part, target, filter)?;
    let skip = |cut: &Cut| pixels(cut.from - cut.near + 1.0, u32::MAX) as usize - 1;
    let (row, skipped, kept) = (target.0 as usize * 3, skip(across) * 3, width as usize * 3);
    let rows = rgb.chunks_exact(row).skip(skip(down)).take(height as usize);
    let mut cut = Vec::with_capacity(kept * height as usize);
    for line in rows {
        cut.extend_from_slice(&line[skipped..skipped + kept]);
    }
    (cut.len() == kept * height as usize).then_some(cut)
}

/// Pixels that there may be between the two steps. A picture of one column and fifty million rows is a small file, and
/// hundreds of columns of that height are more than a machine has.
const BETWEEN: f64 = 16_000_000.0;

/// A part of the picture at another size: first across, then down, with eight bits between, as Pillow does it. The
/// models were trained and measured on pictures resized so, and a rounding here is a hundredth of a score there.
/// Where that would take far too much, the steps change places.
pub(crate) fn resize(
    resizer: &mut Resizer,
    picture: &Picture,
    part: Part,
    (width, height): (u32, u32),
    filter: Filter,
) -> Option<Vec<u8>> {
    let method = match filter {
        Filter::Bicubic => Method::Bicubic,
        Filter::Bilinear => Method::Bilinear,
    };
    let rows = seen(part.top, part.height, picture.height(), height);
    let across_first = f64::from(width) * (rows.end - rows.start) <= BETWEEN;
    let (between, first, second) = if across_first {
        let long = rows.end - rows.start;
        let first = Part { top: rows.start, height: long, ..part };
        let second = Part { left: 0.0, top: part.top - rows.start, width: f64::from(width), height: part.height };
        ((width, pixels(long, picture.height())), first, second)
    } else {
        let columns = seen(part.left, part.width, picture.width(), width);
        let wide = columns.end - columns.start;
        let first = Part { left: columns.start, width: wide, ..part };
        let second = Part { left: part.left - columns.start, top: 0.0, width: part.width, height: f64::from(height) };
        ((pixels(wide, picture.width()), height), first, second)
    };
    let halfway = resizer.resize(picture.pixels(), first, between, method)?;
    let halfway = Rgb { width: between.0, height: between.1, bytes: &halfway };
    resizer.resize(halfway, second, (width, height), method)
}

/// The rows or columns that making `target` of a part looks at, and a few more.
fn seen(from: f64, long: f64, side: u32, target: u32) -> std::ops::Range<f64> {
    let reach = 3.0 * (long / f64::from(target)).max(1.0) + 2.0;
    (from - reach).max(0.0).floor()..(from + long + reach).min(f64::from(side)).ceil()
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
    let mut tensor: Vec<f32> = Vec::with_capacity(w * h * 3);
    match input.layout {
        Layout::Nchw => (1..=3).for_each(|channel| tensor.resize(w * h * channel, filling(channel - 1))),
        Layout::Nhwc => tensor.extend((0..3).map(filling).cycle().take(w * h * 3)),
    }
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

#[cfg(test)]
mod tests;
