//! Trains a probe from a folder of labelled photographs: one folder for each class, named after it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Mutex,
};

use crate::{
    Bounds, Decoded, ModelRegistry, Worker, decode,
    manifest::{About, Extended, Fault, File, Load, MANIFEST, ProbePart, ProbeParts, Source, Task},
    probe::{self, LabelledVector, Report},
    registry::{publish, sha256_of},
    thumbnail,
};

/// The classes and photographs of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledPhotos {
    /// The classes by name.
    pub classes: Vec<String>,
    /// Each photograph and its class.
    pub photos: Vec<(PathBuf, usize)>,
    /// Folders without a photograph, which are no classes.
    pub empty: Vec<PathBuf>,
}

impl LabelledPhotos {
    /// Reads a folder: each folder in it is a class, each file in that a photograph. Names that begin with a dot are
    /// ignored.
    ///
    /// # Errors
    /// When there are fewer than two classes, or the folder cannot be read.
    pub fn read(folder: &Path) -> Result<Self, Fault> {
        let told = |error: io::Error| Fault(format!("{}: {error}", folder.display()));
        let classes: Vec<PathBuf> = listed(folder).map_err(told)?.into_iter().filter(|path| path.is_dir()).collect();
        let mut photos = Vec::new();
        let mut names = Vec::new();
        let mut empty = Vec::new();
        for class in classes {
            let files = listed(&class).map_err(told)?;
            let files: Vec<PathBuf> = files.into_iter().filter(|path| path.is_file()).collect();
            if files.is_empty() {
                empty.push(class);
                continue;
            }
            let name = name_of(&class);
            if name.chars().any(char::is_control) {
                return Err(Fault(format!("{}: a class's name has no control characters", class.display())));
            }
            photos.extend(files.into_iter().map(|path| (path, names.len())));
            names.push(name);
        }
        if names.len() < 2 {
            let rule = "expected a folder for each class, two or more, with photographs in them";
            return Err(Fault(format!("{}: {rule}", folder.display())));
        }
        Ok(Self { classes: names, photos, empty })
    }
}

fn listed(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.retain(|path| !name_of(path).starts_with('.'));
    paths.sort();
    Ok(paths)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The vectors of the photographs.
#[derive(Debug)]
pub struct Embeddings {
    /// The photographs that could be read: their position in [`LabelledPhotos::photos`], and their vector.
    pub vectors: Vec<(usize, Vec<f32>)>,
    /// The others, with the reason.
    pub refused: Vec<(PathBuf, String)>,
}

/// Embeds every photograph, on `threads` threads, and calls `seen` after each.
///
/// # Errors
/// When the model cannot be loaded.
pub fn embed(
    registry: &ModelRegistry,
    base: &str,
    photos: &[PathBuf],
    threads: usize,
    seen: impl Fn() + Sync,
) -> Result<Embeddings, Fault> {
    let vector = |worker: &mut Worker, path: &Path| Ok(embed_photo(worker, base, path)?.1);
    let (vectors, refused) = each_photo(registry, base, photos, threads, vector, seen)?;
    Ok(Embeddings { vectors, refused })
}

/// A photograph as a vector, and a small picture of it where one can be made.
pub type Seen = (Vec<f32>, Option<Vec<u8>>);

/// What was made of each photograph that could be read, with its position, and the others with the reason.
pub type EachPhoto<T> = (Vec<(usize, T)>, Vec<(PathBuf, String)>);

/// The same as [`embed`], and makes a small picture of each photograph.
///
/// # Errors
/// When the model cannot be loaded.
pub fn embed_with_thumbnails(
    registry: &ModelRegistry,
    base: &str,
    photos: &[PathBuf],
    threads: usize,
    seen: impl Fn() + Sync,
) -> Result<EachPhoto<Seen>, Fault> {
    let both = |worker: &mut Worker, path: &Path| {
        let (decoded, vector) = embed_photo(worker, base, path)?;
        Ok((vector, thumbnail(&mut worker.resizer, &decoded.picture)))
    };
    each_photo(registry, base, photos, threads, both, seen)
}

fn each_photo<T: Send>(
    registry: &ModelRegistry,
    base: &str,
    photos: &[PathBuf],
    threads: usize,
    look: impl Fn(&mut Worker, &Path) -> Result<T, String> + Sync,
    seen: impl Fn() + Sync,
) -> Result<EachPhoto<T>, Fault> {
    let next = Mutex::new(photos.iter().enumerate());
    let work = || -> Result<EachPhoto<T>, Fault> {
        let mut worker = Worker::load_only(registry, base)?;
        let mut done = (Vec::new(), Vec::new());
        loop {
            let photo = next.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
            let Some((at, path)) = photo else { return Ok(done) };
            match look(&mut worker, path) {
                Ok(made) => done.0.push((at, made)),
                Err(reason) => done.1.push((path.clone(), reason)),
            }
            seen();
        }
    };
    let parts: Vec<Result<EachPhoto<T>, Fault>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let lost = |_| Err(Fault("a thread ended early".to_owned()));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(lost)).collect()
    });
    let mut all = (Vec::new(), Vec::new());
    for part in parts {
        let part = part?;
        all.0.extend(part.0);
        all.1.extend(part.1);
    }
    // The result does not depend on which thread was quicker.
    all.0.sort_by_key(|(at, _)| *at);
    all.1.sort();
    Ok(all)
}

fn embed_photo(worker: &mut Worker, base: &str, path: &Path) -> Result<(Decoded, Vec<f32>), String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let decoded = decode(&bytes, Bounds::default(), worker.short_side(base)).map_err(|error| error.to_string())?;
    let vector = worker.embed(base, &decoded.picture).ok_or("the model makes no vectors")?;
    Ok((decoded, vector.map_err(|error| error.to_string())?))
}

/// Trains a model of that name and writes its folder, replacing one of the same name.
///
/// # Errors
/// Why it cannot be trained or written.
pub fn train(
    registry: &ModelRegistry,
    models: &Path,
    name: &str,
    base: &str,
    labelled: &LabelledPhotos,
    embedded: &Embeddings,
    extends: Option<&str>,
) -> Result<Report, Fault> {
    let base_sha256 = embedding_sha256(registry, base)?;
    let examples: Vec<LabelledVector<'_>> = embedded
        .vectors
        .iter()
        .filter_map(|(at, vector)| Some(LabelledVector { vector, class: labelled.photos.get(*at)?.1 }))
        .collect();
    let (trained, report) = probe::train(&examples, labelled.classes.len()).map_err(|error| match error {
        probe::TrainError::EmptyClass(class) => {
            Fault(format!("no photograph of class '{}' can be used", labelled.classes[class]))
        }
        other => Fault(other.to_string()),
    })?;
    let few =
        || Fault("eight photographs or more, several of most classes, are needed beside another model".to_owned());
    let extends = extends
        .map(|model| Ok(Extended { model: model.to_owned(), typical: report.typical.ok_or_else(few)? }))
        .transpose()?;
    let told = |error: io::Error| Fault(format!("{}: {error}", models.display()));
    // Written beside and renamed: a server that starts meanwhile sees the old model or the new one.
    let making = models.join(format!(".{name}.new"));
    let _ = fs::remove_dir_all(&making);
    fs::create_dir_all(&making).map_err(told)?;
    fs::write(making.join("head.bin"), trained.to_bytes()).map_err(told)?;
    let heading = "id\tname".to_owned();
    let labels = labelled.classes.iter().fold(heading, |text, class| text + "\n" + class + "\t" + class) + "\n";
    fs::write(making.join("labels.tsv"), labels).map_err(told)?;
    let hashed = |file: &str| {
        let sha256 = sha256_of(&making.join(file)).map_err(told)?;
        Ok::<_, Fault>(File { file: file.into(), sha256 })
    };
    let (file, labels) = (hashed("head.bin")?, hashed("labels.tsv")?);
    let about = About {
        name: name.to_owned(),
        task: Task::Classify,
        title: match &extends {
            None => format!("{} classes taught from {} photographs", labelled.classes.len(), examples.len()),
            Some(extended) => format!("`{}` and {} classes taught beside it", extended.model, labelled.classes.len()),
        },
        licence: "the operator's".to_owned(),
        source: Source {
            registry: "local".to_owned(),
            package: base.to_owned(),
            version: "1".to_owned(),
            sha256: None,
        },
        description: String::new(),
        load: Load::Start,
    };
    let probe = ProbePart { base: base.to_owned(), base_sha256, file: file.file, sha256: file.sha256 };
    let text = |error: toml::ser::Error| Fault(error.to_string());
    let manifest = toml::to_string(&about).map_err(text)?
        + &toml::to_string(&ProbeParts { probe, labels, extends }).map_err(text)?;
    fs::write(making.join(MANIFEST), manifest).map_err(told)?;
    publish(models, name, &making).map_err(told)?;
    Ok(report)
}

/// What identifies the vectors of a model.
///
/// # Errors
/// When there is no such model, or it gives no vectors.
pub fn embedding_sha256(registry: &ModelRegistry, base: &str) -> Result<String, Fault> {
    let entry = registry
        .entry(base)
        .ok_or_else(|| Fault(format!("there is no model '{base}'; `kaisatsu models install` installs it")))?;
    let model = entry.model.as_ref().map_err(Clone::clone)?;
    let sha256 = model.manifest.embedding_sha256();
    sha256.map(str::to_owned).ok_or_else(|| Fault(format!("model '{base}' gives no vectors to teach on")))
}
