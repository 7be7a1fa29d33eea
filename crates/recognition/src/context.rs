//! What the services share. Each takes the parts that it needs when it is made.

use std::{sync::Arc, time::Duration};

use kaisatsu_fetch::Fetcher;
use kaisatsu_model::Clock;
use kaisatsu_store::{Blobs, Store};
use kaisatsu_vision::{Bounds, Engine};

use crate::{
    Settings, UserLimits, UserSettings, VectorSettings,
    background::Signals,
    engine::{EngineQueue, Models},
    indexes::{CatalogueIndex, CollectionIndexes, DatasetCache, SegmentCache},
    learning::LearnedFeedback,
    log::{LogSettings, RecognitionLog},
};

/// The parts, shared by reference.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) engine: Arc<EngineQueue>,
    pub(crate) models: Models,
    pub(crate) log: Arc<RecognitionLog>,
    pub(crate) learned: Arc<LearnedFeedback>,
    pub(crate) collections: Arc<CollectionIndexes>,
    pub(crate) catalogue: Arc<CatalogueIndex>,
    pub(crate) datasets: Arc<DatasetCache>,
    pub(crate) signals: Arc<Signals>,
    pub(crate) blobs: Blobs,
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) limits: UserLimits,
    /// Whether the position in a picture's EXIF data may be used.
    pub(crate) exif_position: bool,
    /// The most images that are fetched at once.
    pub(crate) fetches: usize,
    /// How long the lease of a build lasts.
    pub(crate) lease: Duration,
    pub(crate) vectors: VectorSettings,
    pub(crate) segments: Arc<SegmentCache>,
    /// How many items make a segment of the catalogue; 0 for none.
    pub(crate) segment_items: usize,
}

impl Context {
    pub(crate) fn new(
        engine: Engine,
        store: Store,
        clock: Arc<dyn Clock>,
        settings: &Settings,
        users: UserSettings,
    ) -> Self {
        let engine = Arc::new(engine);
        let bounds = Bounds { max_pixels: settings.max_pixels };
        Self {
            log: Arc::new(RecognitionLog::new(
                store.clone(),
                Arc::clone(&clock),
                LogSettings {
                    retention: settings.keep,
                    images: settings.keep_pictures,
                    unsaved: settings.unsaved_answers,
                },
            )),
            models: Models::new(Arc::clone(&engine)),
            engine: Arc::new(EngineQueue::new(engine, settings.waiting, bounds)),
            learned: Arc::new(LearnedFeedback::new(store.clone(), settings.quorum, settings.feedback_memory)),
            collections: Arc::default(),
            catalogue: Arc::default(),
            datasets: Arc::default(),
            signals: Arc::default(),
            segments: Arc::new(SegmentCache::new(users.blobs.clone(), &settings.segments)),
            segment_items: settings.segments.items,
            blobs: users.blobs,
            fetcher: Arc::new(users.fetcher),
            limits: users.limits,
            exif_position: settings.exif_position,
            fetches: users.fetches,
            lease: users.lease,
            vectors: settings.vectors,
            store,
            clock,
        }
    }
}
