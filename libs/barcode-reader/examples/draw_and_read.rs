//! Draws an EAN-13 symbol, turned by 20 degrees, and reads it: `draw_and_read [TWELVE DIGITS]`.
#![allow(clippy::print_stdout, reason = "an example prints")]

#[path = "support/draw.rs"]
mod draw;

fn main() {
    let text = std::env::args().nth(1).unwrap_or_else(|| "490210207265".to_owned());
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
    if digits.len() != 12 {
        println!("twelve digits are expected; the check digit is added");
        return;
    }
    for barcode in barcode_reader::read(draw::image(&draw::modules(&digits), 480, 3.0, 20.0)) {
        println!("{} ({:?}) at {:?}", barcode.digits, barcode.symbology, barcode.bounds);
    }
}
