//! Barcodes in pictures: what is read in each, and how long it takes on one thread, as `recognize` reads them: large
//! JPEG files at a half of their size, and in all pixels where bars are small.

use std::{fs, time::Instant};

use kaisatsu_vision::{
    Bounds,
    barcode::{self, GreyImage},
    decode, decode_whole_grey,
};
use serde_json::{Value, json};

/// As `recognize` decodes.
const SHORT_SIDE: u32 = 960;

pub(crate) fn run(files: &[&str]) -> Value {
    let read = |file: &&str| {
        let bytes = fs::read(file).expect("a picture");
        let bounds = Bounds::default();
        let began = Instant::now();
        let decoded = decode(&bytes, bounds, Some(SHORT_SIDE)).expect("an image");
        let decoding = began.elapsed().as_secs_f64() * 1e3;
        let began = Instant::now();
        let codes = barcode::read_with(&decoded.picture, || {
            let (width, height, grey) = decode_whole_grey(&bytes, bounds, &decoded)?;
            GreyImage::new(width as usize, height as usize, grey)
        });
        let milliseconds = began.elapsed().as_secs_f64() * 1e3;
        let digits: Vec<&str> = codes.iter().map(|code| code.digits.as_str()).collect();
        json!({"codes": digits, "ms": milliseconds, "decoding_ms": decoding})
    };
    files.iter().map(read).collect()
}
