//! Finds shapes of stations that overlap.

use std::ops::Range;

use kaisatsu_model::Window;

use super::{report::Report, text_length::abbreviate};
use crate::{Mark, Station};

/// The most overlapping pairs that are reported. Every two stations may overlap, and a longer list helps nobody.
const MAX_PAIRS: usize = 1_000;

/// Warns about each pair of overlapping shapes, of one station or of two.
///
/// A sweep from left to right compares a shape only with those that begin before its right edge.
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
            if found > MAX_PAIRS {
                report.warning(
                    &stations[*second].1,
                    format!("more than {MAX_PAIRS} pairs of shapes overlap; the rest is not listed"),
                );
                return;
            }
            let (earlier, span) = (&stations[*first], &stations[*second].1);
            let message = if first == second {
                format!("station {} {}: two of its shapes overlap", earlier.0.code, abbreviate(&earlier.0.name))
            } else {
                let (a, b) = if index == second { (mark, other) } else { (other, mark) };
                format!(
                    "station {} {}: its {} overlaps the {} of station {} {} (line {})",
                    stations[*second].0.code,
                    abbreviate(&stations[*second].0.name),
                    mark_role(a),
                    mark_role(b),
                    earlier.0.code,
                    abbreviate(&earlier.0.name),
                    report.lines.number(&earlier.1),
                )
            };
            report.warning(&span.clone(), message);
        }
    }
}

fn mark_role(mark: &Mark) -> &'static str {
    if mark.is_text { "name" } else { "mark" }
}
