//! The steps of every import: read the source, apply corrections, assign codes, fill in readings, and summarise.

use std::path::Path;

use kaisatsu_model::MapId;

use crate::{
    Corrections, Error, Network, Readings, Summary,
    assemble::{self, AssembleOptions},
    codes, csv_tables,
    geo::BoundingBox,
    groups,
    gtfs::{self, RouteFilter},
    n02,
    progress::Progress,
    romaji,
    source_data::SourceData,
    train_data,
};

/// The source of a network.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// A GTFS feed: a zip file or a folder.
    Gtfs {
        /// The feed.
        path: &'a Path,
        /// Which of its routes to import.
        filter: &'a RouteFilter,
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

/// The settings of an import.
#[derive(Debug, Default)]
pub struct Options<'a> {
    /// The id; overrides that of the corrections.
    pub id: Option<&'a str>,
    /// The name; overrides that of the corrections.
    pub name: Option<&'a str>,
    /// The edition; overrides that of the corrections.
    pub edition: Option<&'a str>,
    /// The credits; override those of the corrections.
    pub credits: Option<&'a str>,
    /// The area; overrides that of the corrections.
    pub area: Option<BoundingBox>,
    /// The corrections.
    pub corrections: Option<&'a Corrections>,
    /// The dictionaries of readings.
    pub readings: Option<&'a Readings>,
    /// The network of the last import, whose codes are kept.
    pub previous: Option<&'a Network>,
}

/// Imports a network. The summary is filled in even if the import fails, because it often shows the reason.
///
/// # Errors
/// All problems of the source or of the corrections, with file and line.
pub fn import(
    source: Source<'_>,
    options: &Options<'_>,
    progress: Progress<'_>,
    summary: &mut Summary,
) -> Result<Network, Error> {
    let nothing = Corrections::default();
    let corrections = options.corrections.unwrap_or(&nothing);
    let (data, max_edge_m): (SourceData, _) = match source {
        Source::Gtfs { path, filter } => {
            let mut data = gtfs::read(path, filter, progress, summary)?;
            if !corrections.keeps_common_color() {
                gtfs::drop_common_color(&mut data.lines, summary);
            }
            (data, None)
        }
        Source::N02 { sections, stations } => (n02::read(sections, stations, progress, summary)?, None),
        Source::TrainData(path) => (train_data::read(path, summary)?, Some(train_data::MAX_EDGE_M)),
        Source::Csv(path) => (csv_tables::read(path, summary)?, None),
    };
    let settings = AssembleOptions { area: options.area, max_edge_m };
    let draft = assemble::assemble(data, corrections, settings, summary)?;
    let walks_suffice = draft.walks_suffice;
    let mut network = codes::assign(draft, options.previous, summary)?;
    set_metadata(&mut network, corrections, options)?;
    if let Some(readings) = options.readings {
        summary.unresolved = readings.fill_missing(&mut network);
    }
    if corrections.romanises() {
        romanise(&mut network);
    }
    groups::resolve(&mut network, walks_suffice, corrections)?;
    summary.count("stations in the network", network.stations.len());
    summary.count("lines in the network", network.lines.len());
    summary.count("edges in the network", network.edge_count());
    summary.count("groups of stations", network.groups.len());
    Ok(network)
}

/// Writes the names of stations with a reading in the Latin alphabet, unless they have a translation.
fn romanise(network: &mut Network) {
    for station in network.stations.iter_mut().filter(|station| station.translation.is_empty()) {
        station.translation = romaji::romanise(&station.name, &station.yomi).unwrap_or_default();
    }
}

/// Sets the metadata. The options take precedence over the corrections, and those over the previous network.
fn set_metadata(network: &mut Network, corrections: &Corrections, options: &Options<'_>) -> Result<(), Error> {
    let [id, name, translation, edition, credits] = corrections.metadata();
    let text = |given: Option<&str>, corrected: Option<&str>, before: fn(&Network) -> &String| {
        given
            .or(corrected)
            .map(str::to_owned)
            .or_else(|| options.previous.map(|n| before(n).clone()))
            .unwrap_or_default()
    };
    network.id = text(options.id, id, |n| &n.id);
    network.name = text(options.name, name, |n| &n.name);
    network.translation = text(None, translation, |n| &n.translation);
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
