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

impl Builder<'_> {
    /// The runs of a line, and whether they are closed.
    pub(super) fn build(
        &mut self,
        line: &RawLine,
        fix: &LineFix,
        name: &str,
    ) -> Result<(Vec<Vec<usize>>, bool), Error> {
        self.try_build(line, fix, name)
            .map_err(|slip| self.corrections.line_error(line.code, &line.key, format!("line {name}: {slip}")))
    }

    fn try_build(&mut self, line: &RawLine, fix: &LineFix, name: &str) -> Result<(Vec<Vec<usize>>, bool), Slip> {
        let is_loop = fix.is_loop.unwrap_or(line.is_loop);
        let local: Vec<usize> = line.runs.iter().flatten().filter_map(|stop| self.station_of[*stop]).collect();
        if let Some(runs) = &fix.runs {
            return Ok((self.named_runs(runs, &local, fix.is_inherited)?, is_loop));
        }
        let plan = Plan::of(self, fix, &local)?;
        let mut runs = Vec::new();
        let mut gaps = 0;
        for run in &line.runs {
            gaps += self.part(run, &plan, name, &mut runs);
        }
        plan.all_used(fix)?;
        let closed = is_loop && gaps == 0;
        if is_loop && gaps > 0 {
            join_ends(&mut runs, line, self.station_of);
        }
        self.insert(&mut runs, fix, &local, name, closed)?;
        if let Some(more) = &fix.more {
            runs.extend(self.named_runs(more, &local, fix.is_inherited)?);
        }
        runs.retain(|run| run.len() > 1);
        if closed && runs.len() > 1 {
            // `loop` speaks of all runs: a ring beside other runs is closed by naming its first station again.
            let first = runs[0][0];
            runs[0].push(first);
        }
        let is_loop = closed && runs.len() == 1;
        Ok((runs, is_loop))
    }

    /// Parts one run of the source into those on the map. Returns how often it left the map.
    fn part(&mut self, run: &[usize], plan: &Plan, name: &str, runs: &mut Vec<Vec<usize>>) -> usize {
        let mut gaps = 0;
        let mut current: Vec<usize> = Vec::new();
        for stop in run {
            let Some(here) = self.station_of[*stop] else {
                gaps += 1;
                runs.push(std::mem::take(&mut current));
                continue;
            };
            if plan.is_skipped(here) {
                continue;
            }
            if let Some(&last) = current.last() {
                if last == here {
                    continue;
                }
                let edge = || format!("{name}: {}–{}", self.stations[last].name, self.stations[here].name);
                let metres = self.stations[last].place.metres_to(self.stations[here].place);
                if let Some(from) = plan.branch_after(last) {
                    self.summary.drop("edges that are none (a branch leaves elsewhere)", edge());
                    runs.push(std::mem::take(&mut current));
                    current.push(from);
                } else if plan.is_cut(last, here) {
                    self.summary.drop("edges cut by hand", edge());
                    runs.push(std::mem::take(&mut current));
                } else if self.longest_edge_m.is_some_and(|longest| metres > longest) && !plan.is_kept(last, here) {
                    self.summary.drop("edges too long to be true", format!("{} ({:.0} km)", edge(), metres / 1000.0));
                    runs.push(std::mem::take(&mut current));
                }
            }
            current.push(here);
        }
        runs.push(current);
        gaps
    }

    fn insert(
        &mut self,
        runs: &mut [Vec<usize>],
        fix: &LineFix,
        local: &[usize],
        name: &str,
        is_loop: bool,
    ) -> Result<(), Slip> {
        for insert in fix.insert.iter().flatten() {
            let [before, after] = &insert.between;
            let named = [before, &insert.new, after].map(|name| self.find(name, local));
            let [Ok(before_at), Ok(new), Ok(after_at)] = named else {
                if fix.is_inherited {
                    continue;
                }
                return Err(named.into_iter().find_map(Result::err).unwrap_or_default());
            };
            let was_on_line = local.contains(&new);
            if put_between(runs, before_at, new, after_at, is_loop) {
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

    fn named_runs(&self, runs: &[Vec<String>], local: &[usize], is_lenient: bool) -> Result<Vec<Vec<usize>>, Slip> {
        let mut found = Vec::new();
        for run in runs {
            let mut current = Vec::new();
            for name in run {
                match self.find(name, local) {
                    Ok(station) => current.push(station),
                    Err(_) if is_lenient => found.push(std::mem::take(&mut current)),
                    Err(slip) => return Err(slip),
                }
            }
            found.push(current);
        }
        found.retain(|run| run.len() > 1);
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

/// A ring of which a part is off the map: its end goes on where its list begins.
fn join_ends(runs: &mut Vec<Vec<usize>>, line: &RawLine, station_of: &[Option<usize>]) {
    let [ring] = line.runs.as_slice() else { return };
    let ends_inside = [ring.first(), ring.last()].into_iter().flatten().all(|stop| station_of[*stop].is_some());
    if ends_inside
        && runs.len() > 1
        && let Some(mut last) = runs.pop()
    {
        last.extend(runs[0].iter().copied());
        runs[0] = last;
    }
}

fn put_between(runs: &mut [Vec<usize>], before: usize, new: usize, after: usize, is_loop: bool) -> bool {
    for run in runs {
        let found = run.windows(2).position(|pair| pair == [before, after] || pair == [after, before]);
        if let Some(at) = found {
            run.insert(at + 1, new);
            return true;
        }
        let closing = run.last().copied().zip(run.first().copied());
        if is_loop && (closing == Some((before, after)) || closing == Some((after, before))) {
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
