//! `kaisatsu map import`: a network file from open data.

use std::{cell::RefCell, path::PathBuf, process::ExitCode};

use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use kaisatsu_transit::{
    BoundingBox, Corrections, Network, Options, Readings, RouteFilter, Source, Summary, file, import,
};

use super::{super::progress, files};
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Import {
    #[command(subcommand)]
    source: From,
}

#[derive(Debug, Subcommand)]
enum From {
    /// A GTFS feed: a zip file or a folder
    ///
    /// Stops are grouped by their parent station, else by name within 300 m. A route is drawn by its longest patterns of trips;
    /// expresses and rare detours add no edges.
    Gtfs {
        /// The feed
        feed: PathBuf,
        /// Take buses as well as what runs on rails
        #[arg(long)]
        buses: bool,
        /// Take ferries as well
        #[arg(long)]
        ships: bool,
        /// Take the routes of this agency only, by id or name; may be given several times
        #[arg(long, value_name = "AGENCY")]
        agency: Vec<String>,
        /// Take this route only, by id or name; may be given several times
        #[arg(long, value_name = "ROUTE")]
        route: Vec<String>,
        #[command(flatten)]
        common: Common,
    },
    /// The railway data of Japan's land ministry (N02): two .geojson files
    N02 {
        /// N02-xx_RailroadSection.geojson
        sections: PathBuf,
        /// N02-xx_Station.geojson
        stations: PathBuf,
        #[command(flatten)]
        common: Common,
    },
    /// The npm package japan-train-data, exported to JSON as tools/maps does it
    JapanTrainData {
        /// The export
        export: PathBuf,
        #[command(flatten)]
        common: Common,
    },
    /// A folder with stations.csv and lines.csv, drawn by hand
    Csv {
        /// The folder
        folder: PathBuf,
        #[command(flatten)]
        common: Common,
    },
}

#[derive(Debug, Args)]
struct Common {
    /// Where the network is written; - for standard output. On an error the file stays as it is
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Id of the map [default: that of the corrections, else of the previous network, else the name of the output]
    #[arg(long)]
    id: Option<String>,
    /// Name of the map for people
    #[arg(long)]
    name: Option<String>,
    /// Which state of the world it shows
    #[arg(long)]
    edition: Option<String>,
    /// Where the facts come from
    #[arg(long)]
    credits: Option<String>,
    /// What is known better than the source: docs/formats/network.md
    #[arg(long, value_name = "FILE")]
    corrections: Option<PathBuf>,
    /// Dictionary of readings in the format of SKK; may be given several times
    #[arg(long, value_name = "DICTIONARY")]
    readings: Vec<PathBuf>,
    /// The network of the last import, whose codes stay [default: the output, when it is there]
    #[arg(long, value_name = "FILE")]
    previous: Option<PathBuf>,
    /// Give out codes anew, whatever was there before
    #[arg(long, conflicts_with = "previous")]
    forget: bool,
    /// Take only what lies in this box of degrees, in place of the area of the corrections
    #[arg(long, value_name = "W,S,E,N", value_parser = parse_area, allow_hyphen_values = true)]
    area: Option<BoundingBox>,
}

fn parse_area(text: &str) -> Result<BoundingBox, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    let four = numbers.ok().and_then(|numbers| <[f64; 4]>::try_from(numbers).ok());
    BoundingBox::new(four.ok_or("four numbers with commas: west, south, east, north")?).map_err(str::to_owned)
}

pub(super) fn run(import: &Import) -> Result<ExitCode, CliError> {
    match &import.source {
        From::Gtfs { feed, buses, ships, agency, route, common } => {
            let filter = RouteFilter { buses: *buses, ships: *ships, agencies: agency.clone(), routes: route.clone() };
            run_one(Source::Gtfs { path: feed, filter: &filter }, common)
        }
        From::N02 { sections, stations, common } => run_one(Source::N02 { sections, stations }, common),
        From::JapanTrainData { export, common } => run_one(Source::TrainData(export), common),
        From::Csv { folder, common } => run_one(Source::Csv(folder), common),
    }
}

fn run_one(source: Source<'_>, common: &Common) -> Result<ExitCode, CliError> {
    let failed = |error: kaisatsu_transit::Error| CliError::Failed(error.to_string());
    let corrections = common.corrections.as_deref().map(Corrections::open).transpose().map_err(failed)?;
    let mut readings = Readings::default();
    for dictionary in &common.readings {
        readings.open(dictionary).map_err(failed)?;
    }
    let previous = previous(common)?;
    let stem = common.output.file_name().and_then(|name| name.to_str()).and_then(|name| name.split('.').next());
    let has_id = common.id.is_some() || corrections.as_ref().is_some_and(Corrections::has_id) || previous.is_some();
    let options = Options {
        id: common.id.as_deref().or(stem.filter(|stem| !has_id && *stem != "-")),
        name: common.name.as_deref(),
        edition: common.edition.as_deref(),
        credits: common.credits.as_deref(),
        area: common.area,
        corrections: corrections.as_ref(),
        readings: (!common.readings.is_empty()).then_some(&readings),
        previous: previous.as_ref(),
    };
    let bar: RefCell<Option<ProgressBar>> = RefCell::default();
    let watch = |_what: &str, done: u64, all: u64| {
        let mut bar = bar.borrow_mut();
        let bar = bar.get_or_insert_with(|| progress::bar("reading", usize::try_from(all).unwrap_or(usize::MAX)));
        bar.set_position(done);
    };
    let mut summary = Summary::default();
    let result = import(source, &options, &watch, &mut summary);
    if let Some(bar) = bar.take() {
        bar.finish_and_clear();
    }
    // Also before an error: what was left out is often the reason.
    eprint!("{summary}");
    let text = file::write_checked(&result.map_err(failed)?).map_err(|unreadable| unusable(&unreadable))?;
    files::write(&common.output, text)?;
    Ok(ExitCode::SUCCESS)
}

/// What would be written could not be read by the next import, so nothing is written.
fn unusable(unreadable: &file::ParseError) -> CliError {
    let told: Vec<&str> = unreadable.findings.iter().take(20).map(|finding| finding.message.as_str()).collect();
    CliError::Failed(format!(
        "the network would not be valid, and nothing was written: {}\nMend it in the source or in the corrections.",
        told.join("; ")
    ))
}

/// The network whose codes stay.
fn previous(common: &Common) -> Result<Option<Network>, CliError> {
    let path = match &common.previous {
        Some(given) => given,
        None if !common.forget && common.output.is_file() => &common.output,
        None => return Ok(None),
    };
    let network = files::network(path).map_err(|error| {
        CliError::Failed(format!("{error}\nThe codes of before are in it: mend it, or start anew with --forget."))
    })?;
    Ok(Some(network))
}
