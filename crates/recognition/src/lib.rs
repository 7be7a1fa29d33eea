//! The use cases of image recognition, as small services over one shared context. Nothing here knows of HTTP.
//!
//! The modules form layers. A module imports from the layers above its own line, never from those below it, which
//! `tools/circles.py` checks:
//!
//! ```text
//! error, settings, user, paging       words that callers use
//! engine/      the engine's queue, the models, images to vectors, metrics
//! log          saved recognitions
//! indexes/     in-memory copies of collections, catalogue and datasets
//! learning/    what feedback does to scores
//! background   loops that run as long as the server, and signals that wake them
//! context      all of the above, for the services to take what they need
//! functions/   classify, detect, similar search, object recognition, reading text
//! storage/     users' storage areas and the bytes in them
//! thumbnails   small pictures of collection images and catalogue items
//! datasets/    create, list, delete, build in the background, recognise with
//! feedback/    verdicts, learning from them, holding back harmful ones
//! janitor/     removing bytes, expired recognitions and deleted applications
//! segments/    the parts of a large catalogue that lie in files: writing them, opening them
//! follower     keeping the in-memory copies as the database is
//! import/      filling the catalogue and collections from files, on the command line
//! content/     adding to the catalogue and to collections, and removing from them, over HTTP
//! placement    which collections are in memory and which in the database
//! recognition  the services, wired together
//! health       how they are
//! check        comparing the database with the storage, on the command line
//! ```

mod background;
pub mod check;
mod content;
mod context;
mod datasets;
mod engine;
mod error;
mod feedback;
#[cfg(test)]
mod fixture;
mod follower;
mod functions;
mod health;
pub mod import;
mod indexes;
mod janitor;
mod learning;
mod log;
mod paging;
mod placement;
mod recognition;
mod segments;
mod settings;
mod storage;
mod thumbnails;
mod user;

pub use content::{Catalogue, CollectionImage, Collections};
pub use datasets::{
    Dataset, DatasetChanges, DatasetFile, DatasetFiles, DatasetImageRequest, DatasetSource, DatasetWarning, Datasets,
    FilePath, ImageOrigin, OpenDataset,
};
pub use engine::{
    ModelInfo, ModelReadiness, ModelState, Models, NetworkKernels, Sought, Tag, default_embedder, describe_metrics,
};
pub use error::RecognitionError;
pub use feedback::{Feedback, Rating, TotalsRequest};
pub use functions::{
    Category, Classify, ClassifyRequest, Detect, DetectRequest, Detection, Evidence, ItemMatch, ObjectRecognition,
    ReadText, RecogniseRequest, SimilarImage, SimilarRequest, SimilarSearch, TextLine,
};
pub use health::Contents;
pub use janitor::Janitor;
pub use kaisatsu_store::{
    BlobError, CollectionRecord, DatasetImageRow, FeedbackFilter, FeedbackRow, FeedbackTotal, ImageRecord, ItemFilter,
    ListedItem, Missing, RecognitionRecord, ScoreAdjustment, Standing, StoreError, StoredCandidate, UserImage, hex,
};
pub use kaisatsu_vision::{Accuracy, instances::Facts, manifest::Task, text::Language};
pub use log::Saved;
pub use paging::{Cursor, Page};
pub use recognition::Recognition;
pub use settings::{SegmentSettings, Settings, UserLimits, UserSettings, VectorPlace, VectorSettings};
pub use storage::{StorageArea, UploadRequest, Uploaded};
pub use thumbnails::{Thumbnail, Thumbnails};
pub use user::User;
