//! The inner loops, compiled for several instruction sets and dispatched at run time.
//!
//! All sums are of integers, so the result has the same bits on every processor and in every order of summation.

// An instruction set applies to a function and to what is inlined into it.
#![allow(clippy::inline_always)]

use fearless_simd::{Level, Simd, dispatch};

use crate::quantised::Sketch;

/// The dot product of two quantised vectors.
pub(crate) fn dot(one: &[i8], other: &[i8]) -> i32 {
    dispatch!(Level::new(), simd => dot_with(simd, one, other))
}

#[inline(always)]
fn dot_with<S: Simd>(_: S, one: &[i8], other: &[i8]) -> i32 {
    let mut sum = 0i32;
    for (a, b) in one.iter().zip(other) {
        sum += i32::from(*a) * i32::from(*b);
    }
    sum
}

/// The dot products of the rows at `slots` with a query and with a centre, whose components have at most 12 bits with
/// their sign.
pub(crate) fn dot_pairs(rows: &[i8], slots: &[u32], query: &[i16], centre: &[i16], out: &mut Vec<(i32, i32)>) {
    out.clear();
    dispatch!(Level::new(), simd => dot_pairs_with(simd, rows, slots, query, centre, out));
}

#[inline(always)]
fn dot_pairs_with<S: Simd>(_: S, rows: &[i8], slots: &[u32], query: &[i16], centre: &[i16], out: &mut Vec<(i32, i32)>) {
    let dims = query.len();
    for slot in slots {
        let from = *slot as usize * dims;
        let row = &rows[from..from + dims];
        let (mut with_query, mut with_centre) = (0i32, 0i32);
        for ((component, q), c) in row.iter().zip(query).zip(centre) {
            let component = i32::from(*component);
            with_query += component * i32::from(*q);
            with_centre += component * i32::from(*c);
        }
        out.push((with_query, with_centre));
    }
}

/// The Hamming distance of each sketch from one sketch.
pub(crate) fn hamming_distances(sketches: &[Sketch], one: &Sketch, out: &mut Vec<u16>) {
    out.resize(sketches.len(), 0);
    dispatch!(Level::new(), simd => hamming_distances_with(simd, sketches, one, out));
}

#[inline(always)]
fn hamming_distances_with<S: Simd>(_: S, sketches: &[Sketch], one: &Sketch, out: &mut [u16]) {
    for (distance, sketch) in out.iter_mut().zip(sketches) {
        let mut count = 0;
        for at in 0..one.len() {
            count += (sketch[at] ^ one[at]).count_ones();
        }
        #[allow(clippy::cast_possible_truncation, reason = "512 at most")]
        let count = count as u16;
        *distance = count;
    }
}

/// How many distances are at most `limit`.
pub(crate) fn count_within(distances: &[u16], limit: u16) -> usize {
    dispatch!(Level::new(), simd => count_within_with(simd, distances, limit))
}

#[inline(always)]
fn count_within_with<S: Simd>(_: S, distances: &[u16], limit: u16) -> usize {
    let mut count = 0;
    // Counted in 16 bits first, because more of them fit into a register.
    for chunk in distances.chunks(1 << 12) {
        let mut partial = 0u16;
        for distance in chunk {
            partial += u16::from(*distance <= limit);
        }
        count += usize::from(partial);
    }
    count
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "made-up numbers, which are small")]
mod tests {
    use super::*;

    /// What this processor has, and what lesser ones have.
    fn levels() -> Vec<Level> {
        let best = Level::new();
        #[cfg(target_arch = "x86_64")]
        let lesser =
            [best.as_avx2().map(Level::Avx2), best.as_sse4_2().map(Level::Sse4_2), best.as_sse2().map(Level::Sse2)];
        #[cfg(not(target_arch = "x86_64"))]
        let lesser = [None];
        [Some(best)].into_iter().chain(lesser).flatten().collect()
    }

    fn component(at: usize) -> i8 {
        (at.wrapping_mul(97) % 255) as u8 as i8
    }

    #[test]
    fn every_instruction_set_gives_the_sums_of_a_plain_computation() {
        // Lengths on either side of those of registers.
        for dims in [1, 7, 15, 16, 31, 32, 33, 63, 64, 65, 512, 1280] {
            let rows: Vec<i8> = (0..3 * dims).map(component).collect();
            let wide = |seed: usize| (0..dims).map(|at| ((at * 131 + seed * 977) % 4095) as i16 - 2047).collect();
            let (query, centre): (Vec<i16>, Vec<i16>) = (wide(1), wide(2));
            let plain = |row: &[i8], other: &[i16]| {
                row.iter().zip(other).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum::<i64>()
            };
            for level in levels() {
                let (one, other) = (&rows[..dims], &rows[dims..2 * dims]);
                let expected: i64 = one.iter().zip(other).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum();
                let found = dispatch!(level, simd => dot_with(simd, one, other));
                assert_eq!(i64::from(found), expected, "{level:?}, {dims}");

                let (slots, mut found) = ([2, 0, 1], Vec::new());
                dispatch!(level, simd => dot_pairs_with(simd, &rows, &slots, &query, &centre, &mut found));
                let expected: Vec<(i64, i64)> = (slots.iter())
                    .map(|slot| &rows[*slot as usize * dims..][..dims])
                    .map(|row| (plain(row, &query), plain(row, &centre)))
                    .collect();
                let found: Vec<(i64, i64)> = found.iter().map(|(a, b)| (i64::from(*a), i64::from(*b))).collect();
                assert_eq!(found, expected, "{level:?}, {dims}");
            }
        }
    }

    #[test]
    fn every_instruction_set_counts_the_same_bits() {
        let sketch = |seed: u64| -> Sketch {
            std::array::from_fn(|at| (seed + at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(at as u32))
        };
        for count in [0, 1, 3, 8, 17, 5000] {
            let sketches: Vec<Sketch> = (0..count).map(sketch).collect();
            let one = sketch(3);
            let bits = |other: &Sketch| other.iter().zip(&one).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
            let expected: Vec<u16> = sketches.iter().map(|other| bits(other) as u16).collect();
            for level in levels() {
                let mut found = vec![0; sketches.len()];
                dispatch!(level, simd => hamming_distances_with(simd, &sketches, &one, &mut found));
                assert_eq!(found, expected, "{level:?}, {count}");
                for limit in [0, 255, 256, 512] {
                    let within = expected.iter().filter(|distance| **distance <= limit).count();
                    let found = dispatch!(level, simd => count_within_with(simd, &expected, limit));
                    assert_eq!(found, within, "{level:?}, {count}, {limit}");
                }
            }
        }
    }
}
