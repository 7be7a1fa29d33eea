//! Numbers the stations of lines: G09, JY17.
//!
//! Operators number the stations of a line one after another, so the corrections give the numbers at both ends, and
//! where one is left out. A number in between is the next one, which also shows that no station is missing.

use super::{
    draft::{DraftLine, DraftStation},
    line_runs::{CorrectionProblem, LineBuilder},
};
use crate::{Error, corrections::Corrections};

/// A station and one of its numbers.
pub(super) type Numbered = (usize, String);

/// The numbers of the stations of a line.
pub(super) fn of_line(
    line: &DraftLine,
    corrections: &Corrections,
    builder: &LineBuilder<'_>,
) -> Result<Vec<Numbered>, Error> {
    let (correction, _) = corrections.line(line.code, &line.key);
    let on_line: Vec<usize> = line.runs.iter().flatten().copied().collect();
    let mut found = Vec::new();
    for list in correction.numbers.iter().flatten() {
        match in_list(list, line, &on_line, builder) {
            Ok(numbers) => found.extend(numbers),
            // A base may be for a smaller map, on which other stations are neighbours.
            Err(_) if correction.is_inherited => {}
            Err(problem) => {
                let message = format!("line {}: numbers: {problem}", line.name);
                return Err(corrections.line_error(line.code, &line.key, message));
            }
        }
    }
    Ok(found)
}

/// Adds the numbers to the stations, each once.
pub(super) fn assign(stations: &mut [DraftStation], numbers: Vec<Numbered>) {
    for (station, number) in numbers {
        let known = &mut stations[station].numbers;
        if !known.contains(&number) {
            known.push(number);
        }
    }
}

fn in_list(
    list: &[String],
    line: &DraftLine,
    on_line: &[usize],
    builder: &LineBuilder<'_>,
) -> Result<Vec<Numbered>, CorrectionProblem> {
    let mut anchors = Vec::with_capacity(list.len() / 2);
    for pair in list.chunks(2) {
        let [name, number] = pair else { return Err("they are a station and its number by turns".to_owned()) };
        anchors.push((builder.find(name, on_line)?, Number::read(number)?));
    }
    let mut found: Vec<Numbered> = anchors.iter().map(|(station, number)| (*station, number.to_string())).collect();
    for pair in anchors.windows(2) {
        let [(from, first), (to, last)] = pair else { continue };
        let between = stations_between(line, *from, *to).ok_or_else(|| {
            let [from, to] = [from, to].map(|station| &builder.stations[*station].name);
            format!("no run leads from {from} to {to}")
        })?;
        if first.value.abs_diff(last.value) != between.len() as u64 + 1 || first.prefix != last.prefix {
            return Err(format!("{} stations between {first} and {last} do not fit", between.len()));
        }
        for (step, station) in (1..).zip(between) {
            let value = if first.value < last.value { first.value + step } else { first.value - step };
            found.push((station, Number { value, ..first.clone() }.to_string()));
        }
    }
    Ok(found)
}

/// The stations of a line between two of them; on a ring, in the direction of the run.
fn stations_between(line: &DraftLine, from: usize, to: usize) -> Option<Vec<usize>> {
    let on_run = |run: &Vec<usize>| {
        let start = run.iter().position(|station| *station == from)?;
        let end = run.iter().position(|station| *station == to)?;
        Some(match (start < end, line.is_loop) {
            (true, _) => run[start + 1..end].to_vec(),
            (false, false) => run[end + 1..start].iter().rev().copied().collect(),
            (false, true) => run[start + 1..].iter().chain(&run[..end]).copied().collect(),
        })
    };
    line.runs.iter().find_map(on_run)
}

/// A number: what precedes it, its value, and how many digits it has.
#[derive(Clone)]
struct Number {
    prefix: String,
    value: u64,
    digits: usize,
}

impl Number {
    fn read(text: &str) -> Result<Self, CorrectionProblem> {
        let digits = text.chars().rev().take_while(char::is_ascii_digit).count();
        let (prefix, value) = text.split_at(text.len() - digits);
        let value = value.parse().map_err(|_| format!("'{text}' does not end in a number"))?;
        Ok(Self { prefix: prefix.to_owned(), value, digits })
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:0width$}", self.prefix, self.value, width = self.digits)
    }
}
