//! The declared size of a BMP file. Its decoder refuses large ones as if they were broken.

/// The most pixels on a side that the decoder takes.
pub(super) const MAX_SIDE: u32 = 0xffff;

/// The size that a file declares; `None` if it is cut short or of the first kind, whose sizes have 16 bits.
pub(super) fn declared_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(i32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    // A negative height says that the rows begin at the top.
    (number(14)? >= 40).then_some((number(18)?.unsigned_abs(), number(22)?.unsigned_abs()))
}
