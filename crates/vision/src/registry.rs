//! The models of a folder: which are usable, and why the others are not.

mod bases;
mod publish;

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

pub(crate) use publish::publish;
use ring::digest::{Context, SHA256};
use serde::Deserialize;

use crate::{
    digest::hexadecimal,
    instances::Instances,
    labels::Labels,
    manifest::{Fault, File, Gate, MANIFEST, Manifest, Parts, Task},
    probe::Probe,
    runtime::Runtime,
    vocabulary::Vocabulary,
};

/// The folder with the runtime library, beside those of the models.
pub const RUNTIME: &str = "runtime";

/// A model whose files match its manifest.
#[derive(Debug)]
pub struct Model {
    /// The manifest.
    pub manifest: Manifest,
    /// Its folder.
    pub folder: PathBuf,
    /// The names of its classes, where it has classes. Those of a view are the classes of its network.
    pub labels: Option<Arc<Labels>>,
    /// What it can answer, if it is a classifier.
    pub vocabulary: Option<Vocabulary>,
    /// The hash of the weights that make its scores and vectors: of its network, or of the one that it runs on.
    pub weights: String,
    /// Its gate, or that of the model that it is a view of.
    pub gate: Option<ModelGate>,
    /// The trained probe, where it is one.
    pub probe: Option<Arc<Probe>>,
    /// The pictures of the things that it recognises, where it is a model of instances.
    pub instances: Option<Arc<Instances>>,
}

/// A gate whose classes have been found.
#[derive(Debug, Clone)]
pub struct ModelGate {
    /// What the manifest says.
    pub rule: Gate,
    /// The positions of its classes in the output of the model that it asks.
    pub classes: Vec<usize>,
}

impl Model {
    /// What it does.
    #[must_use]
    pub fn task(&self) -> Task {
        self.manifest.about.task
    }

    /// Whether classes may be taught beside its own: it is a classifier with a network.
    #[must_use]
    pub fn extensible(&self) -> bool {
        self.task() == Task::Classify && matches!(self.manifest.parts, Parts::Picture(_))
    }

    /// Whether it turns pictures into vectors.
    #[must_use]
    pub fn embeds(&self) -> bool {
        self.manifest.embedding_sha256().is_some()
    }
}

/// A folder that holds a model, usable or not.
#[derive(Debug)]
pub struct Entry {
    /// The folder's name.
    pub name: String,
    /// The model, or what is wrong with it.
    pub model: Result<Arc<Model>, Fault>,
}

/// All models of a folder, in the order of their names.
pub struct ModelRegistry {
    /// The runtime, or what is wrong with it.
    pub runtime: Result<Runtime, Fault>,
    /// The models.
    pub entries: Vec<Entry>,
}

/// `runtime.toml`: what the runtime library is.
#[derive(Deserialize)]
struct RuntimeFile {
    file: PathBuf,
    sha256: String,
}

impl ModelRegistry {
    /// Opens a folder, reads every manifest and compares every hash. A folder that does not exist is an empty registry.
    ///
    /// # Errors
    /// When the folder exists and cannot be read.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let mut names = Vec::new();
        match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(list) => {
                for entry in list {
                    let entry = entry?;
                    let name = entry.file_name().to_string_lossy().into_owned();
                    if entry.path().join(MANIFEST).is_file() && !name.starts_with('.') {
                        names.push(name);
                    }
                }
            }
        }
        names.sort();
        let mut entries: Vec<Entry> = names
            .into_iter()
            .map(|name| Entry { model: read_model(&folder.join(&name)).map(Arc::new), name })
            .collect();
        bases::check(&mut entries);
        bases::resolve(&mut entries);
        Ok(Self { runtime: find_runtime(&folder.join(RUNTIME)), entries })
    }

    /// The usable models.
    pub fn models(&self) -> impl Iterator<Item = &Arc<Model>> {
        self.entries.iter().filter_map(|entry| entry.model.as_ref().ok())
    }

    /// The entry of a name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }
}

fn find_runtime(folder: &Path) -> Result<Runtime, Fault> {
    let path = folder.join("runtime.toml");
    let told = |what: String| {
        Fault(format!("the ONNX Runtime library is not usable: {what}. `kaisatsu models install` installs it"))
    };
    let text = fs::read_to_string(&path).map_err(|error| told(format!("{}: {error}", path.display())))?;
    let file: RuntimeFile =
        toml::from_str(&text).map_err(|error| told(format!("runtime.toml: {}", error.message())))?;
    check_hash(folder, &file.file, &file.sha256).map_err(|fault| told(fault.0))?;
    Runtime::at(&folder.join(&file.file)).map_err(|error| Fault(error.to_string()))
}

fn read_model(folder: &Path) -> Result<Model, Fault> {
    let manifest = Manifest::read(folder)?;
    for (file, sha256) in manifest.files() {
        check_hash(folder, file, sha256)?;
    }
    let read = |labels: &File| Labels::read(&folder.join(&labels.file));
    let mut vocabulary = None;
    let mut instances = None;
    let (labels, probe) = match &manifest.parts {
        Parts::Instances(parts) => {
            let labels = read(&parts.labels)?;
            instances = Some(Arc::new(Instances::open(folder, parts, labels.len())?));
            (Some(labels), None)
        }
        Parts::Picture(parts) => {
            let labels = read(&parts.labels)?;
            vocabulary = Some(Vocabulary::read(folder, parts, Arc::clone(&labels))?);
            (Some(labels), None)
        }
        Parts::Probe(parts) => {
            (Some(read(&parts.labels)?), Some(Arc::new(Probe::read(&folder.join(&parts.probe.file))?)))
        }
        Parts::Embedder(_) | Parts::Ensemble(_) | Parts::View(_) | Parts::Text(_) | Parts::LocalFeatures(_) => {
            (None, None)
        }
    };
    if let (Some(probe), Some(labels)) = (&probe, &labels)
        && probe.classes() != labels.len()
    {
        return Err(Fault(format!("the head has {} classes and the labels are {}", probe.classes(), labels.len())));
    }
    if vocabulary.is_none() {
        vocabulary = labels.clone().map(Vocabulary::of);
    }
    let weights = match &manifest.parts {
        Parts::Probe(parts) => parts.probe.base_sha256.clone(),
        Parts::Instances(parts) => parts.vectors.model_sha256.clone(),
        _ => manifest.files().first().map(|(_, sha256)| (*sha256).to_owned()).unwrap_or_default(),
    };
    Ok(Model { manifest, folder: folder.to_owned(), labels, vocabulary, weights, gate: None, probe, instances })
}

/// The SHA-256 of a file, in hexadecimal. Every start hashes hundreds of megabytes of weights; *ring* takes half the
/// time of `sha2` where the processor has no instructions for it.
///
/// # Errors
/// When it cannot be read.
pub fn sha256_of(path: &Path) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    let mut hash = Context::new(&SHA256);
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hash.update(&buffer[..read]);
    }
    Ok(hexadecimal(hash.finish().as_ref()))
}

fn check_hash(folder: &Path, file: &Path, sha256: &str) -> Result<(), Fault> {
    let name = file.display();
    if file.components().count() != 1 {
        return Err(Fault(format!("{name}: a file of a model lies in the model's own folder")));
    }
    let found = sha256_of(&folder.join(file)).map_err(|error| Fault(format!("{name} cannot be read: {error}")))?;
    if found.eq_ignore_ascii_case(sha256) {
        Ok(())
    } else {
        Err(Fault(format!("{name} is damaged or another file: its SHA-256 is not the manifest's. Install it again")))
    }
}
