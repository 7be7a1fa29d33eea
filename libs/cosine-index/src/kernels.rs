//! The inner loops, each compiled for several instruction sets and chosen at run time.

// An instruction set is enabled for a function and for what is inlined into it.
#![allow(clippy::inline_always)]

#[cfg(target_arch = "x86_64")]
mod x86;

use fearless_simd::{Level, Simd, SimdBase, dispatch, f32x16};

pub(super) use super::block::{Block, CodeBlock, FloatBlock, blocks};
use super::rows::Rows;

/// Dot products of `query` with the rows at `slots`.
///
/// The sum is always taken over the same sixteen lanes in the same order and never fused, so a score has the same bits
/// on every machine.
pub(super) fn float_dots(query: &[FloatBlock], rows: &Rows<FloatBlock>, slots: &[u32], out: &mut Vec<f32>) {
    float_dots_at(Level::new(), query, rows, slots, out);
}

fn float_dots_at(level: Level, query: &[FloatBlock], rows: &Rows<FloatBlock>, slots: &[u32], out: &mut Vec<f32>) {
    out.clear();
    dispatch!(level, simd => float_dots_with(simd, query, rows, slots, out));
}

// A plain loop, because the closure of an iterator method may be compiled without the instruction set.
#[inline(always)]
fn float_dots_with<S: Simd>(simd: S, query: &[FloatBlock], rows: &Rows<FloatBlock>, slots: &[u32], out: &mut Vec<f32>) {
    for &slot in slots {
        out.push(float_dot(simd, query, rows.row(slot)));
    }
}

/// Dot products of `query` with rows that lie anywhere: the bits of [`float_dots`].
pub(super) fn float_dots_of<'a>(query: &[FloatBlock], rows: impl Iterator<Item = &'a [FloatBlock]>) -> Vec<f32> {
    let level = Level::new();
    rows.map(|row| dispatch!(level, simd => float_dot(simd, query, row))).collect()
}

#[inline(always)]
fn float_dot<S: Simd>(simd: S, left: &[FloatBlock], right: &[FloatBlock]) -> f32 {
    // Four sums, because an addition waits for the one before it.
    let mut sums = [f32x16::splat(simd, 0.0); 4];
    let (left_fours, left_rest) = left.as_chunks::<4>();
    let (right_fours, right_rest) = right.as_chunks::<4>();
    for (left, right) in left_fours.iter().zip(right_fours) {
        for lane in 0..4 {
            let product = f32x16::from_slice(simd, &left[lane].0) * f32x16::from_slice(simd, &right[lane].0);
            sums[lane] += product;
        }
    }
    for (left, right) in left_rest.iter().zip(right_rest) {
        sums[0] += f32x16::from_slice(simd, &left.0) * f32x16::from_slice(simd, &right.0);
    }
    let mut lanes: [f32; 16] = ((sums[0] + sums[1]) + (sums[2] + sums[3])).into();
    for width in [8, 4, 2, 1] {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
    }
    lanes[0]
}

/// Dot products of `query` with the codes at `slots`.
///
/// Several rows in one call: the processor then fetches the next rows from memory while it works on the present one.
pub(super) fn code_dots(query: &[CodeBlock], rows: &Rows<CodeBlock>, slots: &[u32], out: &mut Vec<u32>) {
    code_dots_at(Level::new(), query, rows, slots, out);
}

fn code_dots_at(level: Level, query: &[CodeBlock], rows: &Rows<CodeBlock>, slots: &[u32], out: &mut Vec<u32>) {
    out.clear();
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(simd) => x86::code_dots_avx512(simd, query, rows, slots, out),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2(simd) => x86::code_dots_avx2(simd, query, rows, slots, out),
        _ => dispatch!(level, _ => code_dots_plainly(query, rows, slots, out)),
    }
}

#[inline(always)]
fn code_dots_plainly(query: &[CodeBlock], rows: &Rows<CodeBlock>, slots: &[u32], out: &mut Vec<u32>) {
    for &slot in slots {
        out.push(code_dot(query, rows.row(slot)));
    }
}

#[inline(always)]
fn code_dot(left: &[CodeBlock], right: &[CodeBlock]) -> u32 {
    left.iter().zip(right).map(|(left, right)| block_dot(&left.0, &right.0)).sum()
}

#[inline(always)]
fn block_dot(left: &[u8; 64], right: &[u8; 64]) -> u32 {
    left.iter().zip(right).map(|(&left, &right)| u32::from(left) * u32::from(right)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels() -> Vec<Level> {
        let best = Level::new();
        #[cfg(target_arch = "x86_64")]
        let lesser =
            [best.as_avx2().map(Level::Avx2), best.as_sse4_2().map(Level::Sse4_2), best.as_sse2().map(Level::Sse2)];
        #[cfg(not(target_arch = "x86_64"))]
        let lesser = [None];
        [Some(best)].into_iter().chain(lesser).flatten().collect()
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        for blocks in 0..12 {
            let mut codes = Rows::new(blocks);
            let mut floats = Rows::new(blocks);
            for row in 0..3_u8 {
                let code = |at: usize| u8::try_from((at * 37 + usize::from(row) * 11) % 128).unwrap();
                let code: Vec<u8> = (0..blocks * 64).map(code).collect();
                let (chunks, _) = code.as_chunks::<64>();
                codes.set(row.into(), &chunks.iter().copied().map(CodeBlock).collect::<Vec<_>>());
                let float: Vec<f32> = code.iter().step_by(4).map(|&value| f32::from(value) / 7.0 - 3.3).collect();
                let (chunks, _) = float.as_chunks::<16>();
                floats.set(row.into(), &chunks.iter().copied().map(FloatBlock).collect::<Vec<_>>());
            }
            let answers = levels().into_iter().map(|level| {
                let (mut whole, mut real) = (Vec::new(), Vec::new());
                code_dots_at(level, codes.row(0), &codes, &[0, 1, 2], &mut whole);
                float_dots_at(level, floats.row(0), &floats, &[0, 1, 2], &mut real);
                (whole, real)
            });
            let answers: Vec<_> = answers.collect();
            for (slot, &dot) in (0..3).zip(&answers[0].0) {
                let pairs =
                    codes.row(0).iter().zip(codes.row(slot)).flat_map(|(left, right)| left.0.into_iter().zip(right.0));
                assert_eq!(dot, pairs.map(|(left, right)| u32::from(left) * u32::from(right)).sum::<u32>());
            }
            assert!(answers.iter().all(|answer| *answer == answers[0]));
        }
    }
}
