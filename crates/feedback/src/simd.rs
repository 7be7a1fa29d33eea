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
