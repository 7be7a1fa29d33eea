//! Finds misleading contacts: bundles that touch, and marks that cover a line that does not stop there.
//!
//! Paths do not meet on the grid, but a bundle may be wider than a grid step.

use kaisatsu_model::Shape;

use crate::{
    dimensions::{HALF_LINE_WIDTH, MAX_BUNDLE_WIDTH, bundle_width},
    geometry::{Point, bounds, nearest_between},
    labels::segment_intersects_box,
    map_geometry::MapGeometry,
    planar_graph::VertexKind,
    segment_index::SegmentIndex,
    topology::Topology,
};

/// A contact, and the corridors that should move apart.
#[derive(Debug)]
pub(crate) struct Contact {
    pub(crate) at: Point,
    pub(crate) corridors: Vec<usize>,
}

/// Half of the width of a corridor's bundle.
fn half_width(topology: &Topology, corridor: usize) -> f64 {
    bundle_width(topology.corridors[corridor].lines.len()) / 2.0 + HALF_LINE_WIDTH
}

/// All contacts, each pair of corridors once.
pub(crate) fn find_contacts(topology: &Topology, geometry: &MapGeometry) -> Vec<Contact> {
    let mut line_segments: Vec<(usize, Point, Point)> = Vec::new();
    for (corridor, middle) in
        geometry.centerlines.iter().enumerate().filter(|(corridor, _)| !topology.corridors[*corridor].lines.is_empty())
    {
        line_segments.extend(middle.windows(2).map(|pair| (corridor, pair[0], pair[1])));
    }
    let ends: Vec<Point> = line_segments.iter().flat_map(|(_, a, b)| [*a, *b]).collect();
    let Some((low, high)) = bounds(&ends) else { return Vec::new() };
    let mut index = SegmentIndex::new(low, high, 32.0);
    let mut found: Vec<Contact> = Vec::new();
    let mut pairs = std::collections::HashSet::new();
    for (&(corridor, a, b), number) in line_segments.iter().zip(0..) {
        index.query(a, b, MAX_BUNDLE_WIDTH + 2.0 * HALF_LINE_WIDTH, |other| {
            let (other, c, d) = line_segments[other as usize];
            if corridor == other || pairs.contains(&(other, corridor)) {
                return;
            }
            let (p, q) = nearest_between(a, b, c, d);
            let reach = half_width(topology, corridor) + half_width(topology, other);
            if p.distance(q) < reach && !near_shared_junction(topology, geometry, [corridor, other], p, reach) {
                pairs.insert((other, corridor));
                found.push(Contact { at: p.toward(q, 0.5), corridors: vec![corridor, other] });
            }
        });
        index.insert(number, a, b);
    }
    found.extend(marks_on_lines(topology, geometry, &line_segments, &index));
    found
}

/// Whether a point is near a junction that two corridors share. The wider they are, the longer they run close together.
fn near_shared_junction(
    topology: &Topology,
    geometry: &MapGeometry,
    corridors: [usize; 2],
    at: Point,
    reach: f64,
) -> bool {
    let [one, two] = corridors.map(|corridor| topology.corridors[corridor].junctions);
    one.iter().filter(|junction| two.contains(junction)).any(|&junction| {
        let (middle, size) = match topology.junctions[junction].kind {
            VertexKind::Station(station) => {
                let bounds = geometry.stops[station].mark.bounds();
                #[expect(clippy::cast_precision_loss, reason = "marks are small")]
                let size = bounds.width.max(bounds.height) as f64 / 2.0;
                (geometry.stops[station].middle(), size)
            }
            VertexKind::Crossing => {
                let centerline = &geometry.centerlines[corridors[0]];
                let end = if topology.corridors[corridors[0]].junctions[0] == junction {
                    centerline.first()
                } else {
                    centerline.last()
                };
                (end.copied().unwrap_or_default(), 0.0)
            }
        };
        middle.distance(at) < size + reach * 1.6 + 16.0
    })
}

fn marks_on_lines(
    topology: &Topology,
    geometry: &MapGeometry,
    line_segments: &[(usize, Point, Point)],
    index: &SegmentIndex,
) -> Vec<Contact> {
    let mut found = Vec::new();
    let mut own_corridors: Vec<Vec<usize>> = vec![Vec::new(); geometry.stops.len()];
    for (at, corridor) in topology.corridors.iter().enumerate() {
        let ends = corridor.junctions.iter().filter_map(|&junction| topology.junctions[junction].kind.station());
        for station in ends.chain(corridor.intermediate.iter().copied()) {
            own_corridors[station].push(at);
        }
    }
    for (station, stop) in geometry.stops.iter().enumerate() {
        let middle = stop.middle();
        index.query(middle, middle, 64.0, |number| {
            let (corridor, a, b) = line_segments[number as usize];
            if !own_corridors[station].contains(&corridor)
                && mark_overlaps(&stop.mark, a, b, half_width(topology, corridor))
            {
                let mut corridors = own_corridors[station].clone();
                corridors.push(corridor);
                found.push(Contact { at: middle, corridors });
            }
        });
    }
    found
}

/// Whether a mark overlaps a segment with this half width.
pub(crate) fn mark_overlaps(mark: &Shape, a: Point, b: Point, half_width: f64) -> bool {
    match mark {
        Shape::Circle(circle) => {
            let middle = Point::new(f64::from(circle.x), f64::from(circle.y));
            crate::geometry::nearest_on(a, b, middle).distance(middle) < f64::from(circle.r) + half_width
        }
        Shape::Rect(rect) => {
            let low = Point::new(f64::from(rect.x) - half_width, f64::from(rect.y) - half_width);
            let size = Point::new(f64::from(rect.width) + 2.0 * half_width, f64::from(rect.height) + 2.0 * half_width);
            segment_intersects_box(a, b, low, low.plus(size))
        }
    }
}
