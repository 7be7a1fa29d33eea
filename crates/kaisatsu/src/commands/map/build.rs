//! `kaisatsu map build`: builds a map file from a network file.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kaisatsu_model::MapLanguage;
use kaisatsu_railmap::check::{self, Severity};
use kaisatsu_schematic::{BuiltMap, MAX_EFFORT, Options, Step};

use super::files::{self, Kind};
use crate::{commands::counted::counted, error::CliError};

#[derive(Debug, Args)]
pub(crate) struct Build {
    /// The network file
    network: PathBuf,
    /// The map file to write; - for standard output. On an error the file is unchanged
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Include the names in the second language, in small type: the layout for language=ja-en
    #[arg(long)]
    second_language: bool,
    /// Lay the map out for other languages too, if it has translations: FILE.en.toml and FILE.ja-en.toml beside
    /// FILE.toml
    #[arg(long, conflicts_with = "second_language")]
    languages: bool,
    /// How many layouts are tried, of which the best is kept. Each is also improved for longer, so that the time grows
    /// faster than the number
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = effort)]
    effort: usize,
}

pub(crate) fn run(build: &Build) -> Result<ExitCode, CliError> {
    let network = files::network(&build.network)?;
    let is_translated = network.stations.iter().any(|station| !station.translation.is_empty());
    // Standard output takes one file.
    let has_place = build.output != Path::new("-");
    let languages = match (build.second_language, build.languages && is_translated && has_place) {
        (true, _) => vec![MapLanguage::Both],
        (false, true) => MapLanguage::ALL.to_vec(),
        (false, false) => vec![MapLanguage::default()],
    };
    for language in &languages {
        let shown = if build.second_language { MapLanguage::default() } else { *language };
        files::check_output(&beside(&build.output, shown), [build.network.as_path()], Kind::Map)?;
    }
    let mut built = Vec::new();
    for language in languages {
        let progress = ProgressLine::start();
        let options = Options { language, effort: build.effort };
        let laid_out = kaisatsu_schematic::build(&network, options, &mut |step| progress.show(step));
        progress.bar.finish_and_clear();
        let mut map = match laid_out {
            Ok(map) => map,
            // Without it, the server draws the names of this language in the layout of the map.
            Err(error) if !built.is_empty() => {
                eprintln!("{}: no layout for {}: {error}", build.network.display(), language.word());
                continue;
            }
            Err(error) => return Err(CliError::Failed(format!("{}: {error}", build.network.display()))),
        };
        if build.second_language {
            // It is the map itself that shows both names, not a layout beside it.
            map.document.language = MapLanguage::default();
        }
        let text = valid_text(&build.network, &map)?;
        built.push((beside(&build.output, map.document.language), text, map, progress.since));
    }
    // All at the end: a map and its layouts belong together.
    for (output, text, map, since) in built {
        files::write(&output, text)?;
        print_summary(&output, &map, since);
    }
    Ok(ExitCode::SUCCESS)
}

fn effort(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>().ok().filter(|number| (1..=MAX_EFFORT).contains(number));
    number.ok_or_else(|| format!("an effort is a whole number from 1 to {MAX_EFFORT}"))
}

/// The text of the map file. A map that no server would load is not written: map files have limits that network files
/// do not have, such as the rows of a label.
fn valid_text(network: &Path, map: &BuiltMap) -> Result<String, CliError> {
    let text = map.document.to_toml();
    let checked = check::check(&text);
    if checked.map.is_some() {
        return Ok(text);
    }
    let errors = checked.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let messages: Vec<String> = errors.take(20).map(|finding| finding.message.clone()).collect();
    Err(CliError::Failed(format!("{}: the map would not be valid: {}", network.display(), messages.join("; "))))
}

/// The file for a language: tokyo.en.toml beside tokyo.toml.
fn beside(output: &Path, language: MapLanguage) -> PathBuf {
    if language == MapLanguage::default() {
        return output.to_owned();
    }
    output.with_extension(format!("{}.toml", language.word()))
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
            Step::LaidOut { done, of } => format!("{done} of {of} layouts made"),
        };
        self.bar.set_message(message);
        self.bar.tick();
    }
}

fn print_summary(output: &Path, built: &BuiltMap, since: Instant) {
    let (document, quality) = (&built.document, &built.quality);
    eprintln!(
        "{}: map {} with {} and {}, {}×{}, in {:.1} s",
        output.display(),
        document.id,
        counted(document.stations.len(), "station"),
        counted(document.lines.len(), "line"),
        document.width,
        document.height,
        since.elapsed().as_secs_f64()
    );
    eprintln!(
        "violations {}, bends {}, crossings within bundles {}, bundles that touch {}, names missing {}, overlaps {}, \
         names nearer to another mark {}, groups {}, groups drawn apart {}, corridor chords {}, longest edge {:.0}, \
         spacing {:.1}, labels {:.1}%",
        quality.violations.total(),
        quality.bends,
        quality.bundle_crossings,
        quality.contacts,
        quality.unlabelled,
        quality.overlaps,
        quality.misleading_labels,
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

#[cfg(test)]
mod tests {
    use super::effort;

    #[test]
    fn an_effort_is_one_of_the_layouts_that_can_be_tried() {
        assert_eq!(effort("4"), Ok(4));
        assert_eq!(effort("0").unwrap_err(), "an effort is a whole number from 1 to 24");
        assert!(effort("25").is_err() && effort("-1").is_err() && effort("much").is_err());
    }
}
