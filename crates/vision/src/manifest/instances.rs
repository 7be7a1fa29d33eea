//! Models that recognise single things, such as sights, paintings or shop fronts, by pictures of each.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::File;

/// The parts of a model of instances.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceParts {
    pub(crate) kind: InstanceKind,
    /// A vector of each picture, which finds the things that it may show.
    pub vectors: PictureFile,
    /// The local features of each picture, which verify them.
    pub features: PictureFile,
    /// Where each thing is, and pages about it.
    pub facts: File,
    /// The names of the things.
    pub labels: File,
}

/// What says that a classifier is one of instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum InstanceKind {
    Instances,
}

/// What a model made of the pictures.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PictureFile {
    /// The model.
    pub model: String,
    /// What identifies its vectors, or the hash of its weights: those of another one could not be compared.
    pub model_sha256: String,
    /// The file.
    pub file: PathBuf,
    /// Its SHA-256.
    pub sha256: String,
}
