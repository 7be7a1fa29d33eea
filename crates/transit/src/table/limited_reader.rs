//! A reader that fails above a size limit, because compressed files may expand to any size.

use std::io::{self, Read};

/// The longest record in bytes, header included. The longest real ones have a few kilobytes.
const MAX_RECORD_BYTES: u64 = 1 << 20;

/// Limits the size of a file and of each record.
pub(super) struct LimitedReader<R> {
    inner: R,
    max_bytes: u64,
    passed: u64,
    record_start: u64,
}

impl<R: Read> LimitedReader<R> {
    pub(super) fn new(inner: R, max_bytes: u64) -> Self {
        Self { inner, max_bytes, passed: 0, record_start: 0 }
    }

    /// Sets the byte offset at which the current record begins.
    pub(super) fn begin_record(&mut self, byte: u64) {
        self.record_start = byte;
    }
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // The caller has consumed everything read so far, so all bytes since the start of the record are in its memory.
        if self.passed.saturating_sub(self.record_start) > MAX_RECORD_BYTES {
            return Err(io::Error::other("a record is over 1 MiB: is a quote not closed?"));
        }
        let count = self.inner.read(buffer)?;
        self.passed += count as u64;
        if self.passed > self.max_bytes {
            return Err(io::Error::other(format!(
                "the file has more than {} bytes; so much is not read",
                self.max_bytes
            )));
        }
        Ok(count)
    }
}
