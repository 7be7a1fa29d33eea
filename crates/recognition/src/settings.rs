//! What the operator decides about recognition and about users' images.

use std::{path::PathBuf, time::Duration};

use kaisatsu_fetch::Fetcher;
use kaisatsu_store::Blobs;

/// Settings of recognition.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Images that may wait for a thread of the engine.
    pub waiting: usize,
    /// The most pixels of an image.
    pub max_pixels: u64,
    /// How long recognitions are saved.
    pub keep: Duration,
    /// Whether images are saved with them.
    pub keep_pictures: bool,
    /// Whether recognitions that need no database are answered while it is away, and not saved.
    pub unsaved_answers: bool,
    /// How many applications have to agree before feedback acts for all.
    pub quorum: usize,
    /// The most memory for verdicts, in bytes.
    pub feedback_memory: usize,
    /// Whether the position in a picture's EXIF data may be used, for models of things that have a place.
    pub exif_position: bool,
    /// Where the vectors of collections are.
    pub vectors: VectorSettings,
    /// The segments of the catalogue.
    pub segments: SegmentSettings,
}

/// Where the vectors of collections are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorSettings {
    /// Where they belong.
    pub place: VectorPlace,
    /// With [`VectorPlace::Auto`]: the number of images from which on a collection belongs in the database.
    pub threshold: usize,
    /// With [`VectorPlace::Auto`]: the most memory for all that are not in the database, in bytes.
    pub memory: usize,
}

/// The segments of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentSettings {
    /// How many items make a segment; with 0 none is written.
    pub items: usize,
    /// Where segments are written, and where copies of those on an S3 server are.
    pub folder: PathBuf,
    /// The most bytes of such copies.
    pub cache_bytes: u64,
}

/// Where the vectors of a collection belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorPlace {
    /// In the memory of every replica.
    Memory,
    /// In the database.
    Database,
    /// In the database if there are many and the database can search them, in memory otherwise.
    Auto,
}

/// How much one user may have.
#[derive(Debug, Clone, Copy)]
pub struct UserLimits {
    /// Bytes of images, in the storage area and in datasets.
    pub bytes: u64,
    /// Images in the storage area.
    pub images: u32,
    /// Datasets.
    pub datasets: u32,
    /// Images of one dataset.
    pub dataset_images: u32,
}

/// Settings of users' images.
pub struct UserSettings {
    /// Where images are stored.
    pub blobs: Blobs,
    /// Fetches the images of datasets.
    pub fetcher: Fetcher,
    /// How much one user may have.
    pub limits: UserLimits,
    /// The most images that are fetched at once.
    pub fetches: usize,
    /// How long a replica that builds a dataset may be silent before another takes over.
    pub lease: Duration,
}
