//! Depthwise convolutions: every channel has a window of its own.
//!
//! Sixteen channels are computed at a time. Their lines have zeros at both ends, so that no window needs a check for
//! the edge.

use std::ops::Range;

use fearless_simd::{Simd, SimdBase, SimdFloat, f32x16};

use super::{Buffer, Finish, LANES, Lanes, is_wide};
use crate::graph::Geometry;

/// The pixels that a window moves over.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    /// Blocks of a pixel.
    pub(crate) depth: usize,
    pub(crate) size: [usize; 2],
    pub(crate) outputs: [usize; 2],
    pub(crate) geometry: Geometry,
    /// Whether a block is one register, and there are 32 of them.
    pub(crate) wide: bool,
}

/// The highest window.
pub(crate) const HIGHEST: usize = 7;

impl Field {
    /// Rows of the input that some rows of the output see.
    pub(crate) fn seen(&self, rows: Range<usize>) -> Range<usize> {
        let Geometry { window, stride, before, .. } = self.geometry;
        let from = (rows.start * stride[0]).saturating_sub(before[0]).min(self.size[0]);
        let to = ((rows.end - 1) * stride[0] + window[0]).saturating_sub(before[0]).clamp(from, self.size[0]);
        from..to
    }

    /// The length of a line with its zeros.
    pub(crate) fn width(&self) -> usize {
        let Geometry { window, stride, before, .. } = self.geometry;
        let computed = self.outputs[1].next_multiple_of(self.run());
        ((computed - 1) * stride[1] + window[1]).max(before[1] + self.size[1])
    }

    /// How many neighbours are computed together: many, to hide the latency of additions, and the number that leaves
    /// the fewest over at the end of a line.
    fn run(&self) -> usize {
        let (line, runs) = (self.outputs[1], if self.wide { [13, 11, 9] } else { [6, 5, 4] });
        let best = runs.into_iter().min_by_key(|run| line.next_multiple_of(*run));
        best.filter(|_| line > 4).unwrap_or(4)
    }

    /// How many pixels it has.
    pub(crate) fn pixels(&self) -> usize {
        self.size[0] * self.size[1]
    }
}

/// Lines with zeros at both ends. The line of a row is at its number modulo `rows`.
pub(crate) struct Lines<'a> {
    pub(crate) lanes: &'a [Lanes],
    pub(crate) rows: usize,
}

/// Some rows of an output: row `r` of block `b` is at `b · plane + offset + (r - rows.start) · width`.
pub(crate) struct Part {
    pub(crate) rows: Range<usize>,
    pub(crate) plane: usize,
    pub(crate) offset: usize,
}

/// Writes zeros to both ends of every line, as far as windows reach. Values beyond only enter sums that are not used.
#[inline(always)]
pub(crate) fn clear_ends(field: &Field, lanes: &mut [Lanes]) {
    let Geometry { window, stride, before, .. } = field.geometry;
    let (start, end) = (before[1], before[1] + field.size[1]);
    let seen = ((field.outputs[1] - 1) * stride[1] + window[1]).max(end);
    for line in lanes.chunks_exact_mut(field.width()) {
        line[..start].fill([0.0; LANES]);
        line[end..seen].fill([0.0; LANES]);
    }
}

/// Convolves pixels after copying them line by line.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "what a convolution has")]
pub(crate) fn convolve<S: Simd>(
    simd: S,
    field: &Field,
    pixels: &[Lanes],
    weights: &[Lanes],
    finish: Finish<'_>,
    part: &Part,
    out: &mut [Lanes],
    space: &mut Buffer,
) {
    let (width, before) = (field.width(), field.geometry.before[1]);
    let seen = field.seen(part.rows.clone());
    space.grow((seen.len() + 1) * width);
    let (zeros, lanes) = space.split_at_mut(width);
    zeros.fill([0.0; LANES]);
    clear_ends(field, &mut lanes[..seen.len() * width]);
    for block in 0..field.depth {
        for row in seen.clone() {
            let from = &pixels[block * field.pixels() + row * field.size[1]..][..field.size[1]];
            let line = (row % seen.len()) * width + before;
            lanes[line..line + field.size[1]].copy_from_slice(from);
        }
        let copied = Lines { lanes: &lanes[..seen.len() * width], rows: seen.len() };
        convolve_block(simd, field, &copied, zeros, block, weights, finish, part, out);
    }
}

/// Convolves one block. `weights` are by row and column of the window, then by block; `zeros` is a line of them.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "what a convolution has")]
pub(crate) fn convolve_block<S: Simd>(
    simd: S,
    field: &Field,
    lines: &Lines<'_>,
    zeros: &[Lanes],
    block: usize,
    weights: &[Lanes],
    finish: Finish<'_>,
    part: &Part,
    out: &mut [Lanes],
) {
    let Geometry { window, stride, .. } = field.geometry;
    let plane = Plane { field, lines, zeros, block, weights, finish, part };
    match (window[1], stride[1]) {
        (3, 1) => plane.convolve::<S, 3, 1>(simd, out),
        (3, 2) => plane.convolve::<S, 3, 2>(simd, out),
        (5, 1) => plane.convolve::<S, 5, 1>(simd, out),
        (5, 2) => plane.convolve::<S, 5, 2>(simd, out),
        _ => plane.convolve::<S, 0, 0>(simd, out),
    }
}

/// One block of some rows.
struct Plane<'a> {
    field: &'a Field,
    lines: &'a Lines<'a>,
    zeros: &'a [Lanes],
    block: usize,
    weights: &'a [Lanes],
    finish: Finish<'a>,
    part: &'a Part,
}

impl Plane<'_> {
    /// `WINDOW` and `STRIDE` are 0 when they are not known in advance.
    #[inline(always)]
    fn convolve<S: Simd, const WINDOW: usize, const STRIDE: usize>(&self, simd: S, out: &mut [Lanes]) {
        // The compiler drops the runs that do not fit the registers.
        let wide = is_wide(simd.level());
        match self.field.run() {
            13 if wide => self.rows::<S, WINDOW, STRIDE, 13>(simd, out),
            11 if wide => self.rows::<S, WINDOW, STRIDE, 11>(simd, out),
            9 if wide => self.rows::<S, WINDOW, STRIDE, 9>(simd, out),
            6 if !wide => self.rows::<S, WINDOW, STRIDE, 6>(simd, out),
            5 if !wide => self.rows::<S, WINDOW, STRIDE, 5>(simd, out),
            _ => self.rows::<S, WINDOW, STRIDE, 4>(simd, out),
        }
    }

    /// Not inlined: every caller would repeat these loops for all windows, strides and runs, and compile for minutes.
    #[inline(never)]
    fn rows<S: Simd, const WINDOW: usize, const STRIDE: usize, const RUN: usize>(&self, simd: S, out: &mut [Lanes]) {
        simd.vectorize(
            #[inline(always)]
            || {
                for row in self.part.rows.clone() {
                    self.row::<S, WINDOW, STRIDE, RUN>(simd, row, out);
                }
            },
        );
    }

    #[inline(always)]
    fn row<S: Simd, const WINDOW: usize, const STRIDE: usize, const RUN: usize>(
        &self,
        simd: S,
        row: usize,
        out: &mut [Lanes],
    ) {
        let Self { field, lines, part, .. } = self;
        let Geometry { window, stride, before, .. } = field.geometry;
        let (width, across) = (field.width(), field.outputs[1]);
        let mut seen: [&[Lanes]; HIGHEST] = [&[]; HIGHEST];
        for (down, line) in seen.iter_mut().take(window[0]).enumerate() {
            let row = (row * stride[0] + down).wrapping_sub(before[0]);
            *line = if row < field.size[0] {
                &lines.lanes[row % lines.rows * width..][..width]
            } else {
                &self.zeros[..width]
            };
        }
        let first = self.block * part.plane + part.offset + (row - part.rows.start) * across;
        for (number, out) in out[first..][..across].chunks_mut(RUN).enumerate() {
            self.run::<S, WINDOW, STRIDE, RUN>(simd, &seen[..window[0]], number * RUN, first + number * RUN, out);
        }
    }

    /// Computes `RUN` neighbours; those beyond the end of `out` are dropped.
    #[inline(always)]
    fn run<S: Simd, const WINDOW: usize, const STRIDE: usize, const RUN: usize>(
        &self,
        simd: S,
        lines: &[&[Lanes]],
        at: usize,
        place: usize,
        out: &mut [Lanes],
    ) {
        let Field { depth, geometry: Geometry { window, stride, .. }, .. } = *self.field;
        let window = if WINDOW == 0 { window[1] } else { WINDOW };
        let step = if STRIDE == 0 { stride[1] } else { STRIDE };
        let mut sums = [f32x16::splat(simd, 0.0); RUN];
        for (line, weights) in lines.iter().zip(self.weights.chunks_exact(window * depth)) {
            let line = &line[at * step..][..(RUN - 1) * step + window];
            let weights = &weights[self.block..][..=(window - 1) * depth];
            for column in 0..window {
                let weight = f32x16::from_slice(simd, &weights[column * depth]);
                for number in 0..RUN {
                    let value = f32x16::from_slice(simd, &line[number * step + column]);
                    sums[number] = weight.mul_add(value, sums[number]);
                }
            }
        }
        let bias = f32x16::from_slice(simd, &self.finish.bias[self.block]);
        for (number, (to, sum)) in out.iter_mut().zip(sums).enumerate() {
            *to = self.finish.with(simd, sum + bias, place + number);
        }
    }
}
