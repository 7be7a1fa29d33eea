//! Public collections of images.

use std::fmt;

use crate::Invalid;

/// The name of a collection: 1 to 64 letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionName(String);

impl CollectionName {
    /// Checks the rule above.
    ///
    /// # Errors
    /// If `text` violates the rule.
    pub fn new(text: &str) -> Result<Self, Invalid> {
        let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        if text.is_empty() || text.len() > 64 || !plain {
            return Err(Invalid("must have 1 to 64 letters, digits, '-' and '_'"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CollectionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::CollectionName;

    #[test]
    fn names_are_plain_and_bounded() {
        let name = CollectionName::new("Museum_2-b").unwrap();
        assert_eq!((name.as_str(), name.to_string().as_str()), ("Museum_2-b", "Museum_2-b"));
        assert!(CollectionName::new(&"a".repeat(64)).is_ok());
        for bad in ["", "a b", "a/b", "美術館", &"a".repeat(65)] {
            assert!(CollectionName::new(bad).is_err(), "{bad}");
        }
    }
}
