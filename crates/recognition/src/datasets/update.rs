//! Changing a dataset, and undoing the last change. A new version is built in the background; until it is ready, the
//! one before it answers.

use std::collections::HashSet;

use kaisatsu_model::{DatasetId, DatasetName, ImageId, Tag};
use kaisatsu_store::{
    CreateDatasetOutcome, DatasetUpdate, ImageChanges, UndoOutcome, UpdateDatasetOutcome, VersionLimits,
};

use super::{Dataset, DatasetImageRequest, Datasets, MOST_TAGS, new_image};
use crate::{RecognitionError, User, log::random};

/// What changes in a dataset.
#[derive(Debug, Clone, Default)]
pub struct DatasetChanges {
    /// Its new name.
    pub name: Option<DatasetName>,
    /// Images to add.
    pub add: Vec<DatasetImageRequest>,
    /// Images to remove.
    pub remove: Vec<ImageId>,
    /// Images that get another tag.
    pub retag: Vec<(ImageId, Tag)>,
    /// Tags to rename; two that get the same name become one.
    pub rename_tags: Vec<(Tag, Tag)>,
    /// Images whose tag is right, whatever the report says.
    pub confirm: Vec<ImageId>,
}

impl Datasets {
    /// Changes a user's dataset. Returns it as it is now, with the version that is being built.
    ///
    /// # Errors
    /// Why it is not changed. Nothing of it is, then.
    pub async fn update(
        &self,
        user: &User,
        id: &DatasetId,
        changes: DatasetChanges,
    ) -> Result<Dataset, RecognitionError> {
        let DatasetChanges { name, add, remove, retag, rename_tags, confirm } = changes;
        if !add.is_empty() {
            self.check_addresses(&add)?;
        }
        let removed: HashSet<&ImageId> = remove.iter().collect();
        if let Some(both) = retag.iter().map(|(id, _)| id).chain(&confirm).find(|id| removed.contains(id)) {
            return Err(RecognitionError::RemovedAndKept(both.as_str().to_owned()));
        }
        let id = &self.row(user, id).await?.id();
        let images =
            ImageChanges { remove, rename_tags, retag, confirm, add: add.into_iter().map(new_image).collect() };
        let update = DatasetUpdate {
            application: user.application.clone(),
            user: user.id.clone(),
            id: id.clone(),
            version: DatasetId::from_random(random()),
            at: self.clock.now(),
            name,
            images,
        };
        let limits = VersionLimits { images: self.limits.dataset_images.into(), tags: MOST_TAGS };
        match self.store.update_dataset(&update, limits).await? {
            UpdateDatasetOutcome::Updated => {
                self.signals.build.notify_one();
                self.signals.sweep.notify_one();
                self.get(user, id).await
            }
            UpdateDatasetOutcome::NoDataset => Err(RecognitionError::NoSuchDataset),
            UpdateDatasetOutcome::NotInDataset(image) => Err(RecognitionError::NotInDataset(image)),
            UpdateDatasetOutcome::NoSuchTag(tag) => Err(RecognitionError::NoSuchTag(tag)),
            UpdateDatasetOutcome::Refused(CreateDatasetOutcome::NoImage(at)) => {
                Err(RecognitionError::NoStoredImage { field: "add", at })
            }
            UpdateDatasetOutcome::Refused(CreateDatasetOutcome::NoTag(at)) => {
                Err(RecognitionError::NoTag { field: "add", at })
            }
            UpdateDatasetOutcome::Refused(_) | UpdateDatasetOutcome::TooManyTags => {
                Err(RecognitionError::TooManyTags(MOST_TAGS))
            }
            UpdateDatasetOutcome::TooManyImages => Err(RecognitionError::DatasetTooLarge(self.limits.dataset_images)),
            UpdateDatasetOutcome::Empty => Err(RecognitionError::NoImageLeft),
        }
    }

    /// Undoes the last change of a user's dataset: a version that is not ready yet is dropped; otherwise the version
    /// before answers again, and undoing once more brings the later one back.
    ///
    /// # Errors
    /// [`RecognitionError::NothingToUndo`] when it has not been changed.
    pub async fn undo(&self, user: &User, id: &DatasetId) -> Result<Dataset, RecognitionError> {
        let id = &self.row(user, id).await?.id();
        match self.store.undo_dataset(&user.application, &user.id, id, self.clock.now()).await? {
            UndoOutcome::Undone => {
                self.signals.sweep.notify_one();
                self.get(user, id).await
            }
            UndoOutcome::NoDataset => Err(RecognitionError::NoSuchDataset),
            UndoOutcome::NothingToUndo => Err(RecognitionError::NothingToUndo),
        }
    }
}
