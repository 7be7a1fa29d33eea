//! Counting verdicts for Prometheus: a counter for each candidate, as long as there are not too many.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use kaisatsu_model::{Function, Verdict};
use kaisatsu_store::RatedSubject;
use metrics::counter;

use crate::engine::RATED;

/// Candidates that have a counter of their own. Those that come later share one for each function.
const MOST_COUNTERS: usize = 1_000;

/// Function, source and candidate.
type Labels = (String, String, String);

/// The candidates that have a counter of their own.
#[derive(Default)]
pub(super) struct VerdictCounters(Mutex<HashSet<Labels>>);

impl VerdictCounters {
    pub(super) fn count(&self, rated: RatedSubject, verdict: Verdict) {
        let labels = self.admit(public(rated));
        let valid = if verdict == Verdict::Valid { "true" } else { "false" };
        counter!(RATED, "task" => labels.0, "model" => labels.1, "candidate" => labels.2, "valid" => valid)
            .increment(1);
    }

    fn admit(&self, labels: Labels) -> Labels {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(&labels) {
            return labels;
        }
        if known.len() < MOST_COUNTERS {
            known.insert(labels.clone());
            return labels;
        }
        (labels.0, "others".to_owned(), "others".to_owned())
    }
}

/// The labels that everyone who reads the metrics may see. Datasets and their tags are private to a user, and their
/// names must not outlive their deletion; what was read is the content of somebody's image.
fn public(RatedSubject { function, source, subject }: RatedSubject) -> Labels {
    let (rated_text, function) = (function == Function::ReadText, function.as_str().to_owned());
    if source.dataset().is_some() {
        return (function, "datasets".to_owned(), "tags of users".to_owned());
    }
    let subject = if rated_text { "lines".to_owned() } else { subject };
    (function, source.as_str().to_owned(), subject)
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{Function, Source};
    use kaisatsu_store::RatedSubject;

    use super::{MOST_COUNTERS, VerdictCounters, public};

    #[test]
    fn nothing_of_a_dataset_is_in_the_metrics() {
        let rated = |name: &str| RatedSubject {
            function: Function::Classify,
            source: Source::from_text(Function::Classify, name),
            subject: "my cat".into(),
        };
        assert_eq!(public(rated("general")), ("classify".into(), "general".into(), "my cat".into()));
        let private = public(rated("dts_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz"));
        assert_eq!(private, ("classify".into(), "datasets".into(), "tags of users".into()));
    }

    #[test]
    fn what_was_read_is_not_in_the_metrics() {
        let source = Source::Model("text".into());
        let rated = RatedSubject { function: Function::ReadText, source, subject: "my diary".into() };
        assert_eq!(public(rated), ("readText".into(), "text".into(), "lines".into()));
    }

    #[test]
    fn candidates_beyond_the_limit_share_a_counter() {
        let counters = VerdictCounters::default();
        let labels = |number: usize| ("classify".to_owned(), "general".to_owned(), number.to_string());
        for number in 0..MOST_COUNTERS {
            assert_eq!(counters.admit(labels(number)), labels(number));
        }
        assert_eq!(counters.admit(labels(MOST_COUNTERS)), ("classify".into(), "others".into(), "others".into()));
        assert_eq!(counters.admit(labels(7)), labels(7), "a known candidate keeps its counter");
    }
}
