//! Draws EAN-13 symbols.

use barcode_reader::{GreyImage, check_digit};

const LEFT: [&str; 10] =
    ["0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111", "0001011"];
/// Which of the left digits are mirrored, by the first digit of the number.
const MIRRORED: [&str; 10] =
    ["LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL"];

/// The modules of a number of twelve digits and its check digit, `1` for a bar.
pub(crate) fn modules(twelve: &[u8]) -> String {
    let inverted = |modules: &str| modules.chars().map(|module| if module == '0' { '1' } else { '0' }).collect();
    let digits: Vec<u8> = twelve.iter().copied().chain([check_digit(twelve)]).collect();
    let sets = MIRRORED[usize::from(digits[0])].chars().chain("RRRRRR".chars());
    let drawn = digits[1..].iter().zip(sets).map(|(digit, set)| {
        let left = LEFT[usize::from(*digit)];
        let right: String = inverted(left);
        match set {
            'L' => left.to_owned(),
            'R' => right,
            _ => right.chars().rev().collect(),
        }
    });
    let drawn: Vec<String> = drawn.collect();
    format!("101{}01010{}101", drawn[..6].concat(), drawn[6..].concat())
}

/// The symbol in the middle of a white image, `module` pixels a module, turned by some degrees.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positions within a small image"
)]
pub(crate) fn image(modules: &str, side: usize, module: f32, degrees: f32) -> GreyImage {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let middle = side as f32 / 2.0;
    let shade = |x: f32, y: f32| {
        let (across, down) = ((x * cos + y * sin) / module, (y * cos - x * sin) / module);
        let at = across + modules.len() as f32 / 2.0;
        let is_bar = at >= 0.0 && modules.as_bytes().get(at as usize) == Some(&b'1');
        if is_bar && down.abs() < 25.0 { 30.0 } else { 230.0 }
    };
    // The mean of four points of a pixel.
    let pixel = |at: usize| {
        let (x, y) = ((at % side) as f32 - middle, (at / side) as f32 - middle);
        let sum: f32 = [0.25, 0.75].iter().flat_map(|dy| [0.25, 0.75].map(|dx| shade(x + dx, y + dy))).sum();
        (sum / 4.0) as u8
    };
    let pixels = (0..side * side).map(pixel).collect();
    GreyImage::new(side, side, pixels).unwrap_or_else(|| unreachable!("as many bytes as pixels"))
}
