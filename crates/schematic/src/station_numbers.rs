//! Places the numbers of stations beside their labels and marks, where nothing else is.

use kaisatsu_model::Window;
use kaisatsu_render::measure_numbers;
use kaisatsu_transit::Network;

use crate::{document::DrawnStation, free_space::FreeSpace, geometry::Point};

/// No line has this index, so that all lines are in the way.
const NO_LINE: usize = usize::MAX - 1;
/// The distance of numbers from a label or a mark.
const GAPS: [f64; 3] = [2.0, 4.0, 8.0];

/// Where the numbers of each station are drawn; `None` if it has none, or if they do not fit.
pub(crate) fn place(network: &Network, stations: &[DrawnStation], space: &mut FreeSpace) -> Vec<Option<Window>> {
    let pairs = network.stations.iter().zip(stations);
    pairs
        .map(|(station, drawn)| {
            let size = measure_numbers(&station.numbers)?;
            let side = (f64::from(size.width), f64::from(size.height));
            let centre = positions(drawn, side)
                .find(|point| space.is_free(*point, side) && space.covered_lines(*point, side, NO_LINE) == 0.0)?;
            space.take(centre, side);
            #[expect(clippy::cast_possible_truncation, reason = "a map is far smaller than 64 bits")]
            let (x, y) = ((centre.x - side.0 / 2.0).round() as i64, (centre.y - side.1 / 2.0).round() as i64);
            Some(Window { x, y, width: size.width.into(), height: size.height.into() })
        })
        .collect()
}

/// The centres that are tried, the best first: under the label and over it, beside it, and around the mark.
#[expect(clippy::cast_precision_loss, reason = "map units are small")]
fn positions(drawn: &DrawnStation, (width, height): (f64, f64)) -> impl Iterator<Item = Point> {
    let corners = |window: &Window| [window.x as f64, window.y as f64, window.right() as f64, window.bottom() as f64];
    let (label, mark) = (corners(&drawn.rect), corners(&drawn.mark.bounds()));
    let whole = |value: f64, side: f64| (value - side / 2.0).round() + side / 2.0;
    [label, mark]
        .into_iter()
        .flat_map(|around| GAPS.into_iter().map(move |gap| (around, gap)))
        .flat_map(move |([left, top, right, bottom], gap)| {
            let (half_x, half_y) = (width / 2.0, height / 2.0);
            let (middle_x, middle_y) = (f64::midpoint(left, right), f64::midpoint(top, bottom));
            let (above, below) = (top - gap - half_y, bottom + gap + half_y);
            let (before, after) = (left - gap - half_x, right + gap + half_x);
            [
                (left + half_x, below),
                (middle_x, below),
                (right - half_x, below),
                (left + half_x, above),
                (middle_x, above),
                (right - half_x, above),
                (after, middle_y),
                (before, middle_y),
                (after, top + half_y),
                (after, bottom - half_y),
                (before, top + half_y),
                (before, bottom - half_y),
                (after, above),
                (after, below),
                (before, above),
                (before, below),
            ]
        })
        .map(move |(x, y)| Point::new(whole(x, width), whole(y, height)))
}
