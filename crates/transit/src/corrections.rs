//! The corrections file: corrects the data of a source, and selects the part of it that a map shows.
//!
//! A file may extend others (`base`). Their station corrections apply within their own area only, because two stations
//! with the same name may need different corrections. Their line corrections apply unless the file overrides them.

mod groups;
mod schema;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashSet},
    path::Path,
};

use kaisatsu_model::{LineIndex, Prefecture, StationCode};
use toml::Spanned;

use schema::{CommonColor, CorrectionsFile, FORMAT};
pub(crate) use schema::{LineCorrection, OpenedStation, StationGrouping, UnlistedLines};

use crate::{
    Error,
    geo::{BoundingBox, LatLon},
};

/// The deepest nesting of bases; more means that the files form a cycle.
const MAX_BASE_DEPTH: usize = 8;

/// Corrections, read and validated.
#[derive(Debug)]
pub struct Corrections {
    file: String,
    contents: CorrectionsFile,
    area: Option<BoundingBox>,
    bases: Vec<Corrections>,
    lines: LineIndex,
    used: RefCell<HashSet<usize>>,
}

impl Default for Corrections {
    fn default() -> Self {
        Self {
            file: String::new(),
            contents: CorrectionsFile::default(),
            area: None,
            bases: Vec::new(),
            lines: LineIndex::new(""),
            used: RefCell::default(),
        }
    }
}

/// The names by which a correction can refer to a station, most specific first: 三田@1160413, 三田@兵庫県, 三田.
pub(crate) fn qualified_names(name: &str, code: Option<StationCode>, prefecture: Option<Prefecture>) -> Vec<String> {
    let mut names = Vec::with_capacity(3);
    names.extend(code.map(|code| format!("{name}@{code}")));
    names.extend(prefecture.map(|prefecture| format!("{name}@{}", prefecture.name())));
    names.push(name.to_owned());
    names
}

impl Corrections {
    /// Reads a file and its bases.
    ///
    /// # Errors
    /// All problems, with file and line.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_at(path, 0)
    }

    fn open_at(path: &Path, depth: usize) -> Result<Self, Error> {
        let name = path.display().to_string();
        if depth > MAX_BASE_DEPTH {
            return Err(Error::file(&name, "its bases form a cycle"));
        }
        let text = std::fs::read_to_string(path).map_err(|error| Error::io(&name, error))?;
        let mut corrections = Self::read(&name, &text)?;
        for base in corrections.contents.base.clone() {
            let beside = path.parent().unwrap_or(Path::new(".")).join(base);
            corrections.bases.push(Self::open_at(&beside, depth + 1)?);
        }
        Ok(corrections)
    }

    /// Reads the text of a file, without its bases.
    ///
    /// # Errors
    /// All problems, with their lines.
    pub fn read(name: &str, text: &str) -> Result<Self, Error> {
        let lines = LineIndex::new(text);
        let at = |span: std::ops::Range<usize>| lines.number(&span) as u64;
        let contents: CorrectionsFile = toml::from_str(text).map_err(|error| {
            Error::line(name, at(error.span().unwrap_or(0..0)), error.message().replace('\n', "; "))
        })?;
        let mut errors = Vec::new();
        if contents.format != FORMAT {
            errors.push(Error::file(name, format!("format {} is not known; it is {FORMAT}", contents.format)));
        }
        let mut area = None;
        if let Some(given) = &contents.area {
            match BoundingBox::new(*given.get_ref()) {
                Ok(known) => area = Some(known),
                Err(rule) => errors.push(Error::line(name, at(given.span()), rule)),
            }
        }
        let mut seen = HashSet::new();
        for spanned in &contents.line {
            for problem in spanned.get_ref().problems(&mut seen) {
                errors.push(Error::line(name, at(spanned.span()), problem));
            }
        }
        for spanned in &contents.opened {
            let opened = spanned.get_ref();
            if StationCode::new(opened.code).is_err() || !(LatLon { lat: opened.lat, lon: opened.lon }).is_valid() {
                errors.push(Error::line(
                    name,
                    at(spanned.span()),
                    "an opened station has a code and a place on the earth",
                ));
            }
        }
        for spanned in contents.prefecture.values() {
            if Prefecture::from_code(*spanned.get_ref()).is_none() {
                errors.push(Error::line(name, at(spanned.span()), "the codes of prefectures are 1 to 47"));
            }
        }
        for spanned in contents.position.values() {
            let [lat, lon] = *spanned.get_ref();
            if !(LatLon { lat, lon }).is_valid() {
                errors.push(Error::line(name, at(spanned.span()), "a position is latitude, longitude in degrees"));
            }
        }
        Error::from_all(errors)?;
        Ok(Self { file: name.to_owned(), contents, area, bases: Vec::new(), lines, used: RefCell::default() })
    }

    /// The area that the map shows.
    #[must_use]
    pub fn area(&self) -> Option<BoundingBox> {
        self.area
    }

    /// Whether the file sets the id of the map.
    #[must_use]
    pub fn has_id(&self) -> bool {
        self.contents.id.is_some()
    }

    /// The paths of the file and of all its bases, as they were opened.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.layers().into_iter().map(|layer| layer.file.as_str())
    }

    /// The id, name, its translation, edition and credits of the network, where the file sets them.
    pub(crate) fn metadata(&self) -> [Option<&str>; 5] {
        let CorrectionsFile { id, name, name_translation, edition, credits, .. } = &self.contents;
        [id, name, name_translation, edition, credits].map(|text| text.as_deref())
    }

    pub(crate) fn grouping(&self) -> StationGrouping {
        self.contents.merge
    }

    pub(crate) fn unlisted_lines(&self) -> UnlistedLines {
        self.contents.other_lines
    }

    /// Whether stations without a translation get one from their readings.
    pub(crate) fn romanises(&self) -> bool {
        self.contents.romaji
    }

    /// Whether lines keep a colour that all of them have in the source.
    pub(crate) fn keeps_common_color(&self) -> bool {
        self.contents.common_color == CommonColor::Keep
    }

    /// The operators of lines whose names begin with theirs.
    pub(crate) fn operators(&self) -> impl Iterator<Item = &str> {
        self.layers().into_iter().flat_map(|layer| layer.contents.operators.iter().map(String::as_str))
    }

    pub(crate) fn max_edge_m(&self) -> Option<f64> {
        self.contents.longest_edge_km.map(|km| km * 1000.0)
    }

    /// This file and all its bases, highest precedence first.
    pub(crate) fn layers(&self) -> Vec<&Self> {
        let mut layers = vec![self];
        for base in self.bases.iter().rev() {
            layers.extend(base.layers());
        }
        layers
    }

    /// Whether this file takes the whole line, even outside its area.
    pub(crate) fn takes_whole(&self, code: Option<i64>, key: &str) -> bool {
        self.contents.line.iter().any(|correction| correction.get_ref().whole && correction.get_ref().is_for(code, key))
    }

    /// The corrections of all layers for a line, and whether this file itself has any.
    pub(crate) fn line(&self, code: Option<i64>, key: &str) -> (LineCorrection, bool) {
        let mut correction = LineCorrection::default();
        let mut own = false;
        for layer in self.layers() {
            for spanned in layer.contents.line.iter().filter(|spanned| spanned.get_ref().is_for(code, key)) {
                layer.mark(spanned);
                correction.fill_from(spanned.get_ref(), std::ptr::eq(layer, self));
                own |= std::ptr::eq(layer, self);
            }
        }
        (correction, own)
    }

    /// The codes of lines that may exist in no source: those with complete runs.
    pub(crate) fn new_lines(&self) -> BTreeSet<i64> {
        let fixes = self.layers().into_iter().flat_map(|layer| layer.contents.line.iter().map(Spanned::get_ref));
        fixes.filter(|correction| correction.runs.is_some()).filter_map(|correction| correction.code).collect()
    }

    /// The opened stations of all layers; if two have the same code, the one with higher precedence.
    pub(crate) fn opened(&self) -> Vec<&OpenedStation> {
        let mut seen = HashSet::new();
        let all = self.layers().into_iter().flat_map(|layer| layer.contents.opened.iter().map(Spanned::get_ref));
        all.filter(|opened| seen.insert(opened.code)).collect()
    }

    pub(crate) fn spelling(&self, name: &str) -> Option<&str> {
        self.take(&self.contents.spelling, &[name.to_owned()]).map(String::as_str)
    }

    pub(crate) fn renamed(&self, name: &str) -> Option<&str> {
        self.take(&self.contents.renamed, &[name.to_owned()]).map(String::as_str)
    }

    pub(crate) fn formerly(&self, names: &[String]) -> Option<&Vec<String>> {
        self.take(&self.contents.formerly, names)
    }

    pub(crate) fn position(&self, names: &[String]) -> Option<LatLon> {
        self.take(&self.contents.position, names).map(|&[lat, lon]| LatLon { lat, lon })
    }

    pub(crate) fn prefecture(&self, names: &[String]) -> Option<Prefecture> {
        self.take(&self.contents.prefecture, names).and_then(|code| Prefecture::from_code(*code))
    }

    pub(crate) fn reading(&self, names: &[String]) -> Option<&str> {
        self.take(&self.contents.reading, names).map(String::as_str)
    }

    pub(crate) fn translation(&self, names: &[String]) -> Option<&str> {
        self.take(&self.contents.translation, names).map(String::as_str)
    }

    fn take<'a, T>(&'a self, table: &'a BTreeMap<String, Spanned<T>>, names: &[String]) -> Option<&'a T> {
        let spanned = names.iter().find_map(|search_queue| table.get(search_queue))?;
        self.mark(spanned);
        Some(spanned.get_ref())
    }

    fn mark<T>(&self, spanned: &Spanned<T>) {
        self.used.borrow_mut().insert(spanned.span().start);
    }

    /// Marks an opened station as used.
    pub(crate) fn mark_opened(&self, code: i64) {
        for spanned in self.contents.opened.iter().filter(|spanned| spanned.get_ref().code == code) {
            self.mark(spanned);
        }
    }

    /// An error at the line of the file where it mentions a line.
    pub(crate) fn line_error(&self, code: Option<i64>, key: &str, message: impl Into<String>) -> Error {
        for layer in self.layers() {
            if let Some(spanned) = layer.contents.line.iter().find(|spanned| spanned.get_ref().is_for(code, key)) {
                return Error::line(&layer.file, layer.lines.number(&spanned.span()) as u64, message);
            }
        }
        Error::file(if self.file.is_empty() { "corrections" } else { &self.file }, message)
    }

    /// Corrections of this file that applied to nothing: the source has changed, or the file contains a mistake.
    pub(crate) fn unused(&self) -> Vec<Error> {
        let used = self.used.borrow();
        let mut idle = Vec::new();
        let mut report_unused = |table: &str, name: &str, start: usize| {
            if !used.contains(&start) {
                let line = self.lines.number(&(start..start)) as u64;
                idle.push(Error::line(&self.file, line, format!("{table}: {name} corrects nothing on this map")));
            }
        };
        each("spelling", &self.contents.spelling, &mut report_unused);
        each("renamed", &self.contents.renamed, &mut report_unused);
        each("formerly", &self.contents.formerly, &mut report_unused);
        each("position", &self.contents.position, &mut report_unused);
        each("prefecture", &self.contents.prefecture, &mut report_unused);
        each("reading", &self.contents.reading, &mut report_unused);
        each("translation", &self.contents.translation, &mut report_unused);
        for spanned in &self.contents.opened {
            report_unused("opened", &spanned.get_ref().name, spanned.span().start);
        }
        for spanned in &self.contents.line {
            report_unused("line", &spanned.get_ref().to_string(), spanned.span().start);
        }
        idle
    }
}

/// Calls a function for each entry of a table.
fn each<T>(table: &str, entries: &BTreeMap<String, Spanned<T>>, report_unused: &mut dyn FnMut(&str, &str, usize)) {
    for (name, spanned) in entries {
        report_unused(table, name, spanned.span().start);
    }
}
