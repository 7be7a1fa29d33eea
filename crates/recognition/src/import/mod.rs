//! Importing a catalogue: rows of a file become items with barcodes and reference pictures.

mod rows;
pub mod things;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use kaisatsu_store::{ItemRecord, NewItem, Store, StoreError};
use kaisatsu_vision::{Bounds, ModelRegistry, Worker, decode, manifest::Fault, object::Vocabulary, thumbnail};
pub(crate) use rows::own;
pub use rows::{CATEGORIES, Format, Row, rows};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{
    RecognitionError,
    engine::not_loaded,
    thumbnails::{Thumbnail, Thumbnails},
};

/// The model that reads reference pictures.
pub(crate) const MODEL: &str = "local-features";

/// Rows that each thread reads before they are saved. What is saved stays when the import is stopped.
const BATCH: usize = 32;

/// Up to so many items, reference pictures are read in four turns: a picture that is searched for need not be turned by
/// quarters then, which saves most of the time, and voting over four times as many features does not cost it again.
/// Beyond it the index would be what takes the time and the memory.
pub(crate) const TURNED_UP_TO: i64 = 8192;

/// The most reference pictures of an item.
pub(crate) const MOST_PICTURES: usize = 16;

/// An item as a file describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The operator's own id.
    pub id: String,
    /// What kind of thing it is.
    pub category: String,
    /// Its name.
    pub name: String,
    /// What else is known of it.
    pub detail: Map<String, Value>,
    /// Where people find its picture.
    pub image_url: String,
    /// Pages about it.
    pub sites: Vec<Value>,
    /// Its barcodes, thirteen digits each.
    pub codes: Vec<String>,
    /// Files with its pictures, below the folder of pictures.
    pub images: Vec<PathBuf>,
    /// Whether the names of these files are made of its number: then one that is not there is no fault.
    pub images_are_guessed: bool,
}

/// Whether a text is the address of a page or a picture on the web.
#[must_use]
pub fn is_address(text: &str) -> bool {
    let rest = ["https://", "http://"].iter().find_map(|scheme| {
        let (start, rest) = text.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    });
    rest.is_some_and(|rest| !rest.is_empty() && !rest.chars().any(char::is_control))
}

/// What came of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Items that were added or replaced.
    pub added: usize,
    /// Items that are unchanged since they were imported.
    pub unchanged: usize,
    /// Rows that were skipped.
    pub skipped: usize,
}

/// Why an import ended early. What was saved before stays.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The database failed.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The items could not be stored.
    #[error("{0}")]
    Put(#[from] RecognitionError),
    /// The model cannot be used.
    #[error("{0}")]
    Model(#[from] Fault),
}

/// Imports rows. Calls `progress` after each row, and `skipped` with the reason for each row or picture that is
/// skipped. An item that is unchanged and has no thumbnail yet, although it has a picture, is imported again.
///
/// # Errors
/// When the database or the model fails.
pub async fn import(
    thumbnails: &Thumbnails,
    registry: &ModelRegistry,
    pictures: &Path,
    rows: impl Iterator<Item = Row>,
    threads: usize,
    progress: impl Fn() + Sync,
    mut skipped: impl FnMut(usize, &str),
) -> Result<Imported, ImportError> {
    let mut workers: Vec<Worker> = Vec::new();
    for _ in 0..threads.max(1) {
        workers.push(Worker::load_only(registry, MODEL)?);
    }
    let store = &thumbnails.store;
    let mut done = Imported::default();
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        let mut entries = Vec::new();
        for row in rows.by_ref().take(BATCH * workers.len()) {
            match row.entry {
                Ok(entry) => {
                    let digest = digest(&entry, pictures);
                    let known = store.item_digest(&entry.id).await?.as_deref() == Some(&digest[..]);
                    let has_picture = || entry.images.iter().any(|image| pictures.join(image).exists());
                    if known && (store.item_thumbnail(&entry.id).await?.is_some() || !has_picture()) {
                        done.unchanged += 1;
                        progress();
                    } else {
                        entries.push((row.line, entry, digest));
                    }
                }
                Err(reason) => {
                    done.skipped += 1;
                    skipped(row.line, &reason);
                    progress();
                }
            }
        }
        let turned = reads_turned(store).await?;
        let made = tokio::task::block_in_place(|| make(&mut workers, pictures, &entries, turned, &progress));
        let mut items = Vec::new();
        for ((line, _, _), made) in entries.iter().zip(made) {
            match made {
                Ok((item, unusable)) => {
                    items.push(item);
                    for picture in unusable {
                        skipped(*line, &format!("{picture}; the item is kept without it"));
                    }
                }
                Err(reason) => {
                    done.skipped += 1;
                    skipped(*line, &reason);
                }
            }
        }
        done.added += items.len();
        thumbnails.put_items(items).await?;
    }
    Ok(done)
}

/// A digest of what an item is made of: its row, and the size and time of each of its pictures. It is stored, and
/// hashes the `Debug` text of [`Entry`]: renaming that type or a field makes the next import read every picture again.
fn digest(entry: &Entry, pictures: &Path) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(format!("{entry:?}"));
    for image in &entry.images {
        if let Ok(facts) = fs::metadata(pictures.join(image)) {
            hash.update(format!("{} {:?}", facts.len(), facts.modified().ok()));
        }
    }
    hash.finalize().to_vec()
}

/// An item with what is wrong with those of its pictures that are left out, or why there is none.
type Made = Result<((NewItem, Option<Thumbnail>), Vec<String>), String>;

/// Reads the pictures of entries, side by side; the results are in the order of the entries.
fn make(
    workers: &mut [Worker],
    pictures: &Path,
    entries: &[(usize, Entry, Vec<u8>)],
    turned: bool,
    progress: &(impl Fn() + Sync),
) -> Vec<Made> {
    let next = Mutex::new(entries.iter().enumerate());
    let results: Mutex<Vec<Option<Made>>> = Mutex::new(vec![None; entries.len()]);
    std::thread::scope(|scope| {
        for worker in workers {
            let (next, results) = (&next, &results);
            scope.spawn(move || {
                let vocabulary = Vocabulary::default();
                loop {
                    let entry = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((at, (_, entry, digest))) = entry else { return };
                    let made = make_one((&mut *worker, &vocabulary), pictures, entry, digest, turned);
                    if let Some(place) = results.lock().unwrap_or_else(PoisonError::into_inner).get_mut(at) {
                        *place = Some(made);
                    }
                    progress();
                }
            });
        }
    });
    let lost = || Err("it was not looked at".to_owned());
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().map(|made| made.unwrap_or_else(lost)).collect()
}

fn make_one(
    (worker, vocabulary): (&mut Worker, &Vocabulary),
    pictures: &Path,
    entry: &Entry,
    digest: &[u8],
    turned: bool,
) -> Made {
    let (mut references, mut unusable) = (Vec::new(), Vec::new());
    let expected = |image: &&PathBuf| !entry.images_are_guessed || pictures.join(image).exists();
    for image in entry.images.iter().filter(expected).take(MOST_PICTURES) {
        let file = fs::read(pictures.join(image)).map_err(|error| error.to_string());
        let mut read = |bytes: Vec<u8>| reference(worker, vocabulary, &bytes, Bounds::default(), turned);
        match file.and_then(|bytes| read(bytes).map_err(|error| error.to_string())) {
            Ok(reference) => references.push(reference),
            Err(reason) => unusable.push(format!("picture {}: {reason}", image.display())),
        }
    }
    if references.is_empty() && entry.codes.is_empty() {
        let nothing = || "there is neither a picture nor a barcode to know it by".to_owned();
        return Err(if unusable.is_empty() { nothing() } else { unusable.join("; ") });
    }
    Ok((new_item(entry, references, digest.to_vec()), unusable))
}

/// An item with its reference pictures, as it is stored, and the thumbnail of the first of them.
pub(crate) fn new_item(entry: &Entry, mut pictures: Vec<Reference>, digest: Vec<u8>) -> (NewItem, Option<Thumbnail>) {
    let thumbnail = pictures.iter_mut().find_map(|picture| picture.thumbnail.take());
    let mut detail = Map::new();
    detail.insert("itemName".to_owned(), Value::from(entry.name.as_str()));
    detail.insert("id".to_owned(), Value::from(entry.id.as_str()));
    detail.extend(entry.detail.clone());
    let item = NewItem {
        id: entry.id.clone(),
        category: entry.category.clone(),
        name: entry.name.clone(),
        detail: Value::Object(detail).to_string(),
        image_url: entry.image_url.clone(),
        sites: Value::Array(entry.sites.clone()).to_string(),
        codes: entry.codes.clone(),
        pictures: pictures.into_iter().map(|picture| (picture.encoded, picture.features)).collect(),
        digest,
        thumbnail: None,
    };
    (item, thumbnail)
}

/// What apps of hosted gateways read of an item without asking whether it is there, and this item does not have.
#[must_use]
pub fn missing_fields(item: &ItemRecord) -> Vec<&'static str> {
    let detail: Map<String, Value> = serde_json::from_str(&item.detail).unwrap_or_default();
    let sites: Vec<Value> = serde_json::from_str(&item.sites).unwrap_or_default();
    let has_site = sites.first().is_some_and(|site| site["url"].is_string());
    let fields = ["maker", "brand", "releaseDate"].into_iter().map(|name| (name, detail.contains_key(name)));
    let others = [("imageUrl", !item.image_url.is_empty()), ("sites[0].url", has_site)];
    fields.chain(others).filter(|(_, there)| !there).map(|(name, _)| name).collect()
}

/// A reference picture as the catalogue stores it.
#[derive(Debug)]
pub(crate) struct Reference {
    /// Its encoded form, for voting.
    encoded: Vec<u8>,
    features: Vec<u8>,
    thumbnail: Option<Thumbnail>,
}

/// Whether the catalogue is so small that its reference pictures are read in four turns.
pub(crate) async fn reads_turned(store: &Store) -> Result<bool, StoreError> {
    Ok(!store.has_more_items_than(TURNED_UP_TO).await?)
}

/// Makes a reference picture of an image file, in four turns or upright alone.
pub(crate) fn reference(
    worker: &mut Worker,
    vocabulary: &Vocabulary,
    file: &[u8],
    bounds: Bounds,
    turned: bool,
) -> Result<Reference, RecognitionError> {
    let decoded = decode(file, bounds, Some(1200))?;
    let (objects, resizer) = worker.objects(MODEL).ok_or_else(|| not_loaded(MODEL))?;
    let extractor = objects.extractor();
    let reference = if turned {
        extractor.turned_reference(resizer, &decoded.picture)
    } else {
        extractor.reference(resizer, &decoded.picture)
    };
    let reference = reference.map_err(|error| RecognitionError::Failed(error.to_string()))?;
    let thumbnail = thumbnail(resizer, &decoded.picture);
    Ok(Reference { encoded: vocabulary.encode(&reference).to_bytes(), features: reference.to_bytes(), thumbnail })
}
