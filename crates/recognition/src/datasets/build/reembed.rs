//! Gives datasets of a lesser model the vectors of the best one, in the background. Until all vectors of a dataset are
//! there it answers with those it has.

use std::{sync::Arc, time::Duration};

use kaisatsu_store::{BlobKey, NewVectors, OutdatedDataset};
use kaisatsu_vision::registry::Model;

use super::{DatasetBuilder, report};
use crate::{RecognitionError, engine::lesser_embedder};

/// How long after one pass over all datasets the next begins: a replica of an older version may still make some.
const EVERY: Duration = Duration::from_mins(10);

/// How often it is asked whether the models are loaded.
const LOADING: Duration = Duration::from_secs(1);

impl DatasetBuilder {
    pub(super) fn start_reembedding(self: &Arc<Self>) {
        let builder = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                let Some(alive) = builder.upgrade() else { return };
                let wait = if alive.models.are_loaded() {
                    alive.reembed_all().await;
                    EVERY
                } else {
                    LOADING
                };
                drop(alive);
                tokio::time::sleep(wait).await;
            }
        });
    }

    /// One pass over the datasets of a lesser model.
    async fn reembed_all(&self) {
        let Ok(best) = self.models.default_embedder() else { return };
        let Some(lesser) = lesser_embedder(&best) else { return };
        let mut after = String::new();
        loop {
            let set = match self.store.outdated_dataset(lesser, &after).await {
                Ok(Some(set)) => set,
                Ok(None) => return,
                Err(error) => return tracing::warn!(%error, "datasets of another model cannot be looked for"),
            };
            set.id.as_str().clone_into(&mut after);
            match self.reembed(&set, &best).await {
                Ok(true) => tracing::info!(dataset = %set.id, model = best.manifest.about.name, "has new vectors"),
                Ok(false) => tracing::debug!(dataset = %set.id, "keeps its vectors"),
                Err(error) => tracing::warn!(dataset = %set.id, %error, "keeps its vectors for now"),
            }
        }
    }

    /// Replaces the vectors of one dataset. Returns `false` when it keeps them: the bytes of an image are not there
    /// any more, or the dataset has changed.
    pub(super) async fn reembed(&self, set: &OutdatedDataset, best: &Model) -> Result<bool, RecognitionError> {
        let name = &best.manifest.about.name;
        let Some(model_sha256) = best.manifest.embedding_sha256() else { return Ok(false) };
        let mut images = self.built_images(&set.id).await?;
        for image in &mut images {
            let Ok(sha256) = image.sha256[..].try_into() else { return Ok(false) };
            let blob = BlobKey { application: set.application.clone(), user: set.user.clone(), sha256 };
            let Some(vector) = self.images.reembed(name, &blob).await? else { return Ok(false) };
            image.vector = vector;
        }
        let trained = tokio::task::spawn_blocking(move || report::train_and_report(&images).map(|done| (done, images)));
        let trained = trained.await.map_err(|_| RecognitionError::Failed("training broke off".to_owned()))?;
        let (trained, images) = trained.map_err(|error| RecognitionError::Failed(error.to_string()))?;
        let vectors: Vec<(i64, &[f32])> = images.iter().map(|image| (image.position, &image.vector[..])).collect();
        let (head, report) = (trained.probe.as_deref(), &trained.report);
        let new = NewVectors { model: name, model_sha256, vectors: &vectors, head, report };
        Ok(self.store.replace_vectors(set, new, self.clock.now()).await?)
    }
}
