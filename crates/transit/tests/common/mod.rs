//! Shared by the tests: folders with test data, and imports of them.

use std::{collections::BTreeMap, fs, path::Path};

use kaisatsu_transit::{Corrections, Error, Network, Options, RouteFilter, Source, Summary, import, no_progress};
use tempfile::TempDir;

pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

pub(crate) fn gtfs(path: &Path, options: &Options<'_>) -> Result<(Network, Summary), Error> {
    imported(Source::Gtfs { path, filter: &RouteFilter::default() }, options)
}

/// Runs an import, and returns the network with its summary.
pub(crate) fn imported(source: Source<'_>, options: &Options<'_>) -> Result<(Network, Summary), Error> {
    let mut summary = Summary::default();
    import(source, options, &no_progress, &mut summary).map(|network| (network, summary))
}

pub(crate) fn csv(stations: &str, lines: &str, options: &Options<'_>) -> Result<(Network, Summary), Error> {
    let folder = folder(&[("stations.csv", stations), ("lines.csv", lines)]);
    imported(Source::Csv(folder.path()), options)
}

/// Id, group, name, latitude, longitude.
pub(crate) type StationRow<'a> = (i64, i64, &'a str, f64, f64);

/// A JSON export with these lines: id, name, and stations as (id, group, name, lat, lon).
pub(crate) fn export(lines: &[(i64, &str, &[StationRow<'_>])]) -> String {
    let line = |(id, name, stations): &(i64, &str, &[StationRow<'_>])| {
        let station = |(id, gid, name, lat, lon): &StationRow<'_>| {
            format!(r#"{{"id":{id},"gid":{gid},"name":"{name}","lat":{lat},"lon":{lon},"prefecture":"東京都"}}"#)
        };
        let stations: Vec<_> = stations.iter().map(station).collect();
        format!(r#"{{"id":{id},"name":"{name}","stations":[{}]}}"#, stations.join(","))
    };
    format!("[{}]", lines.iter().map(line).collect::<Vec<_>>().join(",\n"))
}

pub(crate) fn train_data(json: &str, corrections: &str) -> Result<(Network, Summary), Error> {
    let folder = folder(&[("export.json", json)]);
    let corrections = Corrections::read("corrections.toml", corrections)?;
    let options = Options { corrections: Some(&corrections), id: Some("test"), ..Options::default() };
    imported(Source::TrainData(&folder.path().join("export.json")), &options)
}

/// The runs of each line, by names of stations.
pub(crate) fn runs(network: &Network) -> BTreeMap<String, Vec<String>> {
    let names: BTreeMap<_, _> = network.stations.iter().map(|station| (station.code, &station.name)).collect();
    let run = |run: &Vec<_>| run.iter().map(|code| names[code].as_str()).collect::<Vec<_>>().join(" ");
    network.lines.iter().map(|line| (line.name.clone(), line.runs.iter().map(run).collect())).collect()
}

pub(crate) fn code_of(network: &Network, name: &str) -> u32 {
    network.stations.iter().find(|station| station.name == name).unwrap().code.get()
}
