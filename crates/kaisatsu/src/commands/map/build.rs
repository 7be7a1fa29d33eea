//! `kaisatsu map build`: builds a map file from a network file.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kaisatsu_railmap::check::{self, Severity};
use kaisatsu_schematic::{BuiltMap, Options, Step};

use super::files;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Build {
    /// The network file
    network: PathBuf,
    /// The map file to write; - for standard output. On an error the file is unchanged
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Include the names in the second language, in small type
    #[arg(long)]
    second_language: bool,
}

pub(crate) fn run(build: &Build) -> Result<ExitCode, CliError> {
    let network = files::network(&build.network)?;
    let progress = ProgressLine::start();
    let options = Options { second_language: build.second_language };
    let map = kaisatsu_schematic::build(&network, options, &mut |step| progress.show(step))
        .map_err(|error| CliError::Failed(format!("{}: {error}", build.network.display())))?;
    progress.bar.finish_and_clear();
    let text = map.document.to_toml();
    // A map that no server would load is not written: the limits of network files are wider than those of map files.
    let checked = check::check(&text);
    if checked.map.is_none() {
        let errors = checked.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let messages: Vec<String> = errors.take(20).map(|finding| finding.message.clone()).collect();
        return Err(CliError::Failed(format!(
            "{}: the map would not be valid: {}",
            build.network.display(),
            messages.join("; ")
        )));
    }
    files::write(&build.output, text)?;
    print_summary(&build.output, &map, progress.since);
    Ok(ExitCode::SUCCESS)
}

/// A progress line on the terminal.
struct ProgressLine {
    bar: ProgressBar,
    since: Instant,
}

impl ProgressLine {
    fn start() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} {msg}") {
            bar.set_style(style);
        }
        Self { bar, since: Instant::now() }
    }

    fn show(&self, step: Step) {
        let message = match step {
            Step::Relaxing => "relaxing the network".to_owned(),
            Step::Routing => "routing corridors".to_owned(),
            Step::Optimising => "improving the layout".to_owned(),
            Step::Labelling { missing } => format!("placing labels; {missing} unresolved"),
        };
        self.bar.set_message(message);
        self.bar.tick();
    }
}

fn print_summary(output: &Path, built: &BuiltMap, since: Instant) {
    let (document, quality) = (&built.document, &built.quality);
    eprintln!(
        "{}: map {} with {} stations and {} lines, {}×{}, in {:.1} s",
        output.display(),
        document.id,
        document.stations.len(),
        document.lines.len(),
        document.width,
        document.height,
        since.elapsed().as_secs_f64()
    );
    eprintln!(
        "violations {}, bends {}, crossings within bundles {}, bundles that touch {}, names missing {}, overlaps {}, \
         groups {}, groups drawn apart {}, corridor chords {}, longest edge {:.0}, spacing {:.1}, labels {:.1}%",
        quality.violations.total(),
        quality.bends,
        quality.bundle_crossings,
        quality.contacts,
        quality.unlabelled,
        quality.overlaps,
        quality.groups,
        quality.groups_apart,
        quality.corridor_chords,
        quality.longest_edge,
        quality.spacing,
        quality.label_share * 100.0
    );
    if !built.missing_characters.is_empty() {
        eprintln!("the typeface lacks: {}; they are drawn as boxes", built.missing_characters);
    }
}
