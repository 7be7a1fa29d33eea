//! The schema of the corrections file.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use serde::Deserialize;
use toml::Spanned;

use crate::palette;

/// The format version that this code reads.
pub(super) const FORMAT: i64 = 1;

type Table<T> = BTreeMap<String, Spanned<T>>;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CorrectionsFile {
    pub(super) format: i64,
    pub(super) base: Vec<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    /// The name of the map in a second language.
    pub(super) name_translation: Option<String>,
    pub(super) edition: Option<String>,
    pub(super) credits: Option<String>,
    pub(super) area: Option<Spanned<[f64; 4]>>,
    pub(super) merge: StationGrouping,
    /// Whether stations without a translation get one from their readings.
    pub(super) romaji: bool,
    /// What happens to a colour that all routes of a feed have.
    pub(super) common_color: CommonColor,
    /// The operators of lines whose names begin with theirs.
    pub(super) operators: Vec<String>,
    pub(super) longest_edge_km: Option<f64>,
    pub(super) other_lines: UnlistedLines,
    pub(super) spelling: Table<String>,
    pub(super) renamed: Table<String>,
    pub(super) formerly: Table<Vec<String>>,
    pub(super) position: Table<[f64; 2]>,
    pub(super) prefecture: Table<i64>,
    pub(super) reading: Table<String>,
    pub(super) translation: Table<String>,
    /// Groups of stations between which passengers walk.
    pub(super) group: Vec<Spanned<Vec<String>>>,
    /// Stations of which no two are in one group.
    pub(super) apart: Vec<Spanned<Vec<String>>>,
    pub(super) opened: Vec<Spanned<OpenedStation>>,
    pub(super) line: Vec<Spanned<LineCorrection>>,
}

/// Which stops form one station.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StationGrouping {
    /// The stops of a group in the source.
    #[default]
    Group,
    /// The stops of a group that have the same name: 赤坂見附 and 永田町 are two stations.
    GroupAndName,
}

/// What happens to a colour that all routes of a feed have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CommonColor {
    /// It is taken for that of the operator, and each line gets its own.
    #[default]
    Replace,
    /// The lines have it.
    Keep,
}

/// What happens to lines that the file does not mention.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum UnlistedLines {
    /// They are kept.
    #[default]
    Keep,
    /// They are dropped.
    Drop,
    /// A line with two stations on the map is an error; such a file lists all lines.
    Refuse,
}

/// A station that is missing from the source because it opened later.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenedStation {
    pub(crate) code: i64,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) yomi: String,
    #[serde(default)]
    pub(crate) translation: String,
    pub(crate) lat: f64,
    pub(crate) lon: f64,
    pub(crate) prefecture: Option<i64>,
}

/// After station `after`, the source continues with a branch that leaves from station `from`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Branch {
    pub(crate) after: String,
    pub(crate) from: String,
}

/// A station to insert between two adjacent stations.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Insert {
    pub(crate) new: String,
    pub(crate) between: [String; 2],
}

/// The corrections for one line.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LineCorrection {
    pub(crate) code: Option<i64>,
    pub(crate) key: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) translation: Option<String>,
    pub(crate) color: Option<String>,
    /// What signs write in the bullet of the line.
    pub(crate) symbol: Option<String>,
    /// Who runs it.
    pub(crate) operator: Option<String>,
    /// Lists of stations and their numbers by turns. Between two of them, each station has the next number.
    pub(crate) numbers: Option<Vec<Vec<String>>>,
    /// Spelling corrections for this line only; another line may have a station with that name.
    pub(crate) spelling: Option<BTreeMap<String, String>>,
    /// Renamed stations of this line.
    pub(crate) renamed: Option<BTreeMap<String, String>>,
    /// Whether the line is taken whole, even outside the area.
    pub(crate) whole: bool,
    #[serde(rename = "loop")]
    pub(crate) is_loop: Option<bool>,
    /// Stations in the source at which the line does not stop.
    pub(crate) skip: Option<Vec<String>>,
    /// Consecutive stations in the source that are not adjacent.
    pub(crate) cut: Option<Vec<[String; 2]>>,
    /// Adjacent stations that are farther apart than the largest edge length.
    pub(crate) keep: Option<Vec<[String; 2]>>,
    /// Neighbours between which the line has a track of its own, past no station of another line.
    pub(crate) direct: Option<Vec<[String; 2]>>,
    /// Two neighbours, and between them the stations that the line passes, where no other line tells them.
    pub(crate) along: Option<Vec<Vec<String>>>,
    pub(crate) branch: Option<Vec<Branch>>,
    pub(crate) insert: Option<Vec<Insert>>,
    /// Additional runs.
    pub(crate) more: Option<Vec<Vec<String>>>,
    /// The complete runs, which replace those of the source.
    pub(crate) runs: Option<Vec<Vec<String>>>,
    /// The reason why the line is dropped. An empty reason keeps a line that a base drops.
    pub(crate) drop: Option<String>,
    /// Whether a base contributed to it. The base may be for a larger map, so unknown stations are not errors.
    #[serde(skip)]
    pub(crate) is_inherited: bool,
}

impl fmt::Display for LineCorrection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.code, &self.key) {
            (Some(code), _) => write!(f, "{code}")?,
            (None, Some(key)) => f.write_str(key)?,
            (None, None) => f.write_str("?")?,
        }
        self.name.as_ref().map_or(Ok(()), |name| write!(f, " {name}"))
    }
}

impl LineCorrection {
    pub(super) fn is_for(&self, code: Option<i64>, key: &str) -> bool {
        match (&self.code, &self.key) {
            (Some(own), _) => code == Some(*own),
            (None, Some(own)) => own == key,
            (None, None) => false,
        }
    }

    /// Problems of this entry. `seen` holds the lines of earlier entries.
    pub(super) fn problems(&self, seen: &mut HashSet<String>) -> Vec<String> {
        let mut found = Vec::new();
        if self.code.is_some() == self.key.is_some() {
            found.push("a line is named by its code or by its key".to_owned());
        }
        if !seen.insert(format!("{:?} {:?}", self.code, self.key)) {
            found.push(format!("line {self} is listed twice"));
        }
        if let Some(color) = self.color.as_ref().filter(|color| palette::normalise(color).is_none()) {
            found.push(format!("line {self}: color is '{color}'; it is written #rrggbb"));
        }
        found
    }

    /// Fills unset fields from a layer with lower precedence. `whole` is asked of each layer by itself.
    pub(super) fn fill_from(&mut self, weaker: &Self, is_own: bool) {
        fn fill<T: Clone>(mine: &mut Option<T>, theirs: Option<&T>) {
            if mine.is_none() {
                *mine = theirs.cloned();
            }
        }
        fill(&mut self.code, weaker.code.as_ref());
        fill(&mut self.key, weaker.key.as_ref());
        fill(&mut self.name, weaker.name.as_ref());
        fill(&mut self.translation, weaker.translation.as_ref());
        fill(&mut self.color, weaker.color.as_ref());
        fill(&mut self.symbol, weaker.symbol.as_ref());
        fill(&mut self.operator, weaker.operator.as_ref());
        fill(&mut self.numbers, weaker.numbers.as_ref());
        fill(&mut self.spelling, weaker.spelling.as_ref());
        fill(&mut self.renamed, weaker.renamed.as_ref());
        fill(&mut self.is_loop, weaker.is_loop.as_ref());
        fill(&mut self.skip, weaker.skip.as_ref());
        fill(&mut self.cut, weaker.cut.as_ref());
        fill(&mut self.keep, weaker.keep.as_ref());
        fill(&mut self.direct, weaker.direct.as_ref());
        fill(&mut self.along, weaker.along.as_ref());
        fill(&mut self.branch, weaker.branch.as_ref());
        fill(&mut self.insert, weaker.insert.as_ref());
        fill(&mut self.more, weaker.more.as_ref());
        fill(&mut self.runs, weaker.runs.as_ref());
        fill(&mut self.drop, weaker.drop.as_ref());
        self.is_inherited |= !is_own;
    }
}
