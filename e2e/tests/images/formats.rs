//! The formats that are read.

use image::{
    DynamicImage, Frame, ImageBuffer, ImageFormat, Luma, LumaA, Rgb, RgbImage, Rgba, RgbaImage, codecs::gif::GifEncoder,
};
use kaisatsu_e2e::{User, run};
use serde_json::json;

use super::{ask, ask_everything, coffee, fill_collection, jpeg, start, written};

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
pub(crate) const QUARTERS: [(&str, &[u8]); 2] = [
    ("image/heic", include_bytes!("../../../crates/vision/tests/data/heif/quarters.heic")),
    ("image/avif", include_bytes!("../../../crates/vision/tests/data/heif/quarters.avif")),
];

/// The same, turned by a quarter to the right when it is shown.
const TURNED: &[u8] = include_bytes!("../../../crates/vision/tests/data/heif/turned.heic");

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
        ("JPEG without its end marker", jpeg[..jpeg.len() - 2].to_vec()),
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
