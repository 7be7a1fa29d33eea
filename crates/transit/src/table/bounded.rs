//! A reader that ends with an error instead of filling the memory: packed files may unpack to anything.

use std::io::{self, Read};

/// The longest record, header included. The longest honest ones have a few kilobytes.
const LONGEST_RECORD: u64 = 1 << 20;

/// Passes a file on as long as it, and each record of it, is of a bearable size.
pub(super) struct Bounded<R> {
    inner: R,
    largest: u64,
    passed: u64,
    record_start: u64,
}

impl<R: Read> Bounded<R> {
    pub(super) fn new(inner: R, largest: u64) -> Self {
        Self { inner, largest, passed: 0, record_start: 0 }
    }

    /// Says at which byte the record begins that is read now.
    pub(super) fn begin_record(&mut self, byte: u64) {
        self.record_start = byte;
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Whoever asks for more has used up what was passed, so all of it since the beginning of the record is in memory.
        if self.passed.saturating_sub(self.record_start) > LONGEST_RECORD {
            return Err(io::Error::other("a record is over 1 MiB: is a quote not closed?"));
        }
        let count = self.inner.read(buffer)?;
        self.passed += count as u64;
        if self.passed > self.largest {
            return Err(io::Error::other(format!(
                "the file has more than {} bytes; so much is not read",
                self.largest
            )));
        }
        Ok(count)
    }
}
