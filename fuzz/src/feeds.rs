//! The importers of transit data: any files give an error with a message, or a network whose file can be read.
//!
//! The first letter chooses the source. The rest is its files, separated by form feeds.

use std::fs;

use kaisatsu_transit::{Options, RouteFilter, Source, Summary, file, import, no_progress};

use crate::text;

pub(crate) fn run(bytes: &[u8]) {
    let text = text(bytes);
    let folder = tempfile::tempdir().expect("a folder");
    let place = |names: &[&str]| {
        for (name, content) in names.iter().zip(text.get(1..).unwrap_or_default().split('\u{c}')) {
            fs::write(folder.path().join(name), content).expect("a file");
        }
    };
    let options = Options { id: Some("fuzz"), name: Some("fuzz"), ..Options::default() };
    let filter = RouteFilter::default();
    let mut summary = Summary::default();
    let imported = match text.chars().next() {
        Some('g') => {
            place(&["stops.txt", "routes.txt", "trips.txt", "stop_times.txt"]);
            import(Source::Gtfs { path: folder.path(), filter: &filter }, &options, &no_progress, &mut summary)
        }
        Some('n') => {
            place(&["sections.geojson", "stations.geojson"]);
            let [sections, stations] = ["sections.geojson", "stations.geojson"].map(|name| folder.path().join(name));
            import(Source::N02 { sections: &sections, stations: &stations }, &options, &no_progress, &mut summary)
        }
        Some('t') => {
            place(&["export.json"]);
            import(Source::TrainData(&folder.path().join("export.json")), &options, &no_progress, &mut summary)
        }
        _ => {
            place(&["stations.csv", "lines.csv"]);
            import(Source::Csv(folder.path()), &options, &no_progress, &mut summary)
        }
    };
    match imported {
        Ok(network) => drop(file::write_checked(&network).expect("what we write can be read")),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
