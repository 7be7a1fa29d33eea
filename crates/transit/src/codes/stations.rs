//! The codes of stations: found again by the source's key, by name near by, or near by on the same line under a new name.

use std::collections::{HashMap, HashSet};

use kaisatsu_model::{Prefecture, StationCode, StationName};

use crate::{
    Error, GoneStation, Network, Station, Summary,
    assemble::{Draft, DraftStation},
    geo::Place,
};

/// A key that was given to something further away and with another name is not a station found again.
const KEY_REACH_M: f64 = 2_000.0;
/// A station of the same name is looked for so far away.
const NAME_REACH_M: f64 = 1_000.0;
/// A station under a new name is looked for so far away, on the lines it was on.
const RENAME_REACH_M: f64 = 300.0;

/// A station of the previous network, or one that was gone by then.
struct Known<'a> {
    code: StationCode,
    name: &'a str,
    yomi: &'a str,
    translation: &'a str,
    prefecture: Option<Prefecture>,
    formerly: &'a [String],
    key: &'a str,
    place: Place,
    /// The lines it was on; none for a gone one.
    lines: HashSet<i64>,
    is_gone: bool,
}

/// The code of each station of the draft. Names of before go into `formerly`.
pub(super) fn assign(
    draft: &mut Draft,
    line_codes: &[i64],
    previous: &Network,
    summary: &mut Summary,
) -> Result<Vec<StationCode>, Error> {
    let known = known(previous);
    let mut matching = Matching::new(draft, line_codes, &known);
    matching.by_code()?;
    matching.by_key();
    matching.by_name();
    matching.by_place_and_line();
    let found = matching.found;
    let mut taken: HashSet<StationCode> = known.iter().map(|known| known.code).collect();
    let mut codes: Vec<Option<StationCode>> = found.iter().map(|at| at.map(|at| known[at].code)).collect();
    let mut renamed = 0;
    for (station, known) in draft.stations.iter_mut().zip(&found).filter_map(|(s, at)| at.map(|at| (s, &known[at]))) {
        renamed += usize::from(carry_over(station, known));
    }
    for (station, code) in draft.stations.iter().zip(&mut codes).filter(|(_, code)| code.is_none()) {
        *code = station.code.filter(|code| taken.insert(*code));
    }
    let mut fresh: Vec<usize> = (0..codes.len()).filter(|&at| codes[at].is_none()).collect();
    // By key and name, so that a source in another order gives the same codes.
    fresh.sort_by(|&a, &b| {
        let (a, b) = (&draft.stations[a], &draft.stations[b]);
        let place = a.place.lat.total_cmp(&b.place.lat).then(a.place.lon.total_cmp(&b.place.lon));
        (&a.key, &a.name).cmp(&(&b.key, &b.name)).then(place)
    });
    let mut next = taken.iter().map(|code| i64::from(code.get())).max().unwrap_or(0);
    if !previous.stations.is_empty() {
        summary.read("new stations", codes.iter().zip(&found).filter(|(_, at)| at.is_none()).count());
        summary.read("renamed stations", renamed);
    }
    for at in fresh {
        next += 1;
        codes[at] = Some(StationCode::new(next).map_err(|rule| Error::file("the source", rule.to_string()))?);
    }
    Ok(codes.into_iter().flatten().collect())
}

fn known(previous: &Network) -> Vec<Known<'_>> {
    let mut lines: HashMap<StationCode, HashSet<i64>> = HashMap::new();
    for line in &previous.lines {
        for &station in line.runs.iter().flatten() {
            lines.entry(station).or_default().insert(line.code);
        }
    }
    let here = previous.stations.iter().map(|station| Known {
        code: station.code,
        name: &station.name,
        yomi: &station.yomi,
        translation: &station.translation,
        prefecture: station.prefecture,
        formerly: &station.formerly,
        key: previous.memory.station_keys.get(&station.code).map_or("", String::as_str),
        place: Place { lat: station.lat, lon: station.lon },
        lines: lines.remove(&station.code).unwrap_or_default(),
        is_gone: false,
    });
    let gone = previous.memory.gone_stations.iter().map(|gone| Known {
        code: gone.code,
        name: &gone.name,
        yomi: &gone.yomi,
        translation: &gone.translation,
        prefecture: gone.prefecture,
        formerly: &gone.formerly,
        key: &gone.key,
        place: Place { lat: gone.lat, lon: gone.lon },
        lines: HashSet::new(),
        is_gone: true,
    });
    here.chain(gone).collect()
}

struct Matching<'a> {
    draft: &'a [DraftStation],
    lines_of: Vec<HashSet<i64>>,
    known: &'a [Known<'a>],
    /// Which known station each of the draft is.
    found: Vec<Option<usize>>,
    is_taken: Vec<bool>,
}

impl<'a> Matching<'a> {
    fn new(draft: &'a Draft, line_codes: &[i64], known: &'a [Known<'a>]) -> Self {
        let mut lines_of = vec![HashSet::new(); draft.stations.len()];
        for (line, &code) in draft.lines.iter().zip(line_codes) {
            line.runs.iter().flatten().for_each(|&station| {
                lines_of[station].insert(code);
            });
        }
        let found = vec![None; draft.stations.len()];
        Self { draft: &draft.stations, lines_of, known, found, is_taken: vec![false; known.len()] }
    }

    fn take(&mut self, station: usize, known: usize) {
        self.found[station] = Some(known);
        self.is_taken[known] = true;
    }

    /// Stations that may be one of before. One whose code somebody wrote is what that code says, and nothing else.
    fn open(&self) -> Vec<usize> {
        let is_written = |station: &DraftStation| station.is_fixed && station.code.is_some();
        (0..self.draft.len()).filter(|&at| self.found[at].is_none() && !is_written(&self.draft[at])).collect()
    }

    /// A code that somebody wrote holds; one that a source gave holds as long as it speaks of the same place or name.
    fn by_code(&mut self) -> Result<(), Error> {
        let by_code: HashMap<StationCode, usize> = self.known.iter().enumerate().map(|(at, k)| (k.code, at)).collect();
        let mut seen = HashSet::new();
        for at in 0..self.draft.len() {
            let station = &self.draft[at];
            let Some(code) = station.code else { continue };
            if !seen.insert(code) {
                return Err(Error::file("the source", format!("two stations have the code {code}: {}", station.name)));
            }
            if let Some(&known) = by_code.get(&code)
                && (station.is_fixed || is_same_place_or_name(station, &self.known[known], KEY_REACH_M))
            {
                self.take(at, known);
            }
        }
        Ok(())
    }

    fn by_key(&mut self) {
        let with_key = self.known.iter().enumerate().filter(|(_, known)| !known.key.is_empty());
        let by_key: HashMap<&str, usize> = with_key.map(|(at, known)| (known.key, at)).collect();
        for at in self.open() {
            if let Some(&known) = by_key.get(self.draft[at].key.as_str())
                && !self.is_taken[known]
                && is_same_place_or_name(&self.draft[at], &self.known[known], KEY_REACH_M)
            {
                self.take(at, known);
            }
        }
    }

    fn by_name(&mut self) {
        self.nearest_first(NAME_REACH_M, |station, known, _| has_name_of(station, known));
    }

    fn by_place_and_line(&mut self) {
        self.nearest_first(RENAME_REACH_M, |_, known, lines| !known.lines.is_disjoint(lines));
    }

    /// Matches what fits within reach, the closest pairs first, so that two stations of one name do not change places.
    fn nearest_first(&mut self, reach_m: f64, fits: impl Fn(&DraftStation, &Known<'_>, &HashSet<i64>) -> bool) {
        let mut pairs = Vec::new();
        for station in self.open() {
            for (known, candidate) in self.known.iter().enumerate().filter(|(known, _)| !self.is_taken[*known]) {
                // Cheaper than a distance, and most of a country is far away. A degree has 111 km.
                if (self.draft[station].place.lat - candidate.place.lat).abs() * 100_000.0 > reach_m {
                    continue;
                }
                let metres = self.draft[station].place.metres_to(candidate.place);
                if metres <= reach_m && fits(&self.draft[station], candidate, &self.lines_of[station]) {
                    pairs.push((metres, station, known));
                }
            }
        }
        pairs.sort_by(|a, b| {
            let (code_a, code_b) = (self.known[a.2].code, self.known[b.2].code);
            // Stations still there win over gone ones at the same distance.
            (a.0.total_cmp(&b.0)).then(self.known[a.2].is_gone.cmp(&self.known[b.2].is_gone)).then(code_a.cmp(&code_b))
        });
        for (_, station, known) in pairs {
            if self.found[station].is_none() && !self.is_taken[known] {
                self.take(station, known);
            }
        }
    }
}

fn is_same_place_or_name(station: &DraftStation, known: &Known<'_>, reach_m: f64) -> bool {
    station.place.metres_to(known.place) <= reach_m || has_name_of(station, known)
}

/// Whether the one has, or had, the name that the other has.
fn has_name_of(station: &DraftStation, known: &Known<'_>) -> bool {
    let (new, old) = (StationName::fold(&station.name), StationName::fold(known.name));
    new == old
        || known.formerly.iter().any(|name| StationName::fold(name) == new)
        || station.formerly.iter().any(|name| StationName::fold(name) == old)
}

/// What is known of a station stays known. Returns whether it has another name than before.
fn carry_over(station: &mut DraftStation, known: &Known<'_>) -> bool {
    let now = StationName::fold(&station.name);
    let is_renamed = StationName::fold(known.name) != now;
    let fresh = std::mem::take(&mut station.formerly);
    let before = known.formerly.iter().cloned().chain(is_renamed.then(|| known.name.to_owned()));
    // Whoever edits a file may leave a gone station without a name.
    let is_new_name = |name: &String| !StationName::fold(name).is_empty() && StationName::fold(name) != now;
    for name in before.chain(fresh).filter(is_new_name) {
        if !station.formerly.iter().any(|other| StationName::fold(other) == StationName::fold(&name)) {
            station.formerly.push(name);
        }
    }
    if !is_renamed {
        if station.yomi.is_empty() {
            known.yomi.clone_into(&mut station.yomi);
        }
        if station.translation.is_empty() {
            known.translation.clone_into(&mut station.translation);
        }
    }
    station.prefecture = station.prefecture.or(known.prefecture);
    is_renamed
}

/// Stations of before that are no longer there.
pub(super) fn gone(stations: &[Station], previous: &Network) -> Vec<GoneStation> {
    let here: HashSet<StationCode> = stations.iter().map(|station| station.code).collect();
    let left = previous.stations.iter().map(|station| GoneStation {
        code: station.code,
        name: station.name.clone(),
        key: previous.memory.station_keys.get(&station.code).cloned().unwrap_or_default(),
        yomi: station.yomi.clone(),
        translation: station.translation.clone(),
        prefecture: station.prefecture,
        lat: station.lat,
        lon: station.lon,
        formerly: station.formerly.clone(),
    });
    let all = left.chain(previous.memory.gone_stations.iter().cloned());
    let mut gone: Vec<_> = all.filter(|gone| !here.contains(&gone.code)).collect();
    gone.sort_by_key(|gone| gone.code);
    gone
}
