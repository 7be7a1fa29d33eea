use super::{Symbology, read_matrix};
use crate::Picture;

/// `https://id.gs1.org/01/09506000134352`
const LINK: [&str; 25] = [
    "1111111000111011001111111",
    "1000001001001011001000001",
    "1011101010100001101011101",
    "1011101001001001101011101",
    "1011101001100111001011101",
    "1000001000111011101000001",
    "1111111010101010101111111",
    "0000000010011110100000000",
    "1110111110000111111000100",
    "1010010101010110111000001",
    "1101101000101010111110111",
    "0001110101110100110110010",
    "1001011010101111101001011",
    "0111110001110110011001001",
    "1010001101100010010100111",
    "0100010101101111011010010",
    "1011001100011110111111000",
    "0000000010110000100011011",
    "1111111011000101101011011",
    "1000001011001111100011011",
    "1011101011010010111111011",
    "1011101001011110100111100",
    "1011101010101010100010001",
    "1000001010010100100011010",
    "1111111010010111110100011",
];

/// The elements (01)09506000134352(17)281231(10)AB-1.
const ELEMENTS: [&str; 18] = [
    "101010101010101010",
    "110011110101000001",
    "100010100100010100",
    "101111110001000111",
    "111011000100011100",
    "100001011010111001",
    "100100110011010010",
    "101101101100111001",
    "111010110101000110",
    "110011101100110111",
    "111011010010100010",
    "111011111000011101",
    "110011111111000100",
    "110101100011010101",
    "111010000101010100",
    "111101010001010011",
    "110001101010010100",
    "111111111111111111",
];

/// A code on white paper, turned by some degrees, in a grey picture of `side` pixels.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places in a small picture"
)]
fn photograph(code: &[&str], side: u32, module: f32, degrees: f32) -> Picture {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (middle, half) = (side as f32 / 2.0, code.len() as f32 / 2.0);
    let shade = |at: u32| {
        let (x, y) = ((at % side) as f32 - middle, (at / side) as f32 - middle);
        let (u, v) = ((x * cos + y * sin) / module + half, (y * cos - x * sin) / module + half);
        let dark =
            u >= 0.0 && v >= 0.0 && code.get(v as usize).and_then(|row| row.as_bytes().get(u as usize)) == Some(&b'1');
        let paper = (u - half).abs() < half + 5.0 && (v - half).abs() < half + 5.0;
        if dark {
            30
        } else if paper {
            225
        } else {
            140
        }
    };
    Picture::new(side, side, (0..side * side).flat_map(|at| [shade(at); 3]).collect()).unwrap()
}

#[test]
fn codes_that_name_an_article_are_read() {
    for (side, module, degrees) in [(400, 5.0, 0.0), (500, 6.0, 12.0), (2400, 10.0, 0.0)] {
        for (code, symbology) in [(&LINK[..], Symbology::QrCode), (&ELEMENTS[..], Symbology::DataMatrix)] {
            let found = read_matrix(&photograph(code, side, module, degrees));
            let found = found.unwrap_or_else(|| panic!("{symbology:?}, {side} pixels, {degrees} degrees"));
            assert_eq!((found.digits.as_str(), found.symbology), ("9506000134352", symbology));
            let (x, y) = (found.area.x_min.midpoint(found.area.x_max), found.area.y_min.midpoint(found.area.y_max));
            assert!((x - 0.5).abs() < 0.1 && (y - 0.5).abs() < 0.1, "{:?}", found.area);
        }
    }
}

#[test]
fn nothing_is_read_where_there_is_nothing() {
    assert_eq!(read_matrix(&photograph(&[], 300, 5.0, 0.0)), None);
    assert_eq!(read_matrix(&photograph(&LINK[..20], 300, 5.0, 0.0)), None);
    for side in [1, 2, 30] {
        assert_eq!(read_matrix(&photograph(&[], side, 5.0, 0.0)), None);
    }
}

/// The means of a picture that is narrower than the squares it is reduced by, and not of pixels beside it.
#[test]
fn a_thread_is_reduced_along_its_length_alone() {
    let grey: Vec<u8> = (0..4000u32).flat_map(|row| [if row < 2000 { 40 } else { 200 }; 6]).collect();
    let (columns, rows, small) = super::reduced((2, 4000), &Picture::new(2, 4000, grey).unwrap().grey());
    assert_eq!((columns, rows), (1, 800));
    assert_eq!((small[0], small[399], small[400], small[799]), (40, 40, 200, 200));
}
