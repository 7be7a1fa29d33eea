//! `kaisatsu map`: route map files.

mod build;
mod draw;
mod files;
mod import;

use std::{fs, path::PathBuf, process::ExitCode};

use clap::Subcommand;
use kaisatsu_railmap::{MapRegistry, Severity, check};

use super::{counted::counted, table};
use crate::{error::CliError, logs, settings::Settings};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check map files and print all findings, with file and line
    ///
    /// Ends with 1 for an error, which keeps a map from being used. A warning asks whether something is meant so.
    Check {
        /// The files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// End with 1 for warnings too
        #[arg(long)]
        deny_warnings: bool,
        /// Does nothing: earlier versions ended with 1 for warnings without it
        #[arg(long, hide = true, conflicts_with = "deny_warnings")]
        allow_warnings: bool,
    },
    /// Build a map file from a network file: octilinear layout, bundled lines, labels that do not overlap
    ///
    /// The result is deterministic. It is an error if no layout preserves the network, or if a label cannot be placed.
    Build(build::Build),
    /// Draw a map file as SVG, PNG or PDF
    Draw(draw::Draw),
    /// Import open data into a network file: stations and lines, without a layout
    ///
    /// A summary of what was read and left out, and of unresolved readings, is printed on standard error. Stations keep
    /// the codes of the output or of the previous network; a renamed station keeps its code and its old name.
    Import(Box<import::Import>),
    /// List the maps that a server with these settings has
    List {
        /// As JSON, one object a row
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(command: Command, settings: &Settings) -> Result<ExitCode, CliError> {
    match command {
        Command::Check { files, deny_warnings, allow_warnings: _ } => {
            let mut good = true;
            for file in &files {
                good &= check_file(file, deny_warnings)?;
            }
            Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Command::Build(build) => build::run(&build),
        Command::Draw(draw) => draw::run(&draw),
        Command::Import(import) => import::run(&import),
        Command::List { json } => {
            // Findings in map files are logged as a server logs them.
            logs::start("warn", logs::LogFormat::Text);
            let registry = MapRegistry::open(Some(settings.maps_folder()?), |_| ())
                .map_err(|error| CliError::Failed(format!("the map folder cannot be read: {error}")))?;
            let row = |loaded: &std::sync::Arc<kaisatsu_railmap::LoadedMap<()>>| {
                let map = &loaded.map;
                let size = format!("{}×{}", map.extent.width, map.extent.height);
                let (stations, lines) = (map.stations().len().to_string(), map.lines.len().to_string());
                [map.id.to_string(), stations, lines, size, map.edition.clone(), map.name.clone()]
            };
            let rows: Vec<_> = registry.all().iter().map(row).collect();
            table::list(json, ["ID", "STATIONS", "LINES", "SIZE", "EDITION", "NAME"], &rows);
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Prints the findings as `FILE:LINE: severity: message`, which editors recognise. Returns whether the file passes.
fn check_file(file: &std::path::Path, deny_warnings: bool) -> Result<bool, CliError> {
    let name = file.display();
    let text = fs::read_to_string(file).map_err(|error| CliError::Failed(format!("{name}: {error}")))?;
    let checked = check::check(&text);
    for finding in &checked.findings {
        outln!("{name}:{finding}");
    }
    let errors = checked.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let warnings = checked.findings.len() - errors;
    if let Some(map) = &checked.map {
        eprintln!(
            "{name}: map {} with {} and {}; {}",
            map.id,
            counted(map.stations().len(), "station"),
            counted(map.lines.len(), "line"),
            counted(warnings, "warning")
        );
    } else {
        let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
        eprintln!("{name}: {errors}, {warnings}; a server would not use it");
    }
    Ok(errors == 0 && !(deny_warnings && warnings > 0))
}
