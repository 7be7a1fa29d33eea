//! Reading and writing the compact forms in which features and words are kept.

/// Why bytes are not what they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("these are not stored features: {0}")]
pub struct Malformed(pub(super) &'static str);

/// Writes what every form begins with: two letters that say which it is, a version, and how many parts follow.
pub(super) fn header(bytes: &mut Vec<u8>, mark: [u8; 2], version: u8, parts: usize) {
    bytes.extend(mark);
    bytes.push(version);
    bytes.push(u8::try_from(parts).unwrap_or(u8::MAX));
}

/// Bytes, read from the front.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads the header, and says how many parts follow.
    pub(super) fn open(bytes: &'a [u8], mark: [u8; 2], version: u8) -> Result<(Self, u8), Malformed> {
        let mut reader = Self { rest: bytes };
        if reader.array()? != mark {
            return Err(Malformed("they begin with another mark"));
        }
        let [found, parts] = reader.array()?;
        if found == version { Ok((reader, parts)) } else { Err(Malformed("they are of another version")) }
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (first, rest) = self.rest.split_first_chunk().ok_or(Malformed("they are cut short"))?;
        self.rest = rest;
        Ok(*first)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// Asks for that many bytes to be there, so that a wrong count cannot reserve memory for nothing.
    pub(super) fn expect(&self, bytes: usize) -> Result<(), Malformed> {
        if self.rest.len() < bytes { Err(Malformed("they are cut short")) } else { Ok(()) }
    }

    pub(super) fn finish(self) -> Result<(), Malformed> {
        if self.rest.is_empty() { Ok(()) } else { Err(Malformed("something follows their end")) }
    }
}
