//! The network as a graph: each station is one vertex, and all lines between two adjacent stations share one edge.
//! A line that passes stations without stopping uses the edges between them.

use std::collections::HashMap;

use kaisatsu_model::StationCode;
use kaisatsu_transit::{Network, Passes};

use crate::{geometry::Point, turn::turn, walks::walk_edges};

/// An edge between two adjacent stations, with all lines that use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// Indices of lines, ascending. An edge without lines is not drawn; it connects components.
    pub(crate) lines: Vec<usize>,
    /// Whether it joins two stations of a group, between which passengers walk.
    pub(crate) is_walk: bool,
}

/// Stations and edges.
#[derive(Debug)]
pub(crate) struct Graph {
    /// The positions of the stations, in kilometres east and south of the centre of the network.
    pub(crate) positions: Vec<Point>,
    pub(crate) edges: Vec<Edge>,
    /// The groups, as indices of stations.
    pub(crate) groups: Vec<Vec<usize>>,
    /// The lines that stop at each station, ascending.
    pub(crate) stopping: Vec<Vec<usize>>,
    /// The ways on which lines pass stations: the line, and the stations from one stop to the next.
    pub(crate) passes: Vec<(usize, Vec<usize>)>,
}

impl Graph {
    pub(crate) fn of(network: &Network) -> Self {
        let index: HashMap<_, _> = network.stations.iter().enumerate().map(|(at, s)| (s.code, at)).collect();
        let mut found: HashMap<(usize, usize), usize> = HashMap::new();
        let mut edges: Vec<Edge> = Vec::new();
        let mut stopping: Vec<Vec<usize>> = vec![Vec::new(); network.stations.len()];
        let all_passes = Passes::of(network);
        let mut passes = Vec::new();
        for (line_at, line) in network.lines.iter().enumerate() {
            for (from, to) in line.edges().filter(|(from, to)| from != to) {
                let way = all_passes.way(from, to);
                let way: Vec<usize> = way.iter().filter_map(|code| index.get(code).copied()).collect();
                for stop in way.first().into_iter().chain(way.last()) {
                    if stopping[*stop].last() != Some(&line_at) {
                        stopping[*stop].push(line_at);
                    }
                }
                for pair in way.windows(2) {
                    let (a, b) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
                    let at = *found.entry((a, b)).or_insert_with(|| {
                        edges.push(Edge { a, b, lines: Vec::new(), is_walk: false });
                        edges.len() - 1
                    });
                    if edges[at].lines.last() != Some(&line_at) {
                        edges[at].lines.push(line_at);
                    }
                }
                if way.len() > 2 {
                    passes.push((line_at, way));
                }
            }
        }
        let mut positions = project(network);
        turn(&mut positions, edges.iter().map(|edge| (edge.a, edge.b)));
        let members = |group: &Vec<StationCode>| group.iter().filter_map(|code| index.get(code).copied()).collect();
        let groups: Vec<Vec<usize>> = network.groups.iter().map(members).collect();
        edges.extend(walk_edges(&positions, &edges, &groups));
        Self { positions, edges, groups, stopping, passes }
    }

    /// The number of edges with lines.
    pub(crate) fn line_edges(&self) -> usize {
        self.edges.iter().filter(|edge| !edge.is_walk).count()
    }
}

/// Projects degrees to kilometres on a plane tangent at the centre of the network.
fn project(network: &Network) -> Vec<Point> {
    let stations = &network.stations;
    let (south, north) = stations.iter().fold((f64::MAX, f64::MIN), |(low, high), s| (low.min(s.lat), high.max(s.lat)));
    let lat = f64::midpoint(south, north);
    let lon = central_longitude(stations.iter().map(|s| s.lon).collect());
    let lon_scale = lat.to_radians().cos();
    let kilometres = 111.195;
    let mut positions: Vec<Point> = stations
        .iter()
        .map(|s| {
            let east = (s.lon - lon + 540.0).rem_euclid(360.0) - 180.0;
            // A deterministic shift of less than half a metre prevents collinear stations.
            let (dx, dy) = jitter(s.code.get());
            Point { x: east * lon_scale * kilometres + dx, y: (lat - s.lat) * kilometres + dy }
        })
        .collect();
    separate_coincident(&mut positions);
    positions
}

/// The central longitude of the network: opposite the widest gap between stations around the earth, which may not be
/// the gap across the antimeridian.
fn central_longitude(mut lons: Vec<f64>) -> f64 {
    lons.sort_by(f64::total_cmp);
    let (Some(&west), Some(&east)) = (lons.first(), lons.last()) else { return 0.0 };
    let intermediate = lons.windows(2).max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
    match intermediate {
        Some(gap) if gap[1] - gap[0] > west + 360.0 - east => f64::midpoint(gap[0], gap[1]) + 180.0,
        _ => f64::midpoint(west, east),
    }
}

fn jitter(code: u32) -> (f64, f64) {
    let mut bits = u64::from(code).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits ^= bits >> 29;
    bits = bits.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits ^= bits >> 32;
    let part =
        |shift: u32| (f64::from(u16::try_from((bits >> shift) & 0xFFFF).unwrap_or(0)) / 65_536.0 - 0.5) * 0.000_8;
    (part(0), part(16))
}

/// Separates stations within five metres of each other, because coincident stations have no rotation.
fn separate_coincident(positions: &mut [Point]) {
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by(|&a, &b| positions[a].x.total_cmp(&positions[b].x));
    for at in 0..order.len() {
        for other in at + 1..order.len() {
            let (a, b) = (order[at], order[other]);
            if positions[b].x - positions[a].x > 0.005 {
                break;
            }
            if (positions[b].y - positions[a].y).abs() < 0.005 {
                positions[b].y += 0.02;
                positions[b].x += 0.007;
            }
        }
    }
}
