//! Operations on the channels of each pixel, and pictures enlarged.

use fearless_simd::{Simd, SimdBase, SimdFloat, f32x16};

use super::{LANES, Lanes, elementwise::exp};

/// Softmax over the channels of each pixel. Unused lanes become zero.
#[inline(always)]
pub(crate) fn softmax<S: Simd>(simd: S, channels: usize, pixels: usize, input: &[Lanes], out: &mut [Lanes]) {
    let used = |block: usize| (channels - block * LANES).min(LANES);
    let depth = channels.div_ceil(LANES);
    for pixel in 0..pixels {
        let lanes = |block: usize| &input[block * pixels + pixel];
        let mut most = f32::NEG_INFINITY;
        for block in 0..depth {
            most = lanes(block)[..used(block)].iter().copied().fold(most, f32::max);
        }
        let most = f32x16::splat(simd, most);
        let mut sum = 0.0;
        for block in 0..depth {
            let mut powers: Lanes = exp(simd, f32x16::from_slice(simd, lanes(block)) - most).into();
            powers[used(block)..].fill(0.0);
            sum += powers.iter().sum::<f32>();
            out[block * pixels + pixel] = powers;
        }
        let share = f32x16::splat(simd, 1.0 / sum);
        for block in 0..depth {
            let to = &mut out[block * pixels + pixel];
            *to = (f32x16::from_slice(simd, to) * share).into();
        }
    }
}

/// The length of each pixel's vector of channels, in the first lane; unused lanes of the input count as zeros.
#[inline(always)]
pub(crate) fn norm<S: Simd>(simd: S, channels: usize, pixels: usize, input: &[Lanes], out: &mut [Lanes]) {
    let last = (channels - 1) / LANES;
    for (pixel, to) in out.iter_mut().enumerate().take(pixels) {
        let mut squares = f32x16::splat(simd, 0.0);
        for block in 0..=last {
            let mut lanes = input[block * pixels + pixel];
            if block == last {
                lanes[channels - last * LANES..].fill(0.0);
            }
            let value = f32x16::from_slice(simd, &lanes);
            squares = value.mul_add(value, squares);
        }
        let squares: Lanes = squares.into();
        *to = [0.0; LANES];
        to[0] = squares.iter().sum::<f32>().sqrt();
    }
}

/// Where an enlarged line or column lies between two of the input: the first, the second, the share of the second.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places in a picture, which are not negative"
)]
fn between(size: usize, factor: usize) -> Vec<(usize, usize, f32)> {
    let place = |at: usize| {
        let place = ((at as f32 + 0.5) / factor as f32 - 0.5).clamp(0.0, size as f32 - 1.0);
        let first = place as usize;
        (first, (first + 1).min(size - 1), place - first as f32)
    };
    (0..size * factor).map(place).collect()
}

/// So many times as high and wide, with straight lines between the middles of pixels.
#[inline(always)]
pub(crate) fn enlarge<S: Simd>(simd: S, size: [usize; 2], factors: [usize; 2], input: &[Lanes], out: &mut [Lanes]) {
    let (rows, columns) = (between(size[0], factors[0]), between(size[1], factors[1]));
    let load = |lanes: &Lanes| f32x16::from_slice(simd, lanes);
    let mix = |a: f32x16<S>, b: f32x16<S>, share: f32| (b - a).mul_add(f32x16::splat(simd, share), a);
    let planes = out.chunks_exact_mut(rows.len() * columns.len());
    for (to, from) in planes.zip(input.chunks_exact(size[0] * size[1])) {
        for (line, (upper, lower, down)) in to.chunks_exact_mut(columns.len()).zip(&rows) {
            let (upper, lower) = (&from[upper * size[1]..][..size[1]], &from[lower * size[1]..][..size[1]]);
            for (to, (left, right, across)) in line.iter_mut().zip(&columns) {
                let above = mix(load(&upper[*left]), load(&upper[*right]), *across);
                let below = mix(load(&lower[*left]), load(&lower[*right]), *across);
                *to = mix(above, below, *down).into();
            }
        }
    }
}
