//! Article numbers in photographs: EAN-13 (JAN and ISBN among them), EAN-8, UPC-A and UPC-E.
//!
//! One look at a photograph misses bars that are small, turned or faint, so there is a ladder of looks. A number
//! counts when its check digit is right and two looks agree on it: single looks misread now and then.

use std::collections::HashSet;

use rxing::{BarcodeFormat, DecodeHints, RXingResult, helpers};

use crate::{Area, Picture};

/// A number found in a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Code {
    /// Thirteen digits; shorter numbers have zeros in front.
    pub digits: String,
    /// About where it was read.
    pub area: Area,
}

/// The longer sides that are looked at, in this order: large bars are read more surely when they are made smaller.
const SIDES: [usize; 3] = [1000, 1600, 640];

/// How many looks must agree.
const AGREEING: usize = 2;

/// The numbers in a picture. It stops as soon as one is sure.
#[must_use]
pub fn read(picture: &Picture) -> Vec<Code> {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let whole = Grey { width, height, pixels: picture.grey() };
    let mut seen: Vec<(Code, usize)> = Vec::new();
    for side in SIDES {
        let scaled = whole.shrunk_to(side);
        for stretched in [false, true] {
            let upright = if stretched { scaled.stretched() } else { scaled.clone() };
            for turned in [false, true] {
                let look = if turned { upright.turned() } else { upright.clone() };
                let Some(code) = look.read(turned) else { continue };
                match seen.iter_mut().find(|(known, _)| known.digits == code.digits) {
                    Some((_, times)) => *times += 1,
                    None => seen.push((code, 1)),
                }
                if let Some((sure, _)) = seen.iter().find(|(_, times)| *times >= AGREEING) {
                    return vec![sure.clone()];
                }
            }
        }
    }
    Vec::new()
}

/// Thirteen digits out of a printed number of 8 to 13, if its check digit is right.
#[must_use]
pub fn thirteen(digits: &str) -> Option<String> {
    if !(8..=13).contains(&digits.len()) || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let padded = format!("{digits:0>13}");
    let sum: u32 =
        padded.bytes().zip([1, 3].into_iter().cycle()).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    sum.is_multiple_of(10).then_some(padded)
}

/// A book's number of ten characters as thirteen digits, if its own check character is right.
#[must_use]
pub fn isbn_13(isbn_10: &str) -> Option<String> {
    let body = isbn_10.get(..9).filter(|body| body.bytes().all(|digit| digit.is_ascii_digit()))?;
    let digits = body.bytes().map(|digit| u32::from(digit - b'0'));
    let last = match isbn_10.get(9..)? {
        "X" | "x" => 10,
        digit if digit.len() == 1 => digit.parse().ok()?,
        _ => return None,
    };
    let sum: u32 = digits.zip((2..=10).rev()).map(|(digit, weight)| digit * weight).sum::<u32>() + last;
    if !sum.is_multiple_of(11) {
        return None;
    }
    (0..10).find_map(|check| thirteen(&format!("978{body}{check}")))
}

#[derive(Clone)]
struct Grey {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Grey {
    /// The picture with its longer side at about `side`, never larger: means of whole blocks.
    fn shrunk_to(&self, side: usize) -> Self {
        let block = self.width.max(self.height).div_ceil(side).max(1);
        if block == 1 {
            return self.clone();
        }
        let (width, height) = ((self.width / block).max(1), (self.height / block).max(1));
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let rows = (y * block..((y + 1) * block).min(self.height)).map(|row| row * self.width);
                let columns = x * block..((x + 1) * block).min(self.width);
                let values = rows.flat_map(|row| &self.pixels[row + columns.start..row + columns.end]);
                let (sum, count) = values.fold((0, 0), |(sum, count), value| (sum + usize::from(*value), count + 1));
                pixels.push(u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX));
            }
        }
        Self { width, height, pixels }
    }

    /// The same picture with its darkest twentieth black and its brightest twentieth white.
    fn stretched(&self) -> Self {
        let mut counts = [0usize; 256];
        for pixel in &self.pixels {
            counts[usize::from(*pixel)] += 1;
        }
        let part = self.pixels.len() / 20;
        let reach = |order: Vec<usize>| {
            let mut sum = 0;
            order.into_iter().find(|value| {
                sum += counts[*value];
                sum > part
            })
        };
        let low = reach((0..256).collect()).unwrap_or(0);
        let high = reach((0..256).rev().collect()).unwrap_or(255);
        let spread = high.saturating_sub(low).max(1);
        let map = |pixel: &u8| {
            let value = usize::from(*pixel).saturating_sub(low) * 255 / spread;
            u8::try_from(value.min(255)).unwrap_or(u8::MAX)
        };
        Self { pixels: self.pixels.iter().map(map).collect(), ..*self }
    }

    /// A quarter to the right.
    fn turned(&self) -> Self {
        let (width, height) = (self.height, self.width);
        let at = |x: usize, y: usize| self.pixels[(self.height - 1 - x) * self.width + y];
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| at(x, y)).collect();
        Self { width, height, pixels }
    }

    /// One look.
    fn read(&self, turned: bool) -> Option<Code> {
        let formats = [BarcodeFormat::EAN_13, BarcodeFormat::EAN_8, BarcodeFormat::UPC_A, BarcodeFormat::UPC_E];
        let mut hints = DecodeHints {
            PossibleFormats: Some(HashSet::from(formats)),
            TryHarder: Some(true),
            AlsoInverted: Some(false),
            ..DecodeHints::default()
        };
        let (width, height) = (u32::try_from(self.width).ok()?, u32::try_from(self.height).ok()?);
        let found = helpers::detect_in_luma_slice_with_hints(&self.pixels, width, height, None, &mut hints).ok()?;
        Some(Code { digits: thirteen(&long(&found)?)?, area: self.area(&found, turned) })
    }

    #[allow(clippy::cast_precision_loss, reason = "sides of pictures")]
    fn area(&self, found: &RXingResult, turned: bool) -> Area {
        let (w, h) = (self.width as f32, self.height as f32);
        let points = found.getPoints().iter().map(|point| (point.x / w, point.y / h));
        let upright = points.map(|(x, y)| if turned { (y, 1.0 - x) } else { (x, y) });
        let start = Area { x_min: 1.0, y_min: 1.0, x_max: 0.0, y_max: 0.0 };
        upright.fold(start, |area, (x, y)| Area {
            x_min: area.x_min.min(x).max(0.0),
            y_min: area.y_min.min(y).max(0.0),
            x_max: area.x_max.max(x).min(1.0),
            y_max: area.y_max.max(y).min(1.0),
        })
    }
}

/// The whole number; UPC-E leaves out zeros.
#[allow(clippy::many_single_char_names, reason = "digits by their place")]
fn long(found: &RXingResult) -> Option<String> {
    let text = found.getText();
    if *found.getBarcodeFormat() != BarcodeFormat::UPC_E {
        return Some(text.to_owned());
    }
    let digits: Vec<char> = text.chars().collect();
    let [system, a, b, c, d, e, last, check] = digits[..] else { return None };
    let body: String = match last {
        '0'..='2' => [a, b, last, '0', '0', '0', '0', c, d, e].iter().collect(),
        '3' => [a, b, c, '0', '0', '0', '0', '0', d, e].iter().collect(),
        '4' => [a, b, c, d, '0', '0', '0', '0', '0', e].iter().collect(),
        _ => [a, b, c, d, e, '0', '0', '0', '0', last].iter().collect(),
    };
    Some(format!("{system}{body}{check}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{isbn_13, read, thirteen};
    use crate::Picture;

    /// The bars of thirteen digits, a module a pixel, as the standard draws them.
    fn bars(digits: &str) -> Vec<bool> {
        const LEFT: [&str; 10] = [
            "0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111",
            "0001011",
        ];
        const PARITY: [&str; 10] =
            ["LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL"];
        let digits: Vec<usize> = digits.bytes().map(|digit| usize::from(digit - b'0')).collect();
        let invert = |code: &str| code.chars().map(|c| if c == '0' { '1' } else { '0' }).collect::<String>();
        let mut text = "101".to_owned();
        for (digit, kind) in digits[1..7].iter().zip(PARITY[digits[0]].chars()) {
            let left = LEFT[*digit].to_owned();
            text += &if kind == 'L' { left } else { invert(&left).chars().rev().collect() };
        }
        text += "01010";
        for digit in &digits[7..] {
            text += &invert(LEFT[*digit]);
        }
        text += "101";
        text.chars().map(|c| c == '1').collect()
    }

    fn printed(digits: &str, module: usize) -> Picture {
        let bars = bars(digits);
        let (width, height) = (bars.len() * module + 60, 160);
        let mut rgb = vec![235u8; width * height * 3];
        for y in 30..height - 30 {
            for (at, _) in bars.iter().enumerate().filter(|(_, bar)| **bar) {
                for x in 30 + at * module..30 + (at + 1) * module {
                    rgb[(y * width + x) * 3..][..3].fill(30);
                }
            }
        }
        Picture::new(u32::try_from(width).unwrap(), u32::try_from(height).unwrap(), rgb).unwrap()
    }

    #[test]
    fn a_printed_number_is_read_upright_and_on_its_side() {
        for digits in ["9784101010014", "4901234567894", "0012345678905"] {
            let picture = printed(digits, 3);
            for turn in 0..4 {
                let found = read(&picture.turned(turn));
                assert_eq!(found.len(), 1, "{digits} {turn}");
                assert_eq!(found[0].digits, digits, "{turn}");
            }
        }
    }

    #[test]
    fn what_is_no_barcode_is_not_read() {
        let stripes: Vec<u8> = (0..200 * 100).flat_map(|n| [if n % 7 < 3 { 20u8 } else { 230 }; 3]).collect();
        assert!(read(&Picture::new(200, 100, stripes).unwrap()).is_empty());
        assert!(read(&Picture::new(1, 1, vec![0; 3]).unwrap()).is_empty());
    }

    #[test]
    fn old_book_numbers_become_new_ones() {
        assert_eq!(isbn_13("4101010013").as_deref(), Some("9784101010014"));
        assert_eq!(isbn_13("080442957X").as_deref(), Some("9780804429573"));
        for wrong in ["4101010014", "", "41010100", "410101001XX", "abcdefghij"] {
            assert_eq!(isbn_13(wrong), None, "{wrong}");
        }
    }

    proptest! {
        /// Of the ten last digits exactly one is right, and one wrong digit anywhere is noticed.
        #[test]
        fn check_digits_check(body in "[0-9]{12}", at in 0usize..12, other in 0u8..10) {
            let right: Vec<String> = (0..10).map(|last| format!("{body}{last}")).filter(|all| thirteen(all).is_some()).collect();
            prop_assert_eq!(right.len(), 1);
            let mut changed = right[0].clone().into_bytes();
            prop_assume!(changed[at] != b'0' + other);
            changed[at] = b'0' + other;
            prop_assert_eq!(thirteen(&String::from_utf8(changed).unwrap()), None);
        }
    }
}
