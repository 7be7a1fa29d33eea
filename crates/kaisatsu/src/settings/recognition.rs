//! What image recognition may use, keeps, and learns from.

use std::time::Duration;

use kaisatsu_vision::HeifLibrary;

use super::values::VectorsSetting;
use crate::{duration, size};

/// The settings of image recognition.
#[allow(clippy::doc_markdown, reason = "these comments are the help text, which is no Markdown")]
#[allow(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct RecognitionSettings {
    /// Threads that process pictures; 0 for one a core
    #[arg(
        long,
        global = true,
        env = "KAISATSU_ENGINE_THREADS",
        value_name = "NUMBER",
        default_value_t = 0,
        value_parser = clap::value_parser!(u32).range(0..=1024)
    )]
    pub(crate) engine_threads: u32,

    /// Pictures that may wait for a thread; when the queue is full the answer is 503 with Retry-After
    #[arg(
        long,
        global = true,
        env = "KAISATSU_ENGINE_WAITING",
        value_name = "NUMBER",
        default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(0..=100_000)
    )]
    pub(crate) engine_waiting: u32,

    /// How long a model that is loaded when first asked for stays in memory unused
    #[arg(
        long,
        global = true,
        env = "KAISATSU_MODEL_IDLE",
        value_name = "DURATION",
        default_value = "15m",
        value_parser = duration::parse
    )]
    pub(crate) model_idle: Duration,

    /// Largest image, in bytes or with a unit such as 20MB
    #[arg(
        long,
        global = true,
        env = "KAISATSU_MAX_IMAGE_BYTES",
        value_name = "SIZE",
        default_value = "20MiB",
        value_parser = size::parse_image
    )]
    pub(crate) max_image_bytes: u32,

    /// Largest image in pixels
    #[arg(
        long,
        global = true,
        env = "KAISATSU_MAX_IMAGE_PIXELS",
        value_name = "NUMBER",
        default_value_t = 50_000_000,
        value_parser = clap::value_parser!(u32).range(1..=1 << 30)
    )]
    pub(crate) max_image_pixels: u32,

    /// Library that reads HEIC and AVIF: auto for the system's libheif if it is installed, off, or the path of a file
    #[arg(long, global = true, env = "KAISATSU_HEIF", value_name = "LIBRARY", default_value_t)]
    pub(crate) heif: HeifLibrary,

    /// Use the position in a picture's EXIF data where a model knows the places of things: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_EXIF_POSITION",
        value_name = "BOOL",
        default_value_t = false,
        action = clap::ArgAction::Set
    )]
    pub(crate) exif_position: bool,

    /// How long recognitions are kept, so that feedback can refer to them
    #[arg(
        long,
        global = true,
        env = "KAISATSU_KEEP_RECOGNITIONS",
        value_name = "SPAN",
        default_value = "30d",
        value_parser = duration::parse
    )]
    pub(crate) keep_recognitions: Duration,

    /// Keep the pictures themselves with the recognitions: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_KEEP_PICTURES",
        value_name = "BOOL",
        default_value_t = false,
        action = clap::ArgAction::Set
    )]
    pub(crate) keep_pictures: bool,

    /// Answer recognitions that need no database while it is away, without saving them, so that feedback cannot refer
    /// to them: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_UNSAVED_ANSWERS",
        value_name = "BOOL",
        default_value_t = false,
        action = clap::ArgAction::Set
    )]
    pub(crate) unsaved_answers: bool,

    /// Owners of applications that must agree before feedback acts for all applications; for the application that gave
    /// it, it acts at once
    #[arg(
        long,
        global = true,
        env = "KAISATSU_FEEDBACK_QUORUM",
        value_name = "NUMBER",
        default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(2..=1000)
    )]
    pub(crate) feedback_quorum: u32,

    /// Memory for verdicts, in bytes or with a unit; those on what is asked here are read from the database when it is
    /// first asked, and dropped when others need the memory
    #[arg(
        long,
        global = true,
        env = "KAISATSU_FEEDBACK_MEMORY",
        value_name = "SIZE",
        default_value = "256MiB",
        value_parser = size::parse
    )]
    pub(crate) feedback_memory: u64,

    /// Where the vectors of collections are searched: memory, database (PostgreSQL with pgvector), or auto for the
    /// database where it can and a collection is large
    #[arg(long, global = true, env = "KAISATSU_VECTORS", value_name = "PLACE", default_value = "auto")]
    pub(crate) vectors: VectorsSetting,

    /// Images from which on a collection is large; it returns to memory when half of them are left
    #[arg(
        long,
        global = true,
        env = "KAISATSU_VECTORS_THRESHOLD",
        value_name = "NUMBER",
        default_value_t = 50_000,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) vectors_threshold: u32,

    /// Memory for the vectors of collections that are not large, in bytes or with a unit; when all together need more,
    /// the largest of them move to the database if it can search them
    #[arg(
        long,
        global = true,
        env = "KAISATSU_COLLECTION_MEMORY",
        value_name = "SIZE",
        default_value = "256MiB",
        value_parser = size::parse
    )]
    pub(crate) collection_memory: u64,

    /// Items that make a segment of the catalogue, a file in the storage; fewer stay in the memory of every server. 0
    /// for no segments
    #[arg(
        long,
        global = true,
        env = "KAISATSU_CATALOGUE_SEGMENT",
        value_name = "NUMBER",
        default_value_t = 8192,
        value_parser = clap::value_parser!(u32).range(0..=100_000)
    )]
    pub(crate) catalogue_segment: u32,

    /// Largest size of the catalogue's segments, which every server copies from an S3 server into its data folder, in
    /// bytes or with a unit
    #[arg(
        long,
        global = true,
        env = "KAISATSU_CATALOGUE_CACHE",
        value_name = "SIZE",
        default_value = "64GiB",
        value_parser = size::parse
    )]
    pub(crate) catalogue_cache: u64,
}
