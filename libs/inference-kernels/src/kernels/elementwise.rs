//! Elementwise operations, reductions and copies.

use fearless_simd::{Bytes, Simd, SimdBase, SimdCvtTruncate, SimdFloat, f32x16, i32x16};

use super::{Finish, LANES, Lanes, blocks, depthwise::Field};
use crate::graph::{Binary, Elementwise, Geometry};

/// Applies an operation to each value.
#[inline(always)]
pub(crate) fn apply<S: Simd>(simd: S, operation: Elementwise, input: &[Lanes], out: &mut [Lanes]) {
    let (load, splat) = (|lanes: &Lanes| f32x16::from_slice(simd, lanes), |value| f32x16::splat(simd, value));
    for (to, from) in out.iter_mut().zip(input) {
        *to = match operation {
            Elementwise::Activate(activation) => activation.of(simd, load(from)).into(),
            Elementwise::HardSigmoid { alpha, beta } => {
                load(from).mul_add(splat(alpha), splat(beta)).max(splat(0.0)).min(splat(1.0)).into()
            }
            Elementwise::Sigmoid => (splat(1.0) / (splat(1.0) + exp(simd, -load(from)))).into(),
            Elementwise::Sqrt => load(from).sqrt().into(),
        };
    }
}

/// Which value is the second of a pair.
pub(crate) enum Second {
    /// The one at the same position.
    Same,
    /// The first of all.
    Only,
    /// The one of the same channel, of so many pixels.
    OfChannel(usize),
    /// The first of the same pixel, of so many.
    OfPixel(usize),
    /// The one at this position.
    At(Vec<u32>),
}

#[inline(always)]
pub(crate) fn binary<S: Simd>(
    simd: S,
    operation: Binary,
    second: &Second,
    input: &[Lanes],
    with: &[Lanes],
    out: &mut [Lanes],
) {
    let load = |lanes: &Lanes| f32x16::from_slice(simd, lanes);
    let pair = |first: &Lanes, second: f32x16<S>| -> Lanes { paired(operation, load(first), second).into() };
    match second {
        Second::Same => out.iter_mut().zip(input).zip(with).for_each(|((to, from), with)| *to = pair(from, load(with))),
        Second::Only => {
            let with = f32x16::splat(simd, with[0][0]);
            out.iter_mut().zip(input).for_each(|(to, from)| *to = pair(from, with));
        }
        Second::OfChannel(pixels) => {
            for ((to, from), with) in out.chunks_exact_mut(*pixels).zip(input.chunks_exact(*pixels)).zip(with) {
                let with = load(with);
                to.iter_mut().zip(from).for_each(|(to, from)| *to = pair(from, with));
            }
        }
        Second::OfPixel(pixels) => {
            for (to, from) in out.chunks_exact_mut(*pixels).zip(input.chunks_exact(*pixels)) {
                for ((to, from), with) in to.iter_mut().zip(from).zip(with) {
                    *to = pair(from, f32x16::splat(simd, with[0]));
                }
            }
        }
        Second::At(places) => {
            let with = with.as_flattened();
            for ((to, from), places) in out.iter_mut().zip(input).zip(places.chunks(LANES)) {
                let mut second = [1.0; LANES];
                second.iter_mut().zip(places).for_each(|(second, place)| *second = with[*place as usize]);
                *to = pair(from, load(&second));
            }
        }
    }
}

#[inline(always)]
fn paired<S: Simd>(operation: Binary, first: f32x16<S>, second: f32x16<S>) -> f32x16<S> {
    match operation {
        Binary::Add => first + second,
        Binary::Subtract => first - second,
        Binary::Multiply => first * second,
        Binary::Divide => first / second,
        Binary::Maximum => first.max(second),
    }
}

/// The mean over all pixels.
#[inline(always)]
pub(crate) fn average<S: Simd>(simd: S, pixels: usize, input: &[Lanes], out: &mut [Lanes]) {
    #[allow(clippy::cast_precision_loss, reason = "a picture has fewer pixels than that")]
    let share = f32x16::splat(simd, 1.0 / pixels as f32);
    for (plane, mean) in input.chunks_exact(pixels).zip(out) {
        // Four sums, because an addition waits for the one before it.
        let mut sums = [f32x16::splat(simd, 0.0); 4];
        for some in plane.chunks(4) {
            for (sum, value) in sums.iter_mut().zip(some) {
                *sum += f32x16::from_slice(simd, value);
            }
        }
        *mean = (((sums[0] + sums[1]) + (sums[2] + sums[3])) * share).into();
    }
}

/// Softmax of each row of `width` values.
#[inline(always)]
pub(crate) fn softmax<S: Simd>(simd: S, width: usize, input: &[Lanes], out: &mut [Lanes]) {
    out.copy_from_slice(input);
    for row in out.as_flattened_mut().chunks_exact_mut(width) {
        let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for value in row {
            *value -= most;
        }
    }
    for lanes in out.iter_mut() {
        *lanes = exp(simd, f32x16::from_slice(simd, lanes)).into();
    }
    for row in out.as_flattened_mut().chunks_exact_mut(width) {
        let share = 1.0 / row.iter().sum::<f32>();
        for value in row {
            *value *= share;
        }
    }
}

/// The exponential function, to within two units of the last place.
#[inline(always)]
pub(super) fn exp<S: Simd>(simd: S, value: f32x16<S>) -> f32x16<S> {
    // ln 2 in two parts, the first with so few bits that its multiples are exact.
    const LN_2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];
    let splat = |value| f32x16::splat(simd, value);
    let value = value.max(splat(-87.0)).min(splat(88.0));
    let twos = (value * splat(std::f32::consts::LOG2_E)).round_ties_even();
    let rest = twos.mul_add(splat(-LN_2[1]), twos.mul_add(splat(-LN_2[0]), value));
    let mut power = splat(1.0 / 720.0);
    for factor in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        power = power.mul_add(rest, splat(factor));
    }
    let exponent = i32x16::truncate_from(twos) + i32x16::splat(simd, 127);
    power * (exponent << 23).bitcast::<f32x16<S>>()
}

/// The sum of the products that each window sees; a pixel has them by output, then by row and column of the window.
#[inline(always)]
pub(crate) fn sum<S: Simd>(
    simd: S,
    field: &Field,
    channels: usize,
    products: &[Lanes],
    finish: Finish<'_>,
    out: &mut [Lanes],
) {
    let Geometry { window, stride, before, .. } = field.geometry;
    let ([height, across], pixels) = (field.outputs, field.pixels());
    for (at, column) in (0..height * across).flat_map(|at| (0..blocks(channels)).map(move |column| (at, column))) {
        let (top, left) = (at / across * stride[0], at % across * stride[1]);
        let mut sums = [0.0; LANES];
        for (down, right) in (0..window[0]).flat_map(|down| (0..window[1]).map(move |right| (down, right))) {
            let (row, line) = ((top + down).wrapping_sub(before[0]), (left + right).wrapping_sub(before[1]));
            if row < field.size[0] && line < field.size[1] {
                for (sum, channel) in sums.iter_mut().zip(column * LANES..channels) {
                    let product = (channel * window[0] + down) * window[1] + right;
                    *sum += products[product / LANES * pixels + row * field.size[1] + line][product % LANES];
                }
            }
        }
        let block = column * height * across + at;
        out[block] = finish.of(simd, f32x16::from_slice(simd, &sums), block, column);
    }
}

/// The dot product of each row with a vector.
#[inline(always)]
pub(crate) fn dot(weights: &[f32], input: &[Lanes], out: &mut [Lanes]) {
    let rows = input.as_flattened().chunks_exact(weights.len());
    for (to, row) in out.as_flattened_mut().iter_mut().zip(rows) {
        *to = row.iter().zip(weights).fold(0.0, |sum, (value, weight)| value.mul_add(*weight, sum));
    }
}

/// Channel by channel to blocks of channels.
#[inline(always)]
pub(crate) fn from_planes(planes: &[f32], channels: usize, out: &mut [Lanes]) {
    let pixels = planes.len() / channels;
    for (planes, block) in planes.chunks(LANES * pixels).zip(out.chunks_exact_mut(pixels)) {
        for (pixel, lanes) in block.iter_mut().enumerate() {
            *lanes = [0.0; LANES];
            lanes.iter_mut().zip(planes.chunks_exact(pixels)).for_each(|(lane, plane)| *lane = plane[pixel]);
        }
    }
}

/// Blocks of channels to channel by channel.
#[inline(always)]
pub(crate) fn to_planes(input: &[Lanes], channels: usize, pixels: usize, out: &mut [f32]) {
    for (planes, block) in out[..channels * pixels].chunks_mut(LANES * pixels).zip(input.chunks_exact(pixels)) {
        for (lane, plane) in planes.chunks_exact_mut(pixels).enumerate() {
            plane.iter_mut().zip(block).for_each(|(to, lanes)| *to = lanes[lane]);
        }
    }
}

/// Blocks of channels to pixel by pixel.
#[inline(always)]
pub(crate) fn to_pixels(input: &[Lanes], channels: usize, pixels: usize, out: &mut [f32]) {
    for (block, input) in input.chunks_exact(pixels).enumerate() {
        let some = (channels - block * LANES).min(LANES);
        for (to, lanes) in out.chunks_exact_mut(channels).zip(input) {
            to[block * LANES..][..some].copy_from_slice(&lanes[..some]);
        }
    }
}

/// Every pixel repeated down and across.
#[inline(always)]
pub(crate) fn repeat(size: [usize; 2], factors: [usize; 2], input: &[Lanes], out: &mut [Lanes]) {
    let planes = out.chunks_exact_mut(size[0] * factors[0] * size[1] * factors[1]);
    for (to, from) in planes.zip(input.chunks_exact(size[0] * size[1])) {
        for (number, line) in to.chunks_exact_mut(size[1] * factors[1]).enumerate() {
            let from = &from[number / factors[0] * size[1]..][..size[1]];
            line.chunks_exact_mut(factors[1]).zip(from).for_each(|(to, from)| to.fill(*from));
        }
    }
}

/// Values of which `width` lie together, and then begin again after `stride`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spaced {
    pub(crate) offset: usize,
    pub(crate) width: usize,
    pub(crate) stride: usize,
}

/// Copies values to other places.
#[inline(always)]
pub(crate) fn copy(times: usize, from: Spaced, to: Spaced, input: &[Lanes], out: &mut [Lanes]) {
    let (input, out) = (input.as_flattened(), out.as_flattened_mut());
    for time in 0..times {
        let from = &input[from.offset + time * from.stride..][..from.width];
        out[to.offset + time * to.stride..][..to.width].copy_from_slice(from);
    }
}
