//! What a station is called, however people write it: keys of its names, and how well they fit what is sought.

use std::collections::BTreeMap;

use crate::{RouteMap, Station, search_key};

/// What a key is, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyKind {
    Name,
    Reading,
    /// The number of a station on a line.
    Number,
    FormerName,
    /// A name without the kana that join its words.
    Loose,
    Line,
}

/// How well a station fits a name. Less is better: the whole name before its beginning, the shorter before the longer.
pub(crate) type Rank = (bool, KeyKind, usize);

/// The keys of a station, each once and as the best that it is.
pub(crate) type Keys = Vec<(String, KeyKind)>;

/// The keys of a station, which may be on several maps.
pub(crate) fn keys<'a>(stations: impl Iterator<Item = &'a Station>) -> Keys {
    let mut keys: BTreeMap<String, KeyKind> = BTreeMap::new();
    let mut add = |key: Option<String>, kind: KeyKind| {
        if let Some(key) = key.filter(|key| !key.is_empty()) {
            keys.entry(key).and_modify(|known| *known = (*known).min(kind)).or_insert(kind);
        }
    };
    for station in stations {
        add(Some(search_key::fold(&station.name)), KeyKind::Name);
        add(Some(search_key::fold(&station.translation)), KeyKind::Name);
        add(Some(search_key::fold(&station.yomi)), KeyKind::Reading);
        add(search_key::romaji(&station.yomi), KeyKind::Reading);
        add(Some(search_key::loose(&station.name)), KeyKind::Loose);
        for number in &station.numbers {
            add(Some(search_key::fold(number)), KeyKind::Number);
        }
        for former in &station.formerly {
            add(Some(search_key::fold(former)), KeyKind::FormerName);
            add(Some(search_key::loose(former)), KeyKind::Loose);
        }
    }
    keys.into_iter().collect()
}

/// What is sought.
pub(crate) struct Wanted {
    pub(crate) key: String,
    /// The key in Hepburn's spelling, if it may be in another one.
    pub(crate) hepburn: Option<String>,
    loose: String,
}

impl Wanted {
    pub(crate) fn new(text: &str) -> Self {
        let key = search_key::fold(text);
        Self { hepburn: search_key::hepburn(&key), loose: search_key::loose(text), key }
    }

    /// How well the best of these keys fits, if one begins with what is sought.
    pub(crate) fn rank(&self, keys: &Keys) -> Option<Rank> {
        if self.key.is_empty() {
            return None;
        }
        let ranks = keys.iter().filter_map(|(key, kind)| {
            let other = || key.strip_prefix(self.hepburn.as_deref()?);
            let strict = (*kind != KeyKind::Loose).then(|| key.strip_prefix(&self.key).or_else(other)).flatten();
            let (rest, kind) = match strict {
                Some(rest) => (rest, *kind),
                None => (key.strip_prefix(&self.loose)?, (*kind).max(KeyKind::Loose)),
            };
            Some((!rest.is_empty(), kind, rest.len()))
        });
        ranks.min()
    }
}

/// The text without 駅 ("station") at its end, if it ends so. Some names do: 駅前, 新駅.
pub(crate) fn without_suffix(text: &str) -> Option<&str> {
    text.trim().strip_suffix('駅')
}

/// The keys of a map's stations and lines.
#[derive(Debug)]
pub(crate) struct Spellings {
    stations: Vec<Keys>,
    /// The key of each line, with its stations.
    lines: Vec<(String, Vec<usize>)>,
}

impl Spellings {
    pub(crate) fn of(map: &RouteMap) -> Self {
        let stations = map.stations().iter().map(|station| keys(std::iter::once(station))).collect();
        let mut lines = Vec::new();
        for line in &map.lines {
            let mut on: Vec<usize> = line.runs.iter().flatten().filter_map(|code| map.find_code(*code)).collect();
            on.sort_unstable();
            on.dedup();
            let names = [&line.name, &line.translation].map(|name| search_key::fold(name));
            lines.extend(names.into_iter().filter(|key| !key.is_empty()).map(|key| (key, on.clone())));
        }
        Self { stations, lines }
    }

    /// The stations that are called so, as a whole; else those of the lines that are.
    pub(crate) fn find(&self, text: &str) -> Vec<usize> {
        let found = self.called(text);
        let found = match without_suffix(text) {
            Some(without) if found.is_empty() => self.called(without),
            _ => found,
        };
        if found.is_empty() { self.on_line(text) } else { found }
    }

    /// The stations whose best key is of the best kind.
    fn called(&self, text: &str) -> Vec<usize> {
        let wanted = Wanted::new(text);
        let whole = |(at, keys): (usize, &Keys)| match wanted.rank(keys) {
            Some((false, kind, _)) => Some((kind, at)),
            _ => None,
        };
        let found: Vec<(KeyKind, usize)> = self.stations.iter().enumerate().filter_map(whole).collect();
        let best = found.iter().map(|(kind, _)| *kind).min();
        found.into_iter().filter(|(kind, _)| Some(*kind) == best).map(|(_, at)| at).collect()
    }

    /// The stations of the lines with this name. The names of lines begin with those of their operators, which people
    /// leave out: 山手線, JR山手線.
    fn on_line(&self, text: &str) -> Vec<usize> {
        let wanted = search_key::fold(text);
        let is_line = ["線", "らいん", "line"].iter().any(|word| wanted.len() > word.len() && wanted.ends_with(word));
        let named = self.lines.iter().filter(|(key, _)| *key == wanted || (is_line && key.ends_with(&wanted)));
        let mut found: Vec<usize> = named.flat_map(|(_, stations)| stations).copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}
