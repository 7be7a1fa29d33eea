//! What users may keep, and how datasets are built.

use std::time::Duration;

use super::values::AllowedHosts;
use crate::{duration, size};

/// The settings of users' tokens, storage areas and datasets.
#[allow(clippy::doc_markdown, reason = "these comments are the help text, which is no Markdown")]
#[allow(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct UserSettings {
    /// How long a user's token is valid
    #[arg(
        long,
        global = true,
        env = "KAISATSU_TOKEN_LIFETIME",
        value_name = "SPAN",
        default_value = "30d",
        value_parser = duration::parse
    )]
    pub(crate) token_lifetime: Duration,

    /// Size of all images that one user may have, in the storage area and in datasets, in bytes or with a unit
    #[arg(
        long,
        global = true,
        env = "KAISATSU_USER_BYTES",
        value_name = "SIZE",
        default_value = "2GiB",
        value_parser = size::parse
    )]
    pub(crate) user_bytes: u64,

    /// Images that one user may have in the storage area
    #[arg(long, global = true, env = "KAISATSU_USER_IMAGES", value_name = "NUMBER", default_value_t = 10_000)]
    pub(crate) user_images: u32,

    /// Datasets that one user may have
    #[arg(long, global = true, env = "KAISATSU_USER_DATA_SETS", value_name = "NUMBER", default_value_t = 50)]
    pub(crate) user_data_sets: u32,

    /// Images that one dataset may have
    #[arg(
        long,
        global = true,
        env = "KAISATSU_DATA_SET_IMAGES",
        value_name = "NUMBER",
        default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(1..=100_000)
    )]
    pub(crate) data_set_images: u32,

    /// Images of datasets that are fetched at the same time
    #[arg(
        long,
        global = true,
        env = "KAISATSU_FETCHES",
        value_name = "NUMBER",
        default_value_t = 8,
        value_parser = clap::value_parser!(u32).range(1..=256)
    )]
    pub(crate) fetches: u32,

    /// How long fetching an image may take in total
    #[arg(
        long,
        global = true,
        env = "KAISATSU_FETCH_TIMEOUT",
        value_name = "SPAN",
        default_value = "20s",
        value_parser = duration::parse
    )]
    pub(crate) fetch_timeout: Duration,

    /// Internal hosts that images may be fetched from, separated by commas: 10.1.2.3, 10.0.0.0/8, images.internal,
    /// each with or without :PORT [default: none, only public addresses]
    #[arg(long, global = true, env = "KAISATSU_FETCH_ALLOW", value_name = "PLACES")]
    pub(crate) fetch_allow: Option<AllowedHosts>,

    /// How long a replica that builds a dataset may be silent before another takes over
    #[arg(
        long,
        global = true,
        env = "KAISATSU_JOB_LEASE",
        value_name = "SPAN",
        default_value = "15s",
        value_parser = duration::parse
    )]
    pub(crate) job_lease: Duration,

    /// Build datasets, write segments of the catalogue and erase what was deleted in this server; with false only
    /// `kaisatsu worker` and other servers do: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_JOBS",
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) jobs: bool,
}
