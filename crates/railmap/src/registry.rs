//! The maps that the server currently serves: the built-in ones, and those of a folder.
//!
//! A map of the folder replaces the built-in map with the same id. A changed file is validated before its map is
//! replaced; if the new file is broken, the previous map stays. A request keeps the map with which it began.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::SystemTime,
};

use arc_swap::ArcSwap;
use kaisatsu_model::MapId;

use crate::{
    RouteMap, StationDirectory, builtin,
    check::{self, Severity},
    file::MAX_BYTES,
    journey::Network,
};

/// A map, and the data that the registry's owner derives from it when it is loaded.
#[derive(Debug)]
pub struct LoadedMap<P> {
    /// The map.
    pub map: RouteMap,
    /// The derived data, which speeds up answers.
    pub prepared: P,
    network: OnceLock<Network>,
}

impl<P> LoadedMap<P> {
    /// The network of the map, on which journeys are searched. It is made on the first call.
    pub fn network(&self) -> &Network {
        self.network.get_or_init(|| Network::of(&self.map))
    }
}

type MapIndex<P> = BTreeMap<MapId, Arc<LoadedMap<P>>>;

/// The maps of one moment, and the stations of all of them.
struct Current<P> {
    maps: MapIndex<P>,
    stations: Arc<StationDirectory<P>>,
}

impl<P> Current<P> {
    fn new(maps: MapIndex<P>) -> Self {
        let stations = Arc::new(StationDirectory::new(maps.values().cloned().collect()));
        Self { maps, stations }
    }
}

/// The current maps.
pub struct MapRegistry<P> {
    folder: Option<PathBuf>,
    prepare: fn(&RouteMap) -> P,
    builtin: MapIndex<P>,
    current: ArcSwap<Current<P>>,
    files: Mutex<BTreeMap<PathBuf, TrackedFile<P>>>,
}

/// A file of the folder, as of the last reload.
struct TrackedFile<P> {
    /// `None` if the file could not be read.
    version: Option<FileVersion>,
    /// The last valid map from this file.
    map: Option<Arc<LoadedMap<P>>>,
}

/// Modification time and size, which tell whether a file has changed.
type FileVersion = (Option<SystemTime>, u64);

impl<P> MapRegistry<P> {
    /// Loads the built-in maps and those of the folder, if one is given.
    ///
    /// # Errors
    /// When the folder cannot be listed. A broken file is not an error: it is logged and left out.
    pub fn open(folder: Option<PathBuf>, prepare: fn(&RouteMap) -> P) -> io::Result<Self> {
        let builtin: MapIndex<P> = builtin::MAPS
            .iter()
            .filter_map(|(name, text)| load(name, text, prepare))
            .map(|loaded| (loaded.map.id.clone(), loaded))
            .collect();
        let registry = Self {
            folder,
            prepare,
            current: ArcSwap::from_pointee(Current::new(builtin.clone())),
            builtin,
            files: Mutex::default(),
        };
        registry.reload()?;
        Ok(registry)
    }

    /// The map with that id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<Arc<LoadedMap<P>>> {
        self.current.load().maps.get(id).cloned()
    }

    /// All maps, ordered by id.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<LoadedMap<P>>> {
        self.current.load().maps.values().cloned().collect()
    }

    /// The stations of all maps.
    #[must_use]
    pub fn stations(&self) -> Arc<StationDirectory<P>> {
        Arc::clone(&self.current.load().stations)
    }

    /// Lists the folder again and loads the files that changed. Returns whether any did.
    ///
    /// # Errors
    /// When the folder cannot be listed. The current maps stay.
    pub fn reload(&self) -> io::Result<bool> {
        let Some(folder) = &self.folder else { return Ok(false) };
        let found = list(folder)?;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let before = files.len();
        files.retain(|path, _| found.contains_key(path));
        let mut changed = files.len() != before;
        for (path, version) in found {
            if files.get(&path).is_some_and(|tracked| tracked.version == Some(version)) {
                continue;
            }
            changed = true;
            let text = read(&path);
            // A read error may pass although the file does not change, so the file is read again at the next reload. A
            // file that is too large or not text must change first.
            let version = match &text {
                Err(error) if !matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::FileTooLarge) => None,
                _ => Some(version),
            };
            let fresh = text.ok().and_then(|text| load(&path.display().to_string(), &text, self.prepare));
            let earlier = files.remove(&path).and_then(|tracked| tracked.map);
            if fresh.is_none() && earlier.is_some() {
                tracing::warn!(file = %path.display(), "the map that was loaded from it before stays in force");
            }
            files.insert(path, TrackedFile { version, map: fresh.or(earlier) });
        }
        if changed {
            self.current.store(Arc::new(Current::new(self.index_by_id(&files))));
        }
        Ok(changed)
    }

    /// The built-in maps, replaced by those of the folder. If two files have the same id, the first by file name wins.
    fn index_by_id(&self, files: &BTreeMap<PathBuf, TrackedFile<P>>) -> MapIndex<P> {
        let mut maps = self.builtin.clone();
        let mut origin: BTreeMap<MapId, &Path> = BTreeMap::new();
        for (path, tracked) in files {
            let Some(loaded) = &tracked.map else { continue };
            let id = &loaded.map.id;
            if let Some(first) = origin.get(id) {
                let (file, first) = (path.display(), first.display());
                tracing::error!(%file, map = %id, "left out: {first} has a map of the same id");
                continue;
            }
            origin.insert(id.clone(), path);
            maps.insert(id.clone(), Arc::clone(loaded));
        }
        maps
    }
}

/// The map files of a folder. A file that is deleted during the listing is left out.
fn list(folder: &Path) -> io::Result<BTreeMap<PathBuf, FileVersion>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        if let Ok(metadata) = fs::metadata(&path)
            && metadata.is_file()
        {
            found.insert(path, (metadata.modified().ok(), metadata.len()));
        }
    }
    Ok(found)
}

fn read(path: &Path) -> io::Result<String> {
    let text = match fs::metadata(path) {
        Ok(metadata) if metadata.len() > MAX_BYTES as u64 => {
            Err(io::Error::new(ErrorKind::FileTooLarge, format!("more than {MAX_BYTES} bytes")))
        }
        _ => fs::read_to_string(path),
    };
    text.inspect_err(|error| tracing::error!(file = %path.display(), %error, "this map cannot be read"))
}

/// Validates a text and derives the data from its map. Findings are logged.
fn load<P>(name: &str, text: &str, prepare: fn(&RouteMap) -> P) -> Option<Arc<LoadedMap<P>>> {
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
    Some(Arc::new(LoadedMap { prepared: prepare(&map), map, network: OnceLock::new() }))
}
