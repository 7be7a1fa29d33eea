//! Rows of equal length in large chunks, so that growing never copies what is already stored.

use super::block::Block;

/// Rows per chunk: a chunk of 1280-dimensional `f32` rows is 5 MiB, of codes 1.25 MiB.
const CHUNK: usize = 1024;

/// A growing table of rows, addressed by slot.
#[derive(Clone, Debug)]
pub(super) struct Rows<B> {
    stride: usize,
    len: usize,
    chunks: Vec<Vec<B>>,
}

impl<B: Block> Rows<B> {
    pub(super) fn new(stride: usize) -> Self {
        Self { stride, len: 0, chunks: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn row(&self, slot: u32) -> &[B] {
        let (chunk, at) = self.place(slot as usize);
        &self.chunks[chunk][at..at + self.stride]
    }

    /// Writes a row at `slot`, which is an existing one or the next.
    pub(super) fn set(&mut self, slot: u32, row: &[B]) {
        let (chunk, at) = self.place(slot as usize);
        if slot as usize == self.len {
            if chunk == self.chunks.len() {
                self.chunks.push(Vec::with_capacity(CHUNK * self.stride));
            }
            self.chunks[chunk].extend_from_slice(row);
            self.len += 1;
        } else {
            self.chunks[chunk][at..at + self.stride].copy_from_slice(row);
        }
    }

    /// Rearranges the rows in place, such that row `i` is what row `order[i]` was.
    pub(super) fn rearrange(&mut self, order: &[u32]) {
        let mut done = vec![false; order.len()];
        for start in 0..order.len() {
            if done[start] {
                continue;
            }
            let mut to = start;
            let carried = self.row(index(start)).to_vec();
            loop {
                done[to] = true;
                let from = order[to] as usize;
                if from == start {
                    self.set(index(to), &carried);
                    break;
                }
                let row = self.row(index(from)).to_vec();
                self.set(index(to), &row);
                to = from;
            }
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.capacity() * size_of::<B>()).sum()
    }

    #[inline]
    fn place(&self, slot: usize) -> (usize, usize) {
        (slot / CHUNK, slot % CHUNK * self.stride)
    }
}

/// A position as a slot number; the id map hands out no position above `u32::MAX`.
#[inline]
pub(super) fn index(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
