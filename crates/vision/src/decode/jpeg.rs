//! JPEG files, decoded at a fraction of their size where the model needs no more.

mod header;

use std::{borrow::Cow, cell::RefCell, io::Cursor};

use image::{ImageDecoder, codecs::jpeg::JpegDecoder, metadata::Orientation};
use turbojpeg::{Colorspace, Decompressor, Image, PixelFormat, ScalingFactor};

use super::{Bounds, DecodeError, Decoded, check_sides, check_size, upright};
use crate::ImageFile;

/// Passes over the file that a progressive JPEG may ask for; honest ones have about ten. A few kilobytes can ask for
/// thousands.
const MAX_SCANS: u32 = 100;

const END_OF_IMAGE: &[u8] = &[0xff, 0xd9];

/// The shorter side keeps this many times the pixels that are asked for, so that the resize that follows still has
/// something to average.
const MARGIN: f64 = 1.25;

thread_local! {
    /// A decompressor keeps its tables, so a worker thread makes one.
    static DECOMPRESSOR: RefCell<Option<Decompressor>> = const { RefCell::new(None) };
}

pub(super) fn decode(bytes: &[u8], bounds: Bounds, short_side: Option<u32>) -> Result<Decoded, DecodeError> {
    DECOMPRESSOR.with_borrow_mut(|slot| {
        let mut decompressor = match slot.take() {
            Some(ready) => ready,
            None => fresh().map_err(|_| broken("corrupt"))?,
        };
        let decoded = with(&mut decompressor, bytes, bounds, short_side);
        // After a failure the tables may be anything: the next file gets a new one.
        *slot = decoded.is_ok().then_some(decompressor);
        decoded
    })
}

/// The brightness of every pixel of a file, as the file has them, with their width and height and how they are turned;
/// `None` if it cannot be had, and for a file of which less than a half would be kept for this shorter side.
pub(super) fn whole_grey(
    bytes: &[u8],
    bounds: Bounds,
    short_side: Option<u32>,
) -> Option<(u32, u32, Vec<u8>, Orientation)> {
    let mut decompressor = fresh().ok()?;
    let header = decompressor.read_header(bytes).ok()?;
    let side = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
    let (width, height) = (side(header.width), side(header.height));
    check_size(width, height, "JPEG", bounds).ok()?;
    let factor = scaling(width.min(height), short_side);
    if factor != ScalingFactor::ONE && factor != ScalingFactor::ONE_HALF {
        return None;
    }
    let mut pixels = vec![0; header.width * header.height];
    let (width_pixels, format) = (header.width, PixelFormat::GRAY);
    let target = Image {
        pixels: pixels.as_mut_slice(),
        width: width_pixels,
        pitch: width_pixels,
        height: header.height,
        format,
    };
    if let Err(error) = decompressor.decompress(bytes, target) {
        accept(&error).ok()?;
    }
    Some((width, height, pixels, orientation(bytes)))
}

fn fresh() -> turbojpeg::Result<Decompressor> {
    let mut decompressor = Decompressor::new()?;
    decompressor.set_scan_limit(MAX_SCANS)?;
    Ok(decompressor)
}

fn with(
    decompressor: &mut Decompressor,
    bytes: &[u8],
    bounds: Bounds,
    short_side: Option<u32>,
) -> Result<Decoded, DecodeError> {
    let (header, data) = if let Ok(header) = decompressor.read_header(bytes) {
        (header, Cow::Borrowed(bytes))
    } else {
        if let Some((width, height)) = header::declared_size(bytes) {
            check_size(width, height, "JPEG", bounds)?;
            check_sides(width, height, header::MAX_SIDE, "JPEG")?;
        }
        let unreadable = || broken("truncated or corrupt");
        let plain = header::minimal_header(bytes).ok_or_else(unreadable)?;
        *decompressor = fresh().map_err(|_| unreadable())?;
        (decompressor.read_header(&plain).map_err(|_| unreadable())?, Cow::Owned(plain))
    };
    let side = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
    let (width, height) = (side(header.width), side(header.height));
    check_size(width, height, "JPEG", bounds)?;

    let factor = if header.is_lossless { ScalingFactor::ONE } else { scaling(width.min(height), short_side) };
    decompressor.set_scaling_factor(factor).map_err(|_| broken("corrupt"))?;
    let (w, h) = (factor.scale(header.width), factor.scale(header.height));
    let four = matches!(header.colorspace, Colorspace::CMYK | Colorspace::YCCK);
    let (format, channels) = if four { (PixelFormat::CMYK, 4) } else { (PixelFormat::RGB, 3) };
    let mut pixels = vec![0; w * h * channels];
    let target = Image { pixels: pixels.as_mut_slice(), width: w, pitch: w * channels, height: h, format };
    if let Err(error) = decompressor.decompress(&data, target) {
        let accepted = accept(&error);
        if accepted.is_err() && !data.ends_with(END_OF_IMAGE) {
            // If nothing but the end marker is missing, all pixels are there.
            let ended = [&data[..], END_OF_IMAGE].concat();
            *decompressor = fresh().map_err(|_| broken("corrupt"))?;
            return with(decompressor, &ended, bounds, short_side);
        }
        accepted?;
    }
    if four {
        pixels = pixels.chunks_exact(4).flat_map(|p| [ink(p[0], p[3]), ink(p[1], p[3]), ink(p[2], p[3])]).collect();
    }

    let orientation = orientation(bytes);
    let picture = upright(side(w), side(h), pixels, orientation).ok_or_else(|| broken("corrupt"))?;
    Ok(Decoded { picture, file: ImageFile { width, height, orientation, format: "JPEG" } })
}

/// The decoder reports even small oddities that every viewer ignores, after it has written all pixels. Only a file that
/// ends too early is refused, because its lower part would be grey, and one that the decoder gave up on.
fn accept(error: &turbojpeg::Error) -> Result<(), DecodeError> {
    let text = error.to_string();
    if text.contains("remature end") {
        Err(broken("truncated"))
    } else if FORGIVEN.iter().any(|oddity| text.contains(oddity)) {
        Ok(())
    } else {
        Err(broken("corrupt"))
    }
}

/// The messages of the decoder about oddities that do not affect pixels.
const FORGIVEN: [&str; 3] = ["extraneous bytes", "Inconsistent progression", "Invalid SOS parameters"];

/// Print colours to light. Programs that write CMYK into JPEG store the inks inverted, 255 for none.
fn ink(colour: u8, black: u8) -> u8 {
    u8::try_from(u32::from(colour) * u32::from(black) / 255).unwrap_or(u8::MAX)
}

fn scaling(shorter: u32, wanted: Option<u32>) -> ScalingFactor {
    let Some(wanted) = wanted else { return ScalingFactor::ONE };
    let enough = |part: u32| f64::from(shorter / part) >= f64::from(wanted) * MARGIN;
    match () {
        () if enough(8) => ScalingFactor::ONE_EIGHTH,
        () if enough(4) => ScalingFactor::ONE_QUARTER,
        () if enough(2) => ScalingFactor::ONE_HALF,
        () => ScalingFactor::ONE,
    }
}

/// The orientation tag; a file whose tags cannot be read has none.
fn orientation(bytes: &[u8]) -> Orientation {
    let decoder = JpegDecoder::new(Cursor::new(bytes));
    decoder.and_then(|mut decoder| decoder.orientation()).unwrap_or(Orientation::NoTransforms)
}

fn broken(fault: &'static str) -> DecodeError {
    DecodeError::Broken { format: "JPEG", fault }
}
