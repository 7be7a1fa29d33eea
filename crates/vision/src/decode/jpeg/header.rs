//! Rewrites the header of a JPEG without what the pixels do not need.
//!
//! The decoding library reports a failure for mere warnings, and then gives no header: an unknown revision of JFIF,
//! stray bytes between segments, a colour profile in pieces that do not fit together. Every viewer shows such files.

const START_OF_IMAGE: u8 = 0xd8;
const START_OF_SCAN: u8 = 0xda;
const JFIF: u8 = 0xe0;
const ADOBE: u8 = 0xee;
const COMMENT: u8 = 0xfe;

/// The file with only those header segments that the pixels need; `None` if it has no start marker or no pixels.
pub(super) fn minimal_header(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = bytes.strip_prefix(&[0xff, START_OF_IMAGE])?;
    let mut written = Vec::with_capacity(bytes.len());
    written.extend([0xff, START_OF_IMAGE]);
    loop {
        // A marker is 0xff, any number of times, and a byte that is neither 0xff nor 0.
        let at = rest.windows(2).position(|pair| pair[0] == 0xff && !matches!(pair[1], 0 | 0xff))?;
        let marker = rest[at + 1];
        if marker == START_OF_SCAN {
            written.extend(&rest[at..]);
            return Some(written);
        }
        rest = &rest[at + 2..];
        if matches!(marker, 0x01 | 0xd0..=0xd9) {
            continue;
        }
        let length = usize::from(u16::from_be_bytes([*rest.first()?, *rest.get(1)?]));
        let (part, after) = rest.split_at_checked(length)?;
        rest = after;
        match (marker, part.get(2..7)) {
            // That it is JFIF says which colours it has; the rest of the part says nothing of the pixels.
            (JFIF, Some(b"JFIF\0")) => written.extend(b"\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
            (ADOBE | ..JFIF | 0xf0..COMMENT, _) => {
                written.extend([0xff, marker]);
                written.extend(part);
            }
            _ => {}
        }
    }
}
