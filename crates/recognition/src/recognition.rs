//! The services, wired together: what the HTTP layer and the command line hold.

use std::sync::Arc;

use kaisatsu_model::Clock;
use kaisatsu_store::Store;
use kaisatsu_vision::Engine;

use crate::{
    Settings, UserSettings,
    content::{Catalogue, Collections},
    context::Context,
    datasets::{DatasetBuilder, DatasetFiles, Datasets},
    engine::{EngineQueue, Models},
    feedback::{Feedback, Learner},
    follower::ContentFollower,
    functions::{Classify, Detect, ObjectRecognition, ReadText, SimilarSearch},
    janitor::Janitor,
    placement::Placement,
    segments::{SegmentKeeper, SegmentWriter},
    storage::StorageArea,
    thumbnails::Thumbnails,
};

/// All of image recognition.
pub struct Recognition {
    /// Which models there are.
    pub models: Models,
    /// Category recognition.
    pub classify: Classify,
    /// Object detection.
    pub detect: Detect,
    /// Similar image search.
    pub similar: SimilarSearch,
    /// Object recognition.
    pub objects: ObjectRecognition,
    /// Reading text.
    pub read_text: ReadText,
    /// Users' datasets.
    pub datasets: Arc<Datasets>,
    /// Their images as files.
    pub dataset_files: DatasetFiles,
    /// The catalogue, for operators.
    pub catalogue: Catalogue,
    /// The collections, for operators.
    pub collections: Collections,
    /// Thumbnails of what is in them.
    pub thumbnails: Thumbnails,
    /// Users' storage areas.
    pub storage: StorageArea,
    /// Verdicts on recognitions.
    pub feedback: Feedback,
    /// Removes what is deleted or expired.
    pub janitor: Arc<Janitor>,
    learner: Arc<Learner>,
    follower: Arc<ContentFollower>,
    placement: Arc<Placement>,
    segment_keeper: Arc<SegmentKeeper>,
    segment_writer: Arc<SegmentWriter>,
    builder: Arc<DatasetBuilder>,
    engine: Arc<EngineQueue>,
    store: Store,
}

impl Recognition {
    /// Wires the services together. Background work begins with [`Self::start`].
    #[must_use]
    pub fn new(engine: Engine, store: Store, clock: Arc<dyn Clock>, settings: &Settings, users: UserSettings) -> Self {
        Self::over(&Context::new(engine, store, clock, settings, users))
    }

    pub(crate) fn over(context: &Context) -> Self {
        let learner = Arc::new(Learner::new(context));
        let datasets = Arc::new(Datasets::new(context));
        let segment_keeper = Arc::new(SegmentKeeper::new(context));
        Self {
            models: context.models.clone(),
            classify: Classify::new(context),
            detect: Detect::new(context),
            similar: SimilarSearch::new(context),
            objects: ObjectRecognition::new(context),
            catalogue: Catalogue::new(context),
            collections: Collections::new(context),
            thumbnails: Thumbnails::of(context),
            read_text: ReadText::new(context),
            storage: StorageArea::new(context),
            feedback: Feedback::new(context, &learner),
            janitor: Arc::new(Janitor::new(context, &datasets)),
            follower: Arc::new(ContentFollower::new(context, &segment_keeper)),
            placement: Arc::new(Placement::new(context)),
            segment_writer: Arc::new(SegmentWriter::new(context)),
            segment_keeper,
            builder: Arc::new(DatasetBuilder::new(context)),
            engine: Arc::clone(&context.engine),
            store: context.store.clone(),
            dataset_files: DatasetFiles::new(context.store.clone(), context.blobs.clone()),
            datasets,
            learner,
        }
    }

    /// Starts what answering needs: following the database, learning, placing vectors. It ends when this is dropped.
    pub fn start(&self) {
        self.follower.start();
        self.segment_keeper.start();
        self.placement.start();
        self.learner.start();
        self.janitor.start_forgetting();
    }

    /// Starts the jobs: building datasets, writing segments of the catalogue, erasing, cleaning up. Any process on the
    /// database may do them, each job is done by one. It ends when this is dropped.
    pub fn start_jobs(&self) {
        self.builder.start();
        self.segment_writer.start();
        self.janitor.start();
    }

    /// Ends the engine and waits until its threads have finished what they are at: some seconds if a large network is
    /// being loaded. Then gives the dataset that is built to another server. The process may exit then.
    pub async fn stop(&self) {
        let engine = Arc::clone(&self.engine);
        // If it panicked, it has ended too.
        let _ = tokio::task::spawn_blocking(move || engine.stop()).await;
        self.builder.stopped().await;
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn is_content_loaded(&self) -> bool {
        self.follower.is_loaded()
    }

    pub(crate) fn lacks_room_for_collections(&self) -> bool {
        self.placement.is_cramped()
    }

    pub(crate) fn is_feedback_followed(&self) -> bool {
        self.learner.is_following()
    }

    /// Why no image can be recognised yet, if none can.
    #[must_use]
    pub fn not_ready(&self) -> Option<&'static str> {
        if !self.models.are_loaded() {
            Some("the models are being loaded")
        } else if !self.follower.is_loaded() {
            Some("collections and catalogue are being loaded")
        } else if !self.learner.is_following() {
            Some("feedback cannot be read yet")
        } else {
            None
        }
    }
}
