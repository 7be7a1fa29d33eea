//! Formats that people send and that are not read: what they are, and how to convert them.

use super::DecodeError;

/// The error of a file in no format that is read.
pub(super) fn unknown(bytes: &[u8]) -> DecodeError {
    let start: Vec<u8> = bytes.iter().take(256).map(u8::to_ascii_lowercase).collect();
    let has = |word: &[u8]| start.windows(word.len()).any(|window| window == word);
    let (seen, convert) = if bytes.starts_with(b"\xff\x0a") || bytes.starts_with(b"\0\0\0\x0cJXL \r\n\x87\n") {
        ("the image is a JPEG XL, which is no format we read", "; `djxl image.jxl image.png` converts it")
    } else if bytes.starts_with(b"\0\0\0\x0cjP  \r\n\x87\n") || bytes.starts_with(b"\xff\x4f\xff\x51") {
        (
            "the image is a JPEG 2000, which is no format we read",
            "; `opj_decompress -i image.jp2 -o image.png` converts it",
        )
    } else if is_raw(bytes) {
        (
            "the image is a camera's raw file, which is no format we read",
            "; export it as JPEG from the camera's program, or convert it with `darktable-cli photo.raw photo.jpg`",
        )
    } else if bytes.starts_with(b"8BPS") {
        ("the image is a Photoshop file, which is no format we read", "; export it as PNG")
    } else if bytes.starts_with(b"\0\0\x01\0") {
        ("the image is an icon file, which is no format we read", "; `magick icon.ico icon.png` converts it")
    } else if bytes.starts_with(b"%PDF") {
        (
            "the file is a PDF, which is no format we read",
            "; `pdftoppm -png -r 150 file.pdf page` makes an image a page",
        )
    } else if has(b"<svg") {
        (
            "the file is an SVG drawing, which is no format we read",
            "; `rsvg-convert drawing.svg -o drawing.png` converts it",
        )
    } else if is_video(bytes) {
        (
            "the file is a video, which is no format we read",
            "; `ffmpeg -i video.mp4 -frames:v 1 image.png` takes its first picture",
        )
    } else if has(b"<html") || has(b"<!doctype html") {
        ("the file is a web page, not an image in a format we read", "")
    } else {
        ("the bytes are not an image in a format we read", "")
    };
    DecodeError::UnknownFormat { seen, convert }
}

/// Raw files by their own first bytes: Canon, Fujifilm, Panasonic, Olympus. Those of others are TIFF files.
fn is_raw(bytes: &[u8]) -> bool {
    let starts = |start: &[u8]| bytes.starts_with(start);
    bytes.get(4..12) == Some(b"ftypcrx ")
        || starts(b"FUJIFILMCCD-RAW")
        || starts(b"IIU\0")
        || starts(b"IIRO")
        || starts(b"IIRS")
        || is_canon_raw(bytes)
}

/// Whether a file that looks like TIFF is a raw file of Canon's: a decoder of TIFF would find its small preview.
pub(super) fn is_canon_raw(bytes: &[u8]) -> bool {
    bytes.starts_with(b"II*\0") && bytes.get(8..10) == Some(b"CR")
}

fn is_video(bytes: &[u8]) -> bool {
    let in_boxes = bytes.get(4..8).is_some_and(|kind| [b"ftyp", b"moov", b"mdat", b"wide"].iter().any(|k| *k == kind));
    let avi = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"AVI ");
    in_boxes || avi || bytes.starts_with(b"\x1a\x45\xdf\xa3") || bytes.starts_with(b"\0\0\x01\xba")
}

#[cfg(test)]
mod tests {
    use super::unknown;

    #[test]
    fn each_format_is_named_and_can_be_converted() {
        for (start, named, program) in [
            (&b"\xff\x0a\x00"[..], "JPEG XL", "djxl"),
            (b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL", "djxl"),
            (b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000", "opj_decompress"),
            (b"\0\0\0\x18ftypcrx \0\0\0\x01crx isom", "raw file", "darktable-cli"),
            (b"FUJIFILMCCD-RAW 0201", "raw file", "darktable-cli"),
            (b"II*\0\x10\0\0\0CR\x02\0", "raw file", "darktable-cli"),
            (b"8BPS\0\x01", "Photoshop", "PNG"),
            (b"\0\0\x01\0\x01\0", "icon", "magick"),
            (b"%PDF-1.7", "PDF", "pdftoppm"),
            (b"<?xml version='1.0'?><SVG/>", "SVG", "rsvg-convert"),
            (b"\0\0\0\x20ftypisom\0\0\x02\0isomavc1", "video", "ffmpeg"),
            (b"\x1a\x45\xdf\xa3\x01", "video", "ffmpeg"),
            (b"RIFF\0\0\0\0AVI LIST", "video", "ffmpeg"),
        ] {
            let told = unknown(start).to_string();
            assert!(told.contains(named) && told.contains(program) && told.contains("send JPEG"), "{told}");
        }
        let plain = "the bytes are not an image in a format we read; send JPEG, PNG, GIF, BMP, TIFF or WebP";
        assert_eq!(unknown(b"hello").to_string(), plain);
    }
}
