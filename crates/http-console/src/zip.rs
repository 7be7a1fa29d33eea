//! ZIP archives that are written while they are sent: of files that are compressed already, so they are stored.
//!
//! PKWARE's APPNOTE describes the format. Beyond 4 GiB or 65,535 files it is that of ZIP64.

use bytes::{BufMut, Bytes, BytesMut};
use flate2::Crc;

/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;

/// 1980-01-01, the first day of the format: a file of the archive has no time.
const DATE: u16 = (1 << 5) | 1;

/// The version of the format that has ZIP64, and the one before.
const ZIP64: u16 = 45;
const PLAIN: u16 = 20;

/// Made on Unix.
const MADE_BY: u16 = (3 << 8) | ZIP64;

/// A regular file that everybody may read and its owner may write.
const MODE: u32 = 0o100_644 << 16;

/// What an archive has so far. The directory at its end needs the facts of every file, and none of the bytes.
#[derive(Default)]
pub(super) struct Archive {
    directory: BytesMut,
    files: u64,
    written: u64,
}

impl Archive {
    /// What comes before the bytes of a file; `None` for one of 4 GiB or more, or with too long a name.
    pub(super) fn file(&mut self, path: &str, bytes: &[u8]) -> Option<Bytes> {
        let (size, name) = (u32::try_from(bytes.len()).ok().filter(|size| *size < u32::MAX)?, path.as_bytes());
        let length = u16::try_from(name.len()).ok()?;
        let mut crc = Crc::new();
        crc.update(bytes);
        let facts = |to: &mut BytesMut| {
            to.put_u16_le(FLAGS);
            to.put_u16_le(0); // stored
            to.put_u16_le(0); // midnight
            to.put_u16_le(DATE);
            to.put_u32_le(crc.sum());
            to.put_u32_le(size);
            to.put_u32_le(size);
            to.put_u16_le(length);
        };
        let mut head = BytesMut::with_capacity(30 + name.len());
        head.put_slice(b"PK\x03\x04");
        head.put_u16_le(PLAIN);
        facts(&mut head);
        head.put_u16_le(0); // nothing extra
        head.put_slice(name);

        let entry = &mut self.directory;
        let offset = short(self.written);
        let is_far = offset == u32::MAX;
        entry.put_slice(b"PK\x01\x02");
        entry.put_u16_le(MADE_BY);
        entry.put_u16_le(if is_far { ZIP64 } else { PLAIN });
        facts(entry);
        entry.put_u16_le(if is_far { 12 } else { 0 }); // bytes of what is extra
        entry.put_u16_le(0); // no comment
        entry.put_u16_le(0); // the first disk
        entry.put_u16_le(0); // not known to be a text
        entry.put_u32_le(MODE);
        entry.put_u32_le(offset);
        entry.put_slice(name);
        if is_far {
            entry.put_u16_le(1); // ZIP64
            entry.put_u16_le(8);
            entry.put_u64_le(self.written);
        }
        self.files += 1;
        self.written += head.len() as u64 + u64::from(size);
        Some(head.freeze())
    }

    /// The directory, which is the end of the archive.
    pub(super) fn finish(self) -> Bytes {
        let Self { directory: mut end, files, written } = self;
        let size = end.len() as u64;
        if files >= u64::from(u16::MAX) || size >= u64::from(u32::MAX) || written >= u64::from(u32::MAX) {
            end.put_slice(b"PK\x06\x06");
            end.put_u64_le(44); // bytes that follow
            end.put_u16_le(MADE_BY);
            end.put_u16_le(ZIP64);
            end.put_u32_le(0); // the first disk
            end.put_u32_le(0);
            end.put_u64_le(files);
            end.put_u64_le(files);
            end.put_u64_le(size);
            end.put_u64_le(written);
            end.put_slice(b"PK\x06\x07");
            end.put_u32_le(0);
            end.put_u64_le(written + size);
            end.put_u32_le(1); // one disk
        }
        end.put_slice(b"PK\x05\x06");
        end.put_u16_le(0);
        end.put_u16_le(0);
        let count = u16::try_from(files).unwrap_or(u16::MAX);
        end.put_u16_le(count);
        end.put_u16_le(count);
        end.put_u32_le(short(size));
        end.put_u32_le(short(written));
        end.put_u16_le(0); // no comment
        end.freeze()
    }
}

/// A number of 32 bits; the largest one says that ZIP64 has it.
fn short(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::Archive;

    fn contains(bytes: &[u8], part: &[u8]) -> bool {
        bytes.windows(part.len()).any(|window| window == part)
    }

    #[test]
    fn an_empty_archive_is_an_end_alone() {
        let end = Archive::default().finish();
        assert_eq!((end.len(), &end[..4]), (22, &b"PK\x05\x06"[..]));
    }

    #[test]
    fn a_file_is_named_twice_and_its_checksum_is_that_of_its_bytes() {
        let mut archive = Archive::default();
        let head = archive.file("カップ/1.png", b"123456789").unwrap();
        let end = archive.finish();
        for part in [&head, &end] {
            assert!(contains(part, "カップ/1.png".as_bytes()));
            // The check value of CRC-32.
            assert!(contains(part, &0xcbf4_3926_u32.to_le_bytes()));
        }
    }

    #[test]
    fn what_is_beyond_4_gib_is_found_by_zip64() {
        let mut archive = Archive { written: 5 << 30, ..Archive::default() };
        archive.file("far.png", b"far").unwrap();
        let (begin, end) = (archive.written, archive.finish());
        assert!(contains(&end, &[1, 0, 8, 0, 0, 0, 0, 0x40, 1, 0, 0, 0]), "where the file is");
        assert!(contains(&end, b"PK\x06\x06") && contains(&end, b"PK\x06\x07"));
        assert!(contains(&end, &begin.to_le_bytes()), "where the directory is");
        assert_eq!(end[end.len() - 6..end.len() - 2], [0xff; 4]);
    }
}
