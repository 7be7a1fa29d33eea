//! The corrections file: what people know better than a source, and which part of it a map shows.
//!
//! A file may stand on others (`base`). What those say about stations holds in their own area only, because two
//! stations of one name may need different facts; what they say about a line holds unless the file itself says otherwise.

mod shape;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashSet},
    path::Path,
};

use kaisatsu_model::{Lines, Prefecture, StationCode};
use toml::Spanned;

use shape::{FORMAT, Facts};
pub(crate) use shape::{LineFix, Merge, Opened, OtherLines};

use crate::{
    Error,
    geo::{Area, Place},
};

/// Bases of bases may go this deep; more is a circle.
const DEEPEST: usize = 8;

/// Corrections, read and ready to be applied.
#[derive(Debug)]
pub struct Corrections {
    file: String,
    facts: Facts,
    area: Option<Area>,
    bases: Vec<Corrections>,
    lines: Lines,
    used: RefCell<HashSet<usize>>,
}

impl Default for Corrections {
    fn default() -> Self {
        Self {
            file: String::new(),
            facts: Facts::default(),
            area: None,
            bases: Vec::new(),
            lines: Lines::of(""),
            used: RefCell::default(),
        }
    }
}

/// How a correction names a station of which there are several: 三田@兵庫県, 三田@1160413.
pub(crate) fn ways_to_name(name: &str, code: Option<StationCode>, prefecture: Option<Prefecture>) -> Vec<String> {
    let mut ways = Vec::with_capacity(3);
    ways.extend(code.map(|code| format!("{name}@{code}")));
    ways.extend(prefecture.map(|prefecture| format!("{name}@{}", prefecture.name())));
    ways.push(name.to_owned());
    ways
}

impl Corrections {
    /// Reads a file and those that it stands on.
    ///
    /// # Errors
    /// Everything that is wrong with them, with file and line.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_at(path, 0)
    }

    fn open_at(path: &Path, depth: usize) -> Result<Self, Error> {
        let name = path.display().to_string();
        if depth > DEEPEST {
            return Err(Error::file(&name, "its bases stand on each other"));
        }
        let text = std::fs::read_to_string(path).map_err(|error| Error::io(&name, error))?;
        let mut corrections = Self::read(&name, &text)?;
        for base in corrections.facts.base.clone() {
            let beside = path.parent().unwrap_or(Path::new(".")).join(base);
            corrections.bases.push(Self::open_at(&beside, depth + 1)?);
        }
        Ok(corrections)
    }

    /// Reads the text of a file; its bases are not followed.
    ///
    /// # Errors
    /// Everything that is wrong with it, with its line.
    pub fn read(name: &str, text: &str) -> Result<Self, Error> {
        let lines = Lines::of(text);
        let at = |span: std::ops::Range<usize>| lines.number(&span) as u64;
        let facts: Facts = toml::from_str(text).map_err(|error| {
            Error::line(name, at(error.span().unwrap_or(0..0)), error.message().replace('\n', "; "))
        })?;
        let mut wrong = Vec::new();
        if facts.format != FORMAT {
            wrong.push(Error::file(name, format!("format {} is not known; it is {FORMAT}", facts.format)));
        }
        let mut area = None;
        if let Some(given) = &facts.area {
            match Area::new(*given.get_ref()) {
                Ok(known) => area = Some(known),
                Err(rule) => wrong.push(Error::line(name, at(given.span()), rule)),
            }
        }
        let mut seen = HashSet::new();
        for spanned in &facts.line {
            for problem in spanned.get_ref().problems(&mut seen) {
                wrong.push(Error::line(name, at(spanned.span()), problem));
            }
        }
        for spanned in &facts.opened {
            let opened = spanned.get_ref();
            if StationCode::new(opened.code).is_err() || !(Place { lat: opened.lat, lon: opened.lon }).is_valid() {
                wrong.push(Error::line(
                    name,
                    at(spanned.span()),
                    "an opened station has a code and a place on the earth",
                ));
            }
        }
        for spanned in facts.prefecture.values() {
            if Prefecture::from_code(*spanned.get_ref()).is_none() {
                wrong.push(Error::line(name, at(spanned.span()), "the codes of prefectures are 1 to 47"));
            }
        }
        for spanned in facts.position.values() {
            let [lat, lon] = *spanned.get_ref();
            if !(Place { lat, lon }).is_valid() {
                wrong.push(Error::line(name, at(spanned.span()), "a position is latitude, longitude in degrees"));
            }
        }
        Error::from_all(wrong)?;
        Ok(Self { file: name.to_owned(), facts, area, bases: Vec::new(), lines, used: RefCell::default() })
    }

    /// The part of the world that the map shows.
    #[must_use]
    pub fn area(&self) -> Option<Area> {
        self.area
    }

    /// Whether the file says the id of the map.
    #[must_use]
    pub fn has_id(&self) -> bool {
        self.facts.id.is_some()
    }

    /// The id, name, edition and credits of the network, where the file gives them.
    pub(crate) fn heading(&self) -> [Option<&str>; 4] {
        [&self.facts.id, &self.facts.name, &self.facts.edition, &self.facts.credits].map(|text| text.as_deref())
    }

    pub(crate) fn merge(&self) -> Merge {
        self.facts.merge
    }

    pub(crate) fn other_lines(&self) -> OtherLines {
        self.facts.other_lines
    }

    pub(crate) fn longest_edge_m(&self) -> Option<f64> {
        self.facts.longest_edge_km.map(|km| km * 1000.0)
    }

    /// This file and all below it, the strongest first.
    pub(crate) fn layers(&self) -> Vec<&Self> {
        let mut layers = vec![self];
        for base in self.bases.iter().rev() {
            layers.extend(base.layers());
        }
        layers
    }

    /// The lines that this file takes beyond its area.
    pub(crate) fn takes_whole(&self, code: Option<i64>, key: &str) -> bool {
        self.facts.line.iter().any(|fix| fix.get_ref().whole && fix.get_ref().is_for(code, key))
    }

    /// What all layers together say about a line, and whether this file itself speaks of it.
    pub(crate) fn line(&self, code: Option<i64>, key: &str) -> (LineFix, bool) {
        let mut fix = LineFix::default();
        let mut own = false;
        for layer in self.layers() {
            for spanned in layer.facts.line.iter().filter(|spanned| spanned.get_ref().is_for(code, key)) {
                layer.mark(spanned);
                fix.fill_from(spanned.get_ref(), std::ptr::eq(layer, self));
                own |= std::ptr::eq(layer, self);
            }
        }
        (fix, own)
    }

    /// The codes of lines that no source has: those with runs of their own.
    pub(crate) fn new_lines(&self) -> BTreeSet<i64> {
        let fixes = self.layers().into_iter().flat_map(|layer| layer.facts.line.iter().map(Spanned::get_ref));
        fixes.filter(|fix| fix.runs.is_some()).filter_map(|fix| fix.code).collect()
    }

    /// Stations opened since, the strongest layer's first.
    pub(crate) fn opened(&self) -> Vec<&Opened> {
        let mut seen = HashSet::new();
        let all = self.layers().into_iter().flat_map(|layer| layer.facts.opened.iter().map(Spanned::get_ref));
        all.filter(|opened| seen.insert(opened.code)).collect()
    }

    pub(crate) fn spelling(&self, name: &str) -> Option<&str> {
        self.take(&self.facts.spelling, &[name.to_owned()]).map(String::as_str)
    }

    pub(crate) fn renamed(&self, name: &str) -> Option<&str> {
        self.take(&self.facts.renamed, &[name.to_owned()]).map(String::as_str)
    }

    pub(crate) fn formerly(&self, ways: &[String]) -> Option<&Vec<String>> {
        self.take(&self.facts.formerly, ways)
    }

    pub(crate) fn position(&self, ways: &[String]) -> Option<Place> {
        self.take(&self.facts.position, ways).map(|&[lat, lon]| Place { lat, lon })
    }

    pub(crate) fn prefecture(&self, ways: &[String]) -> Option<Prefecture> {
        self.take(&self.facts.prefecture, ways).and_then(|code| Prefecture::from_code(*code))
    }

    pub(crate) fn reading(&self, ways: &[String]) -> Option<&str> {
        self.take(&self.facts.reading, ways).map(String::as_str)
    }

    pub(crate) fn translation(&self, ways: &[String]) -> Option<&str> {
        self.take(&self.facts.translation, ways).map(String::as_str)
    }

    fn take<'a, T>(&'a self, table: &'a BTreeMap<String, Spanned<T>>, ways: &[String]) -> Option<&'a T> {
        let spanned = ways.iter().find_map(|way| table.get(way))?;
        self.mark(spanned);
        Some(spanned.get_ref())
    }

    fn mark<T>(&self, spanned: &Spanned<T>) {
        self.used.borrow_mut().insert(spanned.span().start);
    }

    /// Says that an opened station is on the map.
    pub(crate) fn mark_opened(&self, code: i64) {
        for spanned in self.facts.opened.iter().filter(|spanned| spanned.get_ref().code == code) {
            self.mark(spanned);
        }
    }

    /// An error at the place where the file speaks of a line.
    pub(crate) fn line_error(&self, code: Option<i64>, key: &str, message: impl Into<String>) -> Error {
        for layer in self.layers() {
            if let Some(spanned) = layer.facts.line.iter().find(|spanned| spanned.get_ref().is_for(code, key)) {
                return Error::line(&layer.file, layer.lines.number(&spanned.span()) as u64, message);
            }
        }
        Error::file(if self.file.is_empty() { "corrections" } else { &self.file }, message)
    }

    /// Corrections of this file that correct nothing: the source has moved on, or there is a slip of the pen.
    pub(crate) fn unused(&self) -> Vec<Error> {
        let used = self.used.borrow();
        let mut idle = Vec::new();
        let mut look = |table: &str, name: &str, start: usize| {
            if !used.contains(&start) {
                let line = self.lines.number(&(start..start)) as u64;
                idle.push(Error::line(&self.file, line, format!("{table}: {name} corrects nothing on this map")));
            }
        };
        each("spelling", &self.facts.spelling, &mut look);
        each("renamed", &self.facts.renamed, &mut look);
        each("formerly", &self.facts.formerly, &mut look);
        each("position", &self.facts.position, &mut look);
        each("prefecture", &self.facts.prefecture, &mut look);
        each("reading", &self.facts.reading, &mut look);
        each("translation", &self.facts.translation, &mut look);
        for spanned in &self.facts.opened {
            look("opened", &spanned.get_ref().name, spanned.span().start);
        }
        for spanned in &self.facts.line {
            look("line", &spanned.get_ref().to_string(), spanned.span().start);
        }
        idle
    }
}

/// Looks at each entry of a table.
fn each<T>(table: &str, entries: &BTreeMap<String, Spanned<T>>, look: &mut dyn FnMut(&str, &str, usize)) {
    for (name, spanned) in entries {
        look(table, name, spanned.span().start);
    }
}
