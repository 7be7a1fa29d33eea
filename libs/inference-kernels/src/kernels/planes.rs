//! Operations on pictures that lie channel by channel. Where there are few channels, blocks of sixteen would be mostly
//! empty, so lanes are neighbouring pixels here.

use fearless_simd::{Simd, SimdBase, SimdFloat, f32x16};

use super::{Activation, LANES, Lanes, depthwise::Field, is_wide};
use crate::graph::Geometry;

/// The weights of a convolution from few channels to few: for each group of [`TOGETHER`] outputs, by channel, row and
/// column of the window, then by output.
pub(crate) struct Weights {
    groups: Vec<Vec<[f32; TOGETHER]>>,
    bias: Vec<f32>,
}

/// Outputs that are computed together: with two blocks of pixels their sums fill 16 of 32 registers.
const TOGETHER: usize = 8;

impl Weights {
    /// `at` is the weight of an output at a place, which counts channels, then rows, then columns.
    pub(crate) fn new(places: usize, bias: &[f32], at: impl Fn(usize, usize) -> f32) -> Self {
        let outputs = bias.len();
        let weight = |output: usize, place: usize| if output < outputs { at(output, place) } else { 0.0 };
        let group = |first: usize| {
            let of = |place: usize| std::array::from_fn(|output| weight(first + output, place));
            (0..places).map(of).collect()
        };
        Self { groups: (0..outputs).step_by(TOGETHER).map(group).collect(), bias: bias.to_vec() }
    }
}

/// Convolves to few channels, which lie one after the other too.
#[inline(always)]
pub(crate) fn convolve<S: Simd>(
    simd: S,
    field: &Field,
    planes: &[f32],
    weights: &Weights,
    activation: Activation,
    out: &mut [f32],
    space: &mut Vec<f32>,
) {
    let wide = is_wide(simd.level());
    let at_once = if wide { 2 * LANES } else { LANES };
    let [height, across] = field.outputs;
    // The columns that a window reads with one step lie together, so that neighbours are read at once.
    let width = across.next_multiple_of(at_once) + field.geometry.window[1];
    for row in 0..height {
        copy(field, planes, row, width, space);
        for (group, lines) in weights.groups.iter().enumerate() {
            let strip = Strip { field, lines: space, width, weights: lines };
            for at in (0..across).step_by(at_once) {
                let count = (across - at).min(at_once);
                let first = group * TOGETHER;
                let mut finish = |output: usize, sums: f32x16<S>, from: usize| {
                    let Some(bias) = weights.bias.get(first + output) else { return };
                    let sums: Lanes = activation.of(simd, sums + f32x16::splat(simd, *bias)).into();
                    let place = ((first + output) * height + row) * across + at + from;
                    let some = count.saturating_sub(from);
                    // A copy of known length is one store.
                    if some >= LANES
                        && let Some(to) = out[place..].first_chunk_mut()
                    {
                        *to = sums;
                    } else {
                        out[place..][..some.min(LANES)].copy_from_slice(&sums[..some.min(LANES)]);
                    }
                };
                if wide {
                    for (output, sums) in strip.some::<S, 2, TOGETHER>(simd, at, 0).into_iter().enumerate() {
                        finish(output, sums[0], 0);
                        if count > LANES {
                            finish(output, sums[1], LANES);
                        }
                    }
                } else {
                    for half in [0, TOGETHER / 2] {
                        let sums = strip.some::<S, 1, { TOGETHER / 2 }>(simd, at, half);
                        for (output, [sums]) in sums.into_iter().enumerate() {
                            finish(half + output, sums, 0);
                        }
                    }
                }
            }
        }
    }
}

/// The lines that a row of the output sees, with zeros where there is no picture. Each line is there once for every
/// step that the window makes across, from the pixel that is that step further.
#[inline(always)]
fn copy(field: &Field, planes: &[f32], row: usize, width: usize, space: &mut Vec<f32>) {
    let Geometry { window, stride, before, .. } = field.geometry;
    let [height, across] = field.size;
    space.clear();
    for plane in planes.chunks_exact(height * across) {
        for down in 0..window[0] {
            let line = (row * stride[0] + down).wrapping_sub(before[0]);
            let line = if line < height { &plane[line * across..][..across] } else { &[] };
            for step in 0..stride[1] {
                let end = space.len() + width;
                // The first place of this step that is not in the margin.
                let margin = before[1].saturating_sub(step).div_ceil(stride[1]);
                space.resize(space.len() + margin.min(width), 0.0);
                let first = (margin * stride[1] + step).saturating_sub(before[1]);
                if let Some(seen) = line.get(first..) {
                    let room = end - space.len();
                    match stride[1] {
                        1 => space.extend_from_slice(&seen[..seen.len().min(room)]),
                        2 => {
                            let (pairs, last) = seen.as_chunks::<2>();
                            space.extend(pairs.iter().take(room).map(|pair| pair[0]));
                            let room = end - space.len();
                            space.extend(last.iter().take(room));
                        }
                        step => space.extend(seen.iter().step_by(step).take(room)),
                    }
                }
                space.resize(end, 0.0);
            }
        }
    }
}

struct Strip<'a> {
    field: &'a Field,
    lines: &'a [f32],
    width: usize,
    weights: &'a [[f32; TOGETHER]],
}

impl Strip<'_> {
    /// The sums of `OUTPUTS` outputs from `first` on, for `BLOCKS` blocks of neighbours.
    #[inline(always)]
    fn some<S: Simd, const BLOCKS: usize, const OUTPUTS: usize>(
        &self,
        simd: S,
        at: usize,
        first: usize,
    ) -> [[f32x16<S>; BLOCKS]; OUTPUTS] {
        let Geometry { window, stride, .. } = self.field.geometry;
        let mut sums = [[f32x16::splat(simd, 0.0); BLOCKS]; OUTPUTS];
        let lines = self.lines.chunks_exact(self.width * stride[1]);
        for (lines, weights) in lines.zip(self.weights.chunks_exact(window[1])) {
            for (column, weights) in weights.iter().enumerate() {
                let from = column % stride[1] * self.width + at + column / stride[1];
                let mut seen = [f32x16::splat(simd, 0.0); BLOCKS];
                for (seen, lanes) in seen.iter_mut().zip(lines[from..][..BLOCKS * LANES].chunks_exact(LANES)) {
                    *seen = f32x16::from_slice(simd, lanes);
                }
                for (sums, weight) in sums.iter_mut().zip(&weights[first..]) {
                    let weight = f32x16::splat(simd, *weight);
                    for (sum, seen) in sums.iter_mut().zip(&seen) {
                        *sum = weight.mul_add(*seen, *sum);
                    }
                }
            }
        }
        sums
    }
}

/// Brings each channel to mean 0 and deviation 1, and multiplies and adds.
#[inline(always)]
pub(crate) fn standardise<S: Simd>(
    simd: S,
    (factors, summands, epsilon): (&[f32], &[f32], f32),
    pixels: usize,
    input: &[f32],
    out: &mut [f32],
) {
    let channels = input.chunks_exact(pixels).zip(out.chunks_exact_mut(pixels));
    for ((from, to), (factor, summand)) in channels.zip(factors.iter().zip(summands)) {
        #[allow(clippy::cast_precision_loss, reason = "a picture has fewer pixels than that")]
        let count = pixels as f32;
        let mean = sum_of(simd, from, |value| value) / count;
        let shift = f32x16::splat(simd, mean);
        let rest = from.as_chunks::<LANES>().1;
        let whole = &from[..pixels - rest.len()];
        let squares = sum_of(simd, whole, |value| (value - shift) * (value - shift));
        let squares = rest.iter().fold(squares, |sum, value| (value - mean).mul_add(value - mean, sum));
        let scale = factor / (squares / count + epsilon).sqrt();
        to.iter_mut().zip(from).for_each(|(to, from)| *to = (from - mean) * scale + summand);
    }
}

/// The sum of what becomes of each value; values that do not fill a block are filled up with zeros.
#[inline(always)]
fn sum_of<S: Simd>(simd: S, values: &[f32], of: impl Fn(f32x16<S>) -> f32x16<S>) -> f32 {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut sums = [f32x16::splat(simd, 0.0); 4];
    for some in blocks.chunks(4) {
        for (sum, lanes) in sums.iter_mut().zip(some) {
            *sum += of(f32x16::from_slice(simd, lanes));
        }
    }
    if !rest.is_empty() {
        let mut last = [0.0; LANES];
        last[..rest.len()].copy_from_slice(rest);
        sums[0] += of(f32x16::from_slice(simd, &last));
    }
    let sums: Lanes = ((sums[0] + sums[1]) + (sums[2] + sums[3])).into();
    sums.iter().sum()
}

/// The mean of squares of pixels that lie side by side; what is left at the right and below is not looked at.
#[inline(always)]
pub(crate) fn pool(side: usize, [height, width]: [usize; 2], input: &[f32], out: &mut [f32]) {
    let (rows, columns) = (height / side, width / side);
    #[allow(clippy::cast_precision_loss, reason = "a few pixels")]
    let share = 1.0 / (side * side) as f32;
    for (plane, out) in input.chunks_exact(height * width).zip(out.chunks_exact_mut(rows * columns)) {
        for (lines, out) in plane.chunks_exact(side * width).zip(out.chunks_exact_mut(columns)) {
            out.fill(0.0);
            for line in lines.chunks_exact(width) {
                for (to, some) in out.iter_mut().zip(line.chunks_exact(side)) {
                    *to += some.iter().sum::<f32>();
                }
            }
            for to in out.iter_mut() {
                *to *= share;
            }
        }
    }
}

/// Each square of pixels of one channel becomes a pixel with a channel for each of them.
#[inline(always)]
pub(crate) fn gather(side: usize, [height, width]: [usize; 2], input: &[f32], out: &mut [Lanes]) {
    let (rows, columns) = (height / side, width / side);
    for (block, out) in out.chunks_exact_mut(rows * columns).enumerate() {
        for (row, out) in out.chunks_exact_mut(columns).enumerate() {
            for (column, to) in out.iter_mut().enumerate() {
                *to = [0.0; LANES];
                for (lane, channel) in to.iter_mut().zip(block * LANES..side * side) {
                    *lane = input[(row * side + channel / side) * width + column * side + channel % side];
                }
            }
        }
    }
}
