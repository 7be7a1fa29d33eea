//! The way of every import: read the source, correct, give out codes, settle readings, and tell what was done.

use std::path::Path;

use kaisatsu_model::MapId;

use crate::{
    Corrections, Error, Network, Readings, Summary,
    assemble::{self, Wanted},
    codes, csv_form,
    geo::Area,
    gtfs::{self, Choice},
    n02,
    progress::Progress,
    raw::Raw,
    train_data,
};

/// Where a network comes from.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// A GTFS feed: a zip file or a folder.
    Gtfs {
        /// The feed.
        path: &'a Path,
        /// Which of its routes are wanted.
        choice: &'a Choice,
    },
    /// MLIT N02 as `GeoJSON`: the railway sections and the stations.
    N02 {
        /// `N02-xx_RailroadSection.geojson`.
        sections: &'a Path,
        /// `N02-xx_Station.geojson`.
        stations: &'a Path,
    },
    /// The JSON export of the npm package `japan-train-data`.
    TrainData(&'a Path),
    /// A folder with `stations.csv` and `lines.csv`.
    Csv(&'a Path),
}

/// How a network is made of it.
#[derive(Debug, Default)]
pub struct Options<'a> {
    /// The id, unless the corrections give it.
    pub id: Option<&'a str>,
    /// The name, unless the corrections give it.
    pub name: Option<&'a str>,
    /// The edition, unless the corrections give it.
    pub edition: Option<&'a str>,
    /// The credits, unless the corrections give them.
    pub credits: Option<&'a str>,
    /// In place of the area of the corrections.
    pub area: Option<Area>,
    /// What people know better.
    pub corrections: Option<&'a Corrections>,
    /// How names are read.
    pub readings: Option<&'a Readings>,
    /// The network of the last import, whose codes stay.
    pub previous: Option<&'a Network>,
}

/// Imports a network. What was read and left out goes into the summary, also when there is no network in the end: it often
/// says why.
///
/// # Errors
/// What is wrong with the source or the corrections, with file and line.
pub fn import(
    source: Source<'_>,
    options: &Options<'_>,
    progress: Progress<'_>,
    summary: &mut Summary,
) -> Result<Network, Error> {
    let nothing = Corrections::default();
    let corrections = options.corrections.unwrap_or(&nothing);
    let (raw, longest_edge_m): (Raw, _) = match source {
        Source::Gtfs { path, choice } => (gtfs::read(path, choice, progress, summary)?, None),
        Source::N02 { sections, stations } => (n02::read(sections, stations, progress, summary)?, None),
        Source::TrainData(path) => (train_data::read(path, summary)?, Some(train_data::LONGEST_EDGE_M)),
        Source::Csv(path) => (csv_form::read(path, summary)?, None),
    };
    let wanted = Wanted { area: options.area, longest_edge_m };
    let draft = assemble::assemble(raw, corrections, wanted, summary)?;
    let mut network = codes::assign(draft, options.previous, summary)?;
    head(&mut network, corrections, options)?;
    if let Some(readings) = options.readings {
        summary.unsettled = readings.settle(&mut network);
    }
    summary.read("stations in the network", network.stations.len());
    summary.read("lines in the network", network.lines.len());
    summary.read("edges in the network", network.edge_count());
    Ok(network)
}

/// What the caller says wins over the corrections, and those over the previous network.
fn head(network: &mut Network, corrections: &Corrections, options: &Options<'_>) -> Result<(), Error> {
    let [id, name, edition, credits] = corrections.heading();
    let text = |given: Option<&str>, corrected: Option<&str>, before: fn(&Network) -> &String| {
        given
            .or(corrected)
            .map(str::to_owned)
            .or_else(|| options.previous.map(|n| before(n).clone()))
            .unwrap_or_default()
    };
    network.id = text(options.id, id, |n| &n.id);
    network.name = text(options.name, name, |n| &n.name);
    network.edition = text(options.edition, edition, |n| &n.edition);
    network.credits = text(options.credits, credits, |n| &n.credits);
    MapId::new(&network.id).map_err(|rule| Error::file("the network's id", rule.to_string()))?;
    if network.name.trim().is_empty() {
        network.name.clone_from(&network.id);
    }
    if network.stations.is_empty() {
        return Err(Error::file("the source", "no station is left: look at the area and at what was left out"));
    }
    Ok(())
}
