//! Moves disconnected components closer together, so that a distant island does not make the map mostly empty.
//!
//! A component moves as a whole along its connector, so all rotations stay the same. It moves only as far as none of
//! its edges meets another edge.

use crate::{
    geometry::{Point, bounds, segments_meet},
    planar_graph::PlanarGraph,
    segment_index::SegmentIndex,
};

/// The largest length of a connector, in station distances.
const MAX_CONNECTOR_LENGTH: f64 = 4.0;

/// Shortens every long connector that crosses no edge.
pub(crate) fn compact_components(planar: &PlanarGraph, points: &mut [Point]) {
    for connector in (0..planar.segments.len()).filter(|&segment| planar.is_invisible(segment)) {
        let parts = planar.segments.iter().filter(|segment| segment.edge == planar.segments[connector].edge).count();
        if parts == 1 {
            shorten(planar, points, connector);
        }
    }
}

fn shorten(planar: &PlanarGraph, points: &mut [Point], connector: usize) {
    let (a, b) = (planar.segments[connector].a, planar.segments[connector].b);
    let far = points[a].distance(points[b]);
    if far <= MAX_CONNECTOR_LENGTH {
        return;
    }
    let Some(component) = smaller_component(planar, connector) else { return };
    let (from, to) = if component[a] { (points[a], points[b]) } else { (points[b], points[a]) };
    let shift = to.minus(from).times(1.0 - MAX_CONNECTOR_LENGTH / far);
    for share in [1.0, 0.75, 0.5, 0.25] {
        let moved: Vec<Point> = points
            .iter()
            .zip(&component)
            .map(|(point, inside)| if *inside { point.plus(shift.times(share)) } else { *point })
            .collect();
        if is_disjoint(planar, &moved, &component, connector) {
            points.copy_from_slice(&moved);
            return;
        }
    }
}

/// The vertices on the smaller side of a connector; `None` if its removal does not disconnect the graph.
fn smaller_component(planar: &PlanarGraph, connector: usize) -> Option<Vec<bool>> {
    let mut inside = vec![false; planar.points.len()];
    let mut open = vec![planar.segments[connector].b];
    inside[planar.segments[connector].b] = true;
    while let Some(vertex) = open.pop() {
        for &segment in planar.rotations[vertex].iter().filter(|segment| **segment != connector) {
            let next = planar.segments[segment].other(vertex);
            if !std::mem::replace(&mut inside[next], true) {
                open.push(next);
            }
        }
    }
    if inside[planar.segments[connector].a] {
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

/// Whether no segment of the component, and not its connector, meets a segment of the rest.
fn is_disjoint(planar: &PlanarGraph, points: &[Point], component: &[bool], connector: usize) -> bool {
    let Some((low, high)) = bounds(points) else { return true };
    let mut index = SegmentIndex::new(low, high, 4.0);
    let ends = |segment: usize| (points[planar.segments[segment].a], points[planar.segments[segment].b]);
    let (own, others): (Vec<usize>, Vec<usize>) =
        (0..planar.segments.len()).partition(|&segment| segment == connector || component[planar.segments[segment].a]);
    for (segment, number) in others.iter().zip(0..) {
        let (a, b) = ends(*segment);
        index.insert(number, a, b);
    }
    own.into_iter().all(|segment| {
        let (a, b) = ends(segment);
        let mut clear = true;
        index.query(a, b, 1.0, |number| {
            let other = others[number as usize];
            let (c, d) = ends(other);
            let joined = [planar.segments[segment].a, planar.segments[segment].b]
                .iter()
                .any(|end| *end == planar.segments[other].a || *end == planar.segments[other].b);
            clear = clear && (joined || !segments_meet(a, b, c, d));
        });
        clear
    })
}
