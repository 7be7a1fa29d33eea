//! The corrections file as it is written.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use serde::Deserialize;
use toml::Spanned;

use crate::palette;

/// The version of the format that this code reads.
pub(super) const FORMAT: i64 = 1;

type Table<T> = BTreeMap<String, Spanned<T>>;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Facts {
    pub(super) format: i64,
    pub(super) base: Vec<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) edition: Option<String>,
    pub(super) credits: Option<String>,
    pub(super) area: Option<Spanned<[f64; 4]>>,
    pub(super) merge: Merge,
    pub(super) longest_edge_km: Option<f64>,
    pub(super) other_lines: OtherLines,
    pub(super) spelling: Table<String>,
    pub(super) renamed: Table<String>,
    pub(super) formerly: Table<Vec<String>>,
    pub(super) position: Table<[f64; 2]>,
    pub(super) prefecture: Table<i64>,
    pub(super) reading: Table<String>,
    pub(super) translation: Table<String>,
    pub(super) opened: Vec<Spanned<Opened>>,
    pub(super) line: Vec<Spanned<LineFix>>,
}

/// What is one station.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Merge {
    /// A group of the source.
    #[default]
    Group,
    /// A group of the source, but each of its names for itself: 赤坂見附 and 永田町 are two.
    GroupAndName,
}

/// What becomes of lines that the file does not speak of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OtherLines {
    /// They are taken as they are.
    #[default]
    Keep,
    /// They are left out.
    Drop,
    /// One with two neighbours on the map is an error: the file means to be complete.
    Refuse,
}

/// A station that the source does not have yet.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Opened {
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

/// After one station the source's list goes on with a branch that leaves from another.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Branch {
    pub(crate) after: String,
    pub(crate) from: String,
}

/// A station that lies between two neighbours.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Insert {
    pub(crate) new: String,
    pub(crate) between: [String; 2],
}

/// What is known better about one line.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LineFix {
    pub(crate) code: Option<i64>,
    pub(crate) key: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) translation: Option<String>,
    pub(crate) color: Option<String>,
    /// Names that are wrong on this line only: another line may have a station of that name.
    pub(crate) spelling: Option<BTreeMap<String, String>>,
    /// Stations of this line that have a new name.
    pub(crate) renamed: Option<BTreeMap<String, String>>,
    /// Taken beyond the area.
    pub(crate) whole: bool,
    #[serde(rename = "loop")]
    pub(crate) is_loop: Option<bool>,
    /// Stations of the source's list that the line passes by.
    pub(crate) skip: Option<Vec<String>>,
    /// Neighbours in the source's list that are none.
    pub(crate) cut: Option<Vec<[String; 2]>>,
    /// Neighbours that are far apart and are neighbours all the same.
    pub(crate) keep: Option<Vec<[String; 2]>>,
    pub(crate) branch: Option<Vec<Branch>>,
    pub(crate) insert: Option<Vec<Insert>>,
    /// Further runs.
    pub(crate) more: Option<Vec<Vec<String>>>,
    /// The complete runs, in place of the source's.
    pub(crate) runs: Option<Vec<Vec<String>>>,
    /// Not on the map, and why. Empty: on the map although a base leaves it out.
    pub(crate) drop: Option<String>,
    /// Whether some of it was said by a base, about a larger map perhaps: what names a station that is not here is then no slip.
    #[serde(skip)]
    pub(crate) is_inherited: bool,
}

impl fmt::Display for LineFix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.code, &self.key) {
            (Some(code), _) => write!(f, "{code}")?,
            (None, Some(key)) => f.write_str(key)?,
            (None, None) => f.write_str("?")?,
        }
        self.name.as_ref().map_or(Ok(()), |name| write!(f, " {name}"))
    }
}

impl LineFix {
    pub(super) fn is_for(&self, code: Option<i64>, key: &str) -> bool {
        match (&self.code, &self.key) {
            (Some(own), _) => code == Some(*own),
            (None, Some(own)) => own == key,
            (None, None) => false,
        }
    }

    /// What is wrong with it; `seen` holds the lines spoken of before.
    pub(super) fn problems(&self, seen: &mut HashSet<String>) -> Vec<String> {
        let mut found = Vec::new();
        if self.code.is_some() == self.key.is_some() {
            found.push("a line is named by its code or by its key".to_owned());
        }
        if !seen.insert(format!("{:?} {:?}", self.code, self.key)) {
            found.push(format!("line {self} is spoken of twice"));
        }
        if let Some(color) = self.color.as_ref().filter(|color| palette::normal(color).is_none()) {
            found.push(format!("line {self}: color is '{color}'; it is written #rrggbb"));
        }
        found
    }

    /// Takes from a weaker layer what this one does not say. A line is taken whole only where its own file asks for it.
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
        fill(&mut self.spelling, weaker.spelling.as_ref());
        fill(&mut self.renamed, weaker.renamed.as_ref());
        fill(&mut self.is_loop, weaker.is_loop.as_ref());
        fill(&mut self.skip, weaker.skip.as_ref());
        fill(&mut self.cut, weaker.cut.as_ref());
        fill(&mut self.keep, weaker.keep.as_ref());
        fill(&mut self.branch, weaker.branch.as_ref());
        fill(&mut self.insert, weaker.insert.as_ref());
        fill(&mut self.more, weaker.more.as_ref());
        fill(&mut self.runs, weaker.runs.as_ref());
        fill(&mut self.drop, weaker.drop.as_ref());
        self.whole |= is_own && weaker.whole;
        self.is_inherited |= !is_own;
    }
}
