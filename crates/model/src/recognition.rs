//! Recognitions, their candidates, and the verdicts on them.

use std::fmt::{self, Write as _};

use crate::{Invalid, code::id};

/// The id of a recognition: a random UUID (version 4).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecognitionId(String);

impl RecognitionId {
    /// A fresh id out of random bytes.
    #[must_use]
    pub fn from_random(mut bytes: [u8; 16]) -> Self {
        bytes[6] = (bytes[6] & 0x0f) | 0x40;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        let mut text = String::with_capacity(36);
        for (at, byte) in bytes.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }

    /// An id as it was sent. What does not exist is simply not found later.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RecognitionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

id!(
    /// The id of one candidate of a recognition.
    ItemId,
    "itm_",
    10
);

/// Whether a candidate was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It was.
    Valid,
    /// It was not.
    Invalid,
}

/// How many verdicts of one application on one subject act at a time: older ones say little that newer ones do not, and
/// every replica keeps all that act in memory.
pub const MOST_PER_CANDIDATE: i64 = 500;

/// What a caller wrote beside a verdict: at most 2,000 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment(String);

impl Comment {
    /// The most characters.
    pub const LONGEST: usize = 2000;

    /// Checks the rule above.
    ///
    /// # Errors
    /// The rule, when `text` breaks it.
    pub fn new(text: &str) -> Result<Self, Invalid> {
        // PostgreSQL keeps no NUL in text; nobody writes one on purpose.
        if text.chars().count() > Self::LONGEST || text.contains('\0') {
            return Err(Invalid("must be at most 2000 characters, none of them NUL"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The comment as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Comment, RecognitionId};

    #[test]
    fn a_recognition_id_is_a_random_uuid() {
        assert_eq!(RecognitionId::from_random([0xff; 16]).as_str(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(RecognitionId::from_random([0; 16]).as_str(), "00000000-0000-4000-8000-000000000000");
    }

    #[test]
    fn a_comment_is_counted_in_characters() {
        assert!(Comment::new(&"字".repeat(2000)).is_ok());
        assert!(Comment::new(&"字".repeat(2001)).is_err());
        assert!(Comment::new("a\0b").is_err());
    }
}
