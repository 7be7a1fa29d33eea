use std::io::Cursor;

use image::{DynamicImage, ImageBuffer, ImageFormat, Luma, LumaA, Pixel, Rgb, Rgba};

use super::{factor, whole_grey};
use crate::decode::{Bounds, DecodeError, any, decode};

/// A picture with values of all sizes, `side` pixels wide and somewhat higher.
fn picture<P: Pixel<Subpixel = u16>>(side: u32) -> ImageBuffer<P, Vec<u16>> {
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u16::try_from(state >> 16).unwrap()
    };
    ImageBuffer::from_fn(side, side + 3, |_, _| {
        *P::from_slice(&std::array::from_fn::<_, 4, _>(|_| next())[..usize::from(P::CHANNEL_COUNT)])
    })
}

fn written(image: &DynamicImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

#[test]
fn every_kind_of_pixel_is_what_the_image_crate_makes_of_it() {
    let wide = [
        DynamicImage::ImageLuma16(picture::<Luma<u16>>(17)),
        DynamicImage::ImageLumaA16(picture::<LumaA<u16>>(17)),
        DynamicImage::ImageRgb16(picture::<Rgb<u16>>(17)),
        DynamicImage::ImageRgba16(picture::<Rgba<u16>>(17)),
    ];
    let narrow = wide.iter().map(|image| match image {
        DynamicImage::ImageLuma16(_) => DynamicImage::ImageLuma8(image.to_luma8()),
        DynamicImage::ImageLumaA16(_) => DynamicImage::ImageLumaA8(image.to_luma_alpha8()),
        DynamicImage::ImageRgb16(_) => DynamicImage::ImageRgb8(image.to_rgb8()),
        _ => DynamicImage::ImageRgba8(image.to_rgba8()),
    });
    for image in narrow.chain(wide.iter().cloned()) {
        let bytes = written(&image);
        let expected = any(&bytes, ImageFormat::Png, "PNG", Bounds::default()).unwrap();
        let found = decode(&bytes, Bounds::default(), Some(4)).unwrap();
        assert_eq!(found.picture, expected.picture, "{:?}", image.color());
        assert_eq!(found.file, expected.file);
    }
}

#[test]
fn palettes_and_single_bits_are_read() {
    let file = |depth: png::BitDepth, data: &[u8]| {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 4, 2);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(depth);
        encoder.set_palette(vec![255, 0, 0, 0, 0, 255]);
        encoder.set_trns(vec![255, 0]);
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    };
    // The second colour is transparent, so white shows.
    let (red, white) = ([255, 0, 0], [255; 3]);
    let expected = [red, white, red, white, white, white, red, red].concat();
    for bytes in
        [file(png::BitDepth::One, &[0b0101_0000, 0b1100_0000]), file(png::BitDepth::Eight, &[0, 1, 0, 1, 1, 1, 0, 0])]
    {
        assert_eq!(decode(&bytes, Bounds::default(), None).unwrap().picture.rgb(), expected);
    }
}

/// A file of three channels whose rows come in the order of the seven passes, its data not compressed.
fn interlaced(side: usize, rgb: &[u8]) -> Vec<u8> {
    let passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)];
    let mut rows = Vec::new();
    for (top, left, down, across) in passes {
        for y in (top..side).step_by(down) {
            let row: Vec<u8> =
                (left..side).step_by(across).flat_map(|x| rgb[(y * side + x) * 3..][..3].to_vec()).collect();
            if !row.is_empty() {
                rows.push(0);
                rows.extend(row);
            }
        }
    }
    let (a, b) = rows.iter().fold((1_u32, 0_u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    let length = u16::try_from(rows.len()).unwrap();
    let data =
        [&[0x78, 1, 1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), &rows, &(b << 16 | a).to_be_bytes()]
            .concat();
    let size = u32::try_from(side).unwrap().to_be_bytes();
    let header = [&size[..], &size, &[8, 2, 0, 0, 1]].concat();
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, data) in [(b"IHDR", header), (b"IDAT", data), (b"IEND", Vec::new())] {
        let named = [&name[..], &data].concat();
        file.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
        file.extend(&named);
        file.extend(crc(&named).to_be_bytes());
    }
    file
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
}

#[test]
fn an_interlaced_file_is_read() {
    for side in [1, 5, 13] {
        let rgb: Vec<u8> = (0..side * side * 3).map(|at| u8::try_from(at * 7 % 251).unwrap()).collect();
        let found = decode(&interlaced(side, &rgb), Bounds::default(), None).unwrap();
        assert_eq!(found.picture.rgb(), rgb, "{side}");
    }
}

#[test]
fn a_large_file_is_reduced_and_its_brightness_is_there_as_a_whole() {
    let (width, height) = (5001, 4000);
    let image = ImageBuffer::from_fn(width, height, |x, _| Rgb([if x < 2500 { 0 } else { 200_u8 }; 3]));
    let bytes = written(&DynamicImage::ImageRgb8(image));
    let found = decode(&bytes, Bounds::default(), Some(960)).unwrap();
    assert_eq!((found.file.width, found.file.height), (width, height));
    assert_eq!((found.picture.width(), found.picture.height()), (2501, 2000));
    // The last column has half a square to itself.
    assert_eq!(&found.picture.rgb()[1249 * 3..1251 * 3], [0, 0, 0, 200, 200, 200]);
    assert_eq!(found.picture.rgb()[2500 * 3..2501 * 3], [200; 3]);
    let (w, h, grey, _) = whole_grey(&bytes, Bounds::default()).unwrap();
    assert_eq!((w, h, grey.len()), (width, height, 5001 * 4000));
    assert_eq!((grey[2499], grey[2500]), (0, 200));
}

#[test]
fn only_large_pictures_are_reduced_and_keep_what_is_needed() {
    for (width, height, wanted, expected) in [
        (4000, 4000, Some(100), 1),
        (4001, 4000, Some(100), 8),
        (4001, 4000, Some(960), 2),
        (8000, 4000, Some(400), 8),
        (8000, 4000, Some(401), 4),
        (8000, 4000, None, 1),
        (50_000_000, 1, Some(100), 1),
    ] {
        assert_eq!(factor(width, height, wanted), expected, "{width} {height} {wanted:?}");
    }
}

#[test]
fn a_file_that_ends_early_is_refused() {
    let bytes = written(&DynamicImage::ImageRgba16(picture::<Rgba<u16>>(40)));
    for end in [20, 60, bytes.len() / 2, bytes.len() - 30] {
        let refused = decode(&bytes[..end], Bounds::default(), None).unwrap_err();
        assert!(matches!(refused, DecodeError::Broken { format: "PNG", .. }), "{end}: {refused}");
    }
}
