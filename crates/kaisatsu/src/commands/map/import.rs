//! `kaisatsu map import`: imports open data into a network file.

use std::{
    cell::RefCell,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use kaisatsu_model::MapId;
use kaisatsu_transit::{
    BoundingBox, Corrections, Network, Options, Readings, RouteFilter, ServiceProfile, Source, Summary, file, import,
};

use super::{
    super::progress,
    files::{self, Kind},
};
use crate::error::CliError;

/// The most characters of a map id.
const MAX_ID: usize = 64;

#[derive(Debug, Args)]
pub(crate) struct Import {
    #[command(subcommand)]
    source: SourceCommand,
}

#[derive(Debug, Subcommand)]
enum SourceCommand {
    /// A GTFS feed: a zip file or a folder
    ///
    /// Stops are grouped by their parent station, else by name within 300 m. A route follows its longest trip patterns
    /// of a weekday; rare detours add no edges. Routes that are the directions of one line become one.
    Gtfs {
        /// The feed
        feed: PathBuf,
        /// Import buses too
        #[arg(long)]
        buses: bool,
        /// Import ferries too
        #[arg(long)]
        ships: bool,
        /// Import only the routes of this agency, by id or name; may be repeated
        #[arg(long, value_name = "AGENCY")]
        agency: Vec<String>,
        /// Import only this route, by id or name; may be repeated
        #[arg(long, value_name = "ROUTE")]
        route: Vec<String>,
        /// Which part of the timetable to draw: daytime (weekdays, 07:00 to 20:00), weekday, weekend, night or all
        #[arg(long, value_name = "SERVICE", default_value = "daytime")]
        service: ServiceProfile,
        #[command(flatten)]
        common: CommonOptions,
    },
    /// The railway data of Japan's land ministry (N02): two .geojson files
    N02 {
        /// N02-xx_RailroadSection.geojson
        sections: PathBuf,
        /// N02-xx_Station.geojson
        stations: PathBuf,
        #[command(flatten)]
        common: CommonOptions,
    },
    /// The npm package japan-train-data, exported to JSON as tools/maps does it
    JapanTrainData {
        /// The export
        export: PathBuf,
        #[command(flatten)]
        common: CommonOptions,
    },
    /// A folder with stations.csv and lines.csv, written by hand
    Csv {
        /// The folder
        folder: PathBuf,
        #[command(flatten)]
        common: CommonOptions,
    },
}

#[derive(Debug, Args)]
struct CommonOptions {
    /// The network file to write; - for standard output. On an error the file is unchanged
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Id of the map [default: that of the corrections, else of the previous network, else from the name of the output]
    #[arg(long)]
    id: Option<String>,
    /// Display name of the map
    #[arg(long)]
    name: Option<String>,
    /// Which state of the network it shows
    #[arg(long)]
    edition: Option<String>,
    /// The sources of the data
    #[arg(long)]
    credits: Option<String>,
    /// Corrections file: docs/formats/network.md
    #[arg(long, value_name = "FILE")]
    corrections: Option<PathBuf>,
    /// SKK dictionary of readings; may be repeated
    #[arg(long, value_name = "DICTIONARY")]
    readings: Vec<PathBuf>,
    /// The network of the last import, whose codes are kept [default: the output, if it exists]
    #[arg(long, value_name = "FILE")]
    previous: Option<PathBuf>,
    /// Assign new codes and ignore earlier ones
    #[arg(long, conflicts_with = "previous")]
    forget: bool,
    /// Import only this bounding box in degrees, instead of the area of the corrections
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
        SourceCommand::Gtfs { feed, buses, ships, agency, route, service, common } => {
            let filter = RouteFilter {
                buses: *buses,
                ships: *ships,
                agencies: agency.clone(),
                routes: route.clone(),
                service: *service,
            };
            run_one(Source::Gtfs { path: feed, filter: &filter }, common)
        }
        SourceCommand::N02 { sections, stations, common } => run_one(Source::N02 { sections, stations }, common),
        SourceCommand::JapanTrainData { export, common } => run_one(Source::TrainData(export), common),
        SourceCommand::Csv { folder, common } => run_one(Source::Csv(folder), common),
    }
}

fn run_one(source: Source<'_>, common: &CommonOptions) -> Result<ExitCode, CliError> {
    let failed = |error: kaisatsu_transit::Error| CliError::Failed(error.to_string());
    let corrections = common.corrections.as_deref().map(Corrections::open).transpose().map_err(failed)?;
    let mut inputs = source_files(source);
    inputs.extend(corrections.iter().flat_map(Corrections::files).map(PathBuf::from));
    inputs.extend(common.readings.iter().cloned());
    files::check_output(&common.output, inputs.iter().map(PathBuf::as_path), Kind::Network)?;
    let previous = previous(common)?;
    let has_id = corrections.as_ref().is_some_and(Corrections::has_id) || previous.is_some();
    // Checked before the source is read, which may take minutes.
    let id = id(common, has_id)?;
    let mut readings = Readings::default();
    for dictionary in &common.readings {
        readings.open(dictionary).map_err(failed)?;
    }
    let options = Options {
        id: id.as_deref(),
        name: common.name.as_deref(),
        edition: common.edition.as_deref(),
        credits: common.credits.as_deref(),
        area: common.area,
        corrections: corrections.as_ref(),
        readings: (!common.readings.is_empty()).then_some(&readings),
        previous: previous.as_ref(),
    };
    let bar: RefCell<Option<ProgressBar>> = RefCell::default();
    let report = |_what: &str, done: u64, all: u64| {
        let mut bar = bar.borrow_mut();
        let bar = bar.get_or_insert_with(|| progress::bar("reading", usize::try_from(all).unwrap_or(usize::MAX)));
        bar.set_position(done);
    };
    let mut summary = Summary::default();
    let result = import(source, &options, &report, &mut summary);
    if let Some(bar) = bar.take() {
        bar.finish_and_clear();
    }
    // Printed before an error too, because what was left out is often the reason.
    eprint!("{summary}");
    let text = file::write_checked(&result.map_err(failed)?).map_err(|error| invalid_network(&error))?;
    files::write(&common.output, text)?;
    Ok(ExitCode::SUCCESS)
}

/// The id that is given, or that the name of the output gives; `None` if the id comes from elsewhere.
fn id(common: &CommonOptions, is_elsewhere: bool) -> Result<Option<String>, CliError> {
    if let Some(given) = &common.id {
        let invalid = |rule| CliError::Failed(format!("--id {given}: {rule}"));
        return MapId::new(given).map(|id| Some(id.as_str().to_owned())).map_err(invalid);
    }
    if is_elsewhere {
        return Ok(None);
    }
    let found = default_id(&common.output);
    found.map(Some).ok_or_else(|| {
        let output = common.output.display();
        CliError::Failed(format!("--output {output}: this name gives the map no id; give one, such as --id city"))
    })
}

/// The id that the name of a file gives: `out/New York.network.toml` is new-york. `None` if nothing of it may be in an
/// id.
fn default_id(output: &Path) -> Option<String> {
    let stem = output.file_stem()?.to_str()?;
    let stem = stem.strip_suffix(".network").unwrap_or(stem).to_lowercase();
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let parts: Vec<&str> = stem.split(|c| !is_allowed(c)).filter(|part| !part.is_empty()).collect();
    let slug = parts.join("-");
    let slug = slug.trim_start_matches(['-', '_']);
    let slug = slug[..slug.len().min(MAX_ID)].trim_end_matches('-');
    MapId::new(slug).ok().map(|id| id.as_str().to_owned())
}

/// The files that a source is read from. A network may be written beside them, in the same folder.
fn source_files(source: Source<'_>) -> Vec<PathBuf> {
    match source {
        Source::Gtfs { path, .. } if path.is_dir() => {
            let entries = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
            entries.map(|entry| entry.path()).filter(|file| file.extension().is_some_and(|end| end == "txt")).collect()
        }
        Source::Gtfs { path, .. } | Source::TrainData(path) => vec![path.to_owned()],
        Source::N02 { sections, stations } => [sections, stations].map(Path::to_owned).to_vec(),
        Source::Csv(folder) => ["stations.csv", "lines.csv"].map(|file| folder.join(file)).to_vec(),
    }
}

/// The error for a network that the next import could not read. Nothing is written.
fn invalid_network(error: &file::ParseError) -> CliError {
    let messages: Vec<&str> = error.findings.iter().take(20).map(|finding| finding.message.as_str()).collect();
    CliError::Failed(format!(
        "the network would not be valid, and nothing was written: {}\nFix it in the source or in the corrections.",
        messages.join("; ")
    ))
}

/// The network whose codes are kept.
fn previous(common: &CommonOptions) -> Result<Option<Network>, CliError> {
    let path = match &common.previous {
        Some(given) => given,
        None if !common.forget && common.output.is_file() => &common.output,
        None => return Ok(None),
    };
    let network = files::network(path).map_err(|error| {
        CliError::Failed(format!(
            "{error}\nIt holds the codes of the previous import: fix it, or start over with --forget."
        ))
    })?;
    Ok(Some(network))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::default_id;

    #[test]
    fn the_name_of_the_output_gives_an_id() {
        let id = |output: &str| default_id(Path::new(output));
        for (output, expected) in [
            ("tokyo.network.toml", "tokyo"),
            ("out/Berlin.network.toml", "berlin"),
            ("New York (2026).toml", "new-york-2026"),
            ("2026.11.network.toml", "2026-11"),
            ("_old_map.toml", "old_map"),
            ("東京-Metro.network.toml", "metro"),
            ("plain", "plain"),
        ] {
            assert_eq!(id(output).as_deref(), Some(expected), "{output}");
        }
        for output in ["-", "東京.network.toml", "--.toml", ".."] {
            assert_eq!(id(output), None, "{output}");
        }
        let long = id(&format!("{}-{}.toml", "a".repeat(63), "b".repeat(63)));
        assert_eq!(long, Some("a".repeat(63)), "an id has 64 characters at most and does not end in a hyphen");
    }
}
