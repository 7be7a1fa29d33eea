//! The geometry of the map in map units: the marks of stations and the paths of lines.

use std::collections::BTreeMap;

use kaisatsu_model::{Shape, Window};

use crate::{
    dimensions::{MAX_CONNECTOR, STATION_RADIUS},
    geometry::Point,
    grid_layout::GridLayout,
    line_geometry, line_order,
    planar_graph::VertexKind,
    station_marks::{circle, intermediate_stop, junction_stop, rounded},
    topology::Topology,
};

/// A station on the map.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    pub(crate) mark: Shape,
    pub(crate) chamfering: bool,
    /// The bounds of its mark and of the lines that pass there. Its label is beside them.
    pub(crate) extent: Window,
    /// Its corridor and its index there. Labels of neighbours on a corridor prefer the same side.
    pub(crate) on_corridor: Option<(usize, usize)>,
}

impl Stop {
    /// The centre of its mark.
    #[expect(clippy::cast_precision_loss, reason = "map units are small")]
    pub(crate) fn middle(&self) -> Point {
        let bounds = self.mark.bounds();
        Point::new(bounds.x as f64 + bounds.width as f64 / 2.0, bounds.y as f64 + bounds.height as f64 / 2.0)
    }
}

/// A drawn walk between two stations of a group.
#[derive(Debug, Clone)]
pub(crate) struct Connector {
    /// The edge of the graph.
    pub(crate) walk: usize,
    /// Its stations.
    pub(crate) ends: [usize; 2],
    /// From the centre of one mark to that of the other.
    pub(crate) path: Vec<Point>,
}

/// The geometry of everything but the labels.
#[derive(Debug)]
pub(crate) struct MapGeometry {
    /// The stops, by station.
    pub(crate) stops: Vec<Stop>,
    /// The paths, by line.
    pub(crate) line_paths: Vec<Vec<Vec<Point>>>,
    /// The centreline of each corridor.
    pub(crate) centerlines: Vec<Vec<Point>>,
    /// The drawn walks.
    pub(crate) connectors: Vec<Connector>,
    /// How many times lines cross within bundles.
    pub(crate) bundle_crossings: usize,
}

impl MapGeometry {
    /// Computes the geometry with `cell` map units per grid step and the origin at `shift`. Contracted stations are
    /// distributed evenly on their corridor, and moved by `nudges`, in station distances.
    pub(crate) fn of(layout: &GridLayout<'_>, nudges: &[f64], lines: usize, cell: f64, shift: Point) -> Self {
        let topology = layout.topology;
        let centerlines = line_geometry::centerlines(layout, cell, shift);
        let mark = circle(Point::default(), STATION_RADIUS);
        let blank = Stop { mark, chamfering: false, extent: mark.bounds(), on_corridor: None };
        let mut stops = vec![blank; nudges.len()];
        for (at, junction) in topology.junctions.iter().enumerate() {
            if let VertexKind::Station(station) = junction.kind {
                stops[station] = junction_stop(layout, at, station, cell, shift);
            }
        }
        for (at, corridor) in topology.corridors.iter().enumerate() {
            for (order, &station) in corridor.intermediate.iter().enumerate() {
                stops[station] = stop_on(topology, at, order, nudges[station], &centerlines[at]);
            }
        }
        let bundle_crossings = (0..topology.corridors.len())
            .flat_map(|corridor| [true, false].map(|first| crate::topology::CorridorEnd { corridor, first }))
            .map(|end| line_order::crossings_at_end(topology, &topology.orders, end))
            .sum::<usize>();
        let line_paths = line_geometry::line_paths(topology, &centerlines, &topology.orders, lines);
        let connectors = connectors(topology, &centerlines);
        Self { stops, line_paths, centerlines, connectors, bundle_crossings }
    }
}

/// The walks from station to station. A walk that crosses lines has several corridors.
fn connectors(topology: &Topology, centerlines: &[Vec<Point>]) -> Vec<Connector> {
    let mut by_edge: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, corridor) in topology.corridors.iter().enumerate() {
        if let Some(edge) = corridor.walk {
            by_edge.entry(edge).or_default().push(at);
        }
    }
    by_edge.into_iter().filter_map(|(walk, corridors)| connector(topology, centerlines, walk, corridors)).collect()
}

fn connector(topology: &Topology, centerlines: &[Vec<Point>], walk: usize, mut left: Vec<usize>) -> Option<Connector> {
    let junctions = |corridor: usize| topology.corridors[corridor].junctions;
    let station = |junction: usize| topology.junctions[junction].kind.station();
    let mut here = left.iter().flat_map(|&corridor| junctions(corridor)).find(|&at| station(at).is_some())?;
    let first = station(here)?;
    let mut path: Vec<Point> = Vec::new();
    while let Some(at) = left.iter().position(|&corridor| junctions(corridor).contains(&here)) {
        let corridor = left.remove(at);
        let [from, to] = junctions(corridor);
        let mut part = centerlines[corridor].clone();
        if from != here {
            part.reverse();
        }
        path.extend(part);
        path.dedup();
        here = if from == here { to } else { from };
    }
    Some(Connector { walk, ends: [first, station(here)?], path })
}

/// A station on a corridor, moved by `nudge` station distances.
pub(crate) fn stop_on(topology: &Topology, at: usize, order: usize, nudge: f64, middle: &[Point]) -> Stop {
    let corridor = &topology.corridors[at];
    let ends = corridor
        .junctions
        .map(|junction| if topology.junctions[junction].kind == VertexKind::Crossing { 0.6 } else { 1.0 });
    #[expect(clippy::cast_precision_loss, reason = "a corridor has few stations")]
    let fraction = (ends[0] + order as f64 + nudge) / (ends[0] + ends[1] + (corridor.intermediate.len() - 1) as f64);
    let (position, along) = point_at(middle, fraction);
    intermediate_stop(topology, (at, order), position, along)
}

impl MapGeometry {
    /// The length of a connector between the edges of its marks.
    pub(crate) fn visible_length(&self, connector: &Connector) -> f64 {
        let marks = connector.ends.map(|station| self.stops[station].mark.bounds());
        let outside = |point: &Point| {
            marks.iter().all(|mark| {
                #[expect(clippy::cast_precision_loss, reason = "map units are small")]
                let [left, top, right, bottom] = [mark.x, mark.y, mark.right(), mark.bottom()].map(|side| side as f64);
                point.x < left || point.x > right || point.y < top || point.y > bottom
            })
        };
        // One point per unit is exact enough.
        let points = connector.path.windows(2).flat_map(|pair| {
            let steps = pair[0].distance(pair[1]).round();
            let at = move |step: i32| pair[0].toward(pair[1], f64::from(step) / steps);
            (0..rounded(steps)).map(at)
        });
        #[expect(clippy::cast_precision_loss, reason = "a connector is short")]
        let length = points.filter(outside).count() as f64;
        length
    }

    /// The connectors that are too long.
    pub(crate) fn long_connectors(&self) -> impl Iterator<Item = &Connector> {
        self.connectors.iter().filter(|connector| self.visible_length(connector) > MAX_CONNECTOR)
    }

    /// Stations whose marks overlap.
    pub(crate) fn overlapping_marks(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.stops.len()).collect();
        let bounds = |at: usize| self.stops[at].mark.bounds();
        order.sort_by_key(|&at| (bounds(at).x, at));
        let mut overlapping_marks = Vec::new();
        for (at, &one) in order.iter().enumerate() {
            let here = bounds(one);
            for &two in &order[at + 1..] {
                let there = bounds(two);
                if there.x > here.right() {
                    break;
                }
                if self.stops[one].mark.overlaps(&self.stops[two].mark) {
                    overlapping_marks.extend([one, two]);
                }
            }
        }
        overlapping_marks
    }
}

/// The point at a fraction of a path's length, and the direction of the path there.
fn point_at(path: &[Point], fraction: f64) -> (Point, Point) {
    let total: f64 = path.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let mut left = total * fraction;
    for pair in path.windows(2) {
        let far = pair[0].distance(pair[1]);
        if left <= far || far == 0.0 {
            let t = if far > 0.0 { left / far } else { 0.0 };
            return (pair[0].toward(pair[1], t), pair[1].minus(pair[0]).times(1.0 / far.max(1e-9)));
        }
        left -= far;
    }
    (path.last().copied().unwrap_or_default(), Point::new(1.0, 0.0))
}
