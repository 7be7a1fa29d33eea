//! The rows that a matrix of weights is multiplied with: the pixels themselves, or what a window sees of them.

use super::{Buffer, LANES, Lanes, depthwise::Field};
use crate::graph::Geometry;

pub(crate) trait Rows {
    /// How many there are.
    fn count(&self) -> usize;

    /// Some of them, where they lie or copied into `space`.
    fn some<'a>(&'a self, first: usize, count: usize, space: &'a mut Buffer) -> Strips<'a>;
}

/// Block `b` of row `r` is at `b · stride + r`.
#[derive(Clone, Copy)]
pub(crate) struct Strips<'a> {
    pub(crate) lanes: &'a [Lanes],
    pub(crate) stride: usize,
}

/// Some pixels, each of which is a row.
#[derive(Clone, Copy)]
pub(crate) struct Pixels<'a> {
    /// From the first of them on.
    pub(crate) lanes: &'a [Lanes],
    /// How many pixels the picture has that they are of.
    pub(crate) stride: usize,
    pub(crate) count: usize,
}

impl Rows for Pixels<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn some<'a>(&'a self, first: usize, _: usize, _: &'a mut Buffer) -> Strips<'a> {
        Strips { lanes: &self.lanes[first..], stride: self.stride }
    }
}

/// What a window sees is a row: its pixels from left to right and top to bottom, zeros beyond the edges.
pub(crate) struct Windows<'a> {
    pub(crate) lanes: &'a [Lanes],
    pub(crate) field: &'a Field,
}

impl Rows for Windows<'_> {
    fn count(&self) -> usize {
        self.field.outputs[0] * self.field.outputs[1]
    }

    #[inline(always)]
    fn some<'a>(&'a self, first: usize, count: usize, space: &'a mut Buffer) -> Strips<'a> {
        let Field { depth, size: [height, width], outputs, geometry: Geometry { window, stride, before, .. }, .. } =
            *self.field;
        space.grow(count * depth * window[0] * window[1]);
        let mut to = &mut space[..];
        for (down, right) in (0..window[0]).flat_map(|down| (0..window[1]).map(move |right| (down, right))) {
            for block in 0..depth {
                let plane = &self.lanes[block * height * width..][..height * width];
                // Windows of one line of the output see one line of the input.
                let mut at = first;
                while at < first + count {
                    let (line, column) = (at / outputs[1], at % outputs[1]);
                    let run = (outputs[1] - column).min(first + count - at);
                    let row = (line * stride[0] + down).wrapping_sub(before[0]);
                    let seen = if row < height { &plane[row * width..][..width] } else { &[] };
                    let (line, rest) = std::mem::take(&mut to).split_at_mut(run);
                    if stride[1] == 1 {
                        let margin = before[1].saturating_sub(column + right).min(run);
                        let seen = seen.get((column + right).saturating_sub(before[1])..).unwrap_or(&[]);
                        let inside = seen.len().min(run - margin);
                        line[..margin].fill([0.0; LANES]);
                        line[margin..][..inside].copy_from_slice(&seen[..inside]);
                        line[margin + inside..].fill([0.0; LANES]);
                    } else {
                        for (column, to) in (column..column + run).zip(line) {
                            let column = (column * stride[1] + right).wrapping_sub(before[1]);
                            *to = seen.get(column).copied().unwrap_or([0.0; LANES]);
                        }
                    }
                    (to, at) = (rest, at + run);
                }
            }
        }
        Strips { lanes: space, stride: count }
    }
}
