//! Counting verdicts for Prometheus: a counter for each candidate, as long as there are not too many.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use kaisatsu_model::{DataSetId, Verdict};
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
        let labels = self.admit(public(rated));
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

/// What everyone who reads the metrics may know of a candidate: datasets and their tags are a user's own, and nothing of them may outlive their
/// deletion.
fn public(Rated { task, model, subject }: Rated) -> (String, String, String) {
    if model.starts_with(DataSetId::PREFIX) {
        return (task, "datasets".to_owned(), "tags of users".to_owned());
    }
    (task, model, subject)
}

#[cfg(test)]
mod tests {
    use kaisatsu_store::Rated;

    use super::public;

    #[test]
    fn nothing_of_a_dataset_is_in_the_metrics() {
        let rated = |model: &str| Rated { task: "classify".into(), model: model.into(), subject: "my cat".into() };
        assert_eq!(public(rated("general")), ("classify".into(), "general".into(), "my cat".into()));
        let private = public(rated("dts_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz"));
        assert_eq!(private, ("classify".into(), "datasets".into(), "tags of users".into()));
    }
}
