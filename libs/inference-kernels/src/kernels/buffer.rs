//! Blocks aligned to cache lines, because a load that straddles two lines takes twice as long.

use std::ops::{Deref, DerefMut};

use super::{LANES, Lanes};

/// A growing number of blocks.
#[derive(Default, Clone)]
pub(crate) struct Buffer(Vec<Line>);

/// A line of the cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line(Lanes);

impl Buffer {
    /// Grows to at least so many blocks; new ones are zeros.
    pub(crate) fn grow(&mut self, blocks: usize) {
        if self.0.len() < blocks {
            self.0.resize(blocks, Line([0.0; LANES]));
        }
    }
}

impl FromIterator<Lanes> for Buffer {
    fn from_iter<T: IntoIterator<Item = Lanes>>(lanes: T) -> Self {
        Self(lanes.into_iter().map(Line).collect())
    }
}

impl Deref for Buffer {
    type Target = [Lanes];

    #[allow(unsafe_code, reason = "the standard library has no view of a struct as what it wraps")]
    fn deref(&self) -> &[Lanes] {
        // SAFETY: a line is sixteen floats and nothing else, by its representation.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len()) }
    }
}

impl DerefMut for Buffer {
    #[allow(unsafe_code, reason = "the standard library has no view of a struct as what it wraps")]
    fn deref_mut(&mut self) -> &mut [Lanes] {
        // SAFETY: a line is sixteen floats and nothing else, by its representation.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len()) }
    }
}
