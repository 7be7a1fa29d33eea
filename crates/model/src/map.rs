//! The id of a route map.

use std::{borrow::Borrow, fmt};

use crate::Invalid;

/// The id of a route map: 1 to 64 of `a`–`z`, `0`–`9`, `-`, `_`, beginning with a letter or digit, so that it can be
/// used in a URL and as a file name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MapId(String);

impl MapId {
    /// Checks the rule above.
    ///
    /// # Errors
    /// If `text` violates the rule.
    pub fn new(text: &str) -> Result<Self, Invalid> {
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
        let starts_well = text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric());
        if !starts_well || text.len() > 64 || !text.bytes().all(allowed) {
            return Err(Invalid("a map id has 1 to 64 of a-z, 0-9, '-' and '_', and begins with a letter or digit"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for MapId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MapId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::MapId;

    #[test]
    fn ids_are_safe_in_urls_and_file_names() {
        for good in ["tokyo", "a", "0", "new-york_2", &"x".repeat(64)] {
            assert!(MapId::new(good).is_ok(), "{good}");
        }
        let id = MapId::new("new-york_2").unwrap();
        assert_eq!((id.as_str(), id.to_string().as_str()), ("new-york_2", "new-york_2"));
        assert_eq!(std::collections::HashMap::from([(id, 7)]).get("new-york_2"), Some(&7));
        for bad in ["", "-a", "../x", "Tokyo", "東京", "a b", &"x".repeat(65)] {
            assert!(MapId::new(bad).is_err(), "{bad}");
        }
    }
}
