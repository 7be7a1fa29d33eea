//! Measures journeys between random stations of Tokyo, and station search by name and by place on all of Japan. One
//! thread, no server; it needs the network of Japan that `tools/maps/build.py japan --networks-only` writes.
//!
//! ```text
//! make bench-places
//! ```
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement prints, and stops at a surprise"
)]

use std::{hint::black_box, path::Path, time::Instant};

use kaisatsu_model::{Circle, MapId, MapLanguage, Position, Prefecture, Rect, Shape};
use kaisatsu_railmap::{Label, Line, MapDocument, MapRegistry, Mark, Station, StationFilter, journey::Order};

/// Random pairs of stations, for each order.
const PAIRS: usize = 10_000;
/// Pairs for which five ways are sought.
const PAIRS_OF_FIVE: usize = 2_000;
/// Searches of each kind.
const SEARCHES: usize = 5_000;

fn main() {
    let path = std::env::args().nth(1).unwrap_or_else(|| "target/maps/japan.network.toml".to_owned());
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("japan.toml"), undrawn(Path::new(&path))).expect("a map file");
    let maps: MapRegistry<()> = MapRegistry::open(Some(folder.path().to_owned()), |_| ()).expect("the maps");
    println!("| what | how many | p50 µs | p99 µs |\n|---|---|---|---|");
    journeys(&maps);
    searches(&maps);
}

fn journeys(maps: &MapRegistry<()>) {
    let tokyo = maps.get("tokyo").expect("the built-in map of Tokyo");
    let (network, count) = (tokyo.network(), tokyo.map.stations().len());
    for (name, order) in [("by time", Order::Time), ("by changes", Order::Transfers)] {
        for (ways, pairs) in [(1, PAIRS), (5, PAIRS_OF_FIVE)] {
            let mut random = Random(20_261_117);
            let what = format!("journey in Tokyo, {ways} way{}, {name}", if ways == 1 { "" } else { "s" });
            row(&what, pairs, || {
                let (from, to) = (random.below(count), random.below(count));
                if from != to {
                    black_box(network.courses(&[from, to], order, ways));
                }
            });
        }
    }
}

fn searches(maps: &MapRegistry<()>) {
    let directory = maps.stations();
    let directory = &*directory;
    let everywhere = directory.search(&StationFilter::default());
    println!("\n{} stations on all maps\n\n| what | how many | p50 µs | p99 µs |\n|---|---|---|---|", everywhere.len());
    let station = |random: &mut Random| directory.station(everywhere[random.below(everywhere.len())]);
    let by_name = |filter: fn(&Station) -> StationFilter<'static>, length: usize, text: fn(&Station) -> &str| {
        let mut random = Random(7);
        move || {
            let station = station(&mut random);
            let name: String = text(station).chars().take(length).collect();
            black_box(directory.search(&StationFilter { name: Some(&name), ..filter(station) }));
        }
    };
    let all = |_: &Station| StationFilter::default();
    let in_prefecture =
        |station: &Station| StationFilter { prefecture: station.prefecture, ..StationFilter::default() };
    row("search: whole name", SEARCHES, by_name(all, usize::MAX, |s| &s.name));
    row("search: first character of a name", SEARCHES, by_name(all, 1, |s| &s.name));
    row("search: first three kana of a reading", SEARCHES, by_name(all, 3, |s| &s.yomi));
    row("search: two characters, in a prefecture", SEARCHES, by_name(in_prefecture, 2, |s| &s.name));
    let mut code = 0;
    row("search: a prefecture", SEARCHES, || {
        code = code % 47 + 1;
        black_box(
            directory.search(&StationFilter { prefecture: Prefecture::from_code(code), ..StationFilter::default() }),
        );
    });
    for radius in [1_000.0, 50_000.0] {
        let mut random = Random(8);
        row(&format!("near: within {radius} m"), SEARCHES, || {
            black_box(directory.near(station(&mut random).position, radius));
        });
    }
}

/// Measures one call after the other, and prints a row.
fn row(what: &str, count: usize, mut call: impl FnMut()) {
    (0..count / 10).for_each(|_| call());
    let mut micros: Vec<f64> = (0..count)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    micros.sort_by(f64::total_cmp);
    println!("| {what} | {count} | {:.0} | {:.0} |", micros[count / 2], micros[count * 99 / 100]);
}

/// A map file of a network without a layout: its stations in rows.
fn undrawn(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("the network of Japan: tools/maps/build.py japan --networks-only");
    let network = kaisatsu_transit::file::read(&text).expect("a network file");
    let stations = network.stations.iter().zip(0_i32..).map(|(station, at)| {
        let (x, y) = (at % 100 * 60 + 20, at / 100 * 30 + 10);
        Station {
            code: station.code,
            name: station.name.clone(),
            yomi: station.yomi.clone(),
            translation: station.translation.clone(),
            kind: station.kind,
            prefecture: station.prefecture,
            position: Position::new(station.lat, station.lon).expect("a position"),
            formerly: station.formerly.clone(),
            numbers: station.numbers.clone(),
            numbers_at: None,
            label: Label::plain(&station.name),
            marks: vec![
                Mark { shape: Shape::Circle(Circle { x, y, r: 4 }), chamfering: false, is_text: false },
                Mark {
                    shape: Shape::Rect(Rect { x: x + 6, y, width: 20, height: 9 }),
                    chamfering: false,
                    is_text: true,
                },
            ],
        }
    });
    let lines = network.lines.iter().map(|line| Line {
        code: line.code,
        name: line.name.clone(),
        translation: line.translation.clone(),
        color: line.color.clone(),
        symbol: line.symbol.clone(),
        operator: line.operator.clone(),
        runs: line.runs.clone(),
        is_loop: line.is_loop,
        paths: Vec::new(),
        bullets: Vec::new(),
    });
    let document = MapDocument {
        id: MapId::new("japan").expect("an id"),
        language: MapLanguage::default(),
        name: network.name.clone(),
        translation: network.translation.clone(),
        edition: String::new(),
        credits: String::new(),
        width: 6_200,
        height: 4_000,
        centre: network.stations[0].code,
        legend: None,
        lines: lines.collect(),
        groups: Vec::new(),
        stations: stations.collect(),
    };
    document.to_toml()
}

/// A linear congruential generator: the same pairs in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % count
    }
}
