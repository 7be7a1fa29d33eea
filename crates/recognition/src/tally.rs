//! Counting verdicts for Prometheus: a counter for each candidate, as long as there are not too many.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use kaisatsu_model::Verdict;
use kaisatsu_store::Rated;
use metrics::counter;

/// Counts verdicts.
pub(crate) const RATED: &str = "kaisatsu_feedback_total";

/// Candidates that have a counter of their own; those that come later share one for each task.
const MOST: usize = 1_000;

/// The candidates that have a counter of their own.
#[derive(Default)]
pub(crate) struct Tally(Mutex<HashSet<(String, String, String)>>);

impl Tally {
    pub(crate) fn count(&self, rated: Rated, verdict: Verdict) {
        let Rated { task, model, subject } = rated;
        let labels = self.admit((task, model, subject));
        let said = if verdict == Verdict::Valid { "true" } else { "false" };
        counter!(RATED, "task" => labels.0, "model" => labels.1, "candidate" => labels.2, "valid" => said).increment(1);
    }

    fn admit(&self, labels: (String, String, String)) -> (String, String, String) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(&labels) {
            return labels;
        }
        if known.len() < MOST {
            known.insert(labels.clone());
            return labels;
        }
        (labels.0, "others".to_owned(), "others".to_owned())
    }
}
