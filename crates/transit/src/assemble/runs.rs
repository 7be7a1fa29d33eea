//! The runs of one line: cut where the map ends or the source joins what is not joined, and completed by hand.

use std::collections::HashMap;

use kaisatsu_model::StationName;

use super::DraftStation;
use crate::{
    Error, Summary,
    corrections::{Corrections, LineFix, ways_to_name},
    raw::RawLine,
};

/// What all lines share while they are built.
pub(super) struct Builder<'a> {
    pub(super) stations: &'a [DraftStation],
    /// The station of each stop, `None` off the map.
    pub(super) station_of: &'a [Option<usize>],
    pub(super) by_name: HashMap<String, Vec<usize>>,
    pub(super) longest_edge_m: Option<f64>,
    pub(super) corrections: &'a Corrections,
    pub(super) summary: &'a mut Summary,
}

/// Stations under every way that a correction may name them.
pub(super) fn by_name(stations: &[DraftStation]) -> HashMap<String, Vec<usize>> {
    let mut found: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, station) in stations.iter().enumerate() {
        for way in ways_to_name(&station.name, station.code, station.prefecture) {
            found.entry(way).or_default().push(index);
        }
    }
    found
}

/// Why a correction cannot be applied.
type Slip = String;

/// A run while it is built.
struct Run {
    stations: Vec<usize>,
    /// Whether its last station is followed by its first.
    is_ring: bool,
}

impl Run {
    fn open(stations: Vec<usize>) -> Self {
        Self { stations, is_ring: false }
    }
}

/// The parts of one run of the source.
struct Parts {
    own: Vec<Vec<usize>>,
    /// What comes after the first branch is beside the run: where a ring ends is where its own parts end.
    branches: Vec<Vec<usize>>,
}

impl Builder<'_> {
    /// The runs of a line, and whether they are closed.
    pub(super) fn build(
        &mut self,
        line: &RawLine,
        fix: &LineFix,
        name: &str,
    ) -> Result<(Vec<Vec<usize>>, bool), Error> {
        self.try_build(line, fix, name)
            .map(finish)
            .map_err(|slip| self.corrections.line_error(line.code, &line.key, format!("line {name}: {slip}")))
    }

    fn try_build(&mut self, line: &RawLine, fix: &LineFix, name: &str) -> Result<Vec<Run>, Slip> {
        let is_loop = fix.is_loop.unwrap_or(line.is_loop);
        let local: Vec<usize> = line.runs.iter().flatten().filter_map(|stop| self.station_of[*stop]).collect();
        if let Some(runs) = &fix.runs {
            return self.named_runs(runs, &local, fix.is_inherited, is_loop);
        }
        let plan = Plan::of(self, fix, &local)?;
        let mut runs = Vec::new();
        for run in &line.runs {
            let Parts { own, branches } = self.part(run, &plan, name);
            if is_loop {
                runs.extend(close(own, |last, first| self.is_edge(last, first, &plan, name)));
            } else {
                runs.extend(own.into_iter().map(Run::open));
            }
            runs.extend(branches.into_iter().map(Run::open));
        }
        plan.all_used(fix)?;
        self.insert(&mut runs, fix, &local, name)?;
        if let Some(more) = &fix.more {
            runs.extend(self.named_runs(more, &local, fix.is_inherited, false)?);
        }
        Ok(runs)
    }

    /// Parts one run of the source where it leaves the map, where a branch begins, and where it joins what is not
    /// joined. A part is empty where the run begins, stays or ends off the map.
    fn part(&mut self, run: &[usize], plan: &Plan, name: &str) -> Parts {
        let mut parts = Vec::new();
        let mut first_branch = None;
        let mut current: Vec<usize> = Vec::new();
        for stop in run {
            let Some(here) = self.station_of[*stop] else {
                parts.push(std::mem::take(&mut current));
                continue;
            };
            if plan.is_skipped(here) {
                continue;
            }
            if let Some(&last) = current.last() {
                if last == here {
                    continue;
                }
                if let Some(from) = plan.branch_after(last) {
                    let edge = self.edge(last, here, name);
                    self.summary.drop("edges that are none (a branch leaves elsewhere)", edge);
                    parts.push(std::mem::take(&mut current));
                    first_branch.get_or_insert(parts.len());
                    // Some lists name the station that a branch leaves from again.
                    current.extend(Some(from).filter(|from| *from != here));
                } else if !self.is_edge(last, here, plan, name) {
                    parts.push(std::mem::take(&mut current));
                }
            }
            current.push(here);
        }
        parts.push(current);
        let branches = parts.split_off(first_branch.unwrap_or(parts.len()));
        Parts { own: parts, branches }
    }

    fn edge(&self, a: usize, b: usize, name: &str) -> String {
        format!("{name}: {}–{}", self.stations[a].name, self.stations[b].name)
    }

    /// Whether neighbours in the list of the source are neighbours on the line. Those that are not are counted.
    fn is_edge(&mut self, a: usize, b: usize, plan: &Plan, name: &str) -> bool {
        let metres = self.stations[a].place.metres_to(self.stations[b].place);
        if plan.is_cut(a, b) {
            let edge = self.edge(a, b, name);
            self.summary.drop("edges cut by hand", edge);
            return false;
        }
        if self.longest_edge_m.is_some_and(|longest| metres > longest) && !plan.is_kept(a, b) {
            let edge = self.edge(a, b, name);
            self.summary.drop("edges too long to be true", format!("{edge} ({:.0} km)", metres / 1000.0));
            return false;
        }
        true
    }

    fn insert(&mut self, runs: &mut [Run], fix: &LineFix, local: &[usize], name: &str) -> Result<(), Slip> {
        for insert in fix.insert.iter().flatten() {
            let [before, after] = &insert.between;
            let named = [before, &insert.new, after].map(|name| self.find(name, local));
            let [Ok(before_at), Ok(new), Ok(after_at)] = named else {
                if fix.is_inherited {
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
            let was_on_line = local.contains(&new);
            if put_between(runs, before_at, new, after_at) {
                if was_on_line {
                    let example = format!("{name}: {before}–{after} (by way of {})", insert.new);
                    self.summary.drop("edges that are none (a station lies between)", example);
                }
            } else if !fix.is_inherited {
                return Err(format!("{before} and {after} are not neighbours"));
            }
        }
        Ok(())
    }

    fn named_runs(
        &self,
        runs: &[Vec<String>],
        local: &[usize],
        is_lenient: bool,
        is_loop: bool,
    ) -> Result<Vec<Run>, Slip> {
        let mut found = Vec::new();
        for run in runs {
            let mut parts = Vec::new();
            let mut current = Vec::new();
            for name in run {
                match self.find(name, local) {
                    Ok(station) if current.last() == Some(&station) => return Err(format!("{name} follows itself")),
                    Ok(station) => current.push(station),
                    Err(_) if is_lenient => parts.push(std::mem::take(&mut current)),
                    Err(slip) => return Err(slip),
                }
            }
            parts.push(current);
            if is_loop {
                found.extend(close(parts, |_, _| true));
            } else {
                found.extend(parts.into_iter().map(Run::open));
            }
        }
        Ok(found)
    }

    /// The station of a name: of this line, else of the whole map.
    fn find(&self, name: &str, local: &[usize]) -> Result<usize, Slip> {
        let all = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let mut here: Vec<usize> = all.iter().copied().filter(|station| local.contains(station)).collect();
        here.dedup();
        match (here.as_slice(), all) {
            ([one], _) | ([], [one]) => Ok(*one),
            ([], []) => {
                // A spelling that differs a little is the usual slip.
                let near = self.stations.iter().find(|s| StationName::fold(&s.name) == StationName::fold(name));
                let hint = near.map(|s| format!(" (but {})", s.name)).unwrap_or_default();
                Err(format!("there is no station {name} on the map{hint}"))
            }
            (several, all) => {
                let several = if several.is_empty() { all } else { several };
                let ways: Vec<_> = several
                    .iter()
                    .filter_map(|&station| self.stations[station].code.map(|code| format!("{name}@{code}")))
                    .collect();
                Err(format!("several stations are called {name}: say which ({})", ways.join(", ")))
            }
        }
    }
}

/// The runs of a ring from its parts: whole, it is closed; parted, its end goes on where its list begins.
fn close(mut parts: Vec<Vec<usize>>, is_edge: impl FnOnce(usize, usize) -> bool) -> Vec<Run> {
    let last = parts.last().and_then(|part| part.last()).copied();
    let first = parts.first().and_then(|part| part.first()).copied();
    let is_named_again = last == first;
    // Where an end is off the map there is nothing to go on from.
    let is_closed = last.zip(first).is_some_and(|(last, first)| is_named_again || is_edge(last, first));
    let is_whole = parts.len() == 1;
    if is_closed
        && !is_whole
        && let Some(mut joined) = parts.pop()
    {
        // A ring may be listed with its first station again at its end, which is one station all the same.
        if is_named_again {
            joined.pop();
        }
        joined.append(&mut parts[0]);
        parts[0] = joined;
    }
    parts.into_iter().map(|stations| Run { stations, is_ring: is_closed && is_whole }).collect()
}

/// The runs as the network has them, where `loop` speaks of all runs: a ring beside runs that are none is closed by
/// naming its first station again.
fn finish(mut runs: Vec<Run>) -> (Vec<Vec<usize>>, bool) {
    runs.retain(|run| run.stations.len() > 1);
    let is_loop = !runs.is_empty() && runs.iter().all(|run| run.is_ring);
    // Two stations have no second edge between them, and a ring may be listed with its first station again already.
    let is_to_close =
        |run: &&mut Run| run.is_ring && run.stations.len() > 2 && run.stations.first() != run.stations.last();
    if is_loop {
        // The way back to the first is said by `loop`.
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

fn put_between(runs: &mut [Run], before: usize, new: usize, after: usize) -> bool {
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

/// The corrections of one line with their stations found.
struct Plan {
    skip: Vec<usize>,
    branch: Vec<(usize, usize)>,
    cut: Vec<(usize, usize)>,
    keep: Vec<(usize, usize)>,
    used: std::cell::RefCell<std::collections::HashSet<(char, usize)>>,
}

impl Plan {
    fn of(builder: &Builder<'_>, fix: &LineFix, local: &[usize]) -> Result<Self, Slip> {
        let find = |name: &String| match builder.find(name, local) {
            Ok(station) => Ok(Some(station)),
            Err(_) if fix.is_inherited => Ok(None),
            Err(slip) => Err(slip),
        };
        let pairs = |named: &Option<Vec<[String; 2]>>| -> Result<Vec<(usize, usize)>, Slip> {
            let mut found = Vec::new();
            for [a, b] in named.iter().flatten() {
                found.extend(find(a)?.zip(find(b)?));
            }
            Ok(found)
        };
        let mut plan = Self {
            skip: Vec::new(),
            branch: Vec::new(),
            cut: pairs(&fix.cut)?,
            keep: pairs(&fix.keep)?,
            used: std::cell::RefCell::default(),
        };
        for name in fix.skip.iter().flatten() {
            plan.skip.extend(find(name)?);
        }
        for branch in fix.branch.iter().flatten() {
            plan.branch.extend(find(&branch.after)?.zip(find(&branch.from)?));
        }
        Ok(plan)
    }

    fn mark(&self, kind: char, at: Option<usize>) -> Option<usize> {
        at.inspect(|&at| {
            self.used.borrow_mut().insert((kind, at));
        })
    }

    fn is_skipped(&self, station: usize) -> bool {
        self.mark('s', self.skip.iter().position(|&skipped| skipped == station)).is_some()
    }

    fn branch_after(&self, station: usize) -> Option<usize> {
        self.mark('b', self.branch.iter().position(|&(after, _)| after == station)).map(|at| self.branch[at].1)
    }

    fn is_cut(&self, a: usize, b: usize) -> bool {
        self.mark('c', self.cut.iter().position(|&pair| pair == (a, b) || pair == (b, a))).is_some()
    }

    fn is_kept(&self, a: usize, b: usize) -> bool {
        self.mark('k', self.keep.iter().position(|&pair| pair == (a, b) || pair == (b, a))).is_some()
    }

    /// A correction that found nothing to correct is a slip.
    fn all_used(&self, fix: &LineFix) -> Result<(), Slip> {
        let used = self.used.borrow();
        let all = [
            ('s', "skip", self.skip.len()),
            ('b', "branch", self.branch.len()),
            ('c', "cut", self.cut.len()),
            ('k', "keep", self.keep.len()),
        ];
        for (kind, word, count) in all {
            if let Some(idle) = (0..count).find(|at| !used.contains(&(kind, *at)))
                && !fix.is_inherited
            {
                return Err(format!("{word}: the {}. of them corrects nothing", idle + 1));
            }
        }
        Ok(())
    }
}
