//! The inner loops, compiled for several instruction sets and chosen at run time. All sums are of whole numbers: they
//! have the same bits on every machine and in every order.

// An instruction set holds for a function and what is inlined into it.
#![allow(clippy::inline_always)]

use fearless_simd::{Level, Simd, dispatch};

use crate::code::Sketch;

/// The dot product of two codes.
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

/// The dot products of rows of bytes with a query and with a centre of at most eleven bits, row by row.
pub(crate) fn two_dots(rows: &[i8], slots: &[u32], query: &[i16], centre: &[i16], out: &mut Vec<(i32, i32)>) {
    out.clear();
    dispatch!(Level::new(), simd => two_dots_with(simd, rows, slots, query, centre, out));
}

#[inline(always)]
fn two_dots_with<S: Simd>(_: S, rows: &[i8], slots: &[u32], query: &[i16], centre: &[i16], out: &mut Vec<(i32, i32)>) {
    let dims = query.len();
    for slot in slots {
        let from = *slot as usize * dims;
        let row = &rows[from..from + dims];
        let (mut first, mut second) = (0i32, 0i32);
        for ((part, q), c) in row.iter().zip(query).zip(centre) {
            let part = i32::from(*part);
            first += part * i32::from(*q);
            second += part * i32::from(*c);
        }
        out.push((first, second));
    }
}

/// In how many pairs each of many sketches differs from one.
pub(crate) fn differences(sketches: &[Sketch], one: &Sketch, out: &mut Vec<u16>) {
    out.resize(sketches.len(), 0);
    dispatch!(Level::new(), simd => differences_with(simd, sketches, one, out));
}

#[inline(always)]
fn differences_with<S: Simd>(_: S, sketches: &[Sketch], one: &Sketch, out: &mut [u16]) {
    for (place, sketch) in out.iter_mut().zip(sketches) {
        let mut count = 0;
        for at in 0..one.len() {
            count += (sketch[at] ^ one[at]).count_ones();
        }
        #[allow(clippy::cast_possible_truncation, reason = "512 at most")]
        let count = count as u16;
        *place = count;
    }
}

/// How many distances are this or less.
pub(crate) fn at_most(distances: &[u16], most: u16) -> usize {
    dispatch!(Level::new(), simd => at_most_with(simd, distances, most))
}

#[inline(always)]
fn at_most_with<S: Simd>(_: S, distances: &[u16], most: u16) -> usize {
    let mut count = 0;
    // Counted in small numbers first: more of them fit into a register.
    for some in distances.chunks(1 << 12) {
        let mut few = 0u16;
        for distance in some {
            few += u16::from(*distance <= most);
        }
        count += usize::from(few);
    }
    count
}
