//! Barcodes in pictures: what is read in each, and how long it takes on one thread.

use std::{fs, time::Instant};

use kaisatsu_vision::{Bounds, barcode, decode};
use serde_json::{Value, json};

pub(crate) fn run(files: &[&str]) -> Value {
    let read = |file: &&str| {
        let bytes = fs::read(file).expect("a picture");
        let picture = decode(&bytes, Bounds::default(), None).expect("an image").picture;
        let began = Instant::now();
        let codes = barcode::read(&picture);
        let milliseconds = began.elapsed().as_secs_f64() * 1e3;
        json!({"codes": codes.iter().map(|code| code.digits.as_str()).collect::<Vec<_>>(), "ms": milliseconds})
    };
    files.iter().map(read).collect()
}
