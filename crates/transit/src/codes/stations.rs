//! Assigns the codes of stations, matched by code, by the source's key, by name and distance, or by line and distance.

use std::collections::{HashMap, HashSet};

use kaisatsu_model::{Prefecture, StationCode, StationName};

use crate::{
    Error, Network, RetiredStation, Station, Summary,
    assemble::{Draft, DraftStation},
    geo::LatLon,
};

/// A station with the same key but another name matches within this distance only.
const MAX_KEY_DISTANCE_M: f64 = 2_000.0;
/// A station with the same name matches within this distance.
const MAX_NAME_DISTANCE_M: f64 = 1_000.0;
/// A renamed station matches within this distance if it is on one of the same lines.
const MAX_RENAME_DISTANCE_M: f64 = 300.0;

/// A station of the previous network, or one that was already retired.
struct KnownStation<'a> {
    code: StationCode,
    name: &'a str,
    yomi: &'a str,
    translation: &'a str,
    prefecture: Option<Prefecture>,
    formerly: &'a [String],
    key: &'a str,
    position: LatLon,
    /// The lines it was on; none if it is retired.
    lines: HashSet<i64>,
    is_retired: bool,
}

/// The code of each station of the draft. Previous names are added to `formerly`.
pub(super) fn assign(
    draft: &mut Draft,
    line_codes: &[i64],
    previous: &Network,
    summary: &mut Summary,
) -> Result<Vec<StationCode>, Error> {
    let known = known(previous);
    let mut matcher = StationMatcher::new(draft, line_codes, &known);
    matcher.by_code()?;
    matcher.by_key();
    matcher.by_name();
    matcher.by_position_and_line();
    let found = matcher.found;
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
    // Ordered by key, name and position, because the source may change the order of its stations.
    fresh.sort_by(|&a, &b| {
        let (a, b) = (&draft.stations[a], &draft.stations[b]);
        let position = a.position.lat.total_cmp(&b.position.lat).then(a.position.lon.total_cmp(&b.position.lon));
        (&a.key, &a.name).cmp(&(&b.key, &b.name)).then(position)
    });
    let mut next = taken.iter().map(|code| i64::from(code.get())).max().unwrap_or(0);
    if !previous.stations.is_empty() {
        summary.count("new stations", codes.iter().zip(&found).filter(|(_, at)| at.is_none()).count());
        summary.count("renamed stations", renamed);
    }
    for at in fresh {
        next += 1;
        codes[at] = Some(StationCode::new(next).map_err(|rule| Error::file("the source", rule.to_string()))?);
    }
    Ok(codes.into_iter().flatten().collect())
}

fn known(previous: &Network) -> Vec<KnownStation<'_>> {
    let mut lines: HashMap<StationCode, HashSet<i64>> = HashMap::new();
    for line in &previous.lines {
        for &station in line.runs.iter().flatten() {
            lines.entry(station).or_default().insert(line.code);
        }
    }
    let here = previous.stations.iter().map(|station| KnownStation {
        code: station.code,
        name: &station.name,
        yomi: &station.yomi,
        translation: &station.translation,
        prefecture: station.prefecture,
        formerly: &station.formerly,
        key: previous.history.station_keys.get(&station.code).map_or("", String::as_str),
        position: LatLon { lat: station.lat, lon: station.lon },
        lines: lines.remove(&station.code).unwrap_or_default(),
        is_retired: false,
    });
    let retired = previous.history.retired_stations.iter().map(|retired| KnownStation {
        code: retired.code,
        name: &retired.name,
        yomi: &retired.yomi,
        translation: &retired.translation,
        prefecture: retired.prefecture,
        formerly: &retired.formerly,
        key: &retired.key,
        position: LatLon { lat: retired.lat, lon: retired.lon },
        lines: HashSet::new(),
        is_retired: true,
    });
    here.chain(retired).collect()
}

struct StationMatcher<'a> {
    draft: &'a [DraftStation],
    lines_of: Vec<HashSet<i64>>,
    known: &'a [KnownStation<'a>],
    /// The known station that each station of the draft matches.
    found: Vec<Option<usize>>,
    is_taken: Vec<bool>,
}

impl<'a> StationMatcher<'a> {
    fn new(draft: &'a Draft, line_codes: &[i64], known: &'a [KnownStation<'a>]) -> Self {
        let mut lines_of = vec![HashSet::new(); draft.stations.len()];
        for (line, &code) in draft.lines.iter().zip(line_codes) {
            line.runs.iter().flatten().for_each(|&station| {
                lines_of[station].insert(code);
            });
        }
        let found = vec![None; draft.stations.len()];
        Self { draft: &draft.stations, lines_of, known, found, is_taken: vec![false; known.len()] }
    }

    fn set_match(&mut self, station: usize, known: usize) {
        self.found[station] = Some(known);
        self.is_taken[known] = true;
    }

    /// Stations without a match. A code that a person wrote identifies a station by itself, so those are left out.
    fn unmatched(&self) -> Vec<usize> {
        let is_written = |station: &DraftStation| station.is_fixed && station.code.is_some();
        (0..self.draft.len()).filter(|&at| self.found[at].is_none() && !is_written(&self.draft[at])).collect()
    }

    /// A code that a person wrote is final. A code from the source matches if the name is the same or the station is
    /// near.
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
                && (station.is_fixed || is_near_or_same_name(station, &self.known[known], MAX_KEY_DISTANCE_M))
            {
                self.set_match(at, known);
            }
        }
        Ok(())
    }

    fn by_key(&mut self) {
        let with_key = self.known.iter().enumerate().filter(|(_, known)| !known.key.is_empty());
        let by_key: HashMap<&str, usize> = with_key.map(|(at, known)| (known.key, at)).collect();
        for at in self.unmatched() {
            if let Some(&known) = by_key.get(self.draft[at].key.as_str())
                && !self.is_taken[known]
                && is_near_or_same_name(&self.draft[at], &self.known[known], MAX_KEY_DISTANCE_M)
            {
                self.set_match(at, known);
            }
        }
    }

    fn by_name(&mut self) {
        self.nearest_first(MAX_NAME_DISTANCE_M, |station, known, _| has_name_of(station, known));
    }

    fn by_position_and_line(&mut self) {
        self.nearest_first(MAX_RENAME_DISTANCE_M, |_, known, lines| !known.lines.is_disjoint(lines));
    }

    /// Matches stations within a distance, closest pairs first, so that two stations with one name are not swapped.
    fn nearest_first(
        &mut self,
        max_distance_m: f64,
        fits: impl Fn(&DraftStation, &KnownStation<'_>, &HashSet<i64>) -> bool,
    ) {
        let mut pairs = Vec::new();
        for station in self.unmatched() {
            for (known, candidate) in self.known.iter().enumerate().filter(|(known, _)| !self.is_taken[*known]) {
                // Cheaper than the distance, and excludes most of a country. A degree of latitude is 111 km.
                if (self.draft[station].position.lat - candidate.position.lat).abs() * 100_000.0 > max_distance_m {
                    continue;
                }
                let metres = self.draft[station].position.metres_to(candidate.position);
                if metres <= max_distance_m && fits(&self.draft[station], candidate, &self.lines_of[station]) {
                    pairs.push((metres, station, known));
                }
            }
        }
        pairs.sort_by(|a, b| {
            let (code_a, code_b) = (self.known[a.2].code, self.known[b.2].code);
            // At the same distance, an active station takes precedence over a retired one.
            (a.0.total_cmp(&b.0))
                .then(self.known[a.2].is_retired.cmp(&self.known[b.2].is_retired))
                .then(code_a.cmp(&code_b))
        });
        for (_, station, known) in pairs {
            if self.found[station].is_none() && !self.is_taken[known] {
                self.set_match(station, known);
            }
        }
    }
}

fn is_near_or_same_name(station: &DraftStation, known: &KnownStation<'_>, max_distance_m: f64) -> bool {
    station.position.metres_to(known.position) <= max_distance_m || has_name_of(station, known)
}

/// Whether one station has, or had, the current name of the other.
fn has_name_of(station: &DraftStation, known: &KnownStation<'_>) -> bool {
    let (new, old) = (StationName::fold(&station.name), StationName::fold(known.name));
    new == old
        || known.formerly.iter().any(|name| StationName::fold(name) == new)
        || station.formerly.iter().any(|name| StationName::fold(name) == old)
}

/// Copies known data to a station. Returns whether it has been renamed.
fn carry_over(station: &mut DraftStation, known: &KnownStation<'_>) -> bool {
    let now = StationName::fold(&station.name);
    let is_renamed = StationName::fold(known.name) != now;
    let fresh = std::mem::take(&mut station.formerly);
    let before = known.formerly.iter().cloned().chain(is_renamed.then(|| known.name.to_owned()));
    // A person may have edited the file and left a retired station without a name.
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

/// The stations of the previous network that no longer exist.
pub(super) fn retired(stations: &[Station], previous: &Network) -> Vec<RetiredStation> {
    let here: HashSet<StationCode> = stations.iter().map(|station| station.code).collect();
    let left = previous.stations.iter().map(|station| RetiredStation {
        code: station.code,
        name: station.name.clone(),
        key: previous.history.station_keys.get(&station.code).cloned().unwrap_or_default(),
        yomi: station.yomi.clone(),
        translation: station.translation.clone(),
        prefecture: station.prefecture,
        lat: station.lat,
        lon: station.lon,
        formerly: station.formerly.clone(),
    });
    let all = left.chain(previous.history.retired_stations.iter().cloned());
    let mut retired: Vec<_> = all.filter(|retired| !here.contains(&retired.code)).collect();
    retired.sort_by_key(|retired| retired.code);
    retired
}
