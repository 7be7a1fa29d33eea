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

    fn some<'a>(&'a self, first: usize, count: usize, space: &'a mut Buffer) -> Strips<'a> {
        let Field { depth, size: [height, width], outputs, geometry: Geometry { window, stride, before, .. }, .. } =
            *self.field;
        space.grow(count * depth * window[0] * window[1]);
        let mut to = space.iter_mut();
        for (down, right) in (0..window[0]).flat_map(|down| (0..window[1]).map(move |right| (down, right))) {
            for block in 0..depth {
                let plane = &self.lanes[block * height * width..][..height * width];
                for (at, to) in (first..first + count).zip(&mut to) {
                    let row = (at / outputs[1] * stride[0] + down).wrapping_sub(before[0]);
                    let column = (at % outputs[1] * stride[1] + right).wrapping_sub(before[1]);
                    let inside = row < height && column < width;
                    *to = if inside { plane[row * width + column] } else { [0.0; LANES] };
                }
            }
        }
        Strips { lanes: space, stride: count }
    }
}
