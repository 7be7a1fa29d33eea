//! Shapes that lie on each other.

use std::ops::Range;

use kaisatsu_model::Window;

use super::{Report, texts::brief};
use crate::{Mark, Station};

/// After so many the drawing is at fault as a whole, and the list helps nobody. There may be a pair for every two stations.
const MOST: usize = 1_000;

/// Warns of each pair of shapes that overlap, of one station or of two.
///
/// The shapes are swept from left to right, so that a shape is compared only with those that begin before it ends.
pub(super) fn check(stations: &[(Station, Range<usize>)], report: &mut Report) {
    let mut shapes: Vec<(Window, usize, &Mark)> = Vec::new();
    for (index, (station, _)) in stations.iter().enumerate() {
        shapes.extend(station.marks.iter().map(|mark| (mark.shape.bounds(), index, mark)));
    }
    shapes.sort_by_key(|(bounds, index, _)| (bounds.x, *index));
    let mut found = 0;
    for (at, (bounds, index, mark)) in shapes.iter().enumerate() {
        let reach = shapes[at + 1..].iter().take_while(|(other, _, _)| other.x < bounds.right());
        for (_, other_index, other) in reach.filter(|(_, _, other)| mark.shape.overlaps(&other.shape)) {
            let (first, second) = (index.min(other_index), index.max(other_index));
            found += 1;
            if found > MOST {
                report.warning(
                    &stations[*second].1,
                    format!("more than {MOST} pairs of shapes overlap; the rest is not listed"),
                );
                return;
            }
            let (earlier, place) = (&stations[*first], &stations[*second].1);
            let message = if first == second {
                format!("station {} {}: two of its shapes overlap", earlier.0.code, brief(&earlier.0.name))
            } else {
                let (a, b) = if index == second { (mark, other) } else { (other, mark) };
                format!(
                    "station {} {}: its {} overlaps the {} of station {} {} (line {})",
                    stations[*second].0.code,
                    brief(&stations[*second].0.name),
                    part(a),
                    part(b),
                    earlier.0.code,
                    brief(&earlier.0.name),
                    report.lines.number(&earlier.1),
                )
            };
            report.warning(&place.clone(), message);
        }
    }
}

fn part(mark: &Mark) -> &'static str {
    if mark.is_text { "name" } else { "mark" }
}
