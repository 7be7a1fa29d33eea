//! Direct convolutions of an input image with few channels that lies channel by channel.

use fearless_simd::{Simd, SimdBase, SimdFloat, f32x16};

use super::{Finish, Lanes, depthwise::Field, is_wide};
use crate::graph::Geometry;

/// Neighbours that are computed together, two blocks of channels each, with wide registers; without, fewer.
const AT_ONCE: usize = 8;
const FEW_AT_ONCE: usize = 3;

/// `weights` are by channel, row and column of the window, then by block.
#[inline(always)]
pub(crate) fn convolve<S: Simd>(
    simd: S,
    field: &Field,
    planes: &[f32],
    weights: &[Lanes],
    finish: Finish<'_>,
    out: &mut [Lanes],
    space: &mut Vec<f32>,
) {
    let Geometry { window, stride, .. } = field.geometry;
    let wide = is_wide(simd.level());
    let at_once = if wide { AT_ONCE } else { FEW_AT_ONCE };
    let width = field.outputs[1].next_multiple_of(at_once) * stride[1] + window[1];
    for row in 0..field.outputs[0] {
        copy(field, planes, row, width, space);
        for pair in (0..finish.bias.len()).step_by(2) {
            let strip = Strip { field, lines: space, width, pair, weights, finish };
            for at in (0..field.outputs[1]).step_by(at_once) {
                if wide {
                    strip.some::<S, AT_ONCE>(simd, at, row, out);
                } else {
                    strip.some::<S, FEW_AT_ONCE>(simd, at, row, out);
                }
            }
        }
    }
}

/// The lines that a row of the output sees, with zeros where there is no picture.
#[inline(always)]
fn copy(field: &Field, planes: &[f32], row: usize, width: usize, space: &mut Vec<f32>) {
    let Geometry { window, stride, before, .. } = field.geometry;
    let [height, across] = field.size;
    space.clear();
    for plane in planes.chunks_exact(height * across) {
        for line in row * stride[0]..row * stride[0] + window[0] {
            let end = space.len() + width;
            let line = line.wrapping_sub(before[0]);
            if line < height {
                space.resize(space.len() + before[1], 0.0);
                space.extend_from_slice(&plane[line * across..][..across.min(width - before[1])]);
            }
            space.resize(end, 0.0);
        }
    }
}

struct Strip<'a> {
    field: &'a Field,
    lines: &'a [f32],
    width: usize,
    pair: usize,
    weights: &'a [Lanes],
    finish: Finish<'a>,
}

impl Strip<'_> {
    /// Computes `SOME` neighbours; those beyond the end of the row are dropped.
    #[inline(always)]
    fn some<S: Simd, const SOME: usize>(&self, simd: S, at: usize, row: usize, out: &mut [Lanes]) {
        let Geometry { window, stride, .. } = self.field.geometry;
        let made = self.finish.bias.len();
        let wide = self.pair + 1 < made;
        let mut sums = [[f32x16::splat(simd, 0.0); 2]; SOME];
        let weights = self.weights.chunks_exact(window[1] * made);
        for (line, weights) in self.lines.chunks_exact(self.width).zip(weights) {
            for (column, weights) in weights.chunks_exact(made).enumerate() {
                let weight = |half: usize| f32x16::from_slice(simd, &weights[self.pair + half]);
                let weight = [weight(0), weight(usize::from(wide))];
                let seen = &line[at * stride[1] + column..][..=(SOME - 1) * stride[1]];
                for (number, sums) in sums.iter_mut().enumerate() {
                    let value = f32x16::splat(simd, seen[number * stride[1]]);
                    sums[0] = weight[0].mul_add(value, sums[0]);
                    sums[1] = weight[1].mul_add(value, sums[1]);
                }
            }
        }
        let [height, across] = self.field.outputs;
        for (number, sums) in sums.into_iter().enumerate().take(across - at) {
            for (sum, column) in sums.into_iter().zip(self.pair..made) {
                let block = (column * height + row) * across + at + number;
                out[block] = self.finish.of(simd, sum, block, column);
            }
        }
    }
}
