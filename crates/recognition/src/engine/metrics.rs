//! The metrics of this crate: their names and descriptions.

use std::time::{Duration, Instant};

use metrics::{describe_counter, describe_gauge, describe_histogram, gauge, histogram};

use super::Workload;

pub(crate) const DECODE: &str = "kaisatsu_engine_decode_seconds";
pub(crate) const INFERENCE: &str = "kaisatsu_engine_inference_seconds";
pub(crate) const FEEDBACK: &str = "kaisatsu_engine_memory_seconds";
/// Searches in the database.
pub(crate) const SEARCH: &str = "kaisatsu_vector_search_seconds";
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
    describe_histogram!(QUEUED, "Time from a picture's arrival to its thread, by task");
    describe_histogram!(DECODE, "Time to decode a picture, by task");
    describe_histogram!(INFERENCE, "Time in the networks, by task");
    describe_histogram!(FEEDBACK, "Time to ask what feedback has taught, by task");
    describe_histogram!(SEARCH, "Time to search vectors in the database, by task");
    describe_gauge!(COLLECTION_IMAGES, "Images of collections that can be found, by where their vectors are");
    describe_gauge!(CATALOGUE_ITEMS, "Items of the catalogue that can be found, by where their features are");
    describe_counter!(RATED, "Verdicts taken, by task, model, candidate and what they say");
    describe_counter!(HELD, "Verdicts held back because they make confirmed answers wrong");
}
