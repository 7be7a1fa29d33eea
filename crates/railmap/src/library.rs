//! The maps in force: the built-in ones, and those of a folder, which replace built-in maps of the same id.
//!
//! A file is checked before it replaces what is running. A file that is broken leaves the map it had been in force; a
//! request that is being answered keeps the map it began with.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use arc_swap::ArcSwap;
use kaisatsu_model::MapId;

use crate::{
    RouteMap, builtin,
    check::{self, Severity},
    file::MAX_BYTES,
};

/// A map with what its reader prepared from it once, at loading.
#[derive(Debug)]
pub struct Shelved<P> {
    /// The map.
    pub map: RouteMap,
    /// Whatever makes answering from it fast.
    pub prepared: P,
}

type Shelf<P> = BTreeMap<MapId, Arc<Shelved<P>>>;

/// The maps in force.
pub struct Library<P> {
    folder: Option<PathBuf>,
    prepare: fn(&RouteMap) -> P,
    builtin: Shelf<P>,
    shelf: ArcSwap<Shelf<P>>,
    files: Mutex<BTreeMap<PathBuf, Filed<P>>>,
}

/// A file of the folder as it was last seen.
struct Filed<P> {
    /// Unknown when it could not be read.
    stamp: Option<Stamp>,
    /// The last good map that it gave.
    map: Option<Arc<Shelved<P>>>,
}

/// What changes when a file does.
type Stamp = (Option<SystemTime>, u64);

impl<P> Library<P> {
    /// Loads the built-in maps and those of the folder, if there is one.
    ///
    /// # Errors
    /// When the folder cannot be listed. A broken file is no error: it is logged and left out.
    pub fn open(folder: Option<PathBuf>, prepare: fn(&RouteMap) -> P) -> io::Result<Self> {
        let builtin: Shelf<P> = builtin::MAPS
            .iter()
            .filter_map(|(name, text)| load(name, text, prepare))
            .map(|shelved| (shelved.map.id.clone(), shelved))
            .collect();
        let library =
            Self { folder, prepare, shelf: ArcSwap::from_pointee(builtin.clone()), builtin, files: Mutex::default() };
        library.reload()?;
        Ok(library)
    }

    /// The map of that id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<Arc<Shelved<P>>> {
        self.shelf.load().get(id).cloned()
    }

    /// All maps by id.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Shelved<P>>> {
        self.shelf.load().values().cloned().collect()
    }

    /// Looks at the folder again, loads what changed, and puts it in force. Returns whether anything did.
    ///
    /// # Errors
    /// When the folder cannot be listed; the maps in force stay.
    pub fn reload(&self) -> io::Result<bool> {
        let Some(folder) = &self.folder else { return Ok(false) };
        let found = list(folder)?;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let before = files.len();
        files.retain(|path, _| found.contains_key(path));
        let mut changed = files.len() != before;
        for (path, stamp) in found {
            if files.get(&path).is_some_and(|filed| filed.stamp == Some(stamp)) {
                continue;
            }
            changed = true;
            let text = read(&path);
            // A file that could not be read is tried again at the next look: its stamp need not change for that. One that is no text or too
            // large stays so until it is another.
            let stamp = match &text {
                Err(error) if !matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::FileTooLarge) => None,
                _ => Some(stamp),
            };
            let fresh = text.ok().and_then(|text| load(&path.display().to_string(), &text, self.prepare));
            let earlier = files.remove(&path).and_then(|filed| filed.map);
            if fresh.is_none() && earlier.is_some() {
                tracing::warn!(file = %path.display(), "the map that was loaded from it before stays in force");
            }
            files.insert(path, Filed { stamp, map: fresh.or(earlier) });
        }
        if changed {
            self.shelf.store(Arc::new(self.shelve(&files)));
        }
        Ok(changed)
    }

    /// Built-in maps first, then the folder's in the order of file names; of two files with one id the first wins.
    fn shelve(&self, files: &BTreeMap<PathBuf, Filed<P>>) -> Shelf<P> {
        let mut maps = self.builtin.clone();
        let mut origin: BTreeMap<MapId, &Path> = BTreeMap::new();
        for (path, filed) in files {
            let Some(shelved) = &filed.map else { continue };
            let id = &shelved.map.id;
            if let Some(first) = origin.get(id) {
                let (file, first) = (path.display(), first.display());
                tracing::error!(%file, map = %id, "left out: {first} has a map of the same id");
                continue;
            }
            origin.insert(id.clone(), path);
            maps.insert(id.clone(), Arc::clone(shelved));
        }
        maps
    }
}

/// The map files of a folder. One that vanishes while we look is simply not there.
fn list(folder: &Path) -> io::Result<BTreeMap<PathBuf, Stamp>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        if let Ok(facts) = fs::metadata(&path)
            && facts.is_file()
        {
            found.insert(path, (facts.modified().ok(), facts.len()));
        }
    }
    Ok(found)
}

fn read(path: &Path) -> io::Result<String> {
    let text = match fs::metadata(path) {
        Ok(facts) if facts.len() > MAX_BYTES as u64 => {
            Err(io::Error::new(ErrorKind::FileTooLarge, format!("more than {MAX_BYTES} bytes")))
        }
        _ => fs::read_to_string(path),
    };
    text.inspect_err(|error| tracing::error!(file = %path.display(), %error, "this map cannot be read"))
}

/// Checks a text and prepares its map. Findings go to the log, where the operator looks.
fn load<P>(name: &str, text: &str, prepare: fn(&RouteMap) -> P) -> Option<Arc<Shelved<P>>> {
    let checked = check::check(text);
    let warnings = checked.findings.iter().filter(|finding| finding.severity == Severity::Warning).count();
    for finding in checked.findings.iter().filter(|finding| finding.severity == Severity::Error).take(20) {
        tracing::error!("{name}:{finding}");
    }
    let Some(map) = checked.map else {
        tracing::error!(file = name, "this map is not used; `kaisatsu map check FILE` lists everything that is wrong");
        return None;
    };
    tracing::info!(file = name, map = %map.id, stations = map.stations().len(), warnings, "map loaded");
    Some(Arc::new(Shelved { prepared: prepare(&map), map }))
}
