//! Warns about names that are hard to read on the map: broken inside a word, or beside the mark of another station.

use std::ops::Range;

use kaisatsu_model::{MapLanguage, Shape, Window};

use super::{report::Report, text_length::abbreviate};
use crate::{
    Station,
    name_breaks::{KnownNames, ends_words},
};

pub(super) fn check(stations: &[(Station, Range<usize>)], language: MapLanguage, report: &mut Report) {
    let known: KnownNames<'_> = stations.iter().map(|(station, _)| station.name.as_str()).collect();
    for (station, span) in stations {
        let label = &station.label;
        for (name, rows) in [(station.name_in(language), &label.rows), (&station.translation, &label.small)] {
            if !ends_words(name, rows, &known) {
                let who = format!("station {} {}", station.code, abbreviate(&station.name));
                let rows = rows.join(" / ");
                report.warning(span, format!("{who}: its name is broken inside a word: {}", abbreviate(&rows)));
            }
        }
    }
    check_distances(stations, report);
}

/// A name belongs to the mark that is nearest to it.
fn check_distances(stations: &[(Station, Range<usize>)], report: &mut Report) {
    let mut marks: Vec<(Window, &Shape, usize)> = Vec::new();
    for (index, (station, _)) in stations.iter().enumerate() {
        let own = station.marks.iter().filter(|mark| !mark.is_text);
        marks.extend(own.map(|mark| (mark.shape.bounds(), &mark.shape, index)));
    }
    marks.sort_by_key(|(bounds, ..)| bounds.x);
    let widest = marks.iter().map(|(bounds, ..)| bounds.width).max().unwrap_or(0);
    for (index, (station, span)) in stations.iter().enumerate() {
        let own = |text: &Window| {
            let marks = station.marks.iter().filter(|mark| !mark.is_text);
            marks.map(|mark| distance(text, &mark.shape)).min_by(f64::total_cmp)
        };
        let texts = station.marks.iter().filter(|mark| mark.is_text).map(|mark| mark.shape.bounds());
        let nearest = texts.filter_map(|text| Some((own(&text)?, text))).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((own, text)) = nearest else { continue };
        #[expect(clippy::cast_possible_truncation, reason = "a map has at most a million units")]
        let reach = own.ceil() as i64;
        let first = marks.partition_point(|(bounds, ..)| bounds.x < text.x - reach - widest);
        let around = marks[first..].iter().take_while(|(bounds, ..)| bounds.x <= text.right() + reach);
        let foreign = around.filter(|(.., other)| *other != index);
        let foreign = foreign.map(|(_, shape, other)| (distance(&text, shape), *other));
        // A mark that the name covers is reported as an overlap.
        let nearer = foreign.filter(|(far, _)| (f64::MIN_POSITIVE..own).contains(far));
        if let Some((_, other)) = nearer.min_by(|a, b| a.0.total_cmp(&b.0)) {
            let who = format!("station {} {}", station.code, abbreviate(&station.name));
            let other = &stations[other].0;
            let other = format!("{} {}", other.code, abbreviate(&other.name));
            report.warning(span, format!("{who}: its name is nearer to the mark of station {other}"));
        }
    }
}

/// The distance between the rect of a name and a mark.
#[expect(clippy::cast_precision_loss, reason = "a map has at most a million units")]
fn distance(text: &Window, mark: &Shape) -> f64 {
    let (bounds, radius) = match mark {
        Shape::Rect(_) => (mark.bounds(), 0),
        Shape::Circle(circle) => {
            (Window { x: i64::from(circle.x), y: i64::from(circle.y), width: 0, height: 0 }, circle.r)
        }
    };
    let gap = |low: i64, high: i64, from: i64, to: i64| (from - high).max(low - to).max(0) as f64;
    let x = gap(text.x, text.right(), bounds.x, bounds.right());
    let y = gap(text.y, text.bottom(), bounds.y, bounds.bottom());
    (x.hypot(y) - f64::from(radius)).max(0.0)
}
