//! Matrix products of rows with weights, which every convolution but the depthwise ones comes down to.

use fearless_simd::{Simd, SimdBase, SimdFloat, f32x16};

pub(crate) use super::target::{Places, Target};
use super::{
    Buffer, Finish, LANES, Lanes, blocks, is_wide,
    rows::{Rows, Strips},
    tiles::{self, Tiles},
};

/// A matrix of weights, arranged for the kernel that will read it.
pub(crate) struct Matrix {
    /// Blocks of a row that it is multiplied with, and of a row of the result.
    depth: usize,
    columns: usize,
    arranged: Arranged,
}

enum Arranged {
    /// Two blocks of columns at a time, and of these line by line.
    Lines(Vec<Pair>),
    Tiles(tiles::Weights),
}

/// A line of two blocks of columns.
#[repr(C, align(64))]
struct Pair([Lanes; 2]);

/// Scratch space of a product.
#[derive(Default)]
pub(crate) struct Space {
    rows: Buffer,
    tiles: tiles::Space,
}

impl Matrix {
    /// Arranges the weights that `at(line, column)` gives.
    pub(crate) fn new(tiles: Option<Tiles>, depth: usize, width: usize, at: impl Fn(usize, usize) -> f32) -> Self {
        let columns = blocks(width);
        let at = |line: usize, column: usize| if column < width { at(line, column) } else { 0.0 };
        let arranged = match tiles {
            // A row of one block would leave half of a tile empty.
            Some(tiles) if depth > 1 => Arranged::Tiles(tiles::Weights::new(tiles, depth, columns, at)),
            _ => Arranged::Lines(lines(depth, columns, at)),
        };
        Self { depth, columns, arranged }
    }

    /// Multiplies all rows, and writes each sum after `finish`. Not inlined: every caller would compile it again.
    #[inline(never)]
    pub(crate) fn multiply<S: Simd>(
        &self,
        simd: S,
        rows: &impl Rows,
        finish: Finish<'_>,
        target: Target,
        out: &mut [Lanes],
        space: &mut Space,
    ) {
        simd.vectorize(
            #[inline(always)]
            || match &self.arranged {
                Arranged::Tiles(weights) => {
                    weights.multiply(simd, rows, finish, target, out, &mut space.rows, &mut space.tiles);
                }
                Arranged::Lines(lines) => {
                    let wide = is_wide(simd.level());
                    let mut first = 0;
                    while first < rows.count() {
                        let count = (rows.count() - first).min(AT_ONCE);
                        let mut places = [0; AT_ONCE];
                        target.places.list(first, &mut places[..count]);
                        let some = rows.some(first, count, &mut space.rows);
                        let mut done = 0;
                        while done < count {
                            let strips = Strips { lanes: &some.lanes[done..], ..some };
                            let (places, plane) = (&places[done..], target.plane);
                            done += match count - done {
                                AT_ONCE if wide => {
                                    self.strip::<S, AT_ONCE, 2>(simd, lines, strips, finish, plane, places, out)
                                }
                                6.. if wide => self.strip::<S, 6, 2>(simd, lines, strips, finish, plane, places, out),
                                6.. => self.strip::<S, 6, 1>(simd, lines, strips, finish, plane, places, out),
                                3.. => self.strip::<S, 3, 2>(simd, lines, strips, finish, plane, places, out),
                                _ => self.strip::<S, 1, 2>(simd, lines, strips, finish, plane, places, out),
                            };
                        }
                        first += count;
                    }
                }
            },
        );
    }

    /// Multiplies `ROWS` rows, `BLOCKS` blocks of columns at a time (1 or 2), and returns the number of rows.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "what a product has")]
    fn strip<S: Simd, const ROWS: usize, const BLOCKS: usize>(
        &self,
        simd: S,
        lines: &[Pair],
        rows: Strips<'_>,
        finish: Finish<'_>,
        plane: usize,
        places: &[usize],
        out: &mut [Lanes],
    ) -> usize {
        let of_pair = self.depth * LANES;
        for first in (0..self.columns).step_by(BLOCKS) {
            let (lines, half) = (&lines[first / 2 * of_pair..][..of_pair], first % 2);
            let mut sums = [[f32x16::splat(simd, 0.0); BLOCKS]; ROWS];
            for (block, lines) in lines.as_chunks::<LANES>().0.iter().enumerate() {
                let rows = &rows.lanes[block * rows.stride..][..ROWS];
                for (lane, Pair(line)) in lines.iter().enumerate() {
                    let mut weights = [f32x16::splat(simd, 0.0); BLOCKS];
                    for (weight, block) in weights.iter_mut().zip(&line[half..]) {
                        *weight = f32x16::from_slice(simd, block);
                    }
                    for row in 0..ROWS {
                        let value = f32x16::splat(simd, rows[row][lane]);
                        for (sum, weight) in sums[row].iter_mut().zip(&weights) {
                            *sum = weight.mul_add(value, *sum);
                        }
                    }
                }
            }
            for (sums, place) in sums.into_iter().zip(places) {
                for (sum, column) in sums.into_iter().zip(first..self.columns) {
                    let block = column * plane + place;
                    out[block] = finish.of(simd, sum, block, column);
                }
            }
        }
        ROWS
    }
}

/// Rows that are multiplied at once with wide registers: with two blocks of columns their sums fill 24 of 32 registers.
/// With registers of half the width there are 16, and the sums of six rows and one block of columns fill 12 of them.
const AT_ONCE: usize = 12;

fn lines(depth: usize, columns: usize, at: impl Fn(usize, usize) -> f32) -> Vec<Pair> {
    let mut lines = Vec::with_capacity(columns.div_ceil(2) * depth * LANES);
    for pair in 0..columns.div_ceil(2) {
        for line in 0..depth * LANES {
            lines.push(Pair([0, 1].map(|half| std::array::from_fn(|lane| at(line, (pair * 2 + half) * LANES + lane)))));
        }
    }
    lines
}
