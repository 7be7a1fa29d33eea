//! The map files that are compiled into the binary; `make maps` builds them again.

use kaisatsu_model::MapLanguage;

/// Name and text of each built-in map file.
pub(crate) const MAPS: [(&str, &str); 3] = [
    ("built-in tokyo.toml", include_str!("../maps/tokyo.toml")),
    ("built-in kansai.toml", include_str!("../maps/kansai.toml")),
    ("built-in new-york.toml", include_str!("../maps/new-york.toml")),
];

/// Map, language, name and text of each layout in another language: all that the folder has.
pub(crate) const LAYOUTS: &[(&str, MapLanguage, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/layouts.rs"));
