//! Assembles the map document from the geometry, and places the legend.

use kaisatsu_model::{MapId, MapLanguage, Position, Rect, Shape, StationCode, Window};
use kaisatsu_railmap::{Group, Label, Line, MapDocument, Mark, Station, check::MAX_SIDE};
use kaisatsu_render::Legend;
use kaisatsu_transit::Network;

use crate::{
    bullets, error::LayoutError, free_space::FreeSpace, geometry::Point, labels::segment_intersects_box,
    station_numbers,
};

/// The mark and the label of a station, in map units.
#[derive(Debug, Clone)]
pub(crate) struct DrawnStation {
    pub(crate) mark: Shape,
    pub(crate) chamfering: bool,
    pub(crate) label: Label,
    pub(crate) rect: Window,
}

impl DrawnStation {
    #[expect(clippy::cast_precision_loss, reason = "map units are small")]
    pub(crate) fn centre(&self) -> Point {
        let bounds = self.mark.bounds();
        Point::new((bounds.x + bounds.right()) as f64 / 2.0, (bounds.y + bounds.bottom()) as f64 / 2.0)
    }
}

/// The stations and the path of a connector.
pub(crate) type DrawnConnector = ([usize; 2], Vec<(f64, f64)>);

/// The map before the legend is placed.
pub(crate) struct Canvas {
    pub(crate) width: i64,
    pub(crate) height: i64,
    pub(crate) stations: Vec<DrawnStation>,
    pub(crate) line_paths: Vec<Vec<Vec<(f64, f64)>>>,
    pub(crate) connectors: Vec<DrawnConnector>,
    /// Index of the station that viewers show first.
    pub(crate) centre: usize,
}

/// Margin around the legend.
const LEGEND_MARGIN: i64 = 40;
/// The least width of a legend with small print. In less, credits would be broken after every other word.
const WIDTH_FOR_CREDITS: i64 = 352;

/// Assembles the contents of the map file.
pub(crate) fn assemble(network: &Network, language: MapLanguage, canvas: Canvas) -> Result<MapDocument, LayoutError> {
    let id = MapId::new(&network.id).map_err(|rule| LayoutError::Id(rule.to_string()))?;
    let Canvas { mut width, mut height, stations, line_paths, connectors, centre } = canvas;
    let mut space = FreeSpace::new((width, height), &stations, &line_paths, &connectors);
    let bullets = bullets::place(network, &line_paths, &stations, &mut space);
    let numbers = station_numbers::place(network, &stations, &mut space);
    let drawn = network.lines.iter().zip(line_paths.into_iter().zip(bullets));
    let lines: Vec<Line> = drawn.map(|(line, (paths, bullets))| drawn_line(line, paths, bullets)).collect();
    let legend = if lines.is_empty() {
        None
    } else {
        let title = language.choose(&network.name, &network.translation);
        let legend = Legend::new(title, &network.edition, &network.credits, &lines, language);
        let has_small_print = !(network.edition.is_empty() && network.credits.is_empty());
        let least = if has_small_print { WIDTH_FOR_CREDITS } else { 1 };
        let (bounds, larger) = place_legend(&legend, least, (width, height), &stations, &lines);
        Some((bounds, larger))
    };
    let narrow = width;
    if let Some((_, larger)) = legend {
        (width, height) = larger;
    }
    if width.max(height) > MAX_SIDE {
        return Err(LayoutError::TooLarge(format!(
            "the map would be {width} by {height}; a map's side is at most {MAX_SIDE}"
        )));
    }
    let drawn = network.stations.iter().zip(stations.into_iter().zip(numbers));
    let stations = drawn.map(|(station, (drawn, numbers_at))| drawn_station(station, drawn, numbers_at));
    let mut document = MapDocument {
        id,
        language,
        name: network.name.clone(),
        edition: network.edition.clone(),
        translation: network.translation.clone(),
        credits: network.credits.clone(),
        width,
        height,
        centre: network.stations[centre].code,
        legend: legend.map(|(bounds, _)| bounds),
        groups: drawn_groups(network, &connectors),
        stations: stations.collect::<Result<_, _>>()?,
        lines,
    };
    shift(&mut document, i32::try_from((width - narrow) / 2).unwrap_or(0));
    Ok(document)
}

/// Moves everything but the legend to the right: into the middle of a map that is wider for its legend.
fn shift(document: &mut MapDocument, right: i32) {
    if right == 0 {
        return;
    }
    // The sum of two tenths may be a little beside a tenth.
    let moved = |x: f64| ((x + f64::from(right)) * 10.0).round() / 10.0;
    let points = |points: &mut Vec<(f64, f64)>| points.iter_mut().for_each(|(x, _)| *x = moved(*x));
    for line in &mut document.lines {
        line.paths.iter_mut().for_each(points);
        points(&mut line.bullets);
    }
    document.groups.iter_mut().flat_map(|group| &mut group.paths).for_each(points);
    for station in &mut document.stations {
        for mark in &mut station.marks {
            match &mut mark.shape {
                Shape::Rect(rect) => rect.x += right,
                Shape::Circle(circle) => circle.x += right,
            }
        }
        if let Some(numbers_at) = &mut station.numbers_at {
            numbers_at.x += i64::from(right);
        }
    }
}

fn drawn_groups(network: &Network, connectors: &[DrawnConnector]) -> Vec<Group> {
    let group = |stations: &Vec<StationCode>| Group {
        stations: stations.clone(),
        paths: connectors
            .iter()
            .filter(|(ends, _)| stations.contains(&network.stations[ends[0]].code))
            .map(|(_, path)| path.clone())
            .collect(),
    };
    network.groups.iter().map(group).collect()
}

fn drawn_line(line: &kaisatsu_transit::Line, paths: Vec<Vec<(f64, f64)>>, bullets: Vec<(f64, f64)>) -> Line {
    Line {
        code: line.code,
        name: line.name.clone(),
        translation: line.translation.clone(),
        color: line.color.clone(),
        symbol: line.symbol.clone(),
        operator: line.operator.clone(),
        runs: line.runs.clone(),
        is_loop: line.is_loop,
        paths,
        bullets,
    }
}

fn drawn_station(
    station: &kaisatsu_transit::Station,
    drawn: DrawnStation,
    numbers_at: Option<Window>,
) -> Result<Station, LayoutError> {
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
        position: Position::new(station.lat, station.lon)
            .ok_or_else(|| LayoutError::InvalidPosition(station.name.clone()))?,
        formerly: station.formerly.clone(),
        numbers: station.numbers.clone(),
        numbers_at,
        label: drawn.label,
        marks: vec![
            Mark { shape: Shape::Rect(text), chamfering: false, is_text: true },
            Mark { shape: drawn.mark, chamfering: drawn.chamfering, is_text: false },
        ],
    })
}

/// Places the legend in a corner where it covers nothing, or else in a strip below the map. Returns its bounds, and the
/// size of the map, which is wider if the strip is narrower than the legend.
fn place_legend(
    legend: &Legend<'_>,
    least: i64,
    (width, height): (i64, i64),
    stations: &[DrawnStation],
    lines: &[Line],
) -> (Window, (i64, i64)) {
    for fraction in [5, 4, 3, 2] {
        let (wide, tall) = legend_size(legend, width / fraction);
        // In a narrower space the legend would be scaled down. A larger fraction, or the strip, may fit it at full
        // size.
        if wide > width / fraction || wide + 2 * LEGEND_MARGIN > width || tall + 2 * LEGEND_MARGIN > height {
            continue;
        }
        let (right, bottom) = (width - LEGEND_MARGIN - wide, height - LEGEND_MARGIN - tall);
        for (x, y) in [(LEGEND_MARGIN, bottom), (right, bottom), (LEGEND_MARGIN, LEGEND_MARGIN), (right, LEGEND_MARGIN)]
        {
            let bounds = Window { x, y, width: wide, height: tall };
            if is_unoccupied(&bounds, stations, lines) {
                return (bounds, (width, height));
            }
        }
    }
    let mut strip = (width - 2 * LEGEND_MARGIN).max(least);
    let (mut wide, mut tall) = legend_size(legend, strip);
    // In the width of its longest name or of its heading, a legend may have more columns or fewer rows of small print.
    for _ in 0..3 {
        if wide <= strip {
            break;
        }
        strip = wide;
        (wide, tall) = legend_size(legend, strip);
    }
    let bounds = Window { x: LEGEND_MARGIN, y: height, width: wide, height: tall };
    (bounds, (width.max(wide + 2 * LEGEND_MARGIN), height + tall + LEGEND_MARGIN))
}

fn legend_size(legend: &Legend<'_>, width: i64) -> (i64, i64) {
    let placed = legend.size_for(i32::try_from(width.max(1)).unwrap_or(i32::MAX));
    (i64::from(placed.width).max(1), i64::from(placed.height).max(1))
}

#[expect(clippy::cast_precision_loss, reason = "map units are small")]
fn is_unoccupied(bounds: &Window, stations: &[DrawnStation], lines: &[Line]) -> bool {
    let wider = Window { x: bounds.x - 20, y: bounds.y - 20, width: bounds.width + 40, height: bounds.height + 40 };
    let low = Point::new(wider.x as f64, wider.y as f64);
    let high = Point::new(wider.right() as f64, wider.bottom() as f64);
    let crosses = |pair: &[(f64, f64)]| {
        segment_intersects_box(Point::new(pair[0].0, pair[0].1), Point::new(pair[1].0, pair[1].1), low, high)
    };
    !stations.iter().any(|station| station.rect.meets(&wider) || station.mark.touches(&wider))
        && !lines.iter().flat_map(|line| &line.paths).flat_map(|path| path.windows(2)).any(crosses)
}
