//! The contents of a map file that is about to be written; [`crate::file`] is the reading side.

use std::fmt::Write;

use kaisatsu_model::{MapId, MapLanguage, Shape, StationCode, TransportKind, Window};

use crate::{Group, Label, Line, Station, file::FORMAT};

/// Everything that a map file contains.
#[derive(Debug)]
pub struct MapDocument {
    /// The id under which it is requested.
    pub id: MapId,
    /// The language of its labels.
    pub language: MapLanguage,
    /// Its display name.
    pub name: String,
    /// Its display name in a second language; empty if it has none.
    pub translation: String,
    /// Which state of the network it shows.
    pub edition: String,
    /// The sources of the data.
    pub credits: String,
    /// Width in map units.
    pub width: i64,
    /// Height in map units.
    pub height: i64,
    /// The station that viewers show first.
    pub centre: StationCode,
    /// The bounds of the legend.
    pub legend: Option<Window>,
    /// The lines, ordered by code.
    pub lines: Vec<Line>,
    /// The groups of stations, ordered by code.
    pub groups: Vec<Group>,
    /// The stations, ordered by code.
    pub stations: Vec<Station>,
}

impl MapDocument {
    /// The text of the map file. The output is deterministic.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "format = {FORMAT}")?;
        writeln!(out, "id = {}", quoted(self.id.as_str()))?;
        if self.language != MapLanguage::default() {
            writeln!(out, "language = {}", quoted(self.language.word()))?;
        }
        writeln!(out, "name = {}", quoted(&self.name))?;
        if !self.translation.is_empty() {
            writeln!(out, "translation = {}", quoted(&self.translation))?;
        }
        if !self.edition.is_empty() {
            writeln!(out, "edition = {}", quoted(&self.edition))?;
        }
        writeln!(out, "width = {}\nheight = {}\ncentre = {}", self.width, self.height, self.centre)?;
        if !self.credits.is_empty() {
            writeln!(out, "credits = {}", quoted(&self.credits))?;
        }
        if let Some(Window { x, y, width, height }) = self.legend {
            writeln!(out, "legend = {{ x = {x}, y = {y}, width = {width}, height = {height} }}")?;
        }
        self.lines.iter().try_for_each(|line| write_line(out, line))?;
        self.groups.iter().try_for_each(|group| write_group(out, group))?;
        self.stations.iter().try_for_each(|station| write_station(out, station))
    }
}

fn write_line(out: &mut String, line: &Line) -> std::fmt::Result {
    writeln!(out, "\n[[line]]\ncode = {}\nname = {}", line.code, quoted(&line.name))?;
    if !line.translation.is_empty() {
        writeln!(out, "translation = {}", quoted(&line.translation))?;
    }
    writeln!(out, "color = {}", quoted(&line.color))?;
    for (word, value) in [("symbol", &line.symbol), ("operator", &line.operator)] {
        if !value.is_empty() {
            writeln!(out, "{word} = {}", quoted(value))?;
        }
    }
    let runs = line.runs.iter().map(|run| list(run.iter().map(ToString::to_string)));
    writeln!(out, "stations = {}", list(runs))?;
    if line.is_loop {
        writeln!(out, "loop = true")?;
    }
    write_paths(out, &line.paths)?;
    if line.bullets.is_empty() {
        return Ok(());
    }
    writeln!(out, "bullets = {}", list(line.bullets.iter().map(|(x, y)| format!("{x}, {y}"))))
}

fn write_group(out: &mut String, group: &Group) -> std::fmt::Result {
    writeln!(out, "\n[[group]]\nstations = {}", list(group.stations.iter().map(ToString::to_string)))?;
    write_paths(out, &group.paths)
}

fn write_paths(out: &mut String, paths: &[Vec<(f64, f64)>]) -> std::fmt::Result {
    if paths.is_empty() {
        return Ok(());
    }
    let paths = paths.iter().map(|path| list(path.iter().map(|(x, y)| format!("{x}, {y}"))));
    writeln!(out, "paths = {}", list(paths))
}

fn write_station(out: &mut String, station: &Station) -> std::fmt::Result {
    writeln!(out, "\n[[station]]\ncode = {}\nname = {}", station.code, quoted(&station.name))?;
    for (word, value) in [("yomi", &station.yomi), ("translation", &station.translation)] {
        if !value.is_empty() {
            writeln!(out, "{word} = {}", quoted(value))?;
        }
    }
    if station.kind != TransportKind::default() {
        writeln!(out, "type = {}", quoted(station.kind.word()))?;
    }
    if let Some(prefecture) = station.prefecture {
        writeln!(out, "prefecture = {}", prefecture.code())?;
    }
    let (lat, lon) = station.position.degrees();
    writeln!(out, "lat = {lat:?}\nlon = {lon:?}")?;
    if !station.formerly.is_empty() {
        writeln!(out, "formerly = {}", list(station.formerly.iter().map(|name| quoted(name))))?;
    }
    if !station.numbers.is_empty() {
        writeln!(out, "numbers = {}", list(station.numbers.iter().map(|number| quoted(number))))?;
    }
    if let Some(Window { x, y, width, height }) = station.numbers_at {
        writeln!(out, "numbers_at = [{x}, {y}, {width}, {height}]")?;
    }
    write_label(out, station)?;
    writeln!(out, "marks = [")?;
    for mark in &station.marks {
        let shape = match &mark.shape {
            Shape::Rect(r) => {
                format!("shape = \"rect\", x = {}, y = {}, width = {}, height = {}", r.x, r.y, r.width, r.height)
            }
            Shape::Circle(c) => format!("shape = \"circle\", x = {}, y = {}, r = {}", c.x, c.y, c.r),
        };
        let chamfering = if mark.chamfering { ", chamfering = true" } else { "" };
        let text = if mark.is_text { ", text = true" } else { "" };
        writeln!(out, "  {{ {shape}{chamfering}{text} }},")?;
    }
    writeln!(out, "]")
}

/// Writes how the name is set. The default, one row with the name in the usual size, is left out.
fn write_label(out: &mut String, station: &Station) -> std::fmt::Result {
    let label = &station.label;
    if *label == Label::plain(&station.name) {
        return Ok(());
    }
    write!(out, "label = {{ rows = {}", list(label.rows.iter().map(|row| quoted(row))))?;
    if !label.small.is_empty() {
        write!(out, ", small = {}", list(label.small.iter().map(|row| quoted(row))))?;
    }
    let down = if label.down { ", down = true" } else { "" };
    let size = if label.size == Label::SIZE { String::new() } else { format!(", size = {}", label.size) };
    writeln!(out, "{down}{size} }}")
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
