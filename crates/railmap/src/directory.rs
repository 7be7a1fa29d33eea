//! All stations of all maps: found by the beginning of a name, by prefecture, or near a place.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use kaisatsu_model::{Position, Prefecture, StationCode, TransportKind};

use crate::{
    LoadedMap, RouteMap, Station, search_key,
    spellings::{KeyKind, Keys, Rank, Wanted, keys, without_suffix},
};

/// The stations of all maps, ordered by code. A station that is on several maps is listed once.
pub struct StationDirectory<P> {
    maps: Vec<Arc<LoadedMap<P>>>,
    entries: Vec<Entry>,
    /// The key of each line, with its stations.
    lines: Vec<(String, Vec<usize>)>,
}

struct Entry {
    /// The maps that the station is on, and its index there; at least one.
    places: Vec<(usize, usize)>,
    keys: Keys,
    /// How many lines stop there, on the map where they are most: a name that fits many stations means the busiest.
    lines: usize,
}

/// What a search asks for. Everything that is given must hold.
#[derive(Debug, Clone, Default)]
pub struct StationFilter<'a> {
    /// The station with this code.
    pub code: Option<StationCode>,
    /// The beginning of a name, of its reading in kana or romaji, or of a former name; or a part of a line's name.
    pub name: Option<&'a str>,
    /// Stations in this prefecture.
    pub prefecture: Option<Prefecture>,
    /// Stations of this kind.
    pub kind: Option<TransportKind>,
    /// Stations on this map.
    pub map: Option<&'a str>,
}

impl<P> StationDirectory<P> {
    /// Lists the stations of these maps.
    #[must_use]
    pub fn new(maps: Vec<Arc<LoadedMap<P>>>) -> Self {
        // Maps of different makers may use the same codes.
        let mut by_code: BTreeMap<(StationCode, &str), Vec<(usize, usize)>> = BTreeMap::new();
        for (map, loaded) in maps.iter().enumerate() {
            for (at, station) in loaded.map.stations().iter().enumerate() {
                by_code.entry((station.code, &station.name)).or_default().push((map, at));
            }
        }
        let mut entry_of = BTreeMap::new();
        let mut entries = Vec::with_capacity(by_code.len());
        for (at, places) in by_code.into_values().enumerate() {
            entry_of.extend(places.iter().map(|place| (*place, at)));
            let stations = places.iter().map(|(map, station)| &maps[*map].map.stations()[*station]);
            entries.push(Entry { keys: keys(stations), places, lines: 0 });
        }
        count_lines(&maps, &entry_of, &mut entries);
        let lines = lines(&maps, &entry_of);
        Self { maps, entries, lines }
    }

    /// The station of an entry.
    #[must_use]
    pub fn station(&self, entry: usize) -> &Station {
        let (map, at) = self.entries[entry].places[0];
        &self.maps[map].map.stations()[at]
    }

    /// The maps that the station of an entry is on.
    pub fn maps(&self, entry: usize) -> impl Iterator<Item = &RouteMap> {
        self.entries[entry].places.iter().map(|(map, _)| &self.maps[*map].map)
    }

    /// The index of an entry's station on a map; `None` if it is not on that map.
    #[must_use]
    pub fn index_on(&self, entry: usize, map: &RouteMap) -> Option<usize> {
        let on_map = |(at, _): &&(usize, usize)| self.maps[*at].map.id == map.id;
        self.entries[entry].places.iter().find(on_map).map(|(_, station)| *station)
    }

    /// The entries with exactly this name, reading or former name, in any script, the best first.
    #[must_use]
    pub fn called(&self, name: &str) -> Vec<usize> {
        let whole = |name: &str| {
            let ranked = self.ranked(name).into_iter();
            ranked.take_while(|(is_longer, _)| !is_longer).map(|(_, at)| at).collect::<Vec<usize>>()
        };
        let found = whole(name);
        match without_suffix(name) {
            Some(without) if found.is_empty() => whole(without),
            _ => found,
        }
    }

    /// The entries that a search finds: the best first if it has a name, otherwise by code.
    #[must_use]
    pub fn search(&self, filter: &StationFilter<'_>) -> Vec<usize> {
        let fits = |entry: &usize| {
            let station = self.station(*entry);
            filter.code.is_none_or(|code| station.code == code)
                && filter.prefecture.is_none_or(|prefecture| station.prefecture == Some(prefecture))
                && filter.kind.is_none_or(|kind| station.kind == kind)
                && filter.map.is_none_or(|id| self.maps(*entry).any(|map| map.id.as_str() == id))
        };
        let Some(name) = filter.name else { return (0..self.entries.len()).filter(fits).collect() };
        let mut found = self.named(name);
        if found.is_empty()
            && let Some(without) = without_suffix(name)
        {
            found = self.named(without);
        }
        found.into_iter().filter(fits).collect()
    }

    /// The entries with a key that begins with this one, the best first.
    fn named(&self, name: &str) -> Vec<usize> {
        self.ranked(name).into_iter().map(|(_, at)| at).collect()
    }

    /// The entries with a key that begins with this one, the best first: of those that fit equally well, the ones on
    /// more lines, then those with shorter names. Each with whether its key is longer.
    fn ranked(&self, name: &str) -> Vec<(bool, usize)> {
        let wanted = Wanted::new(name);
        if wanted.key.is_empty() {
            return Vec::new();
        }
        let mut ranks: BTreeMap<usize, Rank> = BTreeMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            if let Some(best) = wanted.rank(&entry.keys) {
                ranks.insert(at, best);
            }
        }
        for (key, stations) in &self.lines {
            // The names of lines begin with those of their operators, which people leave out: 山手線, JR山手線.
            let parts = std::iter::once(&wanted.key).chain(&wanted.hepburn);
            if let Some(part) = parts.into_iter().find(|part| is_part(key, part)) {
                let of_line = (true, KeyKind::Line, key.len() - part.len());
                for at in stations {
                    ranks.entry(*at).and_modify(|known| *known = (*known).min(of_line)).or_insert(of_line);
                }
            }
        }
        let mut found: Vec<(usize, Rank)> = ranks.into_iter().collect();
        found.sort_unstable_by_key(|&(at, (is_longer, kind, rest))| {
            (is_longer, kind, Reverse(self.entries[at].lines), rest, at)
        });
        found.into_iter().map(|(at, (is_longer, ..))| (is_longer, at)).collect()
    }

    /// The entries within `radius` metres of a position, with their distances in metres, the nearest first.
    #[must_use]
    pub fn near(&self, position: Position, radius: f64) -> Vec<(usize, f64)> {
        // A degree of latitude has more than 110 km. Most stations are that far north or south, which is quick to see.
        let latitude = |position: Position| position.degrees().0;
        let is_in_band =
            |at: &usize| (latitude(self.station(*at).position) - latitude(position)).abs() * 110_000.0 <= radius;
        let distance = |at| (at, position.metres_to(self.station(at).position));
        let found = (0..self.entries.len()).filter(is_in_band).map(distance);
        let mut found: Vec<_> = found.filter(|(_, metres)| *metres <= radius).collect();
        found.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        found
    }
}

/// Whether the name of a line has a part that is sought. A few Latin letters are in most names, unlike 山手, so they must
/// begin it; and every line is a line.
fn is_part(name: &str, part: &str) -> bool {
    let is_common = part.is_ascii() && (part.len() < 4 || part == "line");
    if is_common { name.starts_with(part) } else { name.contains(part) }
}

/// Counts the lines of each entry.
fn count_lines<P>(maps: &[Arc<LoadedMap<P>>], entry_of: &BTreeMap<(usize, usize), usize>, entries: &mut [Entry]) {
    for (map, loaded) in maps.iter().enumerate() {
        let mut counts = vec![0; loaded.map.stations().len()];
        for line in &loaded.map.lines {
            let stops: BTreeSet<usize> =
                line.runs.iter().flatten().filter_map(|code| loaded.map.find_code(*code)).collect();
            for at in stops {
                counts[at] += 1;
            }
        }
        for (at, count) in counts.into_iter().enumerate() {
            if let Some(entry) = entry_of.get(&(map, at)) {
                entries[*entry].lines = entries[*entry].lines.max(count);
            }
        }
    }
}

fn lines<P>(maps: &[Arc<LoadedMap<P>>], entry_of: &BTreeMap<(usize, usize), usize>) -> Vec<(String, Vec<usize>)> {
    let mut lines: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (map, loaded) in maps.iter().enumerate() {
        for line in &loaded.map.lines {
            let codes = line.runs.iter().flatten();
            let stations = codes.filter_map(|code| entry_of.get(&(map, loaded.map.find_code(*code)?)).copied());
            let stations: Vec<usize> = stations.collect();
            for name in [&line.name, &line.translation] {
                let key = search_key::fold(name);
                if !key.is_empty() {
                    lines.entry(key).or_default().extend(&stations);
                }
            }
        }
    }
    for stations in lines.values_mut() {
        stations.sort_unstable();
        stations.dedup();
    }
    lines.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{Position, Prefecture};

    use super::{StationDirectory, StationFilter};
    use crate::MapRegistry;

    fn directory() -> StationDirectory<()> {
        StationDirectory::new(MapRegistry::open(None, |_| ()).unwrap().all())
    }

    fn names(directory: &StationDirectory<()>, filter: &StationFilter<'_>) -> Vec<String> {
        directory.search(filter).into_iter().map(|at| directory.station(at).name.clone()).collect()
    }

    #[test]
    fn a_station_is_found_however_it_is_written() {
        let directory = directory();
        for (written, name) in [
            ("新宿", "新宿"),
            ("しんじゅく", "新宿"),
            ("シンジュク", "新宿"),
            ("shinjuku", "新宿"),
            ("東京駅", "東京"),
            ("Tōkyō", "東京"),
            ("四ッ谷", "四ツ谷"),
            ("四谷", "四ツ谷"),
            ("御茶の水", "御茶ノ水"),
            ("お茶の水", "御茶ノ水"),
            ("虎の門", "虎ノ門"),
            ("霞が関", "霞ケ関"),
            ("霞ヶ関", "霞ケ関"),
            ("自由ヶ丘", "自由が丘"),
            ("千駄谷", "千駄ケ谷"),
            ("umeda", "梅田"),
        ] {
            let found = names(&directory, &StationFilter { name: Some(written), ..StationFilter::default() });
            assert_eq!(found.first().map(String::as_str), Some(name), "{written}: {found:?}");
        }
        let nothing = StationFilter { name: Some("・"), ..StationFilter::default() };
        assert!(names(&directory, &nothing).is_empty());
    }

    #[test]
    fn the_whole_name_comes_before_its_beginning_and_a_line_last() {
        let found = names(&directory(), &StationFilter { name: Some("新宿"), ..StationFilter::default() });
        assert_eq!(found[0], "新宿");
        assert!(found.contains(&"新宿三丁目".to_owned()) && found.contains(&"新宿御苑前".to_owned()), "{found:?}");
        let of_line = names(&directory(), &StationFilter { name: Some("山手線"), ..StationFilter::default() });
        assert!(of_line.len() >= 30 && of_line.contains(&"渋谷".to_owned()), "{of_line:?}");
    }

    #[test]
    fn stations_of_more_lines_come_first_among_those_that_fit_equally_well() {
        let found = |name: &str| names(&directory(), &StationFilter { name: Some(name), ..StationFilter::default() });
        let shin = found("shin");
        let place = |name: &str| shin.iter().position(|known| known == name).unwrap_or(usize::MAX);
        assert_eq!(shin[0], "新宿", "{shin:?}");
        assert!(place("新橋") < place("新家") && place("新橋") < place("新田"), "{shin:?}");
        // A whole name comes before a busier station whose name is longer.
        assert_eq!(found("新宿三丁目")[0], "新宿三丁目");
        assert_eq!(found("sinzyuku")[0], "新宿");
        assert_eq!(found("sinjuku")[0], "新宿");
        assert_eq!(found("hutako-tamagawa"), ["二子玉川"]);
        assert_eq!(found("yotuya")[0], "四ツ谷");
    }

    #[test]
    fn a_whole_name_is_neither_a_beginning_nor_a_line() {
        let directory = directory();
        let called = |name: &str| -> Vec<String> {
            directory.called(name).into_iter().map(|at| directory.station(at).name.clone()).collect()
        };
        for written in ["新宿", "しんじゅく", "Shinjuku", "新宿駅"] {
            assert_eq!(called(written), ["新宿"], "{written}");
        }
        assert!(called("新").is_empty() && called("山手線").is_empty() && called("駅").is_empty());
    }

    #[test]
    fn filters_hold_together_and_keep_the_order_of_codes() {
        let directory = directory();
        let filter =
            StationFilter { prefecture: Prefecture::from_code(13), map: Some("tokyo"), ..StationFilter::default() };
        let found = directory.search(&filter);
        assert!(found.len() > 300, "{}", found.len());
        assert!(found.windows(2).all(|pair| directory.station(pair[0]).code <= directory.station(pair[1]).code));
        assert!(found.iter().all(|at| directory.station(*at).prefecture == Prefecture::from_code(13)));
        let elsewhere = StationFilter { map: Some("kansai"), ..filter };
        assert!(directory.search(&elsewhere).is_empty());
    }

    #[test]
    fn the_nearest_station_comes_first() {
        let directory = directory();
        let near = directory.near(Position::new(35.6812, 139.7671).unwrap(), 1000.0);
        assert_eq!(directory.station(near[0].0).name, "東京");
        assert!(near[0].1 < 300.0 && near.len() > 3, "{near:?}");
        assert!(near.windows(2).all(|pair| pair[0].1 <= pair[1].1));
        assert!(near.iter().all(|(_, metres)| *metres <= 1000.0));
        assert!(directory.near(Position::new(0.0, 0.0).unwrap(), 50_000.0).is_empty());
    }
}
