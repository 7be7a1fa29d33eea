//! Finds where the bars of symbols may be, from the gradients of blocks of the image.

use super::view::View;

/// Pixels of a block's side.
const BLOCK: usize = 16;
/// The least part of the gradient of a block that must lie in one direction.
const COHERENT: f32 = 0.55;
/// The least part of the changes of a block that is undone by others: an edge of a table changes only once.
const TO_AND_FRO: f32 = 0.45;
/// Neighbouring blocks belong together if their directions differ by less: the cosine of twice 15 degrees.
const PARALLEL: f32 = 0.866;
/// The image is searched at its own size and at halves of it, down to this longer side: in a large symbol a block sees
/// a single bar.
const SMALLEST: usize = 240;
/// With fewer blocks it is a letter, and in a shorter region the bars of a symbol would be half a pixel wide.
const LEAST_BLOCKS: usize = 3;
const SHORTEST: f32 = 40.0;
/// How many blocks count in favour of a region; larger ones are walls and fences.
const COUNTED: usize = 16;

/// A part of the image that is full of parallel bars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Region {
    /// Its middle in pixels of the image.
    pub(super) middle: (f32, f32),
    /// The direction across the bars, in degrees from 0 to 180.
    pub(super) degrees: f32,
    /// Its length in that direction, and its other side.
    pub(super) length: f32,
    pub(super) breadth: f32,
    /// How much it looks like bars.
    weight: f32,
}

impl Region {
    /// Whether the middle of one lies in the other, and they have the same direction and about the same length.
    fn repeats(&self, other: &Self) -> bool {
        let (sin, cos) = other.degrees.to_radians().sin_cos();
        let (x, y) = (self.middle.0 - other.middle.0, self.middle.1 - other.middle.1);
        let within = (x * cos + y * sin).abs() < other.length / 2.0 && (y * cos - x * sin).abs() < other.breadth / 2.0;
        let turned = (self.degrees - other.degrees).abs();
        within && turned.min(180.0 - turned) < 15.0 && (0.6..1.7).contains(&(self.length / other.length))
    }
}

/// The regions of an image that look like bars, the likeliest first. `sizes` are the image and halves of it.
pub(super) fn regions(sizes: &[View], most: usize) -> Vec<Region> {
    let useful = sizes.iter().enumerate().filter(|(at, view)| *at == 0 || view.width.max(view.height) >= SMALLEST);
    let mut all: Vec<Region> = useful.flat_map(|(_, view)| in_view(view)).collect();
    let shortest = SHORTEST * sizes.first().map_or(1.0, View::scale);
    all.retain(|region| region.length >= shortest);
    all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut kept: Vec<Region> = Vec::new();
    for region in all {
        if kept.len() < most && !kept.iter().any(|known| region.repeats(known)) {
            kept.push(region);
        }
    }
    kept
}

/// A block that looks like bars: the direction in which it changes, as the cosine and sine of twice the angle.
#[derive(Debug, Clone, Copy)]
struct Block {
    cos: f32,
    sin: f32,
    weight: f32,
}

fn in_view(view: &View) -> Vec<Region> {
    let (across, down) = (view.width.saturating_sub(1) / BLOCK, view.height.saturating_sub(1) / BLOCK);
    let mut blocks: Vec<Option<Block>> = Vec::with_capacity(across * down);
    for row in 0..down {
        blocks.extend((0..across).map(|column| block(view, column * BLOCK, row * BLOCK)));
    }
    let mut found = Vec::new();
    let mut waiting = Vec::new();
    for first in 0..blocks.len() {
        let Some(seed) = blocks[first].take() else { continue };
        let mut members = vec![(first, seed)];
        let (mut cos, mut sin) = (seed.cos * seed.weight, seed.sin * seed.weight);
        waiting.push(first);
        while let Some(at) = waiting.pop() {
            let (x, y) = (at % across, at / across);
            // Two steps away: glare or a scratch may hide one block.
            for row in y.saturating_sub(2)..(y + 3).min(down) {
                for column in x.saturating_sub(2)..(x + 3).min(across) {
                    let near = row * across + column;
                    let length = cos.hypot(sin);
                    let parallel = |block: &Block| block.cos * cos + block.sin * sin >= PARALLEL * length;
                    if let Some(block) = blocks[near].filter(parallel) {
                        blocks[near] = None;
                        cos += block.cos * block.weight;
                        sin += block.sin * block.weight;
                        members.push((near, block));
                        waiting.push(near);
                    }
                }
            }
        }
        if members.len() >= LEAST_BLOCKS {
            found.push(around(view, &mut members, across, (cos, sin)));
        }
    }
    found
}

/// The region around some blocks.
fn around(view: &View, members: &mut [(usize, Block)], across: usize, (cos, sin): (f32, f32)) -> Region {
    let angle = sin.atan2(cos) / 2.0;
    let (sin, cos) = angle.sin_cos();
    let half = BLOCK as f32 / 2.0;
    let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
    for (at, _) in members.iter() {
        let (x, y) = ((at % across * BLOCK) as f32 + half, (at / across * BLOCK) as f32 + half);
        for (axis, place) in [x * cos + y * sin, y * cos - x * sin].into_iter().enumerate() {
            low[axis] = low[axis].min(place - half);
            high[axis] = high[axis].max(place + half);
        }
    }
    let (along, beside) = (f32::midpoint(low[0], high[0]), f32::midpoint(low[1], high[1]));
    members.sort_by(|a, b| b.1.weight.total_cmp(&a.1.weight));
    let scale = view.scale();
    Region {
        middle: view.back((along * cos - beside * sin, along * sin + beside * cos)),
        degrees: angle.to_degrees().rem_euclid(180.0),
        length: (high[0] - low[0]) * scale,
        breadth: (high[1] - low[1]) * scale,
        weight: members.iter().take(COUNTED).map(|(_, block)| block.weight).sum(),
    }
}

/// What a block looks like, if it may be bars.
///
/// In a block full of bars the brightness changes along one line only (the structure tensor has one large eigenvalue),
/// and as often up as down; along the edge of a table it changes along one line too, but only once.
fn block(view: &View, left: usize, top: usize) -> Option<Block> {
    let (mut xx, mut yy, mut xy, mut sum_x, mut sum_y, mut size) = (0i32, 0i32, 0i32, 0i32, 0i32, 0i32);
    for y in (top..top + BLOCK).step_by(2) {
        let (row, below) = (view.row(y), view.row(y + 1));
        let (here, after) = (row.get(left..left + BLOCK)?, row.get(left + 1..left + BLOCK + 1)?);
        let (under, beyond) = (below.get(left..left + BLOCK)?, below.get(left + 1..left + BLOCK + 1)?);
        // Within squares of two pixels: over three, bars of two pixels would be seen at a wrong angle.
        for ((a, b), (c, d)) in here.iter().zip(after).zip(under.iter().zip(beyond)) {
            let [a, b, c, d] = [a, b, c, d].map(|pixel| i32::from(*pixel));
            let (dx, dy) = (b + d - a - c, c + d - a - b);
            xx += dx * dx;
            yy += dy * dy;
            xy += dx * dy;
            sum_x += dx;
            sum_y += dy;
            size += dx.abs() + dy.abs();
        }
    }
    let (xx, yy, xy) = (xx as f32, yy as f32, xy as f32);
    let (trace, spread) = (xx + yy, (xx - yy).hypot(2.0 * xy));
    // Mean change below two grey levels: a plain surface.
    if trace < (BLOCK * BLOCK / 2) as f32 * 16.0 || spread < COHERENT * trace {
        return None;
    }
    let to_and_fro = 1.0 - (sum_x.abs() + sum_y.abs()) as f32 / size.max(1) as f32;
    if to_and_fro < TO_AND_FRO {
        return None;
    }
    let weight = (spread / trace).powi(2) * to_and_fro.powi(2) * trace.sqrt();
    Some(Block { cos: (xx - yy) / spread, sin: 2.0 * xy / spread, weight })
}

#[cfg(test)]
mod tests {
    use super::{View, regions};

    fn stripes(degrees: f32, wide: f32) -> View {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let value = |at: usize| {
            let (x, y) = ((at % 400) as f32 - 260.0, (at / 400) as f32 - 170.0);
            let (along, beside) = (x * cos + y * sin, y * cos - x * sin);
            // Without sharp edges, so that no pattern of the pixels shows.
            let dark = (along / wide * std::f32::consts::PI).sin() * 50.0 + 50.0;
            if along.abs() < 90.0 && beside.abs() < 40.0 { 230 - dark as u8 * 2 } else { 230 }
        };
        View::new(400, 300, (0..120_000).map(value).collect())
    }

    #[test]
    fn bars_are_found_where_they_are_whichever_way_they_lie() {
        for wide in [1.5, 3.0, 9.0] {
            for degrees in [0.0f32, 17.0, 45.0, 90.0, 133.0] {
                let view = stripes(degrees, wide);
                let half = view.shrunk(2);
                let found = regions(&[view, half], 4);
                let best = found[0];
                let off = (best.degrees - degrees).abs();
                assert!(off.min(180.0 - off) < 7.0, "{wide} at {degrees}: {found:?}");
                let (x, y) = best.middle;
                assert!((x - 260.0).abs() < 20.0 && (y - 170.0).abs() < 20.0, "{wide} at {degrees}: {found:?}");
                assert!((150.0..260.0).contains(&best.length), "{wide} at {degrees}: {found:?}");
                assert!((60.0..160.0).contains(&best.breadth), "{wide} at {degrees}: {found:?}");
            }
        }
    }

    #[test]
    fn a_plain_picture_has_no_bars() {
        assert!(regions(&[View::new(100, 100, vec![128; 10_000])], 3).is_empty());
        assert!(regions(&[View::new(3, 3, vec![1; 9])], 3).is_empty());
        assert!(regions(&[View::new(1, 1, vec![1])], 3).is_empty());
    }

    #[test]
    fn the_edge_of_a_table_is_no_bar() {
        let edge = (0..40_000).map(|at| if at % 200 < 100 { 20 } else { 230 }).collect();
        assert!(regions(&[View::new(200, 200, edge)], 3).is_empty());
    }
}
