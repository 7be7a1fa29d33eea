//! Users' datasets: made of addresses and stored images, built in the background, used for recognition.

mod build;
mod file_names;
mod files;
mod recognise;
mod update;

use std::sync::Arc;

pub(crate) use build::DatasetBuilder;
pub use file_names::FilePath;
pub use files::{DatasetFile, DatasetFiles, OpenDataset};
use kaisatsu_fetch::{FetchError, Fetcher};
use kaisatsu_model::{Clock, DatasetId, DatasetName, ImageId, Outcome, Phase, Tag};
use kaisatsu_store::{
    CreateDatasetOutcome, DatasetImageRow, DatasetLimits, DatasetRow, ImageSource, NewDataset, NewDatasetImage, Store,
};
use serde_json::Value;
pub use update::DatasetChanges;

use crate::{
    Cursor, Page, RecognitionError, User, UserLimits,
    background::Signals,
    context::Context,
    engine::{EngineQueue, Models},
    indexes::DatasetCache,
    learning::LearnedFeedback,
    log::{RecognitionLog, random},
};

/// The most tags of a dataset: telling them apart takes memory for every image and tag.
const MOST_TAGS: usize = 1_000;

/// An image that a dataset is to be made of.
#[derive(Debug, Clone)]
pub struct DatasetImageRequest {
    /// Where it comes from.
    pub origin: ImageOrigin,
    /// What it shows. An image of the storage area may have a tag of its own.
    pub tag: Option<Tag>,
}

/// What a dataset is to be made of.
#[derive(Debug, Clone)]
pub enum DatasetSource {
    /// These images.
    Images(Vec<DatasetImageRequest>),
    /// All images of the user's storage area that have a tag.
    Storage,
}

/// Where an image comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageOrigin {
    /// An address.
    Url(String),
    /// The user's storage area.
    Stored(ImageId),
}

/// A dataset as its user sees it.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Its row in the database.
    pub row: DatasetRow,
    /// How many images have which outcome, in the order of [`Outcome::ALL`], without those that none has.
    pub counts: Vec<(Outcome, u64)>,
    /// What it cannot do.
    pub warnings: Vec<DatasetWarning>,
    /// The version that is being built, or that failed: its phase, and its images like `counts`.
    pub next: Option<(Phase, Vec<(Outcome, u64)>)>,
}

/// What a dataset cannot do, although it can be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatasetWarning {
    /// All of its images have the same tag.
    OneTag,
    /// Images of the storage area have no tag, and are not part of it.
    UntaggedImages,
}

impl DatasetWarning {
    /// What names it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OneTag => "oneTag",
            Self::UntaggedImages => "untaggedImages",
        }
    }

    /// The same in words.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::UntaggedImages => {
                "images of the storage area that have no tag are left out; to add one, upload the same image again with \
                 a tag"
            }
            Self::OneTag => {
                "all images have the same tag: the dataset can be searched with similarImage/search, but \
                 concept/classify needs two tags or more to tell apart"
            }
        }
    }
}

impl Dataset {
    /// How many images it has.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Its health report, once it is ready.
    #[must_use]
    pub fn report(&self) -> Option<Value> {
        serde_json::from_str(self.row.report.as_deref()?).ok()
    }
}

/// Users' datasets.
pub struct Datasets {
    store: Store,
    clock: Arc<dyn Clock>,
    models: Models,
    engine: Arc<EngineQueue>,
    cache: Arc<DatasetCache>,
    learned: Arc<LearnedFeedback>,
    log: Arc<RecognitionLog>,
    fetcher: Arc<Fetcher>,
    signals: Arc<Signals>,
    limits: UserLimits,
}

impl Datasets {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            clock: Arc::clone(&context.clock),
            models: context.models.clone(),
            engine: Arc::clone(&context.engine),
            cache: Arc::clone(&context.datasets),
            learned: Arc::clone(&context.learned),
            log: Arc::clone(&context.log),
            fetcher: Arc::clone(&context.fetcher),
            signals: Arc::clone(&context.signals),
            limits: context.limits,
        }
    }

    /// The most images that a dataset may be made of.
    #[must_use]
    pub fn most_images(&self) -> usize {
        usize::try_from(self.limits.dataset_images).unwrap_or(usize::MAX)
    }

    /// Creates a dataset, to be built in the background. Returns its id, and what it will not be able to do.
    ///
    /// # Errors
    /// Why it is not created.
    pub async fn create(
        &self,
        user: &User,
        name: DatasetName,
        source: DatasetSource,
    ) -> Result<(DatasetId, Vec<DatasetWarning>), RecognitionError> {
        self.create_as(DatasetId::from_random(random()), user, name, source).await
    }

    /// The same with an id that is chosen before. If the user has a dataset of this id already, an interrupted request
    /// created it, and nothing else is created.
    ///
    /// # Errors
    /// Why it is not created.
    pub async fn create_as(
        &self,
        id: DatasetId,
        user: &User,
        name: DatasetName,
        source: DatasetSource,
    ) -> Result<(DatasetId, Vec<DatasetWarning>), RecognitionError> {
        let (images, of_storage) = match source {
            DatasetSource::Images(images) => (images, false),
            DatasetSource::Storage => (Vec::new(), true),
        };
        self.check_addresses(&images)?;
        let model = self.models.default_embedder()?;
        let sha256 = model.manifest.embedding_sha256().ok_or_else(|| RecognitionError::Unusable {
            model: model.manifest.about.name.clone(),
            fault: "has no vectors, which datasets are made of",
            reason: "it has no embedding, which datasets are made of".to_owned(),
        })?;
        let new = NewDataset {
            id,
            application: user.application.clone(),
            user: user.id.clone(),
            name,
            model: model.manifest.about.name.clone(),
            model_sha256: sha256.to_owned(),
            created_at: self.clock.now(),
            images: images.into_iter().map(new_image).collect(),
        };
        let most = self.limits.datasets;
        let limits = DatasetLimits { datasets: most.into(), tags: MOST_TAGS };
        let created = if of_storage {
            self.store.create_dataset_of_storage(&new, limits, self.most_images()).await?
        } else {
            self.store.create_dataset(&new, limits).await?
        };
        match created {
            CreateDatasetOutcome::Created => {
                self.signals.build.notify_one();
                // It is created, whatever comes of this.
                let one_tag = self.store.outcomes_and_tags(&new.id).await.is_ok_and(|(_, one_tag)| one_tag);
                let mut warnings = warnings(one_tag);
                let untagged = || self.store.count_untagged_images(&user.application, &user.id);
                if of_storage && untagged().await.is_ok_and(|count| count > 0) {
                    warnings.push(DatasetWarning::UntaggedImages);
                }
                Ok((new.id, warnings))
            }
            CreateDatasetOutcome::NameTaken => Err(RecognitionError::NameTaken),
            CreateDatasetOutcome::NothingTagged => Err(RecognitionError::NothingTagged),
            CreateDatasetOutcome::TooManyImages => Err(RecognitionError::TooManyStored(self.most_images())),
            CreateDatasetOutcome::LimitReached => Err(RecognitionError::DatasetsFull(most)),
            CreateDatasetOutcome::NoImage(index) => Err(RecognitionError::NoStoredImage { field: "images", at: index }),
            CreateDatasetOutcome::NoTag(index) => Err(RecognitionError::NoTag { field: "images", at: index }),
            CreateDatasetOutcome::TooManyTags => Err(RecognitionError::TooManyTags(MOST_TAGS)),
        }
    }

    /// Checks the addresses without connecting to any. An address that may not be fetched costs its own image. When
    /// there is nothing else, no dataset is made.
    fn check_addresses(&self, images: &[DatasetImageRequest]) -> Result<(), RecognitionError> {
        let mut denied = None;
        let mut usable = false;
        for (index, image) in images.iter().enumerate() {
            let ImageOrigin::Url(url) = &image.origin else {
                usable = true;
                continue;
            };
            match self.fetcher.check(url) {
                Ok(()) => usable = true,
                Err(FetchError::Malformed(reason)) => return Err(RecognitionError::BadAddress { index, reason }),
                Err(error) => denied = denied.or(Some((index, error.to_string()))),
            }
        }
        match denied {
            Some((index, reason)) if !usable => Err(RecognitionError::AllDenied { index, reason }),
            _ => Ok(()),
        }
    }

    /// A user's dataset.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchDataset`] when there is none of that id.
    pub async fn get(&self, user: &User, id: &DatasetId) -> Result<Dataset, RecognitionError> {
        let row = self.row(user, id).await?;
        self.with_counts(row).await
    }

    /// The dataset of an id, or of the name that the user gave it.
    async fn row(&self, user: &User, id: &DatasetId) -> Result<DatasetRow, RecognitionError> {
        let (application, user) = (&user.application, &user.id);
        // What looks like an id is never a name: the id of a deleted dataset must not find another one.
        if id.as_str().starts_with(DatasetId::PREFIX) {
            let found = self.store.dataset(application, user, id).await?;
            return found.ok_or(RecognitionError::NoSuchDataset);
        }
        let mut named = self.store.datasets_named(application, user, id.as_str(), 2).await?.into_iter();
        match (named.next(), named.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(RecognitionError::NoSuchDataset),
            (Some(_), Some(_)) => Err(RecognitionError::AmbiguousName),
        }
    }

    async fn with_counts(&self, row: DatasetRow) -> Result<Dataset, RecognitionError> {
        let (found, one_tag) = self.store.outcomes_and_tags(&row.content()).await?;
        let next = match row.next() {
            Some((version, phase)) => Some((phase, in_order(&self.store.outcomes(&version).await?))),
            None => None,
        };
        let warnings = warnings(one_tag && row.phase() != Phase::Failed);
        Ok(Dataset { counts: in_order(&found), warnings, row, next })
    }

    /// The images of a user's dataset after a position, in the user's order, and whether there are more.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchDataset`] when there is none of that id.
    pub async fn images(
        &self,
        user: &User,
        id: &DatasetId,
        after: i64,
        most: usize,
    ) -> Result<(Vec<DatasetImageRow>, bool), RecognitionError> {
        let row = self.row(user, id).await?;
        let mut images = self.store.dataset_images(&row.content(), after, Page::<DatasetImageRow>::rows(most)).await?;
        let more = images.len() > most;
        images.truncate(most);
        Ok((images, more))
    }

    /// A page of a user's datasets, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self, user: &User, after: &Cursor, most: usize) -> Result<Page<Dataset>, RecognitionError> {
        let rows = Page::<DatasetRow>::rows(most);
        let rows = self.store.datasets(&user.application, &user.id, after.as_pair(), rows).await?;
        let page = Page::cut(rows, most, |row| (row.created_at(), row.id().as_str().to_owned()));
        let mut items = Vec::with_capacity(page.items.len());
        for row in page.items {
            items.push(self.with_counts(row).await?);
        }
        Ok(Page { items, next: page.next })
    }

    /// Deletes a user's dataset. When this returns no replica answers from it any more.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchDataset`] when there is none of that id.
    pub async fn delete(&self, user: &User, id: &DatasetId) -> Result<(), RecognitionError> {
        let id = self.row(user, id).await?.id();
        if !self.store.delete_dataset(&user.application, &user.id, &id, self.clock.now()).await? {
            return Err(RecognitionError::NoSuchDataset);
        }
        self.cache.remove(&id);
        self.learned.forget(id.as_str());
        self.signals.sweep.notify_one();
        Ok(())
    }
}

fn new_image(image: DatasetImageRequest) -> NewDatasetImage {
    let source = match image.origin {
        ImageOrigin::Url(url) => ImageSource::Url(url, ImageId::from_random(random())),
        ImageOrigin::Stored(id) => ImageSource::Stored(id),
    };
    NewDatasetImage { source, tag: image.tag }
}

/// The counts in the order of [`Outcome::ALL`].
fn in_order(counts: &[(Outcome, i64)]) -> Vec<(Outcome, u64)> {
    let count = |outcome| {
        let (_, count) = counts.iter().find(|(other, _)| *other == outcome)?;
        Some((outcome, count.unsigned_abs()))
    };
    Outcome::ALL.into_iter().filter_map(count).collect()
}

fn warnings(one_tag: bool) -> Vec<DatasetWarning> {
    one_tag.then_some(DatasetWarning::OneTag).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{ImageId, Source, Tag};
    use kaisatsu_store::{ImageSource, NewDatasetImage};

    use super::{DatasetImageRequest, ImageOrigin};
    use crate::{Cursor, RecognitionError, fixture::Fixture};

    fn image(number: u8) -> NewDatasetImage {
        let url = format!("https://example.org/{number}.jpg");
        NewDatasetImage { source: ImageSource::Url(url, ImageId::from_random([number; 20])), tag: Tag::new("cat").ok() }
    }

    #[tokio::test]
    async fn pages_of_datasets_and_of_images_end_where_they_say() {
        let fixture = Fixture::new().await;
        let (datasets, user) = (&fixture.recognition.datasets, &fixture.user);
        let mut ids = Vec::new();
        for number in 1..=3 {
            ids.push(fixture.dataset(user, number, vec![image(number)]).await);
        }
        let mut seen = Vec::new();
        let mut after = Some(Cursor::start());
        while let Some(cursor) = after {
            let page = datasets.list(user, &cursor, 2).await.unwrap();
            assert!(page.items.len() <= 2 && page.items.iter().all(|set| set.total() == 1));
            seen.extend(page.items.iter().map(|set| set.row.id()));
            after = page.next;
        }
        assert_eq!(seen, ids);

        let id = fixture.dataset(user, 4, (10..13).map(image).collect()).await;
        let (first, more) = datasets.images(user, &id, -1, 2).await.unwrap();
        assert_eq!((first.len(), more), (2, true));
        let (rest, more) = datasets.images(user, &id, first[1].position, 2).await.unwrap();
        assert_eq!((rest.len(), more), (1, false));
    }

    #[tokio::test]
    async fn a_dataset_is_its_user_s_alone() {
        let fixture = Fixture::new().await;
        let (datasets, user, other) = (&fixture.recognition.datasets, &fixture.user, fixture.other_user());
        let id = fixture.dataset(user, 1, vec![image(1)]).await;
        assert!(datasets.get(user, &id).await.is_ok());
        assert!(matches!(datasets.get(&other, &id).await, Err(RecognitionError::NoSuchDataset)));
        assert!(matches!(datasets.images(&other, &id, -1, 5).await, Err(RecognitionError::NoSuchDataset)));
        assert!(datasets.list(&other, &Cursor::start(), 5).await.unwrap().items.is_empty());
        assert!(matches!(datasets.delete(&other, &id).await, Err(RecognitionError::NoSuchDataset)));
        assert!(datasets.delete(user, &id).await.is_ok());
    }

    #[tokio::test]
    async fn deleting_a_dataset_also_forgets_what_was_learned_of_it() {
        let fixture = Fixture::new().await;
        let id = fixture.dataset(&fixture.user, 1, vec![image(1)]).await;
        let source = Source::Dataset(id.clone());
        fixture.rate_as(&fixture.user.application, 1, source.clone()).await;
        assert!(fixture.learned_by(&fixture.user.application, &source).await);
        fixture.recognition.datasets.delete(&fixture.user, &id).await.unwrap();
        assert!(!fixture.is_in_memory(&source));
    }

    #[tokio::test]
    async fn only_a_dataset_without_any_usable_address_is_refused() {
        let fixture = Fixture::new().await;
        let datasets = &fixture.recognition.datasets;
        let of = |urls: &[&str]| -> Vec<DatasetImageRequest> {
            let image = |url: &&str| DatasetImageRequest { origin: ImageOrigin::Url((*url).to_owned()), tag: None };
            urls.iter().map(image).collect()
        };
        let denied = "http://127.0.0.1/a.jpg";
        assert!(datasets.check_addresses(&of(&[denied, "https://example.org/b.jpg"])).is_ok());
        let refused = datasets.check_addresses(&of(&[denied, denied]));
        assert!(matches!(refused, Err(RecognitionError::AllDenied { index: 0, .. })), "{refused:?}");
        let refused = datasets.check_addresses(&of(&["https://example.org/b.jpg", "no address"]));
        assert!(matches!(refused, Err(RecognitionError::BadAddress { index: 1, .. })), "{refused:?}");
        let stored = DatasetImageRequest { origin: ImageOrigin::Stored(ImageId::from_random([1; 20])), tag: None };
        assert!(datasets.check_addresses(&[of(&[denied]), vec![stored]].concat()).is_ok());
    }
}
