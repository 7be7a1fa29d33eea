//! Files and forms that are refused, and the exact answer to each.

use image::{DynamicImage, ExtendedColorType, ImageEncoder, ImageFormat, codecs::png::PngEncoder};
use kaisatsu_e2e::http;
use serde_json::json;

use super::{ask, coffee, formats::QUARTERS, jpeg, photo, start, written};

/// A PNG that declares a size and has no pixels.
fn hollow_png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    PngEncoder::new(&mut bytes).write_image(&[0; 3], 1, 1, ExtendedColorType::Rgb8).unwrap();
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let sum = crc(&bytes[12..29]).to_be_bytes();
    bytes[29..33].copy_from_slice(&sum);
    bytes
}

/// The checksum of a PNG chunk.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 })
    };
    !bytes.iter().fold(!0, step)
}

/// A JPEG that declares another size.
fn with_size(jpeg: &[u8], width: u16, height: u16) -> Vec<u8> {
    let mut bytes = jpeg.to_vec();
    let frame = bytes.windows(2).position(|pair| pair == b"\xff\xc0").unwrap();
    bytes[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
    bytes[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
    bytes
}

/// A BMP of one row that declares its length.
fn long_bmp(width: u32) -> Vec<u8> {
    let mut bytes = written(&DynamicImage::new_rgb8(2, 1), ImageFormat::Bmp);
    bytes[18..22].copy_from_slice(&width.to_le_bytes());
    bytes
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table is as long as it is")]
fn bad_images_and_the_exact_answer_to_each() {
    let (_database, key, server) = start(&["--max-image-pixels", "1000000", "--max-image-bytes", "2000000"]);
    let png = written(&coffee(), ImageFormat::Png);
    let jpeg = jpeg(&coffee());
    let webp = written(&coffee(), ImageFormat::WebP);
    let formats = "we read; send JPEG, PNG, GIF, BMP, TIFF or WebP";
    let noise: Vec<u8> = (0..5000u32).map(|n| u8::try_from(n * 31 % 251).unwrap()).collect();
    let table: Vec<(&str, Vec<u8>, u16, &str, String)> = vec![
        ("nothing", vec![], 400, "105", "the image is empty: it has no bytes".into()),
        ("text", b"hello".to_vec(), 400, "105", format!("the bytes are not an image in a format {formats}")),
        ("noise", noise, 400, "105", format!("the bytes are not an image in a format {formats}")),
        (
            "a web page",
            b"<!DOCTYPE html><html></html>".to_vec(),
            400,
            "105",
            format!("the file is a web page, not an image in a format {formats}"),
        ),
        (
            "a drawing",
            b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
            400,
            "105",
            format!(
                "the file is an SVG drawing, which is no format {formats}; `rsvg-convert drawing.svg -o drawing.png` \
                     converts it"
            ),
        ),
        (
            "a document",
            b"%PDF-1.7".to_vec(),
            400,
            "105",
            format!(
                "the file is a PDF, which is no format {formats}; `pdftoppm -png -r 150 file.pdf page` makes an \
                     image a page"
            ),
        ),
        (
            "a video",
            b"\0\0\0\x20ftypisom\0\0\x02\0isomavc1".to_vec(),
            400,
            "105",
            format!(
                "the file is a video, which is no format {formats}; `ffmpeg -i video.mp4 -frames:v 1 image.png` \
                     takes its first picture"
            ),
        ),
        (
            "JPEG XL",
            b"\xff\x0a\xfa\x1f".to_vec(),
            400,
            "105",
            format!("the image is a JPEG XL, which is no format {formats}; `djxl image.jxl image.png` converts it"),
        ),
        (
            "half an HEIC",
            QUARTERS[0].1[..400].to_vec(),
            400,
            "105",
            "the HEIC image cannot be decoded: it is truncated or corrupt".into(),
        ),
        (
            "half a PNG",
            png[..png.len() / 2].to_vec(),
            400,
            "105",
            "the PNG image cannot be decoded: it is truncated".into(),
        ),
        (
            "half a JPEG",
            jpeg[..jpeg.len() / 2].to_vec(),
            400,
            "105",
            "the JPEG image cannot be decoded: it is truncated".into(),
        ),
        (
            "the first bytes of a JPEG",
            jpeg[..20].to_vec(),
            400,
            "105",
            "the JPEG image cannot be decoded: it is truncated or corrupt".into(),
        ),
        (
            "a quarter of a WebP",
            webp[..webp.len() / 4].to_vec(),
            400,
            "105",
            "the WebP image cannot be decoded: it is truncated or corrupt".into(),
        ),
        (
            "a PNG with nothing in it",
            hollow_png(0, 10),
            400,
            "105",
            "the PNG image cannot be decoded: it is truncated or corrupt".into(),
        ),
        (
            "a bomb",
            hollow_png(60_000, 60_000),
            413,
            "119",
            "the image is too large: 60000 × 60000 pixels, and at most 1000000 pixels are taken".into(),
        ),
        (
            "one pixel too many",
            written(&DynamicImage::new_rgb8(1_000_001, 1), ImageFormat::Png),
            413,
            "119",
            "the image is too large: 1000001 × 1 pixels, and at most 1000000 pixels are taken".into(),
        ),
        (
            "a JPEG with a side that its decoder does not take",
            with_size(&jpeg, 65_501, 10),
            413,
            "119",
            "the image is too large: 65501 × 10 pixels, and at most 65500 on a side are taken of a JPEG; make it \
             smaller, or send it as PNG"
                .into(),
        ),
        (
            "a BMP with a side that its decoder does not take",
            long_bmp(70_000),
            413,
            "119",
            "the image is too large: 70000 × 1 pixels, and at most 65535 on a side are taken of a BMP; make it \
             smaller, or send it as PNG"
                .into(),
        ),
        (
            "a TIFF in colours that we do not read",
            b"II*\0\x08\0\0\0\x07\0\0\x01\x03\0\x01\0\0\0\x01\0\0\0\x01\x01\x03\0\x01\0\0\0\x01\0\0\0\
              \x02\x01\x03\0\x01\0\0\0\x08\0\0\0\x06\x01\x03\0\x01\0\0\0\x03\0\0\0\
              \x11\x01\x04\0\x01\0\0\0\x08\0\0\0\x15\x01\x03\0\x01\0\0\0\x01\0\0\0\
              \x17\x01\x04\0\x01\0\0\0\x01\0\0\0\0\0\0\0"
                .to_vec(),
            400,
            "105",
            "the TIFF image cannot be decoded: it is of a kind that we do not read; convert it to PNG, for example \
             with `magick FILE image.png`"
                .into(),
        ),
        (
            "too many bytes",
            vec![0; 2_000_001],
            413,
            "119",
            "image is too large: at most 2000000 bytes are taken".into(),
        ),
        (
            "far too many bytes",
            vec![0; 20_000_000],
            413,
            "119",
            "the body is too large: at most 2065536 bytes are taken".into(),
        ),
    ];
    for (what, bytes, status, code, message) in table {
        let answer = ask(&server, &key, &bytes);
        let expected = json!({"error": {"code": code, "message": format!("concept/classify: {message}")}});
        assert_eq!((answer.status, answer.json()), (status, expected), "{what}");
    }
    // A caller who is refused before the picture has arrived gets the answer, not a broken connection.
    assert_eq!(ask(&server, "wrong", &vec![0; 20_000_000]).status, 401);
    assert_eq!(ask(&server, &key, &jpeg).status, 200, "and then it works again");
}

#[test]
fn bad_forms_and_the_exact_answer_to_each() {
    let (_database, key, server) = start(&[]);
    let coffee = photo("coffee.png");
    let target = format!("/imageRecognition/v1/objectDetection/detect?APIKEY={key}");
    let whole = "must be a whole number from 1 to 100, in the digits 0-9";
    let detect = |fields: &[(&str, &[u8])]| server.post_form(&target, &[&[("image", &coffee[..])], fields].concat());
    for (fields, status, code, message) in [
        (
            &[("modelName", &b"nothing"[..])][..],
            400,
            "109",
            "there is no model 'nothing' for this operation; there is coco",
        ),
        (&[("modelName", b"general")], 400, "109", "there is no model 'general' for this operation; there is coco"),
        (&[("modelName", b"")], 400, "106", "body field modelName is empty; leave it out or give it a value"),
        (&[("modelName", b"\xff")], 400, "106", "body field modelName is not UTF-8"),
        (&[("numOfCandidates", b"0")], 400, "111", "body field numOfCandidates must be from 1 to 100"),
        (&[("numOfCandidates", b"101")], 400, "111", "body field numOfCandidates must be from 1 to 100"),
        (
            &[("numOfCandidates", b"99999999999999999999")],
            400,
            "111",
            "body field numOfCandidates must be from 1 to 100",
        ),
        (&[("numOfCandidates", b"2.5")], 400, "106", &format!("body field numOfCandidates {whole}")),
        (&[("minScore", b"1.1")], 400, "111", "body field minScore must be from 0 to 1"),
        (&[("minScore", b"low")], 400, "106", "body field minScore must be a number from 0 to 1, such as 0.3"),
        (&[("minScore", b"inf")], 400, "106", "body field minScore must be a number from 0 to 1, such as 0.3"),
        (&[("language", b"Japanese")], 400, "106", "body field language must be a language code such as en or ja"),
        (&[("minScore", b"0.1"), ("minScore", b"0.2")], 400, "106", "body field minScore is given more than once"),
        (&[("image", b"more")], 400, "110", "one image is taken at a time; image is given more than once"),
    ] {
        let answer = detect(fields);
        let expected = json!({"error": {"code": code, "message": format!("objectDetection/detect: {message}")}});
        assert_eq!((answer.status, answer.json()), (status, expected), "{fields:?}");
    }
    assert_eq!(detect(&[("minScore", b"1e-05")]).status, 200, "as programs print small numbers");
    let spaced = http::FORM.replace(';', " ;");
    assert_eq!(http::post(server.address, &target, &spaced, &http::form(&[("image", &coffee)])).status, 200);
    let both = server.post_form(&format!("{target}&minScore=0.1"), &[("image", &coffee), ("minScore", b"0.2")]);
    assert_eq!(both.json()["error"]["code"], "106", "given in both places");
    let in_query = server.post_form(&format!("{target}&numOfCandidates=x"), &[("image", &coffee)]);
    assert_eq!(in_query.json()["error"]["code"], "104");

    let body = http::form(&[("image", &coffee)]);
    for (kind, body, status, code, message) in [
        (
            "application/json",
            &b"{}"[..],
            415,
            "105",
            "the Content-Type must be multipart/form-data, with the picture in the field image",
        ),
        ("", &body, 415, "105", "the Content-Type must be multipart/form-data, with the picture in the field image"),
        ("multipart/form-data", &body, 400, "105", "the Content-Type names no boundary; let your client set it"),
        (http::FORM, b"", 400, "105", "the body is cut short: its last boundary is missing"),
        (http::FORM, &body[..body.len() - 30], 400, "105", "the body is cut short: its last boundary is missing"),
        (
            http::FORM,
            &http::form(&[("picture", &coffee)]),
            400,
            "106",
            "body field image is missing; it carries the picture",
        ),
    ] {
        let answer = http::post(server.address, &target, kind, body);
        let expected = json!({"error": {"code": code, "message": format!("objectDetection/detect: {message}")}});
        assert_eq!((answer.status, answer.json()), (status, expected), "{kind}");
    }
    // The key is checked first, then the request.
    let stranger = http::post(server.address, "/imageRecognition/v1/objectDetection/detect?APIKEY=wrong", "", b"");
    assert_eq!(stranger.status, 401);
}
