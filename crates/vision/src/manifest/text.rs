//! The parts of a manifest of a reader of text.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// The three networks of a reader.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Text {}

impl Text {
    /// Every file with its hash.
    #[must_use]
    pub fn files(&self) -> Vec<(&Path, &str)> {
        Vec::new()
    }
}
