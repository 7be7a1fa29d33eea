//! A JPEG whose header has oddities that every viewer forgives, written plainly.
//!
//! The decoder's library reads such files too, but reports a failure for its mere warnings, and its header is not to be had
//! then: an unknown revision of JFIF, stray bytes between the parts, a colour profile in pieces that do not fit together.

const START_OF_IMAGE: u8 = 0xd8;
const START_OF_SCAN: u8 = 0xda;
const JFIF: u8 = 0xe0;
const ADOBE: u8 = 0xee;
const COMMENT: u8 = 0xfe;

/// The file with nothing in its header but what the pixels need; `None` when it has no beginning or no pixels.
pub(super) fn tidied(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = bytes.strip_prefix(&[0xff, START_OF_IMAGE])?;
    let mut tidy = Vec::with_capacity(bytes.len());
    tidy.extend([0xff, START_OF_IMAGE]);
    loop {
        // A marker is 0xff, any number of times, and a byte that is neither 0xff nor 0.
        let at = rest.windows(2).position(|pair| pair[0] == 0xff && !matches!(pair[1], 0 | 0xff))?;
        let marker = rest[at + 1];
        if marker == START_OF_SCAN {
            tidy.extend(&rest[at..]);
            return Some(tidy);
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
            (JFIF, Some(b"JFIF\0")) => tidy.extend(b"\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
            (ADOBE | ..JFIF | 0xf0..COMMENT, _) => {
                tidy.extend([0xff, marker]);
                tidy.extend(part);
            }
            _ => {}
        }
    }
}
