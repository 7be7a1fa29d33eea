//! Verdicts as changes of what is learned.

use kaisatsu_feedback::{Candidate, Change};
use kaisatsu_model::{Function, Verdict};
use kaisatsu_store::{FeedbackChange, Standing, StoredCandidate};

use super::source::{SourceKey, scope};

/// The source that something is learned of by a verdict.
pub(super) fn source_of(row: &FeedbackChange) -> Option<SourceKey> {
    let (function, source) = row.of.as_ref().filter(|(function, _)| function.learns())?;
    Some(SourceKey::new(*function, source))
}

/// A verdict as changes of what is learned of its source: one, or one for each candidate that has a vector of its own.
pub(super) fn changes_of(row: &FeedbackChange) -> Vec<Change> {
    let Some((function, source)) = row.of.as_ref().filter(|_| source_of(row).is_some()) else { return Vec::new() };
    let candidate = |item: &StoredCandidate| Candidate {
        id: item.id.clone(),
        subject: item.subject.clone(),
        base_score: item.base_score(),
    };
    let valid = (row.standing == Standing::Active).then_some(row.verdict == Verdict::Valid);
    let vector = row.vector.as_deref().unwrap_or_default();
    let change = |class: &str, exemplar: String, candidates: Vec<Candidate>, descriptor: &[f32]| Change {
        scope: scope(*function, source, &row.engine, class),
        // Feedback on a dataset acts for its own application only.
        shared: source.dataset().is_none(),
        application: row.application.clone(),
        owner: row.owner.clone(),
        exemplar,
        verdict: (row.recognition.clone(), row.item.clone().unwrap_or_default()),
        valid,
        candidates,
        named: row.named().map(str::to_owned),
        descriptor: descriptor.to_vec(),
    };
    if *function != Function::Detect {
        return vec![change("", row.recognition.clone(), row.items.iter().map(candidate).collect(), vector)];
    }
    let dims = vector.len() / row.items.len().max(1);
    let rated = row.items.iter().enumerate().filter(|(_, item)| row.item.as_ref().is_none_or(|id| *id == item.id));
    let own = |(index, item): (usize, &StoredCandidate)| {
        let descriptor = vector.get(index * dims..(index + 1) * dims).unwrap_or_default();
        change(&item.subject, format!("{}/{}", row.recognition, item.id), vec![candidate(item)], descriptor)
    };
    rated.map(own).collect()
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{AccountId, AppId, Function, Source, Timestamp, Verdict};
    use kaisatsu_store::{FeedbackChange, Standing, StoredCandidate};

    use super::changes_of;

    fn row(of: Option<(Function, Source)>, item: Option<&str>, vector: Vec<f32>) -> FeedbackChange {
        let candidate = |id: &str| StoredCandidate {
            id: id.to_owned(),
            subject: format!("s-{id}"),
            name: id.to_owned(),
            score: 0.75,
            base: Some(0.5),
            moved: Vec::new(),
        };
        FeedbackChange {
            revision: 1,
            recognition: "r".to_owned(),
            item: item.map(str::to_owned),
            application: AppId::from_random([1; 10]),
            owner: Some(AccountId::from_random([1; 10])),
            of,
            model: String::new(),
            subject: String::new(),
            verdict: Verdict::Invalid,
            standing: Standing::Active,
            rated_at: Timestamp(0),
            items: vec![candidate("a"), candidate("b")],
            engine: "w".to_owned(),
            vector: Some(vector),
        }
    }

    #[test]
    fn a_verdict_on_a_detection_changes_the_scope_of_its_class_with_its_own_vector() {
        let coco = Some((Function::Detect, Source::Model("coco".to_owned())));
        let changes = changes_of(&row(coco.clone(), Some("b"), vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(changes.len(), 1);
        assert_eq!((changes[0].scope.class.as_str(), changes[0].exemplar.as_str()), ("s-b", "r/b"));
        assert_eq!((changes[0].descriptor.as_slice(), changes[0].valid), (&[3.0, 4.0][..], Some(false)));
        assert!(changes[0].shared);
        assert_eq!(changes_of(&row(coco, None, vec![1.0, 2.0, 3.0, 4.0])).len(), 2, "one for each detection");
    }

    #[test]
    fn a_verdict_on_another_function_is_one_change_with_scores_before_feedback() {
        let general = Some((Function::Classify, Source::Model("general".to_owned())));
        let changes = changes_of(&row(general.clone(), Some("a"), vec![1.0, 0.0]));
        assert_eq!((changes.len(), changes[0].candidates.len(), changes[0].exemplar.as_str()), (1, 2, "r"));
        assert!(changes[0].candidates.iter().all(|candidate| candidate.base_score.to_bits() == 0.5_f32.to_bits()));
        let revoked = FeedbackChange { standing: Standing::Revoked, ..row(general, Some("a"), vec![1.0, 0.0]) };
        assert_eq!(changes_of(&revoked)[0].valid, None);
        assert!(changes_of(&row(None, None, vec![1.0])).is_empty(), "a function of a newer version");
        let text = Some((Function::ReadText, Source::Model("text".to_owned())));
        assert!(changes_of(&row(text, Some("a"), Vec::new())).is_empty());
    }
}
