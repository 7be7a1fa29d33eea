//! Chooses the vectors of a dataset: the usual ones of the centres of pictures, those of whole pictures, of both, or
//! those joined with the vectors of a network that knows dishes or plants, where cross-validation says that these tell
//! its tags apart better.
//!
//! It happens once, when a dataset has become ready, and in the background. Meanwhile the dataset answers with the
//! usual vectors. Only some of its images are tried, so the cost does not grow with the dataset unless it gains by it.

use std::sync::Arc;

use kaisatsu_store::{BlobKey, BuiltImage, Lease};
use kaisatsu_vision::probe::{LabelledVector, train};

use super::DatasetBuilder;
use crate::{
    RecognitionError,
    engine::SPECIAL_EMBEDDERS,
    indexes::{class_of_each, distinct_tags},
};

/// The most images that are tried.
const TRIED: usize = 240;

/// With fewer images that can be left out, nothing is better beyond chance.
const LEAST_JUDGED: usize = 24;

/// Two classifiers that differ on a tenth of the images differ by chance by this much in accuracy, divided by the root
/// of the number of images: one standard error, as for the choice of the classifier.
const CHANCE: f64 = 0.3;

impl DatasetBuilder {
    /// Gives a dataset that has just become ready other vectors, if they are better.
    pub(super) fn specialise_later(self: &Arc<Self>, lease: &Arc<Lease>, images: Vec<BuiltImage>) {
        let usual = self.models.default_embedder().is_ok_and(|usual| usual.manifest.about.name == lease.model);
        if !usual || images.len() < LEAST_JUDGED {
            return;
        }
        let (builder, lease) = (Arc::clone(self), Arc::clone(lease));
        tokio::spawn(async move {
            // One at a time: others build and recognise meanwhile.
            let _turn = builder.specialising.lock().await;
            match builder.specialise(&lease, images).await {
                Ok(Some(model)) => tracing::info!(dataset = %lease.id, model, "has the vectors that suit it better"),
                Ok(None) => tracing::debug!(dataset = %lease.id, "keeps the usual vectors"),
                Err(error) => tracing::warn!(dataset = %lease.id, %error, "keeps the usual vectors"),
            }
        });
    }

    async fn specialise(
        &self,
        lease: &Lease,
        images: Vec<BuiltImage>,
    ) -> Result<Option<&'static str>, RecognitionError> {
        let sample = sample(images);
        let usual = accuracy(sample.clone()).await?;
        if needed(usual).is_none_or(|needed| needed >= 1.0) {
            return Ok(None);
        }
        let mut tried = vec![(None, usual)];
        for name in SPECIAL_EMBEDDERS {
            if self.models.named_embedder(name).is_ok()
                && let Some(vectors) = self.vectors(lease, &sample, name).await?
            {
                tried.push((Some(name), accuracy(vectors).await?));
            }
        }
        let Some(name) = choose(&tried) else { return Ok(None) };
        let model = self.models.named_embedder(name)?;
        let Some(set) = self.store.unrated_dataset(&lease.id).await? else { return Ok(None) };
        Ok(self.reembed(&set, &model).await?.then_some(name))
    }

    /// The images with the vectors of another model; `None` when the bytes of one are not there any more.
    async fn vectors(
        &self,
        lease: &Lease,
        images: &[BuiltImage],
        model: &str,
    ) -> Result<Option<Vec<BuiltImage>>, RecognitionError> {
        let mut embedded = images.to_vec();
        for image in &mut embedded {
            let Ok(sha256) = image.sha256[..].try_into() else { return Ok(None) };
            let blob = BlobKey { application: lease.application.clone(), user: lease.user.clone(), sha256 };
            let Some(vector) = self.images.reembed(model, &blob).await? else { return Ok(None) };
            image.vector = vector;
        }
        Ok(Some(embedded))
    }
}

/// Some images, evenly from all of them.
fn sample(images: Vec<BuiltImage>) -> Vec<BuiltImage> {
    let step = images.len().div_ceil(TRIED).max(1);
    images.into_iter().step_by(step).collect()
}

/// How many of the images are classified right when they are left out, and how many could be.
async fn accuracy(images: Vec<BuiltImage>) -> Result<(usize, usize), RecognitionError> {
    let judge = move || {
        let tags = distinct_tags(images.iter().map(|image| image.tag.as_str()));
        let classes = class_of_each(&tags, images.iter().map(|image| image.tag.as_str()));
        let labelled: Vec<LabelledVector<'_>> = images
            .iter()
            .zip(&classes)
            .map(|(image, class)| LabelledVector { vector: &image.vector, class: *class })
            .collect();
        // A sample of a single tag has nothing to tell apart.
        train(&labelled, tags.len()).map_or((0, 0), |(_, report)| (report.right, report.judged))
    };
    let judged = tokio::task::spawn_blocking(judge).await;
    judged.map_err(|_| RecognitionError::Failed("training broke off".to_owned()))
}

/// The accuracy above which other vectors are better than the usual ones beyond chance; `None` when there is too little
/// to judge by.
#[allow(clippy::cast_precision_loss, reason = "counts of images")]
fn needed((right, judged): (usize, usize)) -> Option<f64> {
    (judged >= LEAST_JUDGED).then(|| right as f64 / judged as f64 + CHANCE / (judged as f64).sqrt())
}

/// The model that is better than the usual one beyond chance, the best of several. Each comes with how many images were
/// right of how many.
#[allow(clippy::cast_precision_loss, reason = "counts of images")]
fn choose(tried: &[(Option<&'static str>, (usize, usize))]) -> Option<&'static str> {
    let needed = needed(tried.iter().find(|(name, _)| name.is_none())?.1)?;
    let share = |(right, of): (usize, usize)| right as f64 / of.max(1) as f64;
    let better = tried.iter().filter(|(name, result)| name.is_some() && share(*result) > needed);
    // The first of equals.
    better.rev().max_by(|a, b| share(a.1).total_cmp(&share(b.1))).and_then(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn other_vectors_are_taken_only_where_they_are_better_beyond_chance() {
        let of = |food, plant| choose(&[(None, (80, 100)), (Some("food"), (food, 100)), (Some("plant"), (plant, 100))]);
        assert_eq!(of(80, 100), Some("plant"));
        assert_eq!(of(83, 83), None, "three of a hundred are chance");
        assert_eq!((of(84, 80), of(90, 90)), (Some("food"), Some("food")));
        assert_eq!(of(10, 20), None);
        assert_eq!(choose(&[(None, (2, 20)), (Some("food"), (20, 20))]), None, "too few to judge by");
        assert_eq!(choose(&[(None, (0, 0)), (Some("food"), (0, 0))]), None);
    }
}
