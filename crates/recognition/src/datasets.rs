//! Users' datasets: made of addresses and stored images, built in the background, used for recognition, deleted for good.

mod builder;
mod health;
mod left_out;
mod look;
mod recognise;
mod shelf;

use kaisatsu_fetch::FetchError;
use kaisatsu_model::{DataSetId, DataSetName, ImageId, Outcome, Tag};
use kaisatsu_store::{
    CreateDataSet, DataSetImageRow, DataSetLimits, DataSetRow, ImageSource, NewDataSet, NewDataSetImage,
};
use kaisatsu_vision::manifest::Task;
use serde_json::Value;
pub(crate) use shelf::Shelf;

use crate::{
    Recogniser, RecognitionError, User,
    keep::random,
    recogniser::default_of,
    storage::{Cursor, Page},
};

/// The most tags of a dataset: to tell them apart takes memory for every image and tag.
const MOST_TAGS: usize = 1_000;

/// An image that a dataset is to be made of.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Where it comes from.
    pub source: Source,
    /// What it shows; an image of the storage area may bring its own tag.
    pub tag: Option<Tag>,
}

/// Where an image comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// An address.
    Url(String),
    /// The user's storage area.
    Stored(ImageId),
}

/// A dataset as its user sees it.
#[derive(Debug, Clone)]
pub struct DataSet {
    /// What is known of it.
    pub facts: DataSetRow,
    /// How many images came to what, in the order of [`Outcome::ALL`]; those that none came to are left out.
    pub counts: Vec<(Outcome, u64)>,
}

impl DataSet {
    /// How many images it has.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Its health report, once it is ready.
    #[must_use]
    pub fn report(&self) -> Option<Value> {
        serde_json::from_str(self.facts.report.as_deref()?).ok()
    }
}

impl Recogniser {
    /// Keeps a dataset to be built in the background.
    ///
    /// # Errors
    /// Why it is not kept.
    pub async fn create_data_set(
        &self,
        user: &User,
        name: DataSetName,
        wanted: Vec<Wanted>,
    ) -> Result<DataSetId, RecognitionError> {
        self.judge_addresses(&wanted)?;
        let model = self.model(default_of(Task::Classify), Task::Classify)?;
        let sha256 = model.manifest.embedding_sha256().ok_or_else(|| RecognitionError::Unusable {
            model: model.manifest.about.name.clone(),
            fault: "has no vectors, which datasets are made of",
            reason: "it has no embedding, which datasets are made of".to_owned(),
        })?;
        let image = |wanted: Wanted| NewDataSetImage {
            source: match wanted.source {
                Source::Url(url) => ImageSource::Url(url, ImageId::from_random(random())),
                Source::Stored(id) => ImageSource::Stored(id),
            },
            tag: wanted.tag,
        };
        let new = NewDataSet {
            id: DataSetId::from_random(random()),
            application: user.application.clone(),
            user: user.id.clone(),
            name,
            model: model.manifest.about.name.clone(),
            model_sha256: sha256.to_owned(),
            created_at: self.keeping.now(),
            images: wanted.into_iter().map(image).collect(),
        };
        let most = self.users.settings.limits.data_sets;
        let limits = DataSetLimits { data_sets: most.into(), tags: MOST_TAGS };
        match self.keeping.store.create_data_set(&new, limits).await? {
            CreateDataSet::Kept => {
                self.users.to_build.notify_one();
                Ok(new.id)
            }
            CreateDataSet::Full => Err(RecognitionError::DataSetsFull(most)),
            CreateDataSet::NoImage(place) => Err(RecognitionError::NoStoredImage(place)),
            CreateDataSet::NoTag(place) => Err(RecognitionError::NoTag(place)),
            CreateDataSet::TooManyTags => Err(RecognitionError::TooManyTags(MOST_TAGS)),
        }
    }

    /// Looks at the addresses without asking anybody. One that may not be fetched costs its own image; when there is
    /// nothing else, there is no dataset to be made.
    fn judge_addresses(&self, wanted: &[Wanted]) -> Result<(), RecognitionError> {
        let mut first = None;
        let mut usable = false;
        for (place, image) in wanted.iter().enumerate() {
            let Source::Url(url) = &image.source else {
                usable = true;
                continue;
            };
            match self.users.settings.fetcher.judge(url) {
                Ok(()) => usable = true,
                Err(FetchError::Malformed(reason)) => return Err(RecognitionError::BadAddress { place, reason }),
                Err(error) => first = first.or(Some((place, error.to_string()))),
            }
        }
        match first {
            Some((place, reason)) if !usable => Err(RecognitionError::AllDenied { place, reason }),
            _ => Ok(()),
        }
    }

    /// A user's dataset.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchDataSet`] when there is none of that id.
    pub async fn data_set(&self, user: &User, id: &DataSetId) -> Result<DataSet, RecognitionError> {
        let facts = self.facts(user, id).await?;
        self.counted(facts).await
    }

    pub(crate) async fn facts(&self, user: &User, id: &DataSetId) -> Result<DataSetRow, RecognitionError> {
        let found = self.keeping.store.data_set(&user.application, &user.id, id).await?;
        found.ok_or(RecognitionError::NoSuchDataSet)
    }

    async fn counted(&self, facts: DataSetRow) -> Result<DataSet, RecognitionError> {
        let found = self.keeping.store.outcomes(&facts.id()).await?;
        let count = |outcome| {
            let (_, count) = found.iter().find(|(other, _)| *other == outcome)?;
            Some((outcome, count.unsigned_abs()))
        };
        Ok(DataSet { counts: Outcome::ALL.into_iter().filter_map(count).collect(), facts })
    }

    /// The images of a user's dataset after a place, in the user's order, and whether there are more.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchDataSet`] when there is none of that id.
    pub async fn data_set_images(
        &self,
        user: &User,
        id: &DataSetId,
        after: i64,
        most: usize,
    ) -> Result<(Vec<DataSetImageRow>, bool), RecognitionError> {
        self.facts(user, id).await?;
        let wanted = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
        let mut images = self.keeping.store.data_set_images(id, after, wanted).await?;
        let more = images.len() > most;
        images.truncate(most);
        Ok((images, more))
    }

    /// A user's datasets after a place, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn data_sets(&self, user: &User, after: &Cursor, most: usize) -> Result<Page<DataSet>, RecognitionError> {
        let wanted = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
        let rows = self.keeping.store.data_sets(&user.application, &user.id, after.as_pair(), wanted).await?;
        let page = Page::cut(rows, most, |row| (row.created_at(), row.id().as_str().to_owned()));
        let mut items = Vec::with_capacity(page.items.len());
        for facts in page.items {
            items.push(self.counted(facts).await?);
        }
        Ok(Page { items, next: page.next })
    }

    /// Deletes a user's dataset. When this returns it is never seen again, here or on another replica.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchDataSet`] when there is none of that id.
    pub async fn delete_data_set(&self, user: &User, id: &DataSetId) -> Result<(), RecognitionError> {
        let now = self.keeping.now();
        if !self.keeping.store.delete_data_set(&user.application, &user.id, id, now).await? {
            return Err(RecognitionError::NoSuchDataSet);
        }
        self.users.shelf.drop(id);
        self.learning.forget(id.as_str());
        self.users.to_sweep.notify_one();
        Ok(())
    }
}
