//! The metrics of this crate: their names and descriptions.

use std::time::{Duration, Instant};

use kaisatsu_model::Function;
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

use super::Workload;

pub(crate) const DECODE: &str = "kaisatsu_engine_decode_seconds";
pub(crate) const INFERENCE: &str = "kaisatsu_engine_inference_seconds";
pub(crate) const FEEDBACK: &str = "kaisatsu_engine_memory_seconds";
/// Searches in the database.
pub(crate) const SEARCH: &str = "kaisatsu_vector_search_seconds";
/// Counts searches in the database that failed.
pub(crate) const SEARCH_FAILED: &str = "kaisatsu_vector_search_failures_total";
/// Images of collections that can be found, by where their vectors are.
pub(crate) const COLLECTION_IMAGES: &str = "kaisatsu_collection_images";
/// Items of the catalogue that can be found, by where their features are.
pub(crate) const CATALOGUE_ITEMS: &str = "kaisatsu_catalogue_items";
/// Counts recognitions that were answered and not saved.
pub(crate) const UNSAVED: &str = "kaisatsu_recognitions_unsaved_total";
pub(super) const REQUESTS: &str = "kaisatsu_engine_requests";
pub(super) const REFUSED: &str = "kaisatsu_engine_refused_total";
pub(super) const ABANDONED: &str = "kaisatsu_engine_abandoned_total";
pub(super) const QUEUED: &str = "kaisatsu_engine_queue_seconds";
/// Counts verdicts.
pub(crate) const RATED: &str = "kaisatsu_feedback_total";
/// Counts verdicts that were held back.
pub(crate) const HELD: &str = "kaisatsu_feedback_held_total";
/// Sources whose verdicts are in memory.
pub(crate) const FEEDBACK_SOURCES: &str = "kaisatsu_feedback_sources";
/// What these take.
pub(crate) const FEEDBACK_BYTES: &str = "kaisatsu_feedback_memory_bytes";
/// What they may take.
pub(crate) const FEEDBACK_LIMIT: &str = "kaisatsu_feedback_memory_limit_bytes";
/// Counts sources whose verdicts were read into memory.
pub(crate) const FEEDBACK_LOADED: &str = "kaisatsu_feedback_loads_total";
/// How long that took.
pub(crate) const FEEDBACK_LOADING: &str = "kaisatsu_feedback_load_seconds";
/// Counts sources that had to leave memory.
pub(crate) const FEEDBACK_DROPPED: &str = "kaisatsu_feedback_dropped_total";

/// Measures a step of the work.
pub(crate) fn timed<T>(step: &'static str, workload: Workload, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let done = work();
    record(step, workload, began.elapsed());
    done
}

/// Records how long a step of the work took.
pub(crate) fn record(step: &'static str, workload: Workload, took: Duration) {
    histogram!(step, "task" => workload.as_str()).record(took);
}

/// Gives the metrics of this crate their descriptions.
pub fn describe_metrics() {
    describe_gauge!(REQUESTS, "Pictures waiting or being looked at");
    gauge!(REQUESTS).set(0.0);
    describe_counter!(REFUSED, "Pictures refused because every place was taken, by task");
    describe_counter!(ABANDONED, "Pictures whose caller hung up while they waited, by task");
    describe_counter!(
        "kaisatsu_dataset_images_total",
        "Images of datasets that were looked at, by what became of them"
    );
    describe_counter!(UNSAVED, "Recognitions answered without being saved, while the database was away");
    // From the start, because Prometheus takes the first value of a counter for no increase.
    counter!(UNSAVED).increment(0);
    counter!(SEARCH_FAILED, "task" => Workload::from(Function::SimilarSearch).as_str()).increment(0);
    describe_histogram!(QUEUED, "Time from a picture's arrival to its thread, by task");
    describe_histogram!(DECODE, "Time to decode a picture, by task");
    describe_histogram!(INFERENCE, "Time in the networks, by task");
    describe_histogram!(FEEDBACK, "Time to ask what feedback has taught, by task");
    describe_histogram!(SEARCH, "Time to search vectors in the database, by task");
    describe_counter!(SEARCH_FAILED, "Searches of vectors in the database that failed, by task");
    describe_gauge!(COLLECTION_IMAGES, "Images of collections that can be found, by where their vectors are");
    describe_gauge!(CATALOGUE_ITEMS, "Items of the catalogue that can be found, by where their features are");
    describe_counter!(RATED, "Verdicts taken, by task, model, candidate and what they say");
    describe_counter!(HELD, "Verdicts held back because they make confirmed answers wrong");
    describe_gauge!(
        FEEDBACK_SOURCES,
        "Models, datasets and collections whose verdicts are in memory, one for each function"
    );
    describe_gauge!(FEEDBACK_BYTES, "Memory that verdicts take, estimated");
    describe_gauge!(FEEDBACK_LIMIT, "Memory that verdicts may take: the setting feedback_memory");
    describe_counter!(
        FEEDBACK_LOADED,
        "Times that the verdicts on a model, dataset or collection were read into memory"
    );
    describe_histogram!(FEEDBACK_LOADING, "Time to read the verdicts on one of them");
    describe_counter!(FEEDBACK_DROPPED, "Times that they were dropped from memory, since others were asked for");
}
