//! The engine as the services see it: a bounded queue in front of its threads, the models, and the metrics of both.

mod embed;
mod metrics;
mod model_states;
mod models;
mod queue;
mod sought;
mod tags;

pub(crate) use embed::{embed, embed_for_collection, embedding, image_first};
pub use metrics::describe_metrics;
pub(crate) use metrics::{
    CATALOGUE_ITEMS, COLLECTION_IMAGES, DECODE, FEEDBACK, FEEDBACK_BYTES, FEEDBACK_DROPPED, FEEDBACK_LIMIT,
    FEEDBACK_LOADED, FEEDBACK_LOADING, FEEDBACK_SOURCES, HELD, INFERENCE, RATED, SEARCH, SEARCH_FAILED, UNSAVED,
    record, timed,
};
pub use model_states::{ModelReadiness, ModelState, NetworkKernels};
pub use models::{ModelInfo, Models, default_embedder};
pub(crate) use models::{SPECIAL_EMBEDDERS, default_model, extended, lesser_embedder, network, not_loaded, scored_by};
pub(crate) use queue::{EngineQueue, Workload};
pub use sought::Sought;
pub use tags::Tag;
