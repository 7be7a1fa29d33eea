//! Rows times weights on the matrix tiles of Intel's processors (AMX, since 2023).
//!
//! The tiles multiply numbers of 16 bits and sum in 32. A number of 32 bits is split in two of 16, the nearest and the
//! remainder: x ≈ h + l. Of the four products h·h, h·l and l·h are computed; l·l is at most a 65,536th of the whole,
//! and the signs of many of them cancel. Three multiplications in 16 bits are still faster than one in 32.

#![allow(unsafe_code, reason = "the instructions have no safe form")]

use fearless_simd::{Simd, SimdBase, f32x16};

use super::{
    Buffer, Finish, LANES, Lanes,
    rows::{Rows, Strips},
    target::Target,
};

/// Proof that the processor has tiles and the system lets this process use them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tiles(());

impl Tiles {
    /// Asks the system for the tiles.
    pub(crate) fn enable() -> Option<Self> {
        machine::enable().then_some(Self(()))
    }
}

/// Rows and columns of a tile of sums; a tile of factors holds as many lines of twice as many numbers.
const SIDE: usize = 16;
/// Numbers of a row that are multiplied in one step.
const STEP: usize = 2 * SIDE;

/// Sixteen lines of 32 numbers of 16 bits each.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Tile([[u16; STEP]; SIDE]);

/// A step of two blocks of rows, or of two blocks of columns: their nearest numbers, then what is missing to them.
#[derive(Clone, Copy)]
#[repr(C)]
struct Quad {
    nearest: [Tile; 2],
    missing: [Tile; 2],
}

impl Quad {
    const EMPTY: Self = Self { nearest: [Tile([[0; STEP]; SIDE]); 2], missing: [Tile([[0; STEP]; SIDE]); 2] };
}

/// The sums of two blocks of rows with two blocks of columns: row block 0 with both, then row block 1.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Sums([[Lanes; SIDE]; 4]);

/// Scratch space of a product.
#[derive(Default)]
pub(crate) struct Space {
    rows: Vec<Quad>,
}

/// A matrix of weights in tiles.
pub(crate) struct Weights {
    depth: usize,
    columns: usize,
    /// By pair of column blocks, then step by step.
    quads: Vec<Quad>,
}

impl Weights {
    pub(crate) fn new(_: Tiles, depth: usize, columns: usize, at: impl Fn(usize, usize) -> f32) -> Self {
        let steps = depth.div_ceil(2);
        let mut quads = vec![Quad::EMPTY; columns.div_ceil(2) * steps];
        for (place, quad) in quads.iter_mut().enumerate() {
            let (pair, step) = (place / steps, place % steps);
            for half in 0..2 {
                for line in 0..SIDE {
                    for at_once in 0..STEP {
                        // Two numbers of a column that follow each other lie side by side.
                        let (down, column) =
                            (step * STEP + line * 2 + at_once % 2, (pair * 2 + half) * SIDE + at_once / 2);
                        if down < depth * LANES {
                            let (nearest, missing) = split(at(down, column));
                            quad.nearest[half].0[line][at_once] = nearest;
                            quad.missing[half].0[line][at_once] = missing;
                        }
                    }
                }
            }
        }
        Self { depth, columns, quads }
    }

    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "what a product has")]
    pub(crate) fn multiply<S: Simd>(
        &self,
        simd: S,
        rows: &impl Rows,
        finish: Finish<'_>,
        target: Target,
        out: &mut [Lanes],
        copied: &mut Buffer,
        space: &mut Space,
    ) {
        let steps = self.depth.div_ceil(2);
        let at_once = (SPLIT / steps).clamp(1, MOST) * 2 * SIDE;
        let _configured = machine::Configured::new();
        let mut first = 0;
        while first < rows.count() {
            let count = (rows.count() - first).min(at_once);
            let mut places = [0; MOST * 2 * SIDE];
            target.places.list(first, &mut places[..count]);
            let groups = count.div_ceil(2 * SIDE);
            space.rows.resize((groups * steps).max(space.rows.len()), Quad::EMPTY);
            let strips = rows.some(first, count, copied);
            for (group, quads) in space.rows.chunks_exact_mut(steps).take(groups).enumerate() {
                let strips = Strips { lanes: &strips.lanes[group * 2 * SIDE..], ..strips };
                machine::split(strips, self.depth, (count - group * 2 * SIDE).min(2 * SIDE), quads);
            }
            // While the tiles multiply one group, the registers finish the one before it.
            let mut sums = [Sums([[[0.0; LANES]; SIDE]; 4]); 2];
            let mut before: Option<(usize, &[usize])> = None;
            let mut turn = 0;
            for (pair, columns) in self.quads.chunks_exact(steps).enumerate() {
                for (rows, places) in space.rows.chunks_exact(steps).zip(places[..count].chunks(2 * SIDE)) {
                    machine::multiply(rows, columns, places.len() > SIDE, self.is_wide(pair), &mut sums[turn]);
                    turn = 1 - turn;
                    if let Some((pair, places)) = before.replace((pair, places)) {
                        self.finish(simd, &sums[turn], pair, finish, target.plane, places, out);
                    }
                }
            }
            if let Some((pair, places)) = before {
                self.finish(simd, &sums[1 - turn], pair, finish, target.plane, places, out);
            }
            first += count;
        }
    }

    /// Whether both blocks of a pair of columns exist.
    fn is_wide(&self, pair: usize) -> bool {
        pair * 2 + 1 < self.columns
    }

    /// Writes what becomes of the sums of two blocks of rows with two blocks of columns.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "what a product has")]
    fn finish<S: Simd>(
        &self,
        simd: S,
        sums: &Sums,
        pair: usize,
        finish: Finish<'_>,
        plane: usize,
        places: &[usize],
        out: &mut [Lanes],
    ) {
        for column in 0..=usize::from(self.is_wide(pair)) {
            let bias = f32x16::from_slice(simd, &finish.bias[pair * 2 + column]);
            let first = (pair * 2 + column) * plane;
            for (half, places) in places.chunks(SIDE).enumerate() {
                for (sum, place) in sums.0[half * 2 + column].iter().zip(places) {
                    out[first + place] = finish.with(simd, f32x16::from_slice(simd, sum) + bias, first + place);
                }
            }
        }
    }
}

/// Groups of rows that are split before they are multiplied, so that each column is read once for all of them: as many
/// as leave room for the columns in the second cache, but no more than this.
const MOST: usize = 4;
/// Quads of them.
const SPLIT: usize = 128;

/// The nearest number of 16 bits, and the nearest to what is missing.
fn split(value: f32) -> (u16, u16) {
    let nearest = nearest(value);
    (nearest, self::nearest(value - f32::from_bits(u32::from(nearest) << 16)))
}

/// The upper half of the bits, rounded to even.
#[allow(clippy::cast_possible_truncation, reason = "the upper half of 32 bits is 16")]
fn nearest(value: f32) -> u16 {
    let bits = value.to_bits();
    (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod machine;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
#[path = "tiles/elsewhere.rs"]
mod machine;
