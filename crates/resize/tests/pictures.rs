//! Pictures at other sizes.

use kaisatsu_resize::{Method, Part, Resizer, Rgb};

/// Two columns, black and white.
const BYTES: [u8; 12] = [0, 0, 0, 255, 255, 255, 0, 0, 0, 255, 255, 255];

#[test]
fn a_part_is_resized() {
    let picture = Rgb { width: 2, height: 2, bytes: &BYTES };
    let mut resizer = Resizer::new();
    for method in [Method::Bicubic, Method::Bilinear, Method::Interpolated] {
        assert_eq!(resizer.resize(picture, picture.whole(), (2, 2), method).unwrap(), BYTES, "{method:?}");
        let right = Part { left: 1.0, width: 1.0, ..picture.whole() };
        assert_eq!(resizer.resize(picture, right, (1, 3), method).unwrap(), [255; 9], "{method:?}");
    }
    assert_eq!(resizer.resize(picture, picture.whole(), (1, 1), Method::Bilinear).unwrap(), [128; 3]);
}

#[test]
fn what_is_not_a_picture_or_not_in_it_is_refused() {
    let picture = Rgb { width: 2, height: 2, bytes: &BYTES };
    let short = Rgb { bytes: &BYTES[1..], ..picture };
    let outside = Part { left: 1.5, ..picture.whole() };
    let mut resizer = Resizer::new();
    assert_eq!(resizer.resize(short, picture.whole(), (1, 1), Method::Bilinear), None);
    assert_eq!(resizer.resize(picture, outside, (1, 1), Method::Bilinear), None);
}
