//! Reads the barcodes in PGM files (binary, eight bits): prints the file, the milliseconds it took, and the numbers.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::{env, error::Error, fs, time::Instant};

use barcode_reader::{GreyImage, read};

fn main() -> Result<(), Box<dyn Error>> {
    for file in env::args().skip(1) {
        let image = pgm(&fs::read(&file)?).ok_or("not a binary PGM file of eight bits")?;
        let began = Instant::now();
        let found = read(image);
        let milliseconds = began.elapsed().as_secs_f64() * 1e3;
        let numbers: Vec<&str> = found.iter().map(|barcode| barcode.digits.as_str()).collect();
        println!("{file} {milliseconds:.1} {}", numbers.join(" "));
    }
    Ok(())
}

/// Four words separated by single spaces or lines, and the pixels behind them.
fn pgm(bytes: &[u8]) -> Option<GreyImage> {
    let mut words = bytes.splitn(5, u8::is_ascii_whitespace);
    let mut word = || std::str::from_utf8(words.next()?).ok();
    let (mark, width, height, _most) = (word()?, word()?.parse().ok()?, word()?.parse().ok()?, word()?);
    GreyImage::new(width, height, words.next()?.to_vec()).filter(|_| mark == "P5")
}
