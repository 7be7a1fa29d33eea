//! Every kind of image file that a caller may send, valid or not, and the exact answer to each.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::io::Cursor;

use image::{
    DynamicImage, ExtendedColorType, Frame, ImageBuffer, ImageEncoder, ImageFormat, Luma, LumaA, Rgb, RgbImage, Rgba,
    RgbaImage,
    codecs::{gif::GifEncoder, jpeg::JpegEncoder, png::PngEncoder},
};
use kaisatsu_e2e::{
    Answer, Backend, Database, Server, User, eventually, http, make_key, make_key_with_scope, pictures::picture, run,
};
use serde_json::json;

fn photo(name: &str) -> Vec<u8> {
    let folder = std::env::var("KAISATSU_TEST_PHOTOS").expect("`make test` sets KAISATSU_TEST_PHOTOS");
    std::fs::read(std::path::Path::new(&folder).join(name)).unwrap()
}

fn start(args: &[&str]) -> (Database, String, Server) {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start_with_models(&database, args);
    (database, key, server)
}

fn coffee() -> DynamicImage {
    image::load_from_memory(&photo("coffee.png")).unwrap()
}

fn written(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn jpeg(image: &DynamicImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    image.to_rgb8().write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, 92)).unwrap();
    bytes
}

/// A JPEG with an EXIF orientation tag after its first marker.
fn oriented(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let tiff =
        [&b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"[..], &[orientation], &[0, 0, 0, 0, 0, 0]]
            .concat();
    let length = u16::try_from(tiff.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xff, 0xe1], &length, &tiff, &jpeg[2..]].concat()
}

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

/// The picture as a CMYK JPEG, with inverted values as print software writes them.
fn cmyk(image: &DynamicImage) -> Vec<u8> {
    let rgb = image.to_rgb8();
    let pixels: Vec<u8> = rgb.pixels().flat_map(|Rgb([r, g, b])| [*r, *g, *b, 255]).collect();
    let (width, height) = (rgb.width() as usize, rgb.height() as usize);
    let format = turbojpeg::PixelFormat::CMYK;
    let image = turbojpeg::Image { pixels: pixels.as_slice(), width, pitch: width * 4, height, format };
    turbojpeg::compress(image, 90, turbojpeg::Subsamp::None).unwrap().to_vec()
}

/// A telephone's formats: four quarters in four colours, 64 × 48 pixels.
const QUARTERS: [(&str, &[u8]); 2] = [
    ("image/heic", include_bytes!("../../crates/vision/tests/data/heif/quarters.heic")),
    ("image/avif", include_bytes!("../../crates/vision/tests/data/heif/quarters.avif")),
];

/// The same, turned by a quarter to the right when it is shown.
const TURNED: &[u8] = include_bytes!("../../crates/vision/tests/data/heif/turned.heic");

/// Sends a picture to every function that takes one; each answer with its operation.
fn ask_everything(server: &Server, key: &str, image: &[u8]) -> Vec<(&'static str, Answer)> {
    let user = User::named(server, key, "u");
    let recognized = http::post(server.address, &user.target("recognize"), "application/octet-stream", image);
    let form = |operation| (operation, user.send(operation, &[("image", image)]));
    vec![
        ("recognize", recognized),
        form("concept/classify"),
        form("objectDetection/detect"),
        form("userCategory/uploadImage"),
        ("similarImage/search", user.send("similarImage/search", &[("image", image), ("collection", b"waves")])),
    ]
}

#[test]
fn heic_and_avif_are_read_where_libheif_is_installed() {
    let (database, key, server) = start(&[]);
    fill_collection(&database, &server);
    let user = User::named(&server, &key, "u");
    for (kind, image) in QUARTERS {
        for (operation, answer) in ask_everything(&server, &key, image) {
            assert_eq!(answer.status, 200, "{kind} {operation}: {}", answer.text());
        }
        let kept = user.send("userCategory/uploadImage", &[("image", image)]).json();
        assert_eq!((&kept["width"], &kept["height"]), (&json!(64), &json!(48)));
        let get = format!("{}&imageId={}", user.target("userCategory/getImage"), kept["imageId"].as_str().unwrap());
        let whole = server.get(&get);
        assert_eq!((whole.header("content-type"), whole.body == image), (Some(kind), true));
        let small = image::load_from_memory(&server.get(&format!("{get}&size=thumbnail")).body).unwrap().to_rgb8();
        assert!(small.get_pixel(5, 5)[0] > 180 && small.get_pixel(5, 5)[1] < 80, "its upper left quarter is red");
    }
    let turned = user.send("userCategory/uploadImage", &[("image", TURNED)]).json();
    assert_eq!((&turned["width"], &turned["height"]), (&json!(48), &json!(64)), "as it is shown");
}

#[test]
fn without_libheif_the_answer_says_how_to_convert_the_image() {
    let (_database, key, server) = start(&["--heif", "off"]);
    let told = "which this server has no decoder for; send JPEG, PNG, GIF, BMP, TIFF or WebP; ";
    for ((_, image), message) in QUARTERS.iter().zip([
        format!(
            "the image is an HEIC, {told}`heif-convert photo.heic photo.jpg` converts it, and an iPhone takes JPEG \
                 with Settings, Camera, Formats, Most Compatible"
        ),
        format!("the image is an AVIF, {told}`avifdec photo.avif photo.png` converts it"),
    ]) {
        let answer = ask(&server, &key, image);
        let expected = json!({"error": {"code": "105", "message": format!("concept/classify: {message}")}});
        assert_eq!((answer.status, answer.json()), (400, expected));
    }
    let home = tempfile::tempdir().unwrap();
    let wrong = run(home.path(), &["serve", "--heif", "/nowhere/libheif.so.1"], &[]);
    assert!(
        wrong.code != 0 && wrong.err.contains("/nowhere/libheif.so.1 cannot be loaded as libheif"),
        "{}",
        wrong.err
    );
}

/// Adds a collection `waves` with an image, as an operator.
fn fill_collection(database: &Database, server: &Server) {
    let operator = make_key_with_scope(database, "operator", "operator");
    let target = format!("/imageRecognition/v1/similarImage/collections?APIKEY={operator}");
    let fields: &[(&str, &[u8])] = &[("collection", b"waves"), ("imageId", b"1"), ("image", &picture("1", "1"))];
    assert_eq!(server.post_form(&target, fields).status, 200);
    let key = make_key(database, "tests");
    let target = format!("/imageRecognition/v1/similarImage/search?APIKEY={key}");
    let fields: &[(&str, &[u8])] = &[("collection", b"waves"), ("image", &picture("1", "1"))];
    eventually("the collection is known", || (server.post_form(&target, fields).status == 200).then_some(()));
}

/// Sides at which the rounding of a crop or a resize has gone wrong, or could.
const ODD_SIDES: [u32; 8] = [1, 2, 3, 6, 12, 14, 24, 31];

/// A small picture of stripes.
fn icon(width: u32, height: u32, class: u32) -> Vec<u8> {
    let stripe = |x: u32, y: u32| {
        let on = if class == 0 { x % 4 < 2 } else { y % 4 < 2 };
        if on { Rgb([230, 40, 40]) } else { Rgb([20, 60, 200]) }
    };
    written(&DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, stripe)), ImageFormat::Png)
}

#[test]
fn pictures_of_any_size_are_answered_by_every_function() {
    let (database, key, server) = start(&[]);
    fill_collection(&database, &server);
    for short in ODD_SIDES {
        for (width, height) in [(short, short), (short, short * 3 + 1), (200, short), (short, 1000)] {
            for (operation, answer) in ask_everything(&server, &key, &icon(width, height, 0)) {
                assert_eq!(answer.status, 200, "{operation}, {width} × {height}: {}", answer.text());
            }
        }
    }
}

#[test]
fn a_dataset_of_icons_is_built_and_used() {
    let (_database, key, server) = start(&[]);
    let user = User::named(&server, &key, "u");
    let mut images = Vec::new();
    for (class, tag) in ["columns", "rows"].into_iter().enumerate() {
        for side in ODD_SIDES.into_iter().skip(2) {
            let icon = icon(side, side + u32::try_from(class).unwrap(), u32::try_from(class).unwrap());
            images.push(json!({"imageId": user.upload(&icon, tag)}));
        }
    }
    let built = user.built(&user.create(&images));
    assert_eq!((&built["state"], &built["progress"]["fetched"]), (&json!("ready"), &json!(images.len())), "{built}");
    let id = built["dataSetId"].as_str().unwrap();
    for side in ODD_SIDES {
        for operation in ["concept/classify", "similarImage/search"] {
            let answer = user.ask(operation, id, &icon(side, side * 2, 1));
            assert_eq!(answer.status, 200, "{operation}, {side}: {}", answer.text());
        }
    }
}

fn ask(server: &Server, key: &str, image: &[u8]) -> Answer {
    let target = format!("/imageRecognition/v1/concept/classify?APIKEY={key}&numOfCandidates=1");
    server.post_form(&target, &[("image", image)])
}

#[test]
fn every_format_of_the_contract_is_read() {
    let (_database, key, server) = start(&[]);
    let coffee = coffee();
    let sixteen = DynamicImage::ImageRgb16(coffee.to_rgb16());
    let mut gif = Vec::new();
    {
        let mut encoder = GifEncoder::new(&mut gif);
        let first: RgbaImage = coffee.to_rgba8();
        let second = RgbaImage::from_pixel(first.width(), first.height(), Rgba([0, 0, 255, 255]));
        encoder.encode_frames([Frame::new(first), Frame::new(second)]).unwrap();
    }
    // The picture on a transparent background: transparent pixels count as white.
    let mut transparent = coffee.to_rgba8();
    for (x, _, pixel) in transparent.enumerate_pixels_mut() {
        if x < 60 {
            *pixel = Rgba([0, 0, 0, 0]);
        }
    }
    let jpeg = jpeg(&coffee);
    assert_eq!(&jpeg[4..11], b"\0\x10JFIF\0");
    let in_header = |stray: &[u8]| [&jpeg[..20], stray, &jpeg[20..]].concat();
    let mut unknown_revision = jpeg.clone();
    unknown_revision[11..13].fill(0);
    for (what, bytes) in [
        ("PNG", written(&coffee, ImageFormat::Png)),
        ("PNG of 16 bits", written(&sixteen, ImageFormat::Png)),
        ("JPEG", jpeg.clone()),
        ("JPEG with bytes behind it", [&jpeg[..], b"PK\x03\x04 this is also an archive"].concat()),
        ("JPEG in the colours of printers", cmyk(&coffee)),
        ("JPEG of an unknown revision", unknown_revision),
        ("JPEG with stray bytes in its header", in_header(b"\0\0\0")),
        ("JPEG with a piece of a colour profile", in_header(b"\xff\xe2\0\x14ICC_PROFILE\0\x05\x02\0\0\0\0")),
        ("GIF of two frames", gif),
        ("BMP", written(&DynamicImage::ImageRgb8(coffee.to_rgb8()), ImageFormat::Bmp)),
        ("TIFF", written(&coffee, ImageFormat::Tiff)),
        ("TIFF of 16 bits", written(&sixteen, ImageFormat::Tiff)),
        ("WebP", written(&coffee, ImageFormat::WebP)),
        ("PNG with transparency", written(&DynamicImage::ImageRgba8(transparent), ImageFormat::Png)),
    ] {
        let answer = ask(&server, &key, &bytes);
        assert_eq!(answer.status, 200, "{what}: {}", answer.text());
        assert_eq!(answer.json()["candidates"][0]["tag"], "espresso", "{what}");
    }
    // Small and plain pictures are processed like any other.
    let speck = RgbImage::from_pixel(1, 1, Rgb([9, 9, 9]));
    let strip = RgbImage::from_pixel(3000, 1, Rgb([200, 9, 9]));
    let grey: ImageBuffer<Luma<u8>, _> = ImageBuffer::from_pixel(5, 5, Luma([7]));
    let faint: ImageBuffer<LumaA<u16>, _> = ImageBuffer::from_pixel(5, 5, LumaA([7, 9]));
    for image in [
        DynamicImage::ImageRgb8(speck),
        DynamicImage::ImageRgb8(strip),
        DynamicImage::ImageLuma8(grey),
        DynamicImage::ImageLumaA16(faint),
    ] {
        let answer = ask(&server, &key, &written(&image, ImageFormat::Png));
        assert_eq!(answer.status, 200, "{}×{}: {}", image.width(), image.height(), answer.text());
    }
}

#[test]
fn a_very_narrow_picture_needs_no_more_memory_than_another() {
    let (_database, key, server) = start(&[]);
    // A file of a few kilobytes; scaled in one direction first, it would need four gigabytes.
    let thread: ImageBuffer<Luma<u8>, _> = ImageBuffer::from_pixel(1, 4_000_000, Luma([90]));
    let thread = written(&DynamicImage::ImageLuma8(thread), ImageFormat::Png);
    for operation in ["concept/classify", "objectDetection/detect", "recognize"] {
        let target = format!("/imageRecognition/v1/{operation}?APIKEY={key}");
        let answer = if operation == "recognize" {
            http::post(server.address, &target, "image/png", &thread)
        } else {
            server.post_form(&target, &[("image", &thread)])
        };
        assert_eq!(answer.status, 200, "{operation}: {}", answer.text());
    }
    assert!(server.peak_memory() < 1_500, "{} MB", server.peak_memory());
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

/// The same photograph, and rotated copies with a tag that rotates them back: the boxes are in pixels of the file as
/// sent.
#[test]
fn boxes_are_in_pixels_of_the_file_as_sent() {
    let (_database, key, server) = start(&[]);
    let coffee = coffee();
    let target = format!("/imageRecognition/v1/objectDetection/detect?APIKEY={key}&minScore=0.5");
    let cup = |bytes: &[u8]| {
        let answer = server.post_form(&target, &[("image", bytes)]).json();
        let found = answer["candidates"].as_array().unwrap().iter().find(|found| found["tag"] == "cup").cloned();
        let found = found.unwrap_or_else(|| panic!("{answer}"));
        let edge = |name: &str| found[name].as_f64().unwrap();
        let size = (answer["width"].as_u64().unwrap(), answer["height"].as_u64().unwrap());
        (size, [edge("xMin"), edge("yMin"), edge("xMax"), edge("yMax")])
    };
    let (size, [x_min, y_min, x_max, y_max]) = cup(&jpeg(&coffee));
    assert_eq!(size, (600, 400));
    // Tag 6: viewers rotate the file by 90 degrees to the right, so it is stored rotated to the left.
    let (size, turned) = cup(&oriented(&jpeg(&coffee.rotate270()), 6));
    assert_eq!(size, (400, 600));
    for (found, expected) in turned.iter().zip([y_min, 600.0 - x_max, y_max, 600.0 - x_min]) {
        assert!((found - expected).abs() < 6.0, "{turned:?} for {:?}", [y_min, 600.0 - x_max, y_max, 600.0 - x_min]);
    }
    // Tag 3: rotated by 180 degrees.
    let (size, turned) = cup(&oriented(&jpeg(&coffee.rotate180()), 3));
    assert_eq!(size, (600, 400));
    for (found, expected) in turned.iter().zip([600.0 - x_max, 400.0 - y_max, 600.0 - x_min, 400.0 - y_min]) {
        assert!((found - expected).abs() < 6.0, "{turned:?}");
    }
}
