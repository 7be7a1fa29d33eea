//! The time to read a symbol at several angles, and to find nothing in an image of noise.
#![allow(clippy::print_stdout, reason = "a measurement prints")]

#[path = "../examples/support/draw.rs"]
mod draw;

use std::time::Instant;

use barcode_reader::{GreyImage, read};

const TIMES: u32 = 5;
const SIDE: usize = 1000;

fn main() {
    let modules = draw::modules(&[4, 9, 0, 2, 1, 0, 2, 0, 7, 2, 6, 5]);
    for degrees in [0.0, 20.0, 90.0] {
        let image = draw::image(&modules, SIDE, 3.0, degrees);
        let found = read(image.clone()).first().map(|barcode| barcode.digits.clone()).unwrap_or_default();
        println!("turned by {degrees:2} degrees: {:5.1} ms, read '{found}'", milliseconds(&image));
    }
    let mut seed = 7u32;
    let mut noise = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed.to_le_bytes()[3]
    };
    let pixels = (0..SIDE * SIDE).map(|_| noise()).collect();
    if let Some(image) = GreyImage::new(SIDE, SIDE, pixels) {
        println!("noise, all passes:    {:5.1} ms", milliseconds(&image));
    }
}

fn milliseconds(image: &GreyImage) -> f64 {
    let start = Instant::now();
    for _ in 0..TIMES {
        std::hint::black_box(read(image.clone()));
    }
    start.elapsed().as_secs_f64() * 1e3 / f64::from(TIMES)
}
