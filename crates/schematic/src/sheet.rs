//! From a drawn network to the sheet of a map, with its legend.

use kaisatsu_model::{MapId, Rect, Shape, Window};
use kaisatsu_railmap::{Line, Mark, Position, Sheet, Station, check::MAX_SIDE};
use kaisatsu_render::Legend;
use kaisatsu_transit::Network;

use crate::{
    build::{DrawnStation, Unbuildable},
    geometry::Point,
    labels::passes,
};

/// What is drawn, in map units, before it has a legend.
pub(crate) struct Canvas {
    pub(crate) width: i64,
    pub(crate) height: i64,
    pub(crate) stations: Vec<DrawnStation>,
    pub(crate) strokes: Vec<Vec<Vec<(f64, f64)>>>,
    /// Index of the station to show first.
    pub(crate) centre: usize,
}

/// Free room around the legend.
const EDGE: i64 = 40;

/// Puts everything together that a map file says.
pub(crate) fn sheet(network: &Network, canvas: Canvas) -> Result<Sheet, Unbuildable> {
    let id = MapId::new(&network.id).map_err(|rule| Unbuildable::Id(rule.to_string()))?;
    let Canvas { width, mut height, stations, strokes, centre } = canvas;
    let lines: Vec<Line> = network.lines.iter().zip(strokes).map(|(line, paths)| drawn_line(line, paths)).collect();
    let legend = if lines.is_empty() {
        None
    } else {
        let legend = Legend::new(&network.name, &network.edition, &network.credits, &lines);
        let (place, lower) = place_legend(&legend, (width, height), &stations, &lines);
        height = lower;
        Some(place)
    };
    if width.max(height) > MAX_SIDE {
        return Err(Unbuildable::TooLarge(format!(
            "the map would be {width} by {height}; a map's side is at most {MAX_SIDE}"
        )));
    }
    let stations = network.stations.iter().zip(stations).map(|(station, drawn)| drawn_station(station, drawn));
    Ok(Sheet {
        id,
        name: network.name.clone(),
        edition: network.edition.clone(),
        credits: network.credits.clone(),
        width,
        height,
        centre: network.stations[centre].code,
        legend,
        stations: stations.collect::<Result<_, _>>()?,
        lines,
    })
}

fn drawn_line(line: &kaisatsu_transit::Line, paths: Vec<Vec<(f64, f64)>>) -> Line {
    Line {
        code: line.code,
        name: line.name.clone(),
        translation: line.translation.clone(),
        color: line.color.clone(),
        runs: line.runs.clone(),
        is_loop: line.is_loop,
        paths,
    }
}

fn drawn_station(station: &kaisatsu_transit::Station, drawn: DrawnStation) -> Result<Station, Unbuildable> {
    let whole = |value: i64| i32::try_from(value).unwrap_or(i32::MAX);
    let Window { x, y, width, height } = drawn.rect;
    let text = Rect { x: whole(x), y: whole(y), width: whole(width), height: whole(height) };
    Ok(Station {
        code: station.code,
        name: station.name.clone(),
        yomi: station.yomi.clone(),
        translation: station.translation.clone(),
        kind: station.kind,
        prefecture: station.prefecture,
        position: Position::new(station.lat, station.lon).ok_or_else(|| Unbuildable::Nowhere(station.name.clone()))?,
        formerly: station.formerly.clone(),
        label: drawn.label,
        marks: vec![
            Mark { shape: Shape::Rect(text), chamfering: false, is_text: true },
            Mark { shape: drawn.mark, chamfering: drawn.chamfering, is_text: false },
        ],
    })
}

/// A corner where the legend covers nothing, or else a strip below the map. Returns the place and the height of the map with it.
fn place_legend(
    legend: &Legend<'_>,
    (width, height): (i64, i64),
    stations: &[DrawnStation],
    lines: &[Line],
) -> (Window, i64) {
    for part in [5, 4, 3, 2] {
        let (wide, tall) = room(legend, width / part);
        // Too wide for this part, it would be drawn smaller; a larger part, or the strip, may hold it as it is.
        if wide > width / part || wide + 2 * EDGE > width || tall + 2 * EDGE > height {
            continue;
        }
        let (right, bottom) = (width - EDGE - wide, height - EDGE - tall);
        for (x, y) in [(EDGE, bottom), (right, bottom), (EDGE, EDGE), (right, EDGE)] {
            let place = Window { x, y, width: wide, height: tall };
            if is_empty(&place, stations, lines) {
                return (place, height);
            }
        }
    }
    let strip = (width - 2 * EDGE).max(1);
    let (wide, tall) = room(legend, strip);
    (Window { x: EDGE, y: height, width: wide.min(strip), height: tall }, height + tall + EDGE)
}

fn room(legend: &Legend<'_>, width: i64) -> (i64, i64) {
    let placed = legend.room(i32::try_from(width.max(1)).unwrap_or(i32::MAX));
    (i64::from(placed.width).max(1), i64::from(placed.height).max(1))
}

#[expect(clippy::cast_precision_loss, reason = "map units are small")]
fn is_empty(place: &Window, stations: &[DrawnStation], lines: &[Line]) -> bool {
    let wider = Window { x: place.x - 20, y: place.y - 20, width: place.width + 40, height: place.height + 40 };
    let low = Point::new(wider.x as f64, wider.y as f64);
    let high = Point::new(wider.right() as f64, wider.bottom() as f64);
    let stroke =
        |pair: &[(f64, f64)]| passes(Point::new(pair[0].0, pair[0].1), Point::new(pair[1].0, pair[1].1), low, high);
    !stations.iter().any(|station| station.rect.meets(&wider) || station.mark.touches(&wider))
        && !lines.iter().flat_map(|line| &line.paths).flat_map(|path| path.windows(2)).any(stroke)
}
