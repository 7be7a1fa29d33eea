//! What the steps of `recognize` before the search by features cost: `scan FILE…` prints milliseconds for each file.
#![allow(clippy::print_stdout, reason = "a measurement prints")]

use std::{env, error::Error, fs, time::Instant};

use kaisatsu_vision::{
    Bounds,
    barcode::{self, GreyImage},
    decode, decode_whole_grey,
};

fn main() -> Result<(), Box<dyn Error>> {
    for file in env::args().skip(1) {
        let (bytes, bounds) = (fs::read(&file)?, Bounds::default());
        let began = Instant::now();
        let decoded = decode(&bytes, bounds, Some(960))?;
        let decoding = milliseconds(began);
        let (began, mut finer) = (Instant::now(), 0.0);
        let codes = barcode::read_with(&decoded.picture, || {
            let began = Instant::now();
            let (width, height, grey) = decode_whole_grey(&bytes, bounds, &decoded)?;
            finer = milliseconds(began);
            GreyImage::new(width as usize, height as usize, grey)
        });
        let bars = milliseconds(began) - finer;
        let began = Instant::now();
        let matrix = barcode::read_matrix(&decoded.picture);
        let digits: Vec<&str> = codes.iter().chain(&matrix).map(|code| code.digits.as_str()).collect();
        println!(
            "{file}: decoding {decoding:.1}, all pixels {finer:.1}, bars {bars:.1}, two-dimensional {:.1} {}",
            milliseconds(began),
            digits.join(" ")
        );
    }
    Ok(())
}

fn milliseconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e3
}
