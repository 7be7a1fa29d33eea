//! Builds the runs of one line: splits those of the source at the map's edge and at false edges, and applies
//! corrections.

use std::collections::HashMap;

use kaisatsu_model::StationName;

use super::draft::DraftStation;
use crate::{
    Error, Summary,
    corrections::{Corrections, LineCorrection, qualified_names},
    source_data::SourceLine,
};

/// The data that all lines share while they are built.
pub(super) struct LineBuilder<'a> {
    pub(super) stations: &'a [DraftStation],
    /// The station of each stop; `None` outside the map.
    pub(super) station_of: &'a [Option<usize>],
    pub(super) by_name: HashMap<String, Vec<usize>>,
    pub(super) max_edge_m: Option<f64>,
    pub(super) corrections: &'a Corrections,
    pub(super) summary: &'a mut Summary,
}

/// Indexes the stations by every name under which a correction may refer to them.
pub(super) fn by_name(stations: &[DraftStation]) -> HashMap<String, Vec<usize>> {
    let mut found: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, station) in stations.iter().enumerate() {
        for qualified_name in qualified_names(&station.name, station.code, station.prefecture) {
            found.entry(qualified_name).or_default().push(index);
        }
    }
    found
}

/// Why a correction cannot be applied.
pub(super) type CorrectionProblem = String;

/// A run under construction.
struct Run {
    stations: Vec<usize>,
    /// Whether its last station is adjacent to its first.
    is_ring: bool,
}

impl Run {
    fn open(stations: Vec<usize>) -> Self {
        Self { stations, is_ring: false }
    }
}

/// The parts into which one run of the source is split.
struct RunParts {
    own: Vec<Vec<usize>>,
    /// The parts after the first branch. They are separate because only the run's own parts can close a ring.
    branches: Vec<Vec<usize>>,
}

impl LineBuilder<'_> {
    /// The runs of a line, and whether they are closed.
    pub(super) fn build(
        &mut self,
        line: &SourceLine,
        correction: &LineCorrection,
        name: &str,
    ) -> Result<(Vec<Vec<usize>>, bool), Error> {
        self.try_build(line, correction, name)
            .map(into_line_runs)
            .map_err(|problem| self.corrections.line_error(line.code, &line.key, format!("line {name}: {problem}")))
    }

    fn try_build(
        &mut self,
        line: &SourceLine,
        correction: &LineCorrection,
        name: &str,
    ) -> Result<Vec<Run>, CorrectionProblem> {
        let is_loop = correction.is_loop.unwrap_or(line.is_loop);
        let line_stations: Vec<usize> = line.runs.iter().flatten().filter_map(|stop| self.station_of[*stop]).collect();
        if let Some(runs) = &correction.runs {
            return self.named_runs(runs, &line_stations, correction.is_inherited, is_loop);
        }
        let resolved = ResolvedCorrection::of(self, correction, &line_stations)?;
        let mut runs = Vec::new();
        for run in &line.runs {
            let RunParts { own, branches } = self.split(run, &resolved, name);
            if is_loop {
                runs.extend(close_ring(own, |last, first| self.is_edge(last, first, &resolved, name)));
            } else {
                runs.extend(own.into_iter().map(Run::open));
            }
            runs.extend(branches.into_iter().map(Run::open));
        }
        resolved.check_all_used(correction)?;
        self.insert(&mut runs, correction, &line_stations, name)?;
        if let Some(more) = &correction.more {
            runs.extend(self.named_runs(more, &line_stations, correction.is_inherited, false)?);
        }
        Ok(runs)
    }

    /// Splits one run of the source where it leaves the map, where a branch begins, and at false edges. A part is empty
    /// where the run begins, continues or ends outside the map.
    fn split(&mut self, run: &[usize], resolved: &ResolvedCorrection, name: &str) -> RunParts {
        let mut parts = Vec::new();
        let mut first_branch = None;
        let mut current: Vec<usize> = Vec::new();
        for stop in run {
            let Some(here) = self.station_of[*stop] else {
                parts.push(std::mem::take(&mut current));
                continue;
            };
            if resolved.is_skipped(here) {
                continue;
            }
            if let Some(&last) = current.last() {
                if last == here {
                    continue;
                }
                if let Some(from) = resolved.branch_after(last) {
                    let edge = self.edge(last, here, name);
                    self.summary.omit("false edges (a branch leaves elsewhere)", edge);
                    parts.push(std::mem::take(&mut current));
                    first_branch.get_or_insert(parts.len());
                    // Some sources repeat the station at which a branch begins.
                    current.extend(Some(from).filter(|from| *from != here));
                } else if !self.is_edge(last, here, resolved, name) {
                    parts.push(std::mem::take(&mut current));
                }
            }
            current.push(here);
        }
        parts.push(current);
        let branches = parts.split_off(first_branch.unwrap_or(parts.len()));
        RunParts { own: parts, branches }
    }

    fn edge(&self, a: usize, b: usize, name: &str) -> String {
        format!("{name}: {}–{}", self.stations[a].name, self.stations[b].name)
    }

    /// Whether two consecutive stations of the source are adjacent on the line. The summary counts those that are not.
    fn is_edge(&mut self, a: usize, b: usize, resolved: &ResolvedCorrection, name: &str) -> bool {
        let metres = self.stations[a].position.metres_to(self.stations[b].position);
        if resolved.is_cut(a, b) {
            let edge = self.edge(a, b, name);
            self.summary.omit("edges cut by hand", edge);
            return false;
        }
        if self.max_edge_m.is_some_and(|longest| metres > longest) && !resolved.is_kept(a, b) {
            let edge = self.edge(a, b, name);
            self.summary.omit("edges longer than the limit", format!("{edge} ({:.0} km)", metres / 1000.0));
            return false;
        }
        true
    }

    fn insert(
        &mut self,
        runs: &mut [Run],
        correction: &LineCorrection,
        line_stations: &[usize],
        name: &str,
    ) -> Result<(), CorrectionProblem> {
        for insert in correction.insert.iter().flatten() {
            let [before, after] = &insert.between;
            let named = [before, &insert.new, after].map(|name| self.find(name, line_stations));
            let [Ok(before_at), Ok(new), Ok(after_at)] = named else {
                if correction.is_inherited {
                    continue;
                }
                return Err(named.into_iter().find_map(Result::err).unwrap_or_default());
            };
            if new == before_at || new == after_at {
                return Err(format!(
                    "insert: {} does not lie between {before} and {after}, it is one of them",
                    insert.new
                ));
            }
            let was_on_line = line_stations.contains(&new);
            if insert_between(runs, before_at, new, after_at) {
                if was_on_line {
                    let example = format!("{name}: {before}–{after} (by way of {})", insert.new);
                    self.summary.omit("false edges (a station lies between)", example);
                }
            } else if !correction.is_inherited {
                return Err(format!("{before} and {after} are not neighbours"));
            }
        }
        Ok(())
    }

    fn named_runs(
        &self,
        runs: &[Vec<String>],
        line_stations: &[usize],
        is_lenient: bool,
        is_loop: bool,
    ) -> Result<Vec<Run>, CorrectionProblem> {
        let mut found = Vec::new();
        for run in runs {
            let mut parts = Vec::new();
            let mut current = Vec::new();
            for name in run {
                match self.find(name, line_stations) {
                    Ok(station) if current.last() == Some(&station) => return Err(format!("{name} follows itself")),
                    Ok(station) => current.push(station),
                    Err(_) if is_lenient => parts.push(std::mem::take(&mut current)),
                    Err(problem) => return Err(problem),
                }
            }
            parts.push(current);
            if is_loop {
                found.extend(close_ring(parts, |_, _| true));
            } else {
                found.extend(parts.into_iter().map(Run::open));
            }
        }
        Ok(found)
    }

    /// The neighbours between which a line has a track of its own. A base may be for a larger map.
    pub(super) fn direct_pairs(
        &self,
        correction: &LineCorrection,
        runs: &[Vec<usize>],
    ) -> Result<Vec<[usize; 2]>, CorrectionProblem> {
        let on_line: Vec<usize> = runs.iter().flatten().copied().collect();
        let mut found = Vec::new();
        for [a, b] in correction.direct.iter().flatten() {
            let pair = self.find(a, &on_line).and_then(|a| Ok([a, self.find(b, &on_line)?]));
            match pair {
                Ok([a, b]) if are_neighbours(runs, a, b) => found.push([a, b]),
                Ok(_) | Err(_) if correction.is_inherited => {}
                Ok(_) => return Err(format!("{a} and {b} are no neighbours")),
                Err(problem) => return Err(problem),
            }
        }
        Ok(found)
    }

    /// The ways between neighbours past stations of other lines. A base may be for a larger map.
    pub(super) fn ways(
        &self,
        correction: &LineCorrection,
        runs: &[Vec<usize>],
    ) -> Result<Vec<Vec<usize>>, CorrectionProblem> {
        let on_line: Vec<usize> = runs.iter().flatten().copied().collect();
        let mut found = Vec::new();
        for names in correction.along.iter().flatten() {
            let way: Result<Vec<usize>, _> = names.iter().map(|name| self.find(name, &on_line)).collect();
            match way {
                Ok(way) => match way[..] {
                    [a, .., b] if way.len() > 2 && are_neighbours(runs, a, b) => found.push(way),
                    _ if correction.is_inherited => {}
                    _ if way.len() < 3 => return Err("a way has three stations or more".to_owned()),
                    _ => return Err(format!("{} and {} are no neighbours", names[0], names[names.len() - 1])),
                },
                Err(_) if correction.is_inherited => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(found)
    }

    /// Finds a station by name, first on this line, then on the whole map.
    pub(super) fn find(&self, name: &str, line_stations: &[usize]) -> Result<usize, CorrectionProblem> {
        let all = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let mut here: Vec<usize> = all.iter().copied().filter(|station| line_stations.contains(station)).collect();
        here.dedup();
        match (here.as_slice(), all) {
            ([one], _) | ([], [one]) => Ok(*one),
            ([], []) => {
                // The usual cause is a slightly different spelling.
                let near = self.stations.iter().find(|s| StationName::fold(&s.name) == StationName::fold(name));
                let hint = near.map(|s| format!(" (but {})", s.name)).unwrap_or_default();
                Err(format!("there is no station {name} on the map{hint}"))
            }
            (several, all) => {
                let several = if several.is_empty() { all } else { several };
                let names: Vec<_> = several
                    .iter()
                    .filter_map(|&station| self.stations[station].code.map(|code| format!("{name}@{code}")))
                    .collect();
                Err(format!("several stations are called {name}: say which ({})", names.join(", ")))
            }
        }
    }
}

fn are_neighbours(runs: &[Vec<usize>], a: usize, b: usize) -> bool {
    runs.iter().any(|run| run.windows(2).any(|two| two == [a, b] || two == [b, a]))
}

/// The runs of a ring. A complete ring is closed. In a split ring, the last part continues with the first.
fn close_ring(mut parts: Vec<Vec<usize>>, is_edge: impl FnOnce(usize, usize) -> bool) -> Vec<Run> {
    let last = parts.last().and_then(|part| part.last()).copied();
    let first = parts.first().and_then(|part| part.first()).copied();
    let is_named_again = last == first;
    // If an end is outside the map, there is nothing to join.
    let is_closed = last.zip(first).is_some_and(|(last, first)| is_named_again || is_edge(last, first));
    let is_whole = parts.len() == 1;
    if is_closed
        && !is_whole
        && let Some(mut joined) = parts.pop()
    {
        // A source may repeat the first station of a ring at its end.
        if is_named_again {
            joined.pop();
        }
        joined.append(&mut parts[0]);
        parts[0] = joined;
    }
    parts.into_iter().map(|stations| Run { stations, is_ring: is_closed && is_whole }).collect()
}

/// Converts runs to the form of the network, in which `loop` applies to all runs of a line. If only some runs are
/// rings, each ring is closed by repeating its first station.
fn into_line_runs(mut runs: Vec<Run>) -> (Vec<Vec<usize>>, bool) {
    runs.retain(|run| run.stations.len() > 1);
    let is_loop = !runs.is_empty() && runs.iter().all(|run| run.is_ring);
    // Two stations have only one edge between them, and the first station may be repeated already.
    let is_to_close =
        |run: &&mut Run| run.is_ring && run.stations.len() > 2 && run.stations.first() != run.stations.last();
    if is_loop {
        // `loop` implies the edge back to the first station.
        for run in runs.iter_mut().filter(|run| run.stations.len() > 3 && run.stations.first() == run.stations.last()) {
            run.stations.pop();
        }
    } else {
        for run in runs.iter_mut().filter(is_to_close) {
            run.stations.extend(run.stations.first().copied());
        }
    }
    (runs.into_iter().map(|run| run.stations).collect(), is_loop)
}

fn insert_between(runs: &mut [Run], before: usize, new: usize, after: usize) -> bool {
    for Run { stations: run, is_ring } in runs {
        let found = run.windows(2).position(|pair| pair == [before, after] || pair == [after, before]);
        if let Some(at) = found {
            run.insert(at + 1, new);
            return true;
        }
        let closing = run.last().copied().zip(run.first().copied());
        if *is_ring && (closing == Some((before, after)) || closing == Some((after, before))) {
            run.push(new);
            return true;
        }
    }
    false
}

/// The corrections of one line, with station names resolved to indices.
struct ResolvedCorrection {
    skip: Vec<usize>,
    branch: Vec<(usize, usize)>,
    cut: Vec<(usize, usize)>,
    keep: Vec<(usize, usize)>,
    used: std::cell::RefCell<std::collections::HashSet<(char, usize)>>,
}

impl ResolvedCorrection {
    fn of(
        builder: &LineBuilder<'_>,
        correction: &LineCorrection,
        line_stations: &[usize],
    ) -> Result<Self, CorrectionProblem> {
        let find = |name: &String| match builder.find(name, line_stations) {
            Ok(station) => Ok(Some(station)),
            Err(_) if correction.is_inherited => Ok(None),
            Err(problem) => Err(problem),
        };
        let pairs = |named: &Option<Vec<[String; 2]>>| -> Result<Vec<(usize, usize)>, CorrectionProblem> {
            let mut found = Vec::new();
            for [a, b] in named.iter().flatten() {
                found.extend(find(a)?.zip(find(b)?));
            }
            Ok(found)
        };
        let mut resolved = Self {
            skip: Vec::new(),
            branch: Vec::new(),
            cut: pairs(&correction.cut)?,
            keep: pairs(&correction.keep)?,
            used: std::cell::RefCell::default(),
        };
        for name in correction.skip.iter().flatten() {
            resolved.skip.extend(find(name)?);
        }
        for branch in correction.branch.iter().flatten() {
            resolved.branch.extend(find(&branch.after)?.zip(find(&branch.from)?));
        }
        Ok(resolved)
    }

    fn mark_used(&self, kind: char, at: Option<usize>) -> Option<usize> {
        at.inspect(|&at| {
            self.used.borrow_mut().insert((kind, at));
        })
    }

    fn is_skipped(&self, station: usize) -> bool {
        self.mark_used('s', self.skip.iter().position(|&skipped| skipped == station)).is_some()
    }

    fn branch_after(&self, station: usize) -> Option<usize> {
        self.mark_used('b', self.branch.iter().position(|&(after, _)| after == station)).map(|at| self.branch[at].1)
    }

    fn is_cut(&self, a: usize, b: usize) -> bool {
        self.mark_used('c', self.cut.iter().position(|&pair| pair == (a, b) || pair == (b, a))).is_some()
    }

    fn is_kept(&self, a: usize, b: usize) -> bool {
        self.mark_used('k', self.keep.iter().position(|&pair| pair == (a, b) || pair == (b, a))).is_some()
    }

    /// Reports a correction that applied to nothing, which is an error in the corrections file.
    fn check_all_used(&self, correction: &LineCorrection) -> Result<(), CorrectionProblem> {
        let used = self.used.borrow();
        let all = [
            ('s', "skip", self.skip.len()),
            ('b', "branch", self.branch.len()),
            ('c', "cut", self.cut.len()),
            ('k', "keep", self.keep.len()),
        ];
        for (kind, word, count) in all {
            if let Some(idle) = (0..count).find(|at| !used.contains(&(kind, *at)))
                && !correction.is_inherited
            {
                return Err(format!("{word}: the {}. of them corrects nothing", idle + 1));
            }
        }
        Ok(())
    }
}
