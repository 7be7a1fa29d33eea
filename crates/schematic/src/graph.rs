//! The network as a graph: stations that lines share are one vertex, lines that share a stretch are one edge.

use std::collections::HashMap;

use kaisatsu_transit::Network;

use crate::geometry::Point;

/// A stretch between two neighbouring stations, with every line that runs there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// Indices of lines, ascending. A stretch without lines is not drawn: it ties parts of the network together.
    pub(crate) lines: Vec<usize>,
}

/// Stations and stretches.
#[derive(Debug)]
pub(crate) struct Graph {
    /// Where the stations are, in kilometres east and south of the network's corner.
    pub(crate) places: Vec<Point>,
    pub(crate) stretches: Vec<Stretch>,
}

impl Graph {
    pub(crate) fn of(network: &Network) -> Self {
        let index: HashMap<_, _> = network.stations.iter().enumerate().map(|(at, s)| (s.code, at)).collect();
        let mut found: HashMap<(usize, usize), usize> = HashMap::new();
        let mut stretches: Vec<Stretch> = Vec::new();
        for (line_at, line) in network.lines.iter().enumerate() {
            for run in &line.runs {
                let stops: Vec<usize> = run.iter().filter_map(|code| index.get(code).copied()).collect();
                let closing = (line.is_loop && stops.len() > 2).then(|| [stops[stops.len() - 1], stops[0]]);
                for pair in stops.windows(2).map(|pair| [pair[0], pair[1]]).chain(closing) {
                    let (a, b) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
                    if a == b {
                        continue;
                    }
                    let at = *found.entry((a, b)).or_insert_with(|| {
                        stretches.push(Stretch { a, b, lines: Vec::new() });
                        stretches.len() - 1
                    });
                    if stretches[at].lines.last() != Some(&line_at) {
                        stretches[at].lines.push(line_at);
                    }
                }
            }
        }
        Self { places: project(network), stretches }
    }
}

/// Degrees to kilometres on a plane that touches the earth in the middle of the network.
fn project(network: &Network) -> Vec<Point> {
    let stations = &network.stations;
    let (south, north) = stations.iter().fold((f64::MAX, f64::MIN), |(low, high), s| (low.min(s.lat), high.max(s.lat)));
    let lat = f64::midpoint(south, north);
    let lon = middle_lon(stations.iter().map(|s| s.lon).collect());
    let narrow = lat.to_radians().cos();
    let kilometres = 111.195;
    let mut places: Vec<Point> = stations
        .iter()
        .map(|s| {
            let east = (s.lon - lon + 540.0).rem_euclid(360.0) - 180.0;
            // A shift of less than half a metre, other for each code, keeps three stations from lying on one straight line.
            let (dx, dy) = jitter(s.code.get());
            Point { x: east * narrow * kilometres + dx, y: (lat - s.lat) * kilometres + dy }
        })
        .collect();
    part_twins(&mut places);
    places
}

/// The longitude in the middle of the network: opposite to the widest gap that it leaves around the earth, which need not be
/// the one across the date line.
fn middle_lon(mut lons: Vec<f64>) -> f64 {
    lons.sort_by(f64::total_cmp);
    let (Some(&west), Some(&east)) = (lons.first(), lons.last()) else { return 0.0 };
    let inner = lons.windows(2).max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
    match inner {
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

/// Two stations at one place (within five metres) are put apart, else nothing could be said about their order.
fn part_twins(places: &mut [Point]) {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].x.total_cmp(&places[b].x));
    for at in 0..order.len() {
        for other in at + 1..order.len() {
            let (a, b) = (order[at], order[other]);
            if places[b].x - places[a].x > 0.005 {
                break;
            }
            if (places[b].y - places[a].y).abs() < 0.005 {
                places[b].y += 0.02;
                places[b].x += 0.007;
            }
        }
    }
}
