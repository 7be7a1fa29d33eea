//! The inverted bottleneck of small networks: a pointwise convolution to many channels, a depthwise one, and a
//! pointwise one to few. The values in between are large, so they are computed in bands that stay in the cache.

use fearless_simd::Simd;

use super::{
    Buffer, Finish, LANES, Lanes,
    depthwise::{self, Field, Lines, Part},
    matmul::{Matrix, Places, Space, Target},
    rows::Pixels,
};

/// A pointwise convolution.
#[derive(Clone, Copy)]
pub(crate) struct Pointwise<'a> {
    pub(crate) matrix: &'a Matrix,
    pub(crate) finish: Finish<'a>,
}

pub(crate) struct Bottleneck<'a> {
    pub(crate) first: Option<Pointwise<'a>>,
    pub(crate) field: &'a Field,
    pub(crate) weights: &'a [Lanes],
    pub(crate) finish: Finish<'a>,
    pub(crate) last: Option<Pointwise<'a>>,
}

/// The values between the convolutions.
#[derive(Default)]
pub(crate) struct Between {
    /// The input lines of the depthwise convolution, the first of them zeros, and its output.
    seen: Buffer,
    made: Buffer,
}

/// Blocks of the lines of a band: a quarter of a second cache of two megabytes.
const BAND: usize = 8 * 1024;
/// The least pixels of a band, because the weights are read again for each band.
const PIXELS: usize = 256;

impl Bottleneck<'_> {
    #[inline(always)]
    pub(crate) fn run<S: Simd>(
        &self,
        simd: S,
        input: &[Lanes],
        out: &mut [Lanes],
        space: &mut Space,
        between: &mut Between,
    ) {
        let field = self.field;
        let [height, across] = field.outputs;
        let (width, window, stride) = (field.width(), field.geometry.window[0], field.geometry.stride[0]);
        let fitting = (BAND / (width * field.depth)).saturating_sub(window) / stride + 1;
        let at_once = fitting.max(PIXELS.div_ceil(across)).min(height);
        let lines = ((at_once - 1) * stride + window).min(field.size[0]);
        if self.first.is_some() {
            let size = (lines * field.depth + 1) * width;
            between.seen.grow(size);
            between.seen[..width].fill([0.0; LANES]);
            depthwise::clear_ends(field, &mut between.seen[width..size]);
        }
        // The first row that the depthwise convolution still lacks.
        let mut next = 0;
        for start in (0..height).step_by(at_once) {
            let rows = start..(start + at_once).min(height);
            let seen = field.seen(rows.clone());
            if let Some(first) = &self.first {
                next = next.max(seen.start);
                let stride = field.pixels();
                let pixels =
                    Pixels { lanes: &input[next * field.size[1]..], stride, count: (seen.end - next) * field.size[1] };
                let before = field.geometry.before[1];
                let places = Places::Lines { first: next, across: field.size[1], before, width, lines };
                let target = Target { plane: lines * width, places };
                first.matrix.multiply(simd, &pixels, first.finish, target, &mut between.seen[width..], space);
                next = seen.end;
            }
            match &self.last {
                None => {
                    let part = Part { plane: height * across, offset: start * across, rows };
                    self.windows(simd, input, &part, out, &mut between.seen, lines);
                }
                Some(last) => {
                    let count = rows.len() * across;
                    between.made.grow(count * field.depth);
                    let part = Part { plane: count, offset: 0, rows };
                    self.windows(simd, input, &part, &mut between.made, &mut between.seen, lines);
                    let target = Target { plane: height * across, places: Places::From(start * across) };
                    let pixels = Pixels { lanes: &between.made, stride: count, count };
                    last.matrix.multiply(simd, &pixels, last.finish, target, out, space);
                }
            }
        }
    }

    #[inline(always)]
    fn windows<S: Simd>(
        &self,
        simd: S,
        input: &[Lanes],
        part: &Part,
        out: &mut [Lanes],
        seen: &mut Buffer,
        lines: usize,
    ) {
        let (field, width) = (self.field, self.field.width());
        if self.first.is_none() {
            return depthwise::convolve(simd, field, input, self.weights, self.finish, part, out, seen);
        }
        let (zeros, seen) = seen.split_at(width);
        for (block, lanes) in seen.chunks_exact(lines * width).take(field.depth).enumerate() {
            let lines = Lines { lanes, rows: lines };
            depthwise::convolve_block(simd, field, &lines, zeros, block, self.weights, self.finish, part, out);
        }
    }
}
