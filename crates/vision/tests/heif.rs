//! HEIC and AVIF files through the system's libheif.

use kaisatsu_vision::{Bounds, DecodeError, Decoded, HeifLibrary, decode, load_heif};

const QUARTERS: [(&str, &[u8]); 3] = [
    ("HEIC", include_bytes!("data/heif/quarters.heic")),
    ("AVIF", include_bytes!("data/heif/quarters.avif")),
    ("HEIC", include_bytes!("data/heif/ten-bits.heic")),
];
const TURNED: [&[u8]; 2] = [include_bytes!("data/heif/turned.heic"), include_bytes!("data/heif/turned.avif")];
const CLEAR: [&[u8]; 2] = [include_bytes!("data/heif/clear.heic"), include_bytes!("data/heif/clear.avif")];

const RED: [u8; 3] = [220, 30, 30];
const GREEN: [u8; 3] = [30, 200, 60];
const YELLOW: [u8; 3] = [240, 220, 40];
const BLUE: [u8; 3] = [40, 90, 200];
const WHITE: [u8; 3] = [255, 255, 255];

/// The colours in the middle of the four quarters, from the upper left to the lower right, are these, nearly.
fn assert_quarters(decoded: &Decoded, expected: [[u8; 3]; 4]) {
    let picture = &decoded.picture;
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    for (at, expected) in expected.into_iter().enumerate() {
        let (x, y) = (width / 4 + at % 2 * width / 2, height / 4 + at / 2 * height / 2);
        let seen = &picture.rgb()[(y * width + x) * 3..][..3];
        let near = seen.iter().zip(expected).all(|(seen, expected)| seen.abs_diff(expected) < 12);
        assert!(near, "quarter {at}: {seen:?}, not {expected:?}");
    }
}

fn read(bytes: &[u8]) -> Decoded {
    decode(bytes, Bounds::default(), None).unwrap()
}

#[test]
fn the_setting_is_parsed() {
    for (text, choice) in [
        ("auto", HeifLibrary::Installed),
        ("off", HeifLibrary::Off),
        ("/opt/libheif.so.1", HeifLibrary::File("/opt/libheif.so.1".into())),
    ] {
        assert_eq!((text.parse(), choice.to_string().as_str()), (Ok(choice.clone()), text));
    }
    assert!(load_heif(&HeifLibrary::File("/nowhere".into())).is_err_and(|told| told.contains("/nowhere cannot be")));
}

#[test]
#[ignore = "needs libheif; `make test` runs it"]
fn colours_size_and_format_are_those_of_the_file() {
    let support = load_heif(&HeifLibrary::Installed).unwrap().expect("libheif1 is not installed");
    assert!(support.heic && support.avif, "libheif lacks a decoder: {support:?}");
    for (format, bytes) in QUARTERS {
        let decoded = read(bytes);
        assert_eq!((decoded.file.width, decoded.file.height, decoded.file.format), (64, 48, format));
        assert_quarters(&decoded, [RED, GREEN, YELLOW, BLUE]);
    }
}

#[test]
#[ignore = "needs libheif; `make test` runs it"]
fn a_turn_is_applied_and_what_is_transparent_is_white() {
    for bytes in TURNED {
        let decoded = read(bytes);
        assert_eq!((decoded.picture.width(), decoded.picture.height()), (48, 64));
        // Positions in answers are those of the picture as viewers show it.
        assert_eq!((decoded.file.width, decoded.file.height), (48, 64));
        assert_quarters(&decoded, [YELLOW, RED, BLUE, GREEN]);
    }
    for bytes in CLEAR {
        assert_quarters(&read(bytes), [RED, GREEN, YELLOW, WHITE]);
    }
}

#[test]
#[ignore = "needs libheif; `make test` runs it"]
fn too_many_pixels_are_refused_before_they_are_decoded() {
    for (format, bytes) in QUARTERS {
        let refused = decode(bytes, Bounds { max_pixels: 3000 }, None).unwrap_err();
        assert!(matches!(refused, DecodeError::TooManyPixels { .. }), "{format} {refused}");
        // A file that declares 30,000 by 30,000 pixels is refused, or read in the few pixels that it really has.
        let mut bomb = bytes.to_vec();
        let places: Vec<usize> = (0..bomb.len() - 4).filter(|at| bomb[*at..].starts_with(b"ispe")).collect();
        for at in places {
            bomb[at + 8..at + 16].copy_from_slice(&[0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30]);
        }
        match decode(&bomb, Bounds::default(), None) {
            Ok(decoded) => assert_eq!((decoded.picture.width(), decoded.picture.height()), (64, 48), "{format}"),
            Err(refused) => assert!(
                matches!(refused, DecodeError::TooManyPixels { .. } | DecodeError::Broken { .. }),
                "{format} {refused}"
            ),
        }
    }
}

#[test]
#[ignore = "needs libheif; `make test` runs it"]
fn damaged_files_are_refused_or_read_and_never_more_than_that() {
    for (format, bytes) in QUARTERS {
        let short = decode(&bytes[..bytes.len() / 2], Bounds::default(), None).unwrap_err();
        let told = format!("the {format} image cannot be decoded: it is truncated or corrupt");
        assert_eq!(short.to_string(), told);
        for length in 0..bytes.len() {
            let _ = decode(&bytes[..length], Bounds::default(), None);
        }
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.to_vec();
                damaged[at] ^= flip;
                let _ = decode(&damaged, Bounds { max_pixels: 1 << 20 }, None);
            }
        }
    }
}
