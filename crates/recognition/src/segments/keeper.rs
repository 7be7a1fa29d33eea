//! Brings the catalogue of a server to the segments that are recorded.

use std::sync::Arc;

use kaisatsu_store::{CatalogueSegment, Store};
use tokio::sync::Mutex;

use crate::{
    RecognitionError,
    background::follow,
    context::Context,
    indexes::{CatalogueIndex, OpenSegment, SegmentCache},
};

/// Follows the recorded segments.
pub(crate) struct SegmentKeeper {
    store: Store,
    catalogue: Arc<CatalogueIndex>,
    cache: Arc<SegmentCache>,
    /// The recorded segments that were last looked at.
    known: Mutex<Vec<CatalogueSegment>>,
}

impl SegmentKeeper {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            catalogue: Arc::clone(&context.catalogue),
            cache: Arc::clone(&context.segments),
            known: Mutex::default(),
        }
    }

    /// Follows them as long as this lives.
    pub(crate) fn start(self: &Arc<Self>) {
        let failure = "segments of the catalogue cannot be followed; the catalogue answers from those that it has";
        follow(self, failure, Arc::default(), |alive| async move { alive.keep_up().await });
    }

    /// Opens what was recorded since the last time, and lets go what it replaces. What the storage has lost is read
    /// from the database, as if it had not been written, until a segment is written anew.
    ///
    /// # Errors
    /// When the database or the storage fails, or there is no room. The next call tries again.
    pub(crate) async fn keep_up(&self) -> Result<(), RecognitionError> {
        let mut known = self.known.lock().await;
        let recorded = self.store.catalogue_segments().await?;
        if *known == recorded {
            return Ok(());
        }
        self.cache.has_room(&recorded)?;
        let mut new = Vec::new();
        for one in self.catalogue.missing(&recorded) {
            if let Some(segment) = self.cache.open(one).await? {
                new.push(OpenSegment { recorded: one.clone(), segment });
            } else {
                tracing::error!(
                    segment = one.number,
                    items = one.segment.items,
                    "a segment of the catalogue is lost; its items are in memory until it is written anew"
                );
            }
        }
        let taken = tokio::task::block_in_place(|| self.catalogue.take_in(new, &recorded));
        taken.map_err(|error| RecognitionError::Failed(error.to_string()))?;
        self.cache.tidy(&recorded);
        *known = recorded;
        Ok(())
    }

    /// Forgets the catalogue, so that it is read anew.
    pub(crate) async fn clear(&self) {
        let mut known = self.known.lock().await;
        known.clear();
        tokio::task::block_in_place(|| self.catalogue.clear());
    }
}
