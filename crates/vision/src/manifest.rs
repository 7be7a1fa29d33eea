//! `model.toml`: what a model folder says of its weights. docs/formats/models.md describes it for operators.

mod embedder;
mod ensemble;
mod features;
mod instances;
mod picture;
mod text;
mod text_encoder;
mod view;

use std::path::{Path, PathBuf};

pub use embedder::{EmbedderOutput, EmbedderParts, Pool};
pub use ensemble::{Ensemble, Member, Normalise};
pub use features::{FeatureInput, FeatureOutput, LocalFeatures};
pub(crate) use instances::InstanceKind;
pub use instances::{InstanceParts, PictureFile};
pub use picture::{Backend, Channels, Decode, Filter, Fit, Input, Layout, Output};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
pub use text::{Text, TextDetect, TextPicture, TextRecognise, TextTurn};
pub use text_encoder::TextEncoderParts;
pub use view::{Gate, Taxonomy, View};

/// The file in every model folder.
pub const MANIFEST: &str = "model.toml";

/// What a model does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Category recognition; with an embedding output also similar image search.
    Classify,
    /// Only vectors: what datasets, taught models and collections compare.
    Embed,
    /// Object detection.
    Detect,
    /// Reading text.
    ReadText,
    /// Key points with descriptors, for object recognition.
    LocalFeatures,
}

impl Task {
    /// The word of the manifest.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Classify => "classify",
            Self::Embed => "embed",
            Self::Detect => "detect",
            Self::ReadText => "read-text",
            Self::LocalFeatures => "local-features",
        }
    }
}

/// A manifest: what every model says of itself, and the parts that its task needs.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// What every model says.
    pub about: About,
    /// What its task needs.
    pub parts: Parts,
}

/// What every model says of itself.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct About {
    /// The model's name, which is also its folder's.
    pub name: String,
    /// What it does.
    pub task: Task,
    /// What people call it.
    pub title: String,
    /// The licence of the weights.
    pub licence: String,
    /// Where they come from.
    pub source: Source,
    /// What it knows and what it does not, for those who choose a model.
    #[serde(default)]
    pub description: String,
    /// When its network is loaded.
    #[serde(default)]
    pub load: Load,
}

/// When a network is loaded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Load {
    /// When the server starts. It stays.
    #[default]
    Start,
    /// When it is first asked for. It is unloaded again when it has not been used for a while.
    FirstUse,
}

/// The parts that a task needs.
#[derive(Debug, Clone)]
pub enum Parts {
    /// One picture in, scores out: a classifier or a detector with a network of its own.
    Picture(Box<PictureParts>),
    /// One picture in, a vector out: a network that makes vectors and nothing else.
    Embedder(Box<EmbedderParts>),
    /// A probe on the embedding of another model.
    Probe(ProbeParts),
    /// The vectors of other models, joined.
    Ensemble(Ensemble),
    /// A part of the vocabulary of another classifier.
    View(View),
    /// Single things, by pictures of each.
    Instances(Box<InstanceParts>),
    /// A reader of text.
    Text(Box<Text>),
    /// A finder of local features.
    LocalFeatures(Box<LocalFeatures>),
}

/// The parts of a classifier or a detector.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PictureParts {
    /// What the network runs on.
    #[serde(default)]
    pub runtime: Backend,
    /// The network.
    pub weights: File,
    /// How a picture becomes numbers.
    pub input: Input,
    /// How numbers become an answer.
    pub output: Output,
    /// The names of the classes.
    pub labels: File,
    /// Whether a picture shows anything that the classifier knows.
    pub gate: Option<Gate>,
    /// Groups of classes.
    pub taxonomy: Option<Taxonomy>,
}

/// The parts of a probe.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeParts {
    /// The probe; the key is `head` in the file.
    #[serde(rename = "head")]
    pub probe: ProbePart,
    /// The names of the classes.
    pub labels: File,
    /// The classifier beside whose classes these are answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extends: Option<Extended>,
}

/// A classifier whose vocabulary a probe extends.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Extended {
    /// Its name.
    pub model: String,
    /// The cosine of a usual picture of one of the classes with the mean of its class.
    pub typical: f32,
}

/// Where weights come from.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The kind of registry, or `local`.
    pub registry: String,
    /// The package, or what it was made from.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The hash of the package, where no other file pins it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A file and its hash.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its name in the model's folder.
    pub file: PathBuf,
    /// SHA-256, in hexadecimal.
    pub sha256: String,
}

/// A probe on the embedding of another model.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ProbePart {
    /// The model whose embedding it reads.
    pub base: String,
    /// The hash of that model's weights: another embedding would mean nothing to this probe.
    pub base_sha256: String,
    /// The file with the numbers.
    pub file: PathBuf,
    /// Its SHA-256.
    pub sha256: String,
}

/// What is wrong with a model folder, in a sentence for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

fn fault(told: impl std::fmt::Display) -> Fault {
    Fault(format!("{MANIFEST}: {told}"))
}

impl Manifest {
    /// Reads the manifest of a folder and checks what can be checked without the weights.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(folder: &Path) -> Result<Self, Fault> {
        let text = std::fs::read_to_string(folder.join(MANIFEST))
            .map_err(|error| Fault(format!("{MANIFEST} cannot be read: {error}")))?;
        let manifest = Self::parse(&text)?;
        if folder.file_name().is_none_or(|name| name != manifest.about.name.as_str()) {
            return Err(fault(format!("name is '{}', and the folder has another name", manifest.about.name)));
        }
        Ok(manifest)
    }

    /// Reads a manifest from its text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let about: About = toml::from_str(text).map_err(|error| fault(error.message()))?;
        let mut table: toml::Table = toml::from_str(text).map_err(|error| fault(error.message()))?;
        for key in ["name", "task", "title", "licence", "source", "description", "load"] {
            table.remove(key);
        }
        let (is_probe, is_view) = (table.contains_key("head"), table.contains_key("of"));
        let is_instances = table.get("kind").is_some_and(|kind| kind.as_str() == Some("instances"));
        let is_network = table.contains_key("weights");
        let parts = match about.task {
            Task::Classify if is_probe => Parts::Probe(parts(about.task, table)?),
            Task::Classify if is_instances => Parts::Instances(Box::new(parts(about.task, table)?)),
            Task::Classify if is_view => Parts::View(parts(about.task, table)?),
            Task::Classify | Task::Detect => {
                let picture: PictureParts = parts(about.task, table)?;
                check(about.task, &picture)?;
                Parts::Picture(Box::new(picture))
            }
            Task::Embed if is_network => {
                Parts::Embedder(Box::new(parts::<EmbedderParts>(about.task, table)?.checked()?))
            }
            Task::Embed => Parts::Ensemble(parts::<Ensemble>(about.task, table)?.checked()?),
            Task::ReadText => Parts::Text(Box::new(parts(about.task, table)?)),
            Task::LocalFeatures => Parts::LocalFeatures(Box::new(parts(about.task, table)?)),
        };
        Ok(Self { about, parts })
    }

    /// Every file of the model with its hash.
    #[must_use]
    pub fn files(&self) -> Vec<(&Path, &str)> {
        match &self.parts {
            Parts::Picture(parts) => {
                let gate = parts.gate.iter().map(|gate| &gate.classes);
                let taxonomy = parts.taxonomy.iter().flat_map(|taxonomy| [&taxonomy.groups, &taxonomy.members]);
                [&parts.weights, &parts.labels].into_iter().chain(gate).chain(taxonomy).map(named).collect()
            }
            Parts::Embedder(parts) => {
                let text = parts.text.iter().flat_map(|text| [&text.weights, &text.tokenizer]);
                std::iter::once(&parts.weights).chain(text).map(named).collect()
            }
            Parts::View(view) => vec![named(&view.classes)],
            Parts::Probe(parts) => {
                vec![(parts.probe.file.as_path(), parts.probe.sha256.as_str()), named(&parts.labels)]
            }
            Parts::Instances(parts) => {
                let made = [&parts.vectors, &parts.features].map(|made| (made.file.as_path(), made.sha256.as_str()));
                made.into_iter().chain([&parts.facts, &parts.labels].map(named)).collect()
            }
            Parts::Ensemble(_) => Vec::new(),
            Parts::Text(text) => text.files(),
            Parts::LocalFeatures(parts) => std::iter::once(&parts.weights).chain(&parts.matcher).map(named).collect(),
        }
    }

    /// What identifies this model's vectors, where it makes any: the hash of a classifier's network, of an embedder, or
    /// of an ensemble.
    /// Vectors are comparable when these are equal.
    #[must_use]
    pub fn embedding_sha256(&self) -> Option<&str> {
        match &self.parts {
            Parts::Picture(parts) if parts.output.embedding.is_some() => Some(&parts.weights.sha256),
            Parts::Embedder(parts) => Some(parts.sha256()),
            Parts::Ensemble(ensemble) => Some(ensemble.sha256()),
            _ => None,
        }
    }

    /// The text encoder, where it has one.
    #[must_use]
    pub fn text_encoder(&self) -> Option<&TextEncoderParts> {
        match &self.parts {
            Parts::Embedder(parts) => parts.text.as_ref(),
            _ => None,
        }
    }
}

fn named(file: &File) -> (&Path, &str) {
    (&file.file, &file.sha256)
}

fn parts<T: DeserializeOwned>(task: Task, table: toml::Table) -> Result<T, Fault> {
    table.try_into().map_err(|error| fault(format!("task {}: {}", task.as_str(), error.message())))
}

fn sensible(input: &Input) -> Result<(), Fault> {
    let sides = (1..=4096).contains(&input.width) && (1..=4096).contains(&input.height);
    if sides && (0.1..=1.0).contains(&input.crop_fraction) && !input.std.contains(&0.0) {
        return Ok(());
    }
    Err(fault("[input]: width and height are 1 to 4096, crop_fraction 0.1 to 1, and no std is 0"))
}

fn check(task: Task, parts: &PictureParts) -> Result<(), Fault> {
    let (input, output) = (&parts.input, &parts.output);
    sensible(input)?;
    let classifies = matches!(output.decode, Decode::Softmax | Decode::Sigmoid | Decode::Probabilities);
    if classifies != (task == Task::Classify) {
        return Err(fault(format!("[output] decode does not fit task {}", task.as_str())));
    }
    if task == Task::Detect && (parts.gate.is_some() || parts.taxonomy.is_some()) {
        return Err(fault("[gate] and [taxonomy] are for classifiers"));
    }
    if let Some(gate) = &parts.gate {
        gate.check()?;
        if output.none.is_empty() {
            return Err(fault("a classifier with a [gate] names a class for the rest: none, in [output]"));
        }
    }
    if let Some(taxonomy) = &parts.taxonomy {
        taxonomy.check()?;
    }
    if output.temperature <= 0.0 {
        return Err(fault("[output] temperature must be above 0"));
    }
    if task == Task::Detect && input.fit == Fit::Crop {
        return Err(fault("[input] fit must be stretch or pad: a detector sees the whole picture"));
    }
    if task == Task::Detect && output.decode != Decode::Yolox && output.boxes.is_none() {
        return Err(fault("[output] boxes is missing: the name of the tensor with the boxes"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Manifest, Parts};

    fn installed(name: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/models/manifests");
        std::fs::read_to_string(folder.join(format!("{name}.toml"))).unwrap()
    }

    #[test]
    fn the_manifests_of_the_default_set_are_read() {
        for name in [
            "general",
            "general-fast",
            "general-lcnet",
            "general-joined",
            "general-whole",
            "general-both",
            "general-food",
            "general-plant",
            "coco",
            "local-features",
            "text",
            "food",
            "plant",
            "flower",
            "animal",
            "fashion_type",
            "kinoko",
            "scene",
            "vehicle",
        ] {
            let manifest = Manifest::parse(&installed(name)).unwrap();
            assert_eq!(manifest.about.name, name);
            assert_eq!(manifest.files().is_empty(), matches!(manifest.parts, Parts::Ensemble(_)), "{name}");
        }
        let text = Manifest::parse(&installed("text")).unwrap();
        assert_eq!((matches!(text.parts, Parts::Text(_)), text.files().len()), (true, 4));
    }

    #[test]
    fn a_wrong_manifest_says_what_is_wrong() {
        let good = installed("general");
        for (from, to, told) in [
            ("task = \"classify\"", "task = \"dance\"", "model.toml: unknown variant `dance`"),
            ("task = \"classify\"", "task = \"detect\"", "model.toml: [output] decode does not fit task detect"),
            ("scores = \"logits\"", "", "model.toml: task classify: missing field `scores`"),
            ("layout = \"nchw\"", "layot = \"nchw\"", "model.toml: task classify: unknown field `layot`"),
            ("crop_fraction = 0.875", "crop_fraction = 0", "model.toml: [input]: width and height are 1 to 4096"),
            ("std = [128.0, 128.0, 128.0]", "std = [0.0, 1.0, 1.0]", "model.toml: [input]: width and height are"),
            ("[weights]", "[heavy]", "model.toml: task classify: unknown field `heavy`"),
        ] {
            assert!(good.contains(from), "{from}");
            let fault = Manifest::parse(&good.replace(from, to)).err().map(|fault| fault.0).unwrap_or_default();
            assert!(fault.starts_with(told), "{fault}");
        }
    }
}
