//! Makes a model folder of an ONNX file: what the file does not say is guessed, tried on a picture, and told.

mod classes;
mod input;
mod options;
mod output;
mod picture;
mod text;
mod trial;

use std::{fs, io, path::Path};

pub use options::{AddOptions, TextOptions};

use crate::{
    Bounds, ModelRegistry, Picture, decode,
    manifest::{
        About, Backend, EmbedderOutput, EmbedderParts, Fault, File, MANIFEST, Manifest, PictureParts, Source, Task,
    },
    registry::{publish, sha256_of},
    runtime::{RuntimeError, Tensor},
};

/// Something that was found out about a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub what: &'static str,
    /// What was found.
    pub value: String,
    /// How, and which option says otherwise.
    pub why: String,
}

/// A model that has been added.
#[derive(Debug)]
pub struct Added {
    /// What was found out.
    pub findings: Vec<Finding>,
    /// What it answered for the picture.
    pub answers: Vec<String>,
    /// The name of what it runs on.
    pub runs_on: &'static str,
    /// What identifies its vectors, if it makes any.
    pub vectors: Option<String>,
}

fn finding(what: &'static str, value: impl Into<String>, why: impl Into<String>) -> Finding {
    Finding { what, value: value.into(), why: why.into() }
}

/// The parts of a manifest that the task needs.
enum Network {
    Picture(PictureParts),
    Embedder(EmbedderParts),
}

const WEIGHTS: &str = "model.onnx";
const LABELS: &str = "labels.tsv";

/// Adds a model to a models folder. Nothing changes there unless everything fits.
///
/// # Errors
/// What does not fit, and which option says it.
pub fn add(registry: &ModelRegistry, models: &Path, file: &Path, options: &AddOptions) -> Result<Added, Fault> {
    if !options.force && models.join(&options.name).exists() {
        return Err(Fault(format!("there is a model '{0}'; --force replaces it, --name names another", options.name)));
    }
    if options.text.is_some() && options.task != Task::Embed {
        return Err(Fault("--text-encoder: only a model of --task embed can have one".to_owned()));
    }
    let picture = match &options.picture {
        None => picture::drawn().ok_or_else(|| Fault("no picture can be drawn".to_owned()))?,
        Some(path) => read_picture(path)?,
    };
    let told = |error: io::Error| Fault(format!("{}: {error}", models.display()));
    // Written beside and renamed: a server that starts meanwhile sees the old model or the new one.
    let making = models.join(format!(".{}.new", options.name));
    let _ = fs::remove_dir_all(&making);
    fs::create_dir_all(&making).map_err(told)?;
    let made = make(registry, &making, file, options, &picture)
        .and_then(|added| publish(models, &options.name, &making).map(|()| added).map_err(told));
    if made.is_err() {
        let _ = fs::remove_dir_all(&making);
    }
    made
}

fn read_picture(path: &Path) -> Result<Picture, Fault> {
    let told = |error: &dyn std::fmt::Display| Fault(format!("--try {}: {error}", path.display()));
    let bytes = fs::read(path).map_err(|error| told(&error))?;
    decode(&bytes, Bounds::default(), None).map(|decoded| decoded.picture).map_err(|error| told(&error))
}

fn make(
    registry: &ModelRegistry,
    making: &Path,
    file: &Path,
    options: &AddOptions,
    picture: &Picture,
) -> Result<Added, Fault> {
    let runtime = registry.runtime.as_ref().map_err(Clone::clone)?;
    let weights = making.join(WEIGHTS);
    fs::copy(file, &weights).map_err(|error| Fault(format!("{}: {error}", file.display())))?;
    let mut network = runtime.inspect(&weights).map_err(|error| not_onnx(file, error))?;
    let shape = input::read(&network.inputs, options)?;
    let (mut input, outputs) = trial::run(&mut network, &shape, picture)?;
    drop(network);
    let classes = options.labels.as_deref().map(classes::read).transpose()?;
    let mut findings = vec![finding("input", input::describe(&input), shape.why)];
    let read = output::read(&outputs, options, classes.as_ref().map(classes::Classes::len), &input)?;
    input::normalise(&mut input, read.family, options, &mut findings);
    findings.extend(read.findings);
    let network = match read.form {
        output::Form::Vector(output) => {
            if options.labels.is_some() {
                return Err(Fault("--labels: a model of task embed has no classes".to_owned()));
            }
            let dims = dims(&outputs, &output);
            let mut parts = EmbedderParts::new(Backend::Auto, hashed(making, WEIGHTS)?, input, output)?;
            if let Some(said) = &options.text {
                parts = parts.with_text(text::add(runtime, making, said, dims, &mut findings)?)?;
            }
            Network::Embedder(parts)
        }
        output::Form::Scores { output, count } => {
            let classes = classes.unwrap_or_else(|| classes::Classes::numbered(count));
            findings.push(classes.finding());
            fs::write(making.join(LABELS), classes.text()).map_err(|error| Fault(format!("{LABELS}: {error}")))?;
            let (weights, labels) = (hashed(making, WEIGHTS)?, hashed(making, LABELS)?);
            let output = *output;
            let runtime = Backend::Auto;
            Network::Picture(PictureParts { runtime, weights, input, output, labels, gate: None, taxonomy: None })
        }
    };
    let text = manifest(file, options, &network)?;
    let vectors = Manifest::parse(&text)?.embedding_sha256().map(str::to_owned);
    fs::write(making.join(MANIFEST), text).map_err(|error| Fault(format!("{MANIFEST}: {error}")))?;
    let (answers, runs_on) = trial::answer(runtime, making, options.task, &network, picture)?;
    Ok(Added { findings, answers, runs_on, vectors })
}

/// A file of the folder with its hash.
fn hashed(making: &Path, name: &str) -> Result<File, Fault> {
    let sha256 = sha256_of(&making.join(name)).map_err(|error| Fault(format!("{name}: {error}")))?;
    Ok(File { file: name.into(), sha256 })
}

/// How many numbers the vector of a picture has.
fn dims(outputs: &[(String, Tensor)], EmbedderOutput { embedding, pool }: &EmbedderOutput) -> usize {
    let output = outputs.iter().find(|(name, _)| name == embedding);
    output.and_then(|(_, tensor)| pool.vector(tensor)).map_or(0, |vector| vector.len())
}

/// What ONNX Runtime says of a file that it cannot read, for somebody who does not know it.
fn not_onnx(file: &Path, error: RuntimeError) -> Fault {
    let RuntimeError::Network { reason, .. } = error else { return Fault(error.to_string()) };
    let lower = reason.to_lowercase();
    let hint = if lower.contains("external data") || lower.contains("external_data") || lower.contains(".data") {
        ". Its weights are in a second file; write one file that has everything, with onnx.save(onnx.load(FILE), NEW)"
    } else if lower.contains("protobuf") {
        ". It is not an ONNX file, or not all of it"
    } else {
        ""
    };
    Fault(format!("{} cannot be used: {reason}{hint}", file.display()))
}

fn manifest(file: &Path, options: &AddOptions, network: &Network) -> Result<String, Fault> {
    let package = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let about = About {
        name: options.name.clone(),
        task: options.task,
        title: options.title.clone().unwrap_or_else(|| options.name.clone()),
        licence: options.licence.clone().unwrap_or_else(|| "the operator's".to_owned()),
        source: Source { registry: "local".to_owned(), package, version: "1".to_owned(), sha256: None },
        description: String::new(),
        load: options.load,
    };
    let told = |error: toml::ser::Error| Fault(error.to_string());
    let parts = match network {
        Network::Picture(parts) => toml::Table::try_from(parts),
        Network::Embedder(parts) => toml::Table::try_from(parts),
    };
    let mut table = toml::Table::try_from(&about).map_err(told)?;
    table.extend(parts.map_err(told)?);
    toml::to_string(&table).map_err(told)
}

#[cfg(test)]
mod tests {
    use super::AddOptions;
    use crate::manifest::{Load, Task};

    /// Nothing said but the task.
    pub(super) fn options(task: Task) -> AddOptions {
        AddOptions {
            name: "mine".to_owned(),
            task,
            labels: None,
            picture: None,
            force: false,
            title: None,
            licence: None,
            load: Load::Start,
            size: None,
            layout: None,
            channels: None,
            fit: None,
            crop_fraction: None,
            filter: None,
            mean: None,
            std: None,
            decode: None,
            scores: None,
            boxes: None,
            embedding: None,
            pool: None,
            text: None,
        }
    }
}
