//! Drawn symbols are read, whichever way they lie and whatever has happened to them; other things are not.

use proptest::prelude::*;

use super::{Barcode, GreyImage, Symbology, check_digit, read, read_with};

const LEFT: [&str; 10] =
    ["0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111", "0001011"];
const FIRST: [&str; 10] =
    ["LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL"];
const SHORT: [&str; 10] =
    ["GGGLLL", "GGLGLL", "GGLLGL", "GGLLLG", "GLGGLL", "GLLGGL", "GLLLGG", "GLGLGL", "GLGLLG", "GLLGLG"];

/// The modules of one digit, written from the standard's tables and not from those of the reader.
fn modules(digit: u8, set: char) -> String {
    let left = LEFT[usize::from(digit)];
    let other = |c: char| if c == '0' { '1' } else { '0' };
    match set {
        'L' => left.to_owned(),
        'R' => left.chars().map(other).collect(),
        _ => left.chars().rev().map(other).collect(),
    }
}

fn half(digits: &[u8], sets: &str) -> String {
    digits.iter().zip(sets.chars()).map(|(digit, set)| modules(*digit, set)).collect()
}

fn ean_13(digits: &[u8]) -> String {
    let (left, right) = (half(&digits[1..7], FIRST[usize::from(digits[0])]), half(&digits[7..], "RRRRRR"));
    format!("101{left}01010{right}101")
}

fn ean_8(digits: &[u8]) -> String {
    format!("101{}01010{}101", half(&digits[..4], "LLLL"), half(&digits[4..], "RRRR"))
}

fn upc_e(digits: &[u8]) -> String {
    format!("101{}010101", half(&digits[1..7], SHORT[usize::from(digits[7])]))
}

fn numbers(text: &str) -> Vec<u8> {
    text.bytes().map(|byte| byte - b'0').collect()
}

/// How a symbol is photographed.
#[derive(Debug, Clone, Copy)]
struct Shot {
    module: f32,
    degrees: f32,
    blur: usize,
    noise: u32,
    /// How much darker the right edge is than the left one, 0 to 1.
    shadow: f32,
    /// How much nearer the right end is, as a part.
    slant: f32,
}

const PLAIN: Shot = Shot { module: 2.5, degrees: 0.0, blur: 0, noise: 0, shadow: 0.0, slant: 0.0 };

/// Draws a symbol in the middle of a picture.
fn photograph(bits: &str, shot: Shot) -> GreyImage {
    photograph_of(&[(bits, -22.0, 22.0)], shot)
}

/// Draws symbols of one length below each other, each from and to so many modules below the middle of the picture; each
/// pixel is the mean of nine points.
fn photograph_of(symbols: &[(&str, f32, f32)], shot: Shot) -> GreyImage {
    let length = symbols[0].0.len() as f32;
    let reach = symbols.iter().map(|(_, top, bottom)| bottom.max(-top)).fold(0.0, f32::max) + 8.0;
    let long = (length + 24.0).max(2.0 * reach) * shot.module;
    let side = if shot.degrees % 90.0 == 0.0 && shot.slant == 0.0 { long } else { long * 1.15 } as usize;
    let (sin, cos) = shot.degrees.to_radians().sin_cos();
    let middle = side as f32 / 2.0;
    let point = |x: f32, y: f32| {
        let (x, y) = (x - middle, y - middle);
        let (u, v) = ((x * cos + y * sin) / shot.module, (y * cos - x * sin) / shot.module);
        // Seen at a slant, modules grow from one end to the other.
        let at = u * (1.0 - shot.slant * u / length) + length / 2.0;
        let barred = |(bits, top, bottom): &(&str, f32, f32)| {
            at >= 0.0 && v > *top && v < *bottom && bits.as_bytes().get(at as usize) == Some(&b'1')
        };
        let bar = symbols.iter().any(barred);
        let paper = at > -11.0 && at < length + 11.0 && v.abs() < reach;
        if bar {
            30.0
        } else if paper {
            225.0
        } else {
            150.0
        }
    };
    let mut grey = vec![0.0f32; side * side];
    for (at, value) in grey.iter_mut().enumerate() {
        let (x, y) = ((at % side) as f32, (at / side) as f32);
        let parts = [0.17, 0.5, 0.83];
        let sum: f32 = parts.iter().flat_map(|dy| parts.map(|dx| point(x + dx, y + dy))).sum();
        *value = sum / 9.0 * (1.0 - shot.shadow * x / side as f32);
    }
    for _ in 0..shot.blur {
        let old = grey.clone();
        for (at, value) in grey.iter_mut().enumerate().filter(|(at, _)| at % side > 0 && at % side < side - 1) {
            *value = (old[at - 1] + 2.0 * old[at] + old[at + 1]) / 4.0;
        }
    }
    let mut seed = 12_345u32;
    let noisy = grey.iter().map(|value| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise =
            if shot.noise == 0 { 0.0 } else { ((seed >> 16) % (2 * shot.noise + 1)) as f32 - shot.noise as f32 };
        (value + noise).clamp(0.0, 255.0) as u8
    });
    GreyImage::new(side, side, noisy.collect()).unwrap()
}

fn only(codes: &[Barcode]) -> Option<(&str, Symbology)> {
    match codes {
        [code] => Some((code.digits.as_str(), code.symbology)),
        _ => None,
    }
}

/// The back of a Japanese book: the ISBN, and below it the number of kind and price, as far apart as is usual.
#[test]
fn of_two_symbols_printed_together_both_are_read_however_they_lie() {
    let (isbn, price) = ("9784101010014", "1920193004908");
    let (upper, lower) = (ean_13(&numbers(isbn)), ean_13(&numbers(price)));
    for (module, degrees) in [(2.5, 0.0), (2.5, 20.0), (2.5, 32.0), (2.5, 45.0), (2.5, 60.0), (1.3, 0.0), (1.3, 90.0)] {
        let both = photograph_of(&[(&upper, -57.0, -15.0), (&lower, 15.0, 57.0)], Shot { module, degrees, ..PLAIN });
        let mut found: Vec<String> = read(both).into_iter().map(|code| code.digits).collect();
        found.sort();
        assert_eq!(found, [price, isbn], "{module} pixels a bar, {degrees} degrees");
    }
    let alone = photograph(&lower, PLAIN);
    assert_eq!(only(&read(alone)), Some((price, Symbology::Ean13)));
}

#[test]
fn every_kind_is_read_and_written_as_thirteen_digits() {
    let read_as = |bits: String| read(photograph(&bits, PLAIN));
    assert_eq!(only(&read_as(ean_13(&numbers("4902102072656")))), Some(("4902102072656", Symbology::Ean13)));
    assert_eq!(only(&read_as(ean_13(&numbers("0042100005264")))), Some(("0042100005264", Symbology::UpcA)));
    assert_eq!(only(&read_as(ean_8(&numbers("49123456")))), Some(("0000049123456", Symbology::Ean8)));
    assert_eq!(only(&read_as(upc_e(&numbers("04252614")))), Some(("0042100005264", Symbology::UpcE)));
}

#[test]
fn a_code_has_its_place() {
    let codes = read(photograph(&ean_13(&numbers("9784101010014")), PLAIN));
    // The symbol is 95 of the image's 119 modules wide and 44 high; a module is 2.5 pixels.
    let bounds = codes[0].bounds;
    let [left, top, right, bottom] = [bounds.left, bounds.top, bounds.right, bounds.bottom].map(|edge| edge / 297.5);
    assert!((left - 0.1).abs() < 0.02 && (right - 0.9).abs() < 0.02, "{bounds:?}");
    assert!(top > 0.28 && top < 0.36 && bottom > 0.64 && bottom < 0.72, "{bounds:?}");
}

#[test]
fn it_may_lie_any_way() {
    let bits = ean_13(&numbers("4902102072656"));
    for degrees in (0..360u16).step_by(24).chain([90, 180, 270]) {
        let codes = read(photograph(&bits, Shot { degrees: f32::from(degrees), module: 2.0, ..PLAIN }));
        assert_eq!(only(&codes).map(|code| code.0), Some("4902102072656"), "{degrees} degrees");
    }
}

#[test]
fn blur_noise_shadow_slant_and_small_bars_are_borne() {
    let bits = ean_13(&numbers("9784101010014"));
    let shots = [
        ("small", Shot { module: 1.4, ..PLAIN }),
        ("large", Shot { module: 6.5, ..PLAIN }),
        ("blurred", Shot { blur: 5, ..PLAIN }),
        ("noisy", Shot { noise: 30, ..PLAIN }),
        ("in the shadow", Shot { shadow: 0.8, ..PLAIN }),
        ("seen at a slant", Shot { slant: 0.25, ..PLAIN }),
        ("all at once", Shot { module: 3.0, degrees: 200.0, blur: 4, noise: 12, shadow: 0.5, slant: 0.1 }),
    ];
    for (what, shot) in shots {
        assert_eq!(only(&read(photograph(&bits, shot))).map(|code| code.0), Some("9784101010014"), "{what}");
    }
}

/// Bars little wider than a pixel are lost between the pixels, unless they are enlarged.
#[test]
fn a_small_symbol_is_enlarged() {
    let bits = ean_13(&numbers("9784101010014"));
    for (module, degrees) in [(1.2, 0.0), (1.2, 20.0), (1.2, 45.0), (1.3, 70.0)] {
        let codes = read(photograph(&bits, Shot { module, degrees, ..PLAIN }));
        assert_eq!(only(&codes).map(|code| code.0), Some("9784101010014"), "{module} pixels, {degrees} degrees");
    }
}

/// In a reduced photograph bars are seen and cannot be read; in all its pixels they can.
#[test]
fn small_bars_are_read_in_the_finer_image_and_placed_in_the_reduced_one() {
    let fine = photograph(&ean_13(&numbers("4902102072656")), Shot { module: 1.2, degrees: 30.0, ..PLAIN });
    let half = |image: &GreyImage| {
        let side = image.width / 2;
        let mean = |at: usize| {
            let at = (at / side * 2) * image.width + at % side * 2;
            let four = [at, at + 1, at + image.width, at + image.width + 1];
            (four.iter().map(|at| u32::from(image.pixels[*at])).sum::<u32>() / 4) as u8
        };
        GreyImage::new(side, side, (0..side * side).map(mean).collect()).unwrap()
    };
    let reduced = half(&fine);
    assert_eq!(read(reduced.clone()), []);
    let side = reduced.width as f32;
    let codes = read_with(reduced, || Some(fine));
    assert_eq!(only(&codes), Some(("4902102072656", Symbology::Ean13)));
    let bounds = codes[0].bounds;
    let middle = (f32::midpoint(bounds.left, bounds.right), f32::midpoint(bounds.top, bounds.bottom));
    assert!((middle.0 / side - 0.5).abs() < 0.1 && (middle.1 / side - 0.5).abs() < 0.1, "{bounds:?}");
    let clear = photograph(&ean_13(&numbers("4902102072656")), PLAIN);
    assert_eq!(read_with(clear, || panic!("it is not needed")).len(), 1);
}

#[test]
fn a_wrong_check_digit_is_not_read() {
    assert_eq!(read(photograph(&ean_13(&numbers("4902102072657")), PLAIN)), []);
    assert_eq!(read(photograph(&ean_8(&numbers("49123457")), PLAIN)), []);
}

#[test]
fn other_things_give_nothing() {
    let (width, height) = (240usize, 160usize);
    let picture = |value: &mut dyn FnMut(usize, usize) -> u8| {
        let pixels = (0..width * height).map(|at| value(at % width, at / width)).collect();
        GreyImage::new(width, height, pixels).unwrap()
    };
    let mut seed = 7u32;
    let mut random = |_: usize, _: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as u8
    };
    assert_eq!(read(picture(&mut random)), []);
    assert_eq!(read(picture(&mut |_, _| 200)), []);
    for wide in 1..6 {
        assert_eq!(read(picture(&mut |x, _| if x / wide % 2 == 0 { 20 } else { 220 })), [], "stripes of {wide}");
        assert_eq!(
            read(picture(&mut |x, y| if (x / wide + y / 9) % 3 == 0 { 20 } else { 220 })),
            [],
            "tiles of {wide}"
        );
    }
    for (width, height) in [(1, 1), (1, 40), (40, 1), (2, 3), (25, 25)] {
        let tiny = GreyImage::new(width, height, vec![90; width * height]).unwrap();
        assert_eq!(read(tiny), []);
    }
}

/// A line that leaves the symbol behind its middle sees the left half of an EAN-13 with paper on both sides, which is
/// built like a UPC-E.
#[test]
fn half_a_symbol_is_not_taken_for_a_short_one() {
    let slanting = [("7934321100008", 218.0976, 2.453_157), ("6123340337453", 213.343_52, 2.587_511)];
    for (number, degrees, module) in slanting {
        let codes = read(photograph(&ean_13(&numbers(number)), Shot { module, degrees, ..PLAIN }));
        assert_eq!(only(&codes), Some((number, Symbology::Ean13)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the number and the way it lies, it is read right.
    #[test]
    fn any_number_is_read(
        body in prop::collection::vec(0u8..10, 12), degrees in 0.0f32..360.0, module in 1.7f32..2.6, noise in 0u32..20,
    ) {
        let mut digits = body;
        digits.push(check_digit(&digits));
        let codes = read(photograph(&ean_13(&digits), Shot { module, degrees, noise, ..PLAIN }));
        let wanted: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        prop_assert_eq!(only(&codes).map(|code| code.0), Some(wanted.as_str()));
    }

    /// However bad the picture, a number that is given is the right one.
    #[test]
    fn no_number_is_read_wrong(
        body in prop::collection::vec(0u8..10, 12), degrees in 0.0f32..360.0, module in 0.8f32..2.2, noise in 20u32..90,
        blur in 0usize..12,
    ) {
        let mut digits = body;
        digits.push(check_digit(&digits));
        let codes = read(photograph(&ean_13(&digits), Shot { module, degrees, blur, noise, ..PLAIN }));
        let wanted: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        prop_assert!(codes.iter().all(|code| code.digits == wanted), "{:?}", codes);
    }
}
