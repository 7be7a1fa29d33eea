//! Brings parts without a connection nearer: an island far out at sea would make the map mostly water.
//!
//! A part moves along the tie that holds it, as a whole, so the order around every vertex stays; it moves only as far as
//! nothing of it meets anything else.

use crate::{
    cells::Cells,
    geometry::{Point, segments_meet},
    plane::{Plane, bounds},
};

/// How long a tie may stay, in station distances.
const TIE: f64 = 8.0;

/// Shortens every long tie that nothing crosses.
pub(crate) fn gather(plane: &Plane, points: &mut [Point]) {
    for tie in (0..plane.pieces.len()).filter(|&piece| plane.lines(piece).is_empty()) {
        let parts = plane.pieces.iter().filter(|piece| piece.stretch == plane.pieces[tie].stretch).count();
        if parts == 1 {
            shorten(plane, points, tie);
        }
    }
}

fn shorten(plane: &Plane, points: &mut [Point], tie: usize) {
    let (a, b) = (plane.pieces[tie].a, plane.pieces[tie].b);
    let far = points[a].distance(points[b]);
    if far <= TIE {
        return;
    }
    let Some(part) = smaller_part(plane, tie) else { return };
    let (from, to) = if part[a] { (points[a], points[b]) } else { (points[b], points[a]) };
    let way = to.minus(from).times(1.0 - TIE / far);
    for share in [1.0, 0.75, 0.5, 0.25] {
        let moved: Vec<Point> = points
            .iter()
            .zip(&part)
            .map(|(point, inside)| if *inside { point.plus(way.times(share)) } else { *point })
            .collect();
        if is_apart(plane, &moved, &part, tie) {
            points.copy_from_slice(&moved);
            return;
        }
    }
}

/// The vertices on the smaller side of a tie; `None` when it does not hold two parts together.
fn smaller_part(plane: &Plane, tie: usize) -> Option<Vec<bool>> {
    let mut inside = vec![false; plane.points.len()];
    let mut open = vec![plane.pieces[tie].b];
    inside[plane.pieces[tie].b] = true;
    while let Some(vertex) = open.pop() {
        for &piece in plane.around[vertex].iter().filter(|piece| **piece != tie) {
            let next = plane.pieces[piece].other(vertex);
            if !std::mem::replace(&mut inside[next], true) {
                open.push(next);
            }
        }
    }
    if inside[plane.pieces[tie].a] {
        return None;
    }
    let count = inside.iter().filter(|inside| **inside).count();
    if count * 2 > inside.len() {
        for inside in &mut inside {
            *inside = !*inside;
        }
    }
    Some(inside)
}

/// Whether no edge of the part, nor its tie, meets an edge of the rest.
fn is_apart(plane: &Plane, points: &[Point], part: &[bool], tie: usize) -> bool {
    let Some((low, high)) = bounds(points) else { return true };
    let mut cells = Cells::new(low, high, 4.0);
    let ends = |piece: usize| (points[plane.pieces[piece].a], points[plane.pieces[piece].b]);
    let (own, others): (Vec<usize>, Vec<usize>) =
        (0..plane.pieces.len()).partition(|&piece| piece == tie || part[plane.pieces[piece].a]);
    for (piece, number) in others.iter().zip(0..) {
        let (a, b) = ends(*piece);
        cells.insert(number, a, b);
    }
    own.into_iter().all(|piece| {
        let (a, b) = ends(piece);
        let mut clear = true;
        cells.near(a, b, 1.0, |number| {
            let other = others[number as usize];
            let (c, d) = ends(other);
            let joined = [plane.pieces[piece].a, plane.pieces[piece].b]
                .iter()
                .any(|end| *end == plane.pieces[other].a || *end == plane.pieces[other].b);
            clear = clear && (joined || !segments_meet(a, b, c, d));
        });
        clear
    })
}
