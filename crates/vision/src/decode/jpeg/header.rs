//! Rewrites the header of a JPEG without what the pixels do not need.
//!
//! The decoding library reports a failure for mere warnings, and then gives no header: an unknown revision of JFIF,
//! stray bytes between segments, a colour profile in pieces that do not fit together. Every viewer shows such files.

const START_OF_IMAGE: u8 = 0xd8;
const START_OF_SCAN: u8 = 0xda;
const HUFFMAN_TABLES: u8 = 0xc4;
const RESERVED: u8 = 0xc8;
const ARITHMETIC_TABLES: u8 = 0xcc;
const JFIF: u8 = 0xe0;
const ADOBE: u8 = 0xee;
const COMMENT: u8 = 0xfe;

/// The most pixels on a side that the decoding library takes.
pub(super) const MAX_SIDE: u32 = 65_500;

/// The size that the header declares. The library gives none for a file that is larger than it takes.
pub(super) fn declared_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let is_frame =
        |marker| matches!(marker, 0xc0..=0xcf) && !matches!(marker, HUFFMAN_TABLES | RESERVED | ARITHMETIC_TABLES);
    let (_, frame) = Segments::of(bytes)?.find(|(marker, _)| is_frame(*marker))?;
    let side = |at: usize| Some(u32::from(u16::from_be_bytes([*frame.get(at)?, *frame.get(at + 1)?])));
    Some((side(5)?, side(3)?))
}

/// The file with only those header segments that the pixels need; `None` if it has no start marker or no pixels.
pub(super) fn minimal_header(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut written = Vec::with_capacity(bytes.len());
    written.extend([0xff, START_OF_IMAGE]);
    for (marker, part) in Segments::of(bytes)? {
        match (marker, part.get(2..7)) {
            (START_OF_SCAN, _) => {
                written.extend([0xff, marker]);
                written.extend(part);
                return Some(written);
            }
            // That it is JFIF says which colours it has; the rest of the part says nothing of the pixels.
            (JFIF, Some(b"JFIF\0")) => written.extend(b"\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
            (ADOBE | ..JFIF | 0xf0..COMMENT, _) => {
                written.extend([0xff, marker]);
                written.extend(part);
            }
            _ => {}
        }
    }
    None
}

/// The segments of a header, by their markers; the last one has all that follows.
struct Segments<'a> {
    rest: &'a [u8],
}

impl<'a> Segments<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        bytes.strip_prefix(&[0xff, START_OF_IMAGE]).map(|rest| Self { rest })
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            // A marker is 0xff, any number of times, and a byte that is neither 0xff nor 0.
            let at = self.rest.windows(2).position(|pair| pair[0] == 0xff && !matches!(pair[1], 0 | 0xff))?;
            let marker = self.rest[at + 1];
            self.rest = &self.rest[at + 2..];
            if marker == START_OF_SCAN {
                return Some((marker, std::mem::take(&mut self.rest)));
            }
            if !matches!(marker, 0x01 | 0xd0..=0xd9) {
                let length = usize::from(u16::from_be_bytes([*self.rest.first()?, *self.rest.get(1)?]));
                let (part, after) = self.rest.split_at_checked(length)?;
                self.rest = after;
                return Some((marker, part));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::declared_size;

    #[test]
    fn the_size_is_that_of_the_frame_behind_other_segments() {
        let tables = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc4\0\x05\xff\xc0\x01";
        let frame = b"\xff\xc2\0\x0b\x08\x12\x34\xff\xee\x01\x01\x11\0";
        assert_eq!(declared_size(&[&tables[..], frame].concat()), Some((0xffee, 0x1234)));
        assert_eq!(declared_size(tables), None);
        assert_eq!(declared_size(&[&tables[..], &frame[..7]].concat()), None, "cut short");
        assert_eq!(declared_size(b"\xff\xd8\xff\xda\xff\xc0\0\x0b\x08\0\x01\0\x01"), None, "no header behind a scan");
    }
}
