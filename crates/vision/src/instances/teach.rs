//! Makes a model of instances from photographs of each.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{
    Facts, SHORT_SIDE,
    file::{WrittenPicture, write_features, write_vectors},
};
use crate::{
    Bounds, ModelRegistry, Worker, decode,
    manifest::{About, Fault, File, InstanceKind, InstanceParts, Load, MANIFEST, PictureFile, Source, Task},
    object::Vocabulary,
    registry::{publish, sha256_of},
    training::{embed, embedding_sha256},
};

/// Below so many features a picture can never be verified.
const LEAST_FEATURES: usize = 20;

/// A thing to be recognised.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// What identifies it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its Japanese name; empty when it has none of its own.
    pub name_ja: String,
    /// What else is known of it.
    pub facts: Facts,
    /// Files with its pictures.
    pub photos: Vec<PathBuf>,
}

/// What came of teaching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taught {
    /// The things that can be recognised.
    pub instances: usize,
    /// Their pictures.
    pub photos: usize,
    /// Pictures that were left out, with the reason.
    pub refused: Vec<(PathBuf, String)>,
}

/// Teaches a model of that name and writes its folder, replacing one of the same name. Calls `seen` twice for each
/// picture: it becomes a vector, and local features.
///
/// # Errors
/// Why it cannot be taught or written.
pub fn teach(
    registry: &ModelRegistry,
    models: &Path,
    name: &str,
    (base, features): (&str, &str),
    instances: &[Instance],
    threads: usize,
    seen: impl Fn() + Sync,
) -> Result<Taught, Fault> {
    let base_sha256 = embedding_sha256(registry, base)?;
    let features_sha256 = features_sha256(registry, features)?;
    let of = |(at, instance): (usize, &Instance)| {
        instance.photos.iter().map(move |photo| (photo.clone(), at)).collect::<Vec<_>>()
    };
    let photos: Vec<(PathBuf, usize)> = instances.iter().enumerate().flat_map(of).collect();
    let paths: Vec<PathBuf> = photos.iter().map(|(path, _)| path.clone()).collect();
    let embedded = embed(registry, base, &paths, threads, &seen)?;
    let mut refused = embedded.refused;
    let usable: Vec<(usize, Vec<f32>)> = embedded.vectors;
    let readable: Vec<(&Path, usize)> =
        usable.iter().filter_map(|(at, _)| photos.get(*at)).map(|(path, of)| (path.as_path(), *of)).collect();
    let found = find_features(registry, features, &readable, threads, &seen)?;
    let (mut vectors, mut pictures) = (Vec::new(), Vec::new());
    for (((_, vector), (path, _)), picture) in usable.into_iter().zip(readable).zip(found) {
        match picture {
            Ok(picture) => {
                vectors.push(vector);
                pictures.push(picture);
            }
            Err(reason) => refused.push((path.to_owned(), reason)),
        }
    }
    let known: Vec<usize> =
        (0..instances.len()).filter(|at| pictures.iter().any(|picture| picture.instance == *at)).collect();
    if known.is_empty() {
        return Err(Fault("there is no picture that can be used".to_owned()));
    }
    for picture in &mut pictures {
        picture.instance = known.iter().position(|at| *at == picture.instance).unwrap_or_default();
    }
    let taught = Taught { instances: known.len(), photos: pictures.len(), refused };
    let known: Vec<&Instance> = known.into_iter().filter_map(|at| instances.get(at)).collect();
    let parts = |making: &Path| -> io::Result<InstanceParts> {
        write_vectors(&making.join("vectors.bin"), &vectors)?;
        write_features(&making.join("features.bin"), &pictures)?;
        let facts: Vec<&Facts> = known.iter().map(|instance| &instance.facts).collect();
        fs::write(making.join("facts.json"), serde_json::to_vec(&facts)?)?;
        fs::write(making.join("labels.tsv"), labels(&known))?;
        let file = |name: &str| Ok::<_, io::Error>(File { file: name.into(), sha256: sha256_of(&making.join(name))? });
        let made_by = |model: &str, model_sha256: &str, name: &str| {
            let File { file, sha256 } = file(name)?;
            let (model, model_sha256) = (model.to_owned(), model_sha256.to_owned());
            Ok::<_, io::Error>(PictureFile { model, model_sha256, file, sha256 })
        };
        Ok(InstanceParts {
            kind: InstanceKind::Instances,
            vectors: made_by(base, &base_sha256, "vectors.bin")?,
            features: made_by(features, &features_sha256, "features.bin")?,
            facts: file("facts.json")?,
            labels: file("labels.tsv")?,
        })
    };
    write(models, name, &taught, base, parts)?;
    Ok(taught)
}

/// A row for each thing. A tab or a new line would end a cell.
fn labels(instances: &[&Instance]) -> String {
    let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
    let row = |text: String, instance: &&Instance| {
        let cells = [&instance.id, &instance.name, &instance.name_ja].map(|cell| plain(cell));
        text + &cells.join("\t") + "\n"
    };
    instances.iter().fold("id\ten\tja\n".to_owned(), row)
}

fn write(
    models: &Path,
    name: &str,
    taught: &Taught,
    base: &str,
    parts: impl FnOnce(&Path) -> io::Result<InstanceParts>,
) -> Result<(), Fault> {
    let told = |error: io::Error| Fault(format!("{}: {error}", models.display()));
    // Written beside and renamed: a server that starts meanwhile sees the old model or the new one.
    let making = models.join(format!(".{name}.new"));
    let _ = fs::remove_dir_all(&making);
    fs::create_dir_all(&making).map_err(told)?;
    let parts = parts(&making).map_err(told)?;
    let source =
        Source { registry: "local".to_owned(), package: base.to_owned(), version: "1".to_owned(), sha256: None };
    let about = About {
        name: name.to_owned(),
        task: Task::Classify,
        title: format!("{} things taught from {} photographs", taught.instances, taught.photos),
        licence: "the operator's".to_owned(),
        source,
        description: "Single things by photographs of each. A picture of anything else has no candidates.".to_owned(),
        load: Load::Start,
    };
    let text = |error: toml::ser::Error| Fault(error.to_string());
    // `kind` is a plain value, and so comes before the tables of both.
    let about = toml::Table::try_from(&about).map_err(text)?;
    let mut manifest = toml::Table::try_from(&parts).map_err(text)?;
    manifest.extend(about);
    fs::write(making.join(MANIFEST), toml::to_string(&manifest).map_err(text)?).map_err(told)?;
    publish(models, name, &making).map_err(told)
}

/// A picture, or why it cannot be used.
type Written = Result<WrittenPicture, String>;

/// The local features of each picture, in the order of the pictures.
fn find_features(
    registry: &ModelRegistry,
    model: &str,
    photos: &[(&Path, usize)],
    threads: usize,
    seen: &(impl Fn() + Sync),
) -> Result<Vec<Written>, Fault> {
    let next = Mutex::new(photos.iter().enumerate());
    let work = || -> Result<Vec<(usize, Written)>, Fault> {
        let mut worker = Worker::load_only(registry, model)?;
        let vocabulary = Vocabulary::default();
        let mut done = Vec::new();
        loop {
            let photo = next.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((at, (path, instance))) = photo else { return Ok(done) };
            done.push((at, read(&mut worker, model, &vocabulary, path, *instance)));
            seen();
        }
    };
    let parts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let lost = |_| Err(Fault("a thread ended early".to_owned()));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(lost)).collect()
    });
    let mut all = Vec::with_capacity(photos.len());
    for part in parts {
        all.extend(part?);
    }
    all.sort_by_key(|(at, _)| *at);
    Ok(all.into_iter().map(|(_, picture)| picture).collect())
}

fn read(
    worker: &mut Worker,
    model: &str,
    vocabulary: &Vocabulary,
    path: &Path,
    instance: usize,
) -> Result<WrittenPicture, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let decoded = decode(&bytes, Bounds::default(), Some(SHORT_SIDE)).map_err(|error| error.to_string())?;
    let (objects, resizer) = worker.objects(model).ok_or("the model finds no local features")?;
    let reference = objects.extractor().reference(resizer, &decoded.picture).map_err(|error| error.to_string())?;
    if reference.views().iter().all(|view| view.len() < LEAST_FEATURES) {
        return Err("it has too little detail to be recognised by".to_owned());
    }
    Ok(WrittenPicture { instance, encoded: vocabulary.encode(&reference).to_bytes(), reference: reference.to_bytes() })
}

/// The hash of the weights of a model for local features.
fn features_sha256(registry: &ModelRegistry, name: &str) -> Result<String, Fault> {
    let missing = || Fault(format!("there is no model '{name}'; `make models` installs it"));
    let model = registry.entry(name).ok_or_else(missing)?.model.as_ref().map_err(Clone::clone)?;
    if model.task() == Task::LocalFeatures { Ok(model.weights.clone()) } else { Err(missing()) }
}
