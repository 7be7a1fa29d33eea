//! Lays out four graphs, each in its own single-threaded process, and prints the figures beside those of LOOM.
//!
//! `bench-layout NETWORK…` prints the table. `--one NETWORK` lays out a single network and prints its figures as JSON.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool")]

use std::{error::Error, fs, process::Command, time::Instant};

use kaisatsu_schematic::{Options, build};
use kaisatsu_transit::file;
use serde::{Deserialize, Serialize};

/// The figures of one layout.
#[derive(Serialize, Deserialize)]
struct Figures {
    stations: usize,
    edges: usize,
    lines: usize,
    seconds: f64,
    peak_megabytes: f64,
    violations: usize,
    bends: f64,
    line_bends: f64,
    displacement: f64,
    unlabelled: usize,
    overlaps: usize,
    misleading_labels: usize,
    contacts: usize,
    groups: usize,
    groups_apart: usize,
    longest_connector: f64,
    corridor_chords: usize,
    covered_passes: usize,
    longest_edge: f64,
    spacing: f64,
    label_share: f64,
    width: i64,
    height: i64,
}

/// LOOM (octi, its default heuristic, one thread): CPU seconds, topology violations, weighted bends, and unlabelled
/// stations.
const LOOM: [(&str, &str); 3] = [
    ("tokyo-subway", "11.2 s, 38 violations, bends 330"),
    ("tokyo-core", "95.6 s, 128 violations, bends 799, 11 unlabelled"),
    ("kanto", "no result in 200 s"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [one, path] = &arguments[..]
        && one == "--one"
    {
        println!("{}", serde_json::to_string(&lay_out(path)?)?);
        return Ok(());
    }
    println!(
        "| graph | stations | edges | seconds | peak MB | violations | bends | per line | displacement \
         | unlabelled | overlaps | names nearer to another mark | touches | groups | groups drawn apart \
         | longest connector \
         | corridor chords | covered passes | longest edge | spacing p90/p10 | labels % | size | LOOM |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for path in &arguments {
        let output = Command::new(std::env::current_exe()?).args(["--one", path]).output()?;
        if !output.status.success() {
            return Err(format!("{path}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        let f: Figures = serde_json::from_slice(&output.stdout)?;
        let name =
            path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or(path).trim_start_matches("bench-");
        let loom = LOOM.iter().find(|(graph, _)| *graph == name).map_or("", |(_, figures)| figures);
        println!(
            "| {name} | {} | {} | {:.2} | {:.0} | {} | {} | {} | {:.2} | {} | {} | {} | {} | {} | {} | {:.0} \
             | {} | {} | {:.0} | {:.1} | {:.1} | {}×{} | {loom} |",
            f.stations,
            f.edges,
            f.seconds,
            f.peak_megabytes,
            f.violations,
            f.bends,
            f.line_bends,
            f.displacement,
            f.unlabelled,
            f.overlaps,
            f.misleading_labels,
            f.contacts,
            f.groups,
            f.groups_apart,
            f.longest_connector,
            f.corridor_chords,
            f.covered_passes,
            f.longest_edge,
            f.spacing,
            f.label_share * 100.0,
            f.width,
            f.height,
        );
    }
    Ok(())
}

fn lay_out(path: &str) -> Result<Figures, Box<dyn Error>> {
    let network = file::read(&fs::read_to_string(path)?).map_err(|error| error.to_string())?;
    let start = Instant::now();
    let built = build(&network, Options::default(), &mut |_| ())?;
    let seconds = start.elapsed().as_secs_f64();
    let quality = built.quality;
    Ok(Figures {
        stations: quality.stations,
        edges: quality.edges,
        lines: network.lines.len(),
        seconds,
        peak_megabytes: peak_megabytes().unwrap_or(f64::NAN),
        violations: quality.violations.total(),
        bends: quality.bends,
        line_bends: quality.line_bends,
        displacement: quality.displacement,
        unlabelled: quality.unlabelled,
        overlaps: quality.overlaps,
        misleading_labels: quality.misleading_labels,
        contacts: quality.contacts,
        groups: quality.groups,
        groups_apart: quality.groups_apart,
        longest_connector: quality.longest_connector,
        corridor_chords: quality.corridor_chords,
        covered_passes: quality.covered_passes,
        longest_edge: quality.longest_edge,
        spacing: quality.spacing,
        label_share: quality.label_share,
        width: built.document.width,
        height: built.document.height,
    })
}

/// The peak memory of this process, as reported by Linux.
fn peak_megabytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
