//! The maps that come with the binary.

/// Name and text of each built-in map file.
pub(crate) const MAPS: [(&str, &str); 1] = [("built-in tokyo.toml", include_str!("../maps/tokyo.toml"))];
