//! The layouts of maps for the labels of other languages.
//!
//! A layout is a map file of its own, with the id of its map and a `language`. Its stations are those of the map; where
//! they are, and their labels, are its own. A map without such a file, but with translations, is drawn in its own
//! layout with the names of the language. A map without translations has no layouts, and costs nothing.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use kaisatsu_model::{MapId, MapLanguage};

use crate::{LoadedMap, RouteMap, registry::load};

/// The layouts of some maps, by map and language.
pub(crate) type LayoutIndex<P> = BTreeMap<(MapId, MapLanguage), Arc<Layout<P>>>;

/// A layout. Unless it comes from a folder, it is made when it is first asked for: most servers are never asked.
pub(crate) struct Layout<P> {
    source: Source,
    loaded: OnceLock<Option<Arc<LoadedMap<P>>>>,
}

enum Source {
    /// Name and text of a built-in file.
    File(&'static str, &'static str),
    /// The layout of the map itself, with the labels of a language.
    Relabelled(MapLanguage),
}

impl<P> Layout<P> {
    pub(crate) fn built_in(name: &'static str, text: &'static str) -> Self {
        Self { source: Source::File(name, text), loaded: OnceLock::new() }
    }

    fn relabelled(language: MapLanguage) -> Self {
        Self { source: Source::Relabelled(language), loaded: OnceLock::new() }
    }

    fn of(loaded: Arc<LoadedMap<P>>) -> Self {
        let language = loaded.map.language;
        Self { source: Source::Relabelled(language), loaded: OnceLock::from(Some(loaded)) }
    }

    /// The layout of a map; the map itself if the layout cannot be made.
    pub(crate) fn get(&self, base: &Arc<LoadedMap<P>>, prepare: fn(&RouteMap) -> P) -> Arc<LoadedMap<P>> {
        let made = self.loaded.get_or_init(|| match self.source {
            Source::File(name, text) => load(name, text, prepare).filter(|loaded| has_stations_of(loaded, base)),
            Source::Relabelled(language) => {
                let map = base.map.relabelled(language)?;
                Some(Arc::new(LoadedMap::new(map, prepare)))
            }
        });
        made.as_ref().unwrap_or(base).clone()
    }
}

/// Chooses the layouts of maps: a file of the folder, else a built-in file of a built-in map, else the map's own.
pub(crate) fn choose<P>(
    maps: &BTreeMap<MapId, Arc<LoadedMap<P>>>,
    of_folder: &BTreeMap<(MapId, MapLanguage), Arc<LoadedMap<P>>>,
    built_in: impl Fn(&Arc<LoadedMap<P>>, MapLanguage) -> Option<Arc<Layout<P>>>,
) -> LayoutIndex<P> {
    let mut chosen = LayoutIndex::new();
    for (id, map) in maps {
        let others = MapLanguage::ALL.into_iter().filter(|language| *language != map.map.language);
        for language in others {
            let key = (id.clone(), language);
            let own = of_folder.get(&key).filter(|layout| has_stations_of(layout, map));
            let layout = own.map(|loaded| Arc::new(Layout::of(Arc::clone(loaded))));
            let layout = layout.or_else(|| built_in(map, language));
            let relabelled = || map.map.is_translated().then(|| Arc::new(Layout::relabelled(language)));
            if let Some(layout) = layout.or_else(relabelled) {
                chosen.insert(key, layout);
            }
        }
    }
    chosen
}

/// Whether a layout has the stations of its map. Another one would answer with other stations than the map has.
fn has_stations_of<P>(layout: &LoadedMap<P>, map: &LoadedMap<P>) -> bool {
    let codes = |loaded: &LoadedMap<P>| loaded.map.stations().iter().map(|station| station.code).collect::<Vec<_>>();
    let same = codes(layout) == codes(map);
    if !same {
        let (id, language) = (&map.map.id, layout.map.language.word());
        tracing::error!(map = %id, language, "this layout is left out: its stations are not those of the map");
    }
    same
}
