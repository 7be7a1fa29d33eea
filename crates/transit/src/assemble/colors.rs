//! Chooses colours for the lines that have none, so that lines side by side can be told apart.

use std::collections::HashMap;

use super::draft::DraftLine;
use crate::palette;

/// Gives each line without a colour one of the palette: the one that its name determines if no line has it, otherwise
/// the next one that no line has. When all are taken, it is one that no line on the same track has, if possible.
pub(super) fn fill_missing(lines: &mut [DraftLine]) {
    let mut on_station: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        for &station in line.runs.iter().flatten() {
            let on_it = on_station.entry(station).or_default();
            if on_it.last() != Some(&at) {
                on_it.push(at);
            }
        }
    }
    for at in 0..lines.len() {
        if !lines[at].color.is_empty() {
            continue;
        }
        let beside = lines_beside(at, lines, &on_station);
        let count = |color: &str| {
            let with_it = || lines.iter().enumerate().filter(|(_, line)| line.color == color);
            (with_it().filter(|(other, _)| beside.contains(other)).count(), with_it().count())
        };
        let color = palette::default_colors(&lines[at].name).min_by_key(|color| count(color)).unwrap_or_default();
        color.clone_into(&mut lines[at].color);
    }
}

/// The lines that stop at two stations of a line or more: they run on the same track or beside it.
fn lines_beside(at: usize, lines: &[DraftLine], on_station: &HashMap<usize, Vec<usize>>) -> Vec<usize> {
    let mut common: HashMap<usize, usize> = HashMap::new();
    let mut stations: Vec<usize> = lines[at].runs.iter().flatten().copied().collect();
    stations.sort_unstable();
    stations.dedup();
    for other in stations.iter().flat_map(|station| &on_station[station]) {
        *common.entry(*other).or_default() += 1;
    }
    common.into_iter().filter(|&(other, stations)| other != at && stations > 1).map(|(other, _)| other).collect()
}

#[cfg(test)]
mod tests {
    use super::{DraftLine, fill_missing};
    use crate::palette;

    fn line(name: &str, color: &str, run: &[usize]) -> DraftLine {
        DraftLine {
            key: String::new(),
            code: None,
            name: name.to_owned(),
            translation: String::new(),
            color: color.to_owned(),
            symbol: String::new(),
            operator: String::new(),
            runs: vec![run.to_vec()],
            is_loop: false,
            direct: Vec::new(),
            along: Vec::new(),
        }
    }

    fn filled(mut lines: Vec<DraftLine>) -> Vec<String> {
        fill_missing(&mut lines);
        lines.into_iter().map(|line| line.color).collect()
    }

    #[test]
    fn every_colour_of_the_palette_is_taken_once_before_one_is_taken_twice() {
        let mut colors = filled((0..20).map(|at| line("A", "", &[at, at + 1])).collect());
        assert_eq!(colors[0], "#2b5c8a", "that of the name");
        colors.sort_unstable();
        colors.dedup();
        assert_eq!(colors.len(), 20);
        let known = filled(vec![line("A", "", &[0, 1]), line("B", "#2b5c8a", &[5, 6])]);
        assert_ne!(known[0], known[1], "the colours of the source are taken too");
    }

    #[test]
    fn lines_on_one_track_have_different_colours_when_all_are_taken() {
        // The line without a colour shares two stations with the first two lines, and one with the others.
        let palette: Vec<&str> = palette::default_colors("A").collect();
        let mut lines: Vec<DraftLine> = palette.iter().map(|color| line("x", color, &[1, 9])).collect();
        lines[0] = line("x", palette[0], &[0, 1, 2]);
        lines[1] = line("x", palette[1], &[2, 1]);
        lines.push(line("A", "", &[0, 1, 2]));
        assert_eq!(filled(lines).last().map(String::as_str), Some(palette[2]));
    }
}
