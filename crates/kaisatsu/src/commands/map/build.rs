//! `kaisatsu map build`: a map file from a network file.

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
    /// Where the map is written; - for standard output. On an error the file stays as it is
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Write the names in the second language too, in small letters
    #[arg(long)]
    second_language: bool,
}

pub(crate) fn run(build: &Build) -> Result<ExitCode, CliError> {
    let network = files::network(&build.network)?;
    let watch = Watch::start();
    let options = Options { second_language: build.second_language };
    let map = kaisatsu_schematic::build(&network, options, &mut |step| watch.show(step))
        .map_err(|error| CliError::Failed(format!("{}: {error}", build.network.display())))?;
    watch.bar.finish_and_clear();
    let text = map.document.to_toml();
    // What no server would load is not written: a network may say more than fits into a map.
    let checked = check::check(&text);
    if checked.map.is_none() {
        let errors = checked.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let told: Vec<String> = errors.take(20).map(|finding| finding.message.clone()).collect();
        return Err(CliError::Failed(format!(
            "{}: the map would not be valid: {}",
            build.network.display(),
            told.join("; ")
        )));
    }
    files::write(&build.output, text)?;
    tell(&build.output, &map, watch.since);
    Ok(ExitCode::SUCCESS)
}

/// A line on the terminal that says what is going on.
struct Watch {
    bar: ProgressBar,
    since: Instant,
}

impl Watch {
    fn start() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} {msg}") {
            bar.set_style(style);
        }
        Self { bar, since: Instant::now() }
    }

    fn show(&self, step: Step) {
        let message = match step {
            Step::Relaxing => "evening the network out".to_owned(),
            Step::Routing => "finding a way for every stretch".to_owned(),
            Step::Optimising => "straightening".to_owned(),
            Step::Labelling { missing } => format!("writing names; {missing} look for a place"),
        };
        self.bar.set_message(message);
        self.bar.tick();
    }
}

fn tell(output: &Path, built: &BuiltMap, since: Instant) {
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
        "violations {}, bends {}, crossings within bundles {}, bundles that touch {}, names missing {}, overlaps {}",
        quality.violations.total(),
        quality.bends,
        quality.bundle_crossings,
        quality.contacts,
        quality.unlabelled,
        quality.overlaps
    );
    if !built.missing_characters.is_empty() {
        eprintln!("the typeface lacks: {}; they are drawn as boxes", built.missing_characters);
    }
}
