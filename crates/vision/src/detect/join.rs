//! One answer of what a detector saw in a whole picture and in its tiles.
//!
//! A thing in two views is found twice, and a thing across the edge of a tile is found in part. A box that ends at the
//! edge of its tile, inside of the picture, is *cut*: it yields to a box of the same class around it that is not. The
//! pieces of a thing that no view shows whole are put together, and pieces whose rest is missing are dropped.

use super::{Detection, overlap::surest, tiles::Tile};
use crate::{Area, Picture};

/// A box that ends within this part of its tile's side from an edge ends there, or within two pixels.
const EDGE: f32 = 0.01;
const EDGE_PIXELS: f32 = 2.0;

/// A cut box is a piece of another when this part of it lies inside, and the other scores at least this share of it:
/// boxes of which the network is hardly sure are everywhere.
const INSIDE: f32 = 0.6;
const SURE: f32 = 0.5;

/// Pieces of one thing share this part of their extents along the edge between them.
const FACING: f32 = 0.5;

/// Sides that are no farther apart, in fractions of the picture, end at the same place.
const TOGETHER: f32 = 0.003;

/// The sides of a box, in the order left, top, right, bottom.
type Sides<T> = [T; 4];

/// A thing that was seen in one of the views.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// Its box is in fractions of the whole picture.
    pub(super) found: Detection,
    /// The view that it was seen in, for its row.
    pub(super) view: usize,
    cut: Sides<bool>,
}

impl Seen {
    /// What was seen in the whole picture.
    pub(super) fn whole(found: Detection, view: usize) -> Self {
        Self { found, view, cut: [false; 4] }
    }

    /// What was seen in a tile.
    #[allow(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
    pub(super) fn in_tile(found: Detection, view: usize, tile: Tile, picture: &Picture) -> Self {
        let (width, height) = (tile.width as f32, tile.height as f32);
        let near = |distance: f32, side: f32| distance * side <= (EDGE * side).max(EDGE_PIXELS);
        let area = found.area;
        let cut = [
            tile.left > 0 && near(area.x_min, width),
            tile.top > 0 && near(area.y_min, height),
            tile.left + tile.width < picture.width() && near(1.0 - area.x_max, width),
            tile.top + tile.height < picture.height() && near(1.0 - area.y_max, height),
        ];
        let x = |part: f32| (tile.left as f32 + part * width) / picture.width() as f32;
        let y = |part: f32| (tile.top as f32 + part * height) / picture.height() as f32;
        let area = Area { x_min: x(area.x_min), y_min: y(area.y_min), x_max: x(area.x_max), y_max: y(area.y_max) };
        Self { found: Detection { area, ..found }, view, cut }
    }

    fn is_cut(&self) -> bool {
        self.cut.contains(&true)
    }

    fn sides(&self) -> Sides<f32> {
        let Area { x_min, y_min, x_max, y_max } = self.found.area;
        [x_min, y_min, x_max, y_max]
    }

    /// Whether this is a piece of a box that is not cut.
    fn is_piece_of(&self, other: &Self) -> bool {
        inside(self.found.area, other.found.area) >= INSIDE && other.found.score >= SURE * self.found.score
    }

    /// The thing of which two boxes are the pieces on both sides of an edge.
    fn joined(&self, other: &Self) -> Option<Self> {
        if self.view == other.view {
            return None;
        }
        // Across, then down.
        [0, 1].into_iter().find_map(|axis| self.continued(other, axis).or_else(|| other.continued(self, axis)))
    }

    /// The thing that begins with this piece and goes on, to the right or down, with another.
    fn continued(&self, next: &Self, axis: usize) -> Option<Self> {
        let (near, far, low, high) = (axis, axis + 2, 1 - axis, 3 - axis);
        let (a, b) = (self.sides(), next.sides());
        let meet = self.cut[far] && next.cut[near] && b[near] <= a[far];
        let in_order = a[near] <= b[near] + TOGETHER && a[far] <= b[far] + TOGETHER;
        let shared = a[high].min(b[high]) - a[low].max(b[low]);
        let both = a[high].max(b[high]) - a[low].min(b[low]);
        (meet && in_order && shared >= FACING * both).then(|| {
            let surer = if surest(&self.found, &next.found).is_le() { self } else { next };
            let area = self.found.area.around(next.found.area);
            let cut = [0, 1, 2, 3].map(|side| outer_cut(self, next, side));
            Self { found: Detection { area, ..surer.found }, view: surer.view, cut }
        })
    }
}

/// Whether a side of two boxes together is cut: that of the one that reaches farther.
fn outer_cut(a: &Seen, b: &Seen, side: usize) -> bool {
    let farther = if side < 2 { b.sides()[side] - a.sides()[side] } else { a.sides()[side] - b.sides()[side] };
    if farther.abs() < TOGETHER {
        a.cut[side] && b.cut[side]
    } else if farther > 0.0 {
        a.cut[side]
    } else {
        b.cut[side]
    }
}

/// The part of `inner` that lies inside of `outer`, 0 to 1.
fn inside(inner: Area, outer: Area) -> f32 {
    let size = |area: Area| (area.x_max - area.x_min).max(0.0) * (area.y_max - area.y_min).max(0.0);
    let shared = size(Area {
        x_min: inner.x_min.max(outer.x_min),
        y_min: inner.y_min.max(outer.y_min),
        x_max: inner.x_max.min(outer.x_max),
        y_max: inner.y_max.min(outer.y_max),
    });
    if size(inner) > 0.0 { shared / size(inner) } else { 0.0 }
}

/// One of each thing that was seen, class by class. Of two boxes that overlap by more than `most_overlap`, the surer
/// stays.
pub(super) fn join(mut seen: Vec<Seen>, most_overlap: f32) -> Vec<Seen> {
    // Whole boxes first and those that are cut on most sides last, so that a piece finds what has more of the thing.
    let cuts = |one: &Seen| one.cut.iter().filter(|cut| **cut).count();
    let order = |a: &Seen, b: &Seen| cuts(a).cmp(&cuts(b)).then(surest(&a.found, &b.found));
    seen.sort_by(|a, b| a.found.class.cmp(&b.found.class).then(order(a, b)));
    let mut all = Vec::with_capacity(seen.len());
    for class in seen.chunk_by(|a, b| a.found.class == b.found.class) {
        let mut kept: Vec<Seen> = Vec::new();
        let mut pieces: Vec<Seen> = Vec::new();
        let same = |a: &Seen, b: &Seen| a.found.area.overlap(b.found.area) > most_overlap;
        for one in class {
            if kept.iter().any(|other| same(one, other) || one.is_cut() && one.is_piece_of(other)) {
                continue;
            }
            if one.is_cut() {
                put_together(&mut pieces, *one, same);
            } else {
                kept.push(*one);
            }
        }
        // A piece whose rest was not found has no known extent: the whole picture shows what is larger than a tile.
        pieces.retain(|piece| !piece.is_cut());
        all.append(&mut kept);
        all.append(&mut pieces);
    }
    all
}

/// Adds a piece: joined to those it meets, and not where it is a part of one.
fn put_together(pieces: &mut Vec<Seen>, piece: Seen, same: impl Fn(&Seen, &Seen) -> bool) {
    let mut thing = piece;
    while let Some((at, joined)) = pieces.iter().enumerate().find_map(|(at, other)| Some((at, thing.joined(other)?))) {
        pieces.swap_remove(at);
        thing = joined;
    }
    let area = thing.found.area;
    // Of a box and one around it, the larger has more of the thing.
    if !pieces.iter().any(|other| inside(area, other.found.area) >= INSIDE || same(other, &thing)) {
        pieces.retain(|other| inside(other.found.area, area) < INSIDE);
        pieces.push(thing);
    }
}

#[cfg(test)]
mod tests;
