//! Keys by which a caller marks a request that it may send again.

use std::time::Duration;

use crate::Invalid;

/// How long the answer of a request with a key is kept.
pub const ANSWERS_KEPT: Duration = Duration::from_hours(24);

/// The value of the header `Idempotency-Key`: 1 to 255 visible ASCII characters. Callers send a UUID or the like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Checks the rule above.
    ///
    /// # Errors
    /// If `text` violates the rule.
    pub fn new(text: &str) -> Result<Self, Invalid> {
        if text.is_empty() || text.len() > 255 || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Invalid("must have 1 to 255 visible ASCII characters"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::IdempotencyKey;

    #[test]
    fn keys_are_bounded() {
        for good in ["a", "8e03978e-40d5-43e8-bc93-6894a57f9324", "\"quoted\"", &"~".repeat(255)] {
            assert_eq!(IdempotencyKey::new(good).unwrap().as_str(), good);
        }
        for bad in ["", "a b", "a\tb", "é", "\u{7f}", &"a".repeat(256)] {
            assert!(IdempotencyKey::new(bad).is_err(), "{bad:?}");
        }
    }
}
