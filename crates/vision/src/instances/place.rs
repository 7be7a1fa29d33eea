//! Where things are and where pictures were taken, and how much that may say of what a picture shows.

use kaisatsu_model::Position;

/// Up to this distance, in metres, a place speaks for a thing as much as it can, and from the other one on against it.
/// A camera's position and that of a large building differ by some hundred metres; beyond twenty kilometres hardly
/// anything is seen.
const NEAR: f64 = 1_000.0;
const FAR: f64 = 20_000.0;

/// How much a place says at most, as a power of e by which the odds are multiplied. It is that of fewer than two
/// inliers (see `object::recognise`): geometry always outweighs it.
const STRENGTH: f32 = 1.0;

/// A score of geometry, with what the distance in metres between picture and thing says, if it is known.
#[allow(clippy::cast_possible_truncation, reason = "a number between -1 and 1")]
pub(super) fn weigh(score: f32, metres: Option<f64>) -> f32 {
    let Some(metres) = metres else { return score };
    // From 1 at NEAR to -1 at FAR, by the logarithm of the distance.
    let between = (metres.max(1.0) / NEAR).ln() / (FAR / NEAR).ln();
    let says = STRENGTH * (1.0 - 2.0 * between).clamp(-1.0, 1.0) as f32;
    let odds = score / (1.0 - score).max(f32::EPSILON) * says.exp();
    odds / (1.0 + odds)
}

/// Where a JPEG says that it was taken: the position in its EXIF data, if it has one.
#[must_use]
pub fn exif_position(file: &[u8]) -> Option<Position> {
    let exif = exif(file)?;
    let tiff = Tiff::new(exif)?;
    let gps = tiff.entry(tiff.first()?, 0x8825).and_then(|at| tiff.long(at + 8))?;
    let degrees = |name: u16, number: u16, negative: u8| {
        let sign = if tiff.bytes.get(tiff.entry(gps, name)? + 8)?.eq_ignore_ascii_case(&negative) { -1.0 } else { 1.0 };
        let at = tiff.long(tiff.entry(gps, number)? + 8)?;
        let part = |at: usize| Some(f64::from(tiff.u32(at)?) / f64::from(tiff.u32(at + 4).filter(|of| *of > 0)?));
        Some(sign * (part(at)? + part(at + 8)? / 60.0 + part(at + 16)? / 3600.0))
    };
    Position::new(degrees(1, 2, b'S')?, degrees(3, 4, b'W')?)
}

/// The EXIF data of a JPEG.
fn exif(file: &[u8]) -> Option<&[u8]> {
    let mut rest = file.strip_prefix(&[0xff, 0xd8])?;
    loop {
        let [0xff, marker, high, low, ..] = *rest else { return None };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let (segment, after) = rest.get(2..)?.split_at_checked(length)?;
        match marker {
            0xe1 if segment.get(2..).is_some_and(|data| data.starts_with(b"Exif\0\0")) => return segment.get(8..),
            // The pixels follow.
            0xda => return None,
            _ => rest = after,
        }
    }
}

/// The numbers of a TIFF structure.
struct Tiff<'a> {
    bytes: &'a [u8],
    big: bool,
}

impl<'a> Tiff<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let big = match bytes.get(..4)? {
            b"II*\0" => false,
            b"MM\0*" => true,
            _ => return None,
        };
        Some(Self { bytes, big })
    }

    fn first(&self) -> Option<usize> {
        self.long(4)
    }

    fn u16(&self, at: usize) -> Option<u16> {
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        Some(if self.big { u16::from_be_bytes(*bytes) } else { u16::from_le_bytes(*bytes) })
    }

    fn u32(&self, at: usize) -> Option<u32> {
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        Some(if self.big { u32::from_be_bytes(*bytes) } else { u32::from_le_bytes(*bytes) })
    }

    /// A number that says where something is.
    fn long(&self, at: usize) -> Option<usize> {
        usize::try_from(self.u32(at)?).ok()
    }

    /// Where the entry of a tag lies in a directory.
    fn entry(&self, directory: usize, tag: u16) -> Option<usize> {
        let count = usize::from(self.u16(directory)?);
        let mut entries = (0..count).map(|number| directory + 2 + 12 * number);
        entries.find(|at| self.u16(*at) == Some(tag))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{exif_position, weigh};

    /// The head of a JPEG taken at 35° 39' 31.2" N, 139° 44' 43.8" E.
    fn photograph(north: u8) -> Vec<u8> {
        let mut tiff = b"MM\0*\0\0\0\x08".to_vec();
        let entry = |tag: u16, kind: u16, count: u32, value: [u8; 4]| {
            let head = [&tag.to_be_bytes()[..], &kind.to_be_bytes()[..], &count.to_be_bytes()[..]].concat();
            [&head[..], &value[..]].concat()
        };
        // One entry: where the directory of positions lies.
        tiff.extend(1u16.to_be_bytes());
        tiff.extend(entry(0x8825, 4, 1, 26u32.to_be_bytes()));
        tiff.extend([0; 4]);
        assert_eq!(tiff.len(), 26);
        tiff.extend(4u16.to_be_bytes());
        let values = 26 + 2 + 4 * 12 + 4;
        tiff.extend(entry(1, 2, 2, [north, 0, 0, 0]));
        tiff.extend(entry(2, 5, 3, u32::to_be_bytes(values)));
        tiff.extend(entry(3, 2, 2, *b"E\0\0\0"));
        tiff.extend(entry(4, 5, 3, u32::to_be_bytes(values + 24)));
        tiff.extend([0; 4]);
        for (number, of) in [(35u32, 1u32), (39, 1), (312, 10), (139, 1), (44, 1), (438, 10)] {
            tiff.extend(number.to_be_bytes());
            tiff.extend(of.to_be_bytes());
        }
        let length = u16::try_from(tiff.len() + 8).unwrap();
        [&b"\xff\xd8\xff\xe0\0\x04JF\xff\xe1"[..], &length.to_be_bytes(), b"Exif\0\0", &tiff, b"\xff\xda"].concat()
    }

    #[test]
    fn the_position_of_a_photograph_is_read() {
        let (latitude, longitude) = exif_position(&photograph(b'N')).unwrap().degrees();
        assert!((latitude - 35.658_667).abs() < 1e-5 && (longitude - 139.745_5).abs() < 1e-5);
        assert!(exif_position(&photograph(b'S')).unwrap().degrees().0 < -35.0);
        assert_eq!(exif_position(b"\xff\xd8\xff\xda"), None);
    }

    #[test]
    fn a_place_never_outweighs_geometry() {
        let inliers = |count: f32| 1.0 / (1.0 + ((20.0 - count) / 1.65).exp());
        // The nearest thing with four inliers fewer stays behind the farthest.
        for count in [16.0, 20.0, 24.0] {
            assert!(weigh(inliers(count), Some(0.0)) < weigh(inliers(count + 4.0), Some(1e7)), "{count}");
        }
        assert!(weigh(inliers(15.0), Some(0.0)) < 0.5, "what geometry does not see is not there");
        assert!(weigh(inliers(25.0), Some(1e7)) > 0.8, "what it sees is there, whatever the place");
        let same = |a: f32, b: f32| (a - b).abs() < 1e-6;
        assert!(same(weigh(0.7, None), 0.7) && weigh(0.7, Some(10.0)) > 0.7 && weigh(0.7, Some(1e5)) < 0.7);
    }

    proptest! {
        #[test]
        fn broken_files_have_no_place(cut in 0usize..200, at in 0usize..200, byte in any::<u8>()) {
            let mut file = photograph(b'N');
            file.truncate(cut);
            if let Some(place) = file.get_mut(at) {
                *place = byte;
            }
            let _ = exif_position(&file);
        }
    }
}
