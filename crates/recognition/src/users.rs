//! What belongs to users: where their images are kept, how their addresses are fetched, and how much one may have.

use std::time::Duration;

use kaisatsu_fetch::Fetcher;
use kaisatsu_model::{AppId, UserId};
use kaisatsu_store::Blobs;
use tokio::sync::Notify;

use crate::{Recogniser, datasets::Shelf, storage::Small};

/// How much one user may have.
#[derive(Debug, Clone, Copy)]
pub struct UserLimits {
    /// Bytes of images, in the storage area and in datasets.
    pub bytes: u64,
    /// Images in the storage area.
    pub images: u32,
    /// Datasets.
    pub data_sets: u32,
    /// Images of one dataset.
    pub data_set_images: u32,
}

/// What the operator has decided about users' images.
pub struct UserSettings {
    /// Where images are kept.
    pub blobs: Blobs,
    /// What fetches the images of datasets.
    pub fetcher: Fetcher,
    /// How much one user may have.
    pub limits: UserLimits,
    /// The most images that are fetched at once.
    pub fetches: usize,
    /// How long whoever builds a dataset may be silent before another takes over.
    pub lease: Duration,
}

/// A user of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The application.
    pub application: AppId,
    /// Its own name for the user.
    pub id: UserId,
}

/// The settings, and what goes with them.
pub(crate) struct Users {
    pub(crate) settings: UserSettings,
    /// The datasets in memory.
    pub(crate) shelf: Shelf,
    /// Rung when there is a dataset to build.
    pub(crate) to_build: Notify,
    /// Rung when there may be bytes that are nobody's.
    pub(crate) to_sweep: Notify,
    /// The line for small pictures.
    pub(crate) small: Small,
}

impl Users {
    pub(crate) fn new(settings: UserSettings) -> Self {
        Self {
            settings,
            shelf: Shelf::default(),
            to_build: Notify::new(),
            to_sweep: Notify::new(),
            small: Small::default(),
        }
    }
}

impl Recogniser {
    /// The most images that a dataset may be made of.
    #[must_use]
    pub fn most_data_set_images(&self) -> usize {
        usize::try_from(self.users.settings.limits.data_set_images).unwrap_or(usize::MAX)
    }
}
