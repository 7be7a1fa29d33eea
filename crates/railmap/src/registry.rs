//! The maps that the server currently serves: the built-in ones, and those of a folder.
//!
//! A map of the folder replaces the built-in map with the same id. A changed file is validated before its map is
//! replaced; if the new file is broken, the previous map stays. A request keeps the map with which it began. A file
//! with a `language` is a layout of the map with its id ([`crate::layouts`]).

use std::{
    collections::BTreeMap,
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::SystemTime,
};

use arc_swap::ArcSwap;
use kaisatsu_model::{MapId, MapLanguage};

use crate::{
    RouteMap, StationDirectory, builtin,
    check::{self, Severity},
    file::MAX_BYTES,
    journey::Network,
    layouts::{self, Layout, LayoutIndex},
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
    pub(crate) fn new(map: RouteMap, prepare: fn(&RouteMap) -> P) -> Self {
        Self { prepared: prepare(&map), map, network: OnceLock::new() }
    }

    /// The network of the map, on which journeys are searched. It is made on the first call.
    pub fn network(&self) -> &Network {
        self.network.get_or_init(|| Network::of(&self.map))
    }
}

type MapIndex<P> = BTreeMap<MapId, Arc<LoadedMap<P>>>;

/// The maps of one moment, and the stations of all of them.
struct Current<P> {
    maps: MapIndex<P>,
    layouts: LayoutIndex<P>,
    stations: Arc<StationDirectory<P>>,
    broken_files: Vec<PathBuf>,
}

impl<P> Current<P> {
    fn new(maps: MapIndex<P>, layouts: LayoutIndex<P>, broken_files: Vec<PathBuf>) -> Self {
        let stations = Arc::new(StationDirectory::new(maps.values().cloned().collect()));
        Self { maps, layouts, stations, broken_files }
    }
}

/// The current maps.
pub struct MapRegistry<P> {
    folder: Option<PathBuf>,
    prepare: fn(&RouteMap) -> P,
    builtin: MapIndex<P>,
    builtin_layouts: LayoutIndex<P>,
    current: ArcSwap<Current<P>>,
    files: Mutex<BTreeMap<PathBuf, TrackedFile<P>>>,
}

/// A file of the folder, as of the last reload.
struct TrackedFile<P> {
    /// `None` if the file could not be read.
    version: Option<FileVersion>,
    /// The last valid map from this file.
    map: Option<Arc<LoadedMap<P>>>,
    /// Whether the file as it is now cannot be read or has errors.
    is_broken: bool,
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
        let layout = |(id, language, name, text): &(&str, MapLanguage, &'static str, &'static str)| {
            let id = builtin.get_key_value(*id).map(|(id, _)| id.clone())?;
            Some(((id, *language), Arc::new(Layout::built_in(name, text))))
        };
        let builtin_layouts: LayoutIndex<P> = builtin::LAYOUTS.iter().filter_map(layout).collect();
        let registry = Self {
            folder,
            prepare,
            current: ArcSwap::from_pointee(Current::new(MapIndex::new(), LayoutIndex::new(), Vec::new())),
            builtin,
            builtin_layouts,
            files: Mutex::default(),
        };
        registry.current.store(Arc::new(registry.index(&BTreeMap::new())));
        registry.reload()?;
        Ok(registry)
    }

    /// The map with that id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<Arc<LoadedMap<P>>> {
        self.current.load().maps.get(id).cloned()
    }

    /// The map with that id, in the layout for the labels of a language. A map without translations has one layout for
    /// all languages.
    #[must_use]
    pub fn get_in(&self, id: &str, language: MapLanguage) -> Option<Arc<LoadedMap<P>>> {
        let map = self.get(id)?;
        Some(self.in_language(&map, language))
    }

    /// A map in the layout for the labels of a language.
    #[must_use]
    pub fn in_language(&self, map: &Arc<LoadedMap<P>>, language: MapLanguage) -> Arc<LoadedMap<P>> {
        if map.map.language == language {
            return Arc::clone(map);
        }
        let key = (map.map.id.clone(), language);
        let layout = self.current.load().layouts.get(&key).cloned();
        layout.map_or_else(|| Arc::clone(map), |layout| layout.get(map, self.prepare))
    }

    /// The languages that a map is laid out for, its own first. They differ only if the map has translations.
    #[must_use]
    pub fn languages(&self, map: &RouteMap) -> Vec<MapLanguage> {
        let current = self.current.load();
        let has = |language: &MapLanguage| current.layouts.contains_key(&(map.id.clone(), *language));
        std::iter::once(MapLanguage::default()).chain(MapLanguage::ALL.into_iter().filter(has)).collect()
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
            let is_broken = fresh.is_none();
            files.insert(path, TrackedFile { version, map: fresh.or(earlier), is_broken });
        }
        if changed {
            self.current.store(Arc::new(self.index(&files)));
        }
        Ok(changed)
    }

    /// The files of the folder that cannot be read or have errors. The log says what is wrong with them.
    #[must_use]
    pub fn broken_files(&self) -> Vec<PathBuf> {
        self.current.load().broken_files.clone()
    }

    /// The built-in maps, replaced by those of the folder. Of two files with the same id and language, the first by
    /// file name wins.
    fn index(&self, files: &BTreeMap<PathBuf, TrackedFile<P>>) -> Current<P> {
        let mut maps = self.builtin.clone();
        let mut layouts = BTreeMap::new();
        let mut origin: BTreeMap<(MapId, MapLanguage), &Path> = BTreeMap::new();
        for (path, tracked) in files {
            let Some(loaded) = &tracked.map else { continue };
            let (id, language) = (&loaded.map.id, loaded.map.language);
            if let Some(first) = origin.get(&(id.clone(), language)) {
                let (file, first) = (path.display(), first.display());
                tracing::error!(%file, map = %id, "left out: {first} has a map of the same id");
                continue;
            }
            origin.insert((id.clone(), language), path);
            if language == MapLanguage::default() {
                maps.insert(id.clone(), Arc::clone(loaded));
            } else {
                layouts.insert((id.clone(), language), Arc::clone(loaded));
            }
        }
        for (id, language) in layouts.keys().filter(|(id, _)| !maps.contains_key(id)) {
            tracing::error!(map = %id, language = language.word(), "this layout is of no use: there is no such map");
        }
        let built_in = |map: &Arc<LoadedMap<P>>, language: MapLanguage| {
            let is_built_in = self.builtin.get(&map.map.id).is_some_and(|own| Arc::ptr_eq(own, map));
            self.builtin_layouts.get(&(map.map.id.clone(), language)).filter(|_| is_built_in).cloned()
        };
        let layouts = layouts::choose(&maps, &layouts, built_in);
        let broken = files.iter().filter(|(_, tracked)| tracked.is_broken).map(|(path, _)| path.clone());
        Current::new(maps, layouts, broken.collect())
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
pub(crate) fn load<P>(name: &str, text: &str, prepare: fn(&RouteMap) -> P) -> Option<Arc<LoadedMap<P>>> {
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
    Some(Arc::new(LoadedMap::new(map, prepare)))
}
