//! PNG files, row by row: a small file can declare many pixels of 64 bits, and the whole picture in that form would
//! take eight bytes for each.

use std::io::{Cursor, ErrorKind};

use image::metadata::Orientation;
use png::{ColorType, Decoder, DecodingError, InterlaceInfo, Limits, Reader, Transformations};

use super::{Bounds, DecodeError, Decoded, check_size, on_white, upright};
use crate::ImageFile;

const NAME: &str = "PNG";

/// Up to so many pixels every one is kept: there are no photographs among PNG files, and what is drawn may be small.
/// Larger ones are reduced where less is needed.
const WHOLE: u64 = 16_000_000;

pub(super) fn decode(bytes: &[u8], bounds: Bounds, short_side: Option<u32>) -> Result<Decoded, DecodeError> {
    let mut rows = Rows::open(bytes, bounds)?;
    let (width, height, orientation) = (rows.width, rows.height, rows.orientation());
    let (w, h, rgb) = if rows.is_interlaced() {
        (width, height, rows.interlaced()?)
    } else {
        rows.reduced(factor(width, height, short_side))?
    };
    let picture = upright(w, h, rgb, orientation).ok_or_else(|| broken("corrupt"))?;
    Ok(Decoded { picture, file: ImageFile { width, height, orientation, format: NAME } })
}

/// The brightness of every pixel of a file that was reduced, as the file has them, with their width and height and how
/// they are turned.
pub(super) fn whole_grey(bytes: &[u8], bounds: Bounds) -> Option<(u32, u32, Vec<u8>, Orientation)> {
    let mut rows = Rows::open(bytes, bounds).ok()?;
    let (width, height, orientation) = (rows.width, rows.height, rows.orientation());
    let mut grey = Vec::with_capacity(width as usize * height as usize);
    while let Some(rgb) = rows.next().ok()? {
        // The weights of the eye, in 256ths.
        let luma = |p: &[u8; 3]| (u32::from(p[0]) * 77 + u32::from(p[1]) * 150 + u32::from(p[2]) * 29) >> 8;
        grey.extend(rgb.as_chunks::<3>().0.iter().map(|pixel| u8::try_from(luma(pixel)).unwrap_or(u8::MAX)));
    }
    Some((width, height, grey, orientation))
}

/// By how much a picture is reduced: its shorter side keeps what is needed and a quarter more, as for JPEG.
fn factor(width: u32, height: u32, short_side: Option<u32>) -> u32 {
    let Some(wanted) = short_side.filter(|_| u64::from(width) * u64::from(height) > WHOLE) else { return 1 };
    let enough = |part: u32| u64::from(width.min(height) / part) * 4 >= u64::from(wanted) * 5;
    [8, 4, 2].into_iter().find(|part| enough(*part)).unwrap_or(1)
}

/// The rows of a file in eight bits a channel, laid on white.
struct Rows<'a> {
    reader: Reader<Cursor<&'a [u8]>>,
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

impl<'a> Rows<'a> {
    fn open(bytes: &'a [u8], bounds: Bounds) -> Result<Self, DecodeError> {
        // Two rows in their widest form, of a picture that is one row.
        let most = usize::try_from(bounds.max_pixels.saturating_mul(16)).unwrap_or(usize::MAX).saturating_add(16 << 20);
        let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: most });
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        // Palettes and single bits become eight bits, and transparent colours an alpha channel.
        decoder.set_transformations(Transformations::EXPAND);
        let info = decoder.read_header_info().map_err(|error| fault(&error))?;
        let (width, height) = (info.width, info.height);
        check_size(width, height, NAME, bounds)?;
        let reader = decoder.read_info().map_err(|error| fault(&error))?;
        Ok(Self { reader, width, height, rgb: Vec::new() })
    }

    fn orientation(&self) -> Orientation {
        let exif = self.reader.info().exif_metadata.as_ref();
        exif.and_then(|exif| Orientation::from_exif_chunk(exif)).unwrap_or(Orientation::NoTransforms)
    }

    fn is_interlaced(&self) -> bool {
        self.reader.info().interlaced
    }

    /// The next row of an image that is not interlaced.
    fn next(&mut self) -> Result<Option<&[u8]>, DecodeError> {
        let (colour, depth) = self.reader.output_color_type();
        let Some(row) = self.reader.next_row().map_err(|error| fault(&error))? else { return Ok(None) };
        flatten(row.data(), colour, depth as u8 == 16, &mut self.rgb);
        Ok(Some(&self.rgb))
    }

    /// All pixels, each the mean of a square of pixels of the file.
    fn reduced(&mut self, factor: u32) -> Result<(u32, u32, Vec<u8>), DecodeError> {
        let (width, height) = (self.width.div_ceil(factor), self.height.div_ceil(factor));
        let mut rgb = Vec::with_capacity(width as usize * height as usize * 3);
        let side = factor as usize;
        let mut sums = vec![0_u32; width as usize * 3];
        let mut lines = 0;
        let of_file = self.width as usize;
        while let Some(row) = self.next()? {
            if side == 1 {
                rgb.extend_from_slice(row);
                continue;
            }
            for (sums, some) in sums.chunks_exact_mut(3).zip(row.chunks(side * 3)) {
                for pixel in some.as_chunks::<3>().0 {
                    sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u32::from(*value));
                }
            }
            lines += 1;
            if lines == side {
                finish(&mut sums, lines, side, of_file, &mut rgb);
                lines = 0;
            }
        }
        if lines > 0 {
            finish(&mut sums, lines, side, of_file, &mut rgb);
        }
        Ok((width, height, rgb))
    }

    /// All pixels of an image that comes in seven passes.
    fn interlaced(&mut self) -> Result<Vec<u8>, DecodeError> {
        let stride = self.width as usize * 3;
        let mut all = vec![0; stride * self.height as usize];
        let (colour, depth) = self.reader.output_color_type();
        while let Some(row) = self.reader.next_interlaced_row().map_err(|error| fault(&error))? {
            if let InterlaceInfo::Adam7(pass) = row.interlace() {
                flatten(row.data(), colour, depth as u8 == 16, &mut self.rgb);
                png::expand_interlaced_row(&mut all, stride, &self.rgb, pass, 24);
            }
        }
        Ok(all)
    }
}

/// Appends the means of squares of `lines` by `side` pixels, fewer at the right edge, and begins anew.
fn finish(sums: &mut [u32], lines: usize, side: usize, width: usize, rgb: &mut Vec<u8>) {
    for (at, sums) in sums.chunks_exact_mut(3).enumerate() {
        let count = u32::try_from(side.min(width - at * side) * lines).unwrap_or(u32::MAX).max(1);
        for sum in sums {
            rgb.push(u8::try_from((*sum + count / 2) / count).unwrap_or(u8::MAX));
            *sum = 0;
        }
    }
}

/// A row in eight bits a channel, and what is transparent laid on white.
fn flatten(row: &[u8], colour: ColorType, wide: bool, rgb: &mut Vec<u8>) {
    let channels = match colour {
        ColorType::Grayscale | ColorType::Indexed => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
    };
    let bytes = if wide { 2 } else { 1 };
    rgb.clear();
    for pixel in row.chunks_exact(channels * bytes) {
        let value = |channel: usize| {
            let at = channel * bytes;
            if wide { narrow(pixel[at], pixel[at + 1]) } else { pixel[at] }
        };
        let colours = if channels < 3 { [value(0); 3] } else { [value(0), value(1), value(2)] };
        rgb.extend(if channels % 2 == 0 {
            let alpha = value(channels - 1);
            colours.map(|colour| on_white(colour, alpha))
        } else {
            colours
        });
    }
}

/// Sixteen bits to the nearest of eight.
fn narrow(high: u8, low: u8) -> u8 {
    u8::try_from((u32::from(u16::from_be_bytes([high, low])) + 128) / 257).unwrap_or(u8::MAX)
}

fn fault(error: &DecodingError) -> DecodeError {
    broken(match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => "truncated",
        DecodingError::LimitsExceeded => "too large to decode",
        error if error.to_string().contains("end of") => "truncated",
        _ => "truncated or corrupt",
    })
}

fn broken(fault: &'static str) -> DecodeError {
    DecodeError::Broken { format: NAME, fault }
}

#[cfg(test)]
mod tests;
