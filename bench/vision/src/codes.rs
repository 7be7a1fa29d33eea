//! Barcodes in pictures: what is read in each, and the CPU time on one thread, as `recognize` reads them: large JPEG
//! files at a half of their size, in all pixels where bars are small, and two-dimensional codes where nothing was read;
//! and as it does with an empty catalogue, in all pixels without their colours.

use std::fs;

use kaisatsu_vision::{
    Bounds,
    barcode::{self, GreyImage},
    decode, decode_grey, decode_whole_grey,
};
use serde_json::{Value, json};

use crate::cpu;

/// As `recognize` decodes.
const SHORT_SIDE: u32 = 960;

pub(crate) fn run(files: &[&str]) -> Value {
    let read = |file: &&str| {
        let bytes = fs::read(file).expect("a picture");
        let bounds = Bounds::default();
        let began = cpu::now();
        let decoded = decode(&bytes, bounds, Some(SHORT_SIDE)).expect("an image");
        let decoding = cpu::milliseconds(began);
        let (began, mut all_pixels) = (cpu::now(), 0.0);
        let codes = barcode::read_with(&decoded.picture, || {
            let began = cpu::now();
            let (width, height, grey) = decode_whole_grey(&bytes, bounds, &decoded)?;
            all_pixels = cpu::milliseconds(began);
            GreyImage::new(width as usize, height as usize, grey)
        });
        let milliseconds = cpu::milliseconds(began);
        let began = cpu::now();
        let matrix = if codes.is_empty() { barcode::read_matrix(&decoded.picture) } else { None };
        let matrix_ms = cpu::milliseconds(began);
        let began = cpu::now();
        let without_colours = decode_grey(&bytes, bounds, SHORT_SIDE).map(|grey| {
            let decoding = cpu::milliseconds(began);
            let bars = barcode::read_grey(&grey);
            let matrix = if bars.is_empty() { barcode::read_matrix_grey(&grey) } else { None };
            let codes: Vec<String> = bars.into_iter().chain(matrix).map(|code| code.digits).collect();
            json!({"codes": codes, "decoding_ms": decoding, "ms": cpu::milliseconds(began)})
        });
        let digits = |code: &barcode::Barcode| code.digits.clone();
        json!({
            "codes": codes.iter().map(digits).collect::<Vec<_>>(), "two_dimensional": matrix.as_ref().map(digits),
            "ms": milliseconds, "decoding_ms": decoding, "all_pixels_ms": all_pixels, "two_dimensional_ms": matrix_ms,
            "without_colours": without_colours,
        })
    };
    files.iter().map(read).collect()
}
