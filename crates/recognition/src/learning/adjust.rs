//! Adjusting the scores of candidates by what feedback says of them, each within its range.

use std::sync::Arc;

use kaisatsu_feedback::{
    Contribution, DEVIATIONS, Evidence, SAMPLE_SIZE, STRENGTH, SampledExemplar, ScopeKey, ScoreRow, Standardiser, lift,
    rescale_odds, rescale_shares, soft_clamp,
};
use kaisatsu_store::ScoreAdjustment;
use kaisatsu_vision::{
    Vocabulary,
    probe::{Kind, Probe},
};

use super::{FeedbackQuery, source::LearnedSource};
use crate::log::Adjusted;

/// The most verdicts named beside a candidate. The others have changed its score less.
const NAMED: usize = 10;

/// Exemplars that images are standardised with. Each is compared with every image, every time.
const COMPARED: usize = SAMPLE_SIZE / 2;

/// The score from which on a network sees an object at a box for certain enough that a confirmation raises it fully.
const SEEN: f32 = 0.4;

/// What feedback says of the candidates of one image; perhaps nothing.
#[derive(Default)]
pub(crate) struct Adjustment {
    evidence: Option<Evidence>,
    /// How far unanimous verdicts move a candidate: its odds, as a power of e; of images, the score itself.
    strength: f32,
}

impl Adjustment {
    /// What the verdicts say of a candidate, from -1 to 1.
    fn estimate(&self, subject: &str) -> f32 {
        self.evidence.as_ref().map_or(0.0, |evidence| evidence.value(subject))
    }

    /// How far a candidate is moved.
    fn shift(&self, subject: &str) -> f32 {
        self.strength * self.estimate(subject)
    }

    /// Puts a candidate beside the verdicts that changed its score.
    pub(crate) fn explain<T>(&self, candidate: T, subject: &str, base: f32) -> Adjusted<T> {
        let estimate = self.evidence.as_ref().and_then(|evidence| evidence.estimate(subject));
        let push = |vote: &Contribution| {
            // Where candidates have vectors of their own, an exemplar is named by recognition and candidate.
            let named = vote.exemplar.as_deref().map(|name| name.split_once('/').unwrap_or((name, "")));
            ScoreAdjustment {
                recognition: named.map(|(recognition, _)| recognition.to_owned()),
                item: named.map(|(_, item)| item.to_owned()).filter(|item| !item.is_empty()),
                valid: vote.valid,
                by: vote.amount * self.strength,
            }
        };
        let votes = estimate.iter().flat_map(|estimate| estimate.contributions.iter().take(NAMED));
        let pushes = votes.map(push).collect();
        Adjusted { candidate, base, pushes }
    }

    /// The score of an image with the cosine `base` and the score `standardised` among the images.
    pub(crate) fn image_score(&self, subject: &str, base: f32, standardised: f32) -> f32 {
        let Some(evidence) = &self.evidence else { return base };
        let adjusted = soft_clamp(standardised + self.shift(subject));
        (base + evidence.coverage() * (adjusted - base)).clamp(0.0, 1.0)
    }

    /// The same for an object in an image. That the box next to it was rightly called a bird says what a bird looks
    /// like, and not that there is one here: the less the network sees at a box, the less a confirmation raises it.
    /// Otherwise one confirmed object would raise dozens of boxes around it that show nothing.
    pub(crate) fn of_object(mut self, subject: &str, base: f32) -> Self {
        if self.estimate(subject) > 0.0 {
            self.strength *= (base / SEEN).min(1.0).powi(2);
        }
        self
    }

    /// The score of a candidate that is independent of the others.
    pub(crate) fn score(&self, subject: &str, base: f32) -> f32 {
        rescale_odds(base, self.shift(subject))
    }
}

impl FeedbackQuery {
    /// What feedback says of the candidates of an image.
    pub(crate) fn adjustment(&self, descriptor: &[f32]) -> Adjustment {
        self.adjustment_in(&self.scope, descriptor)
    }

    /// What feedback says of a candidate of one class that has a descriptor of its own.
    pub(crate) fn class_adjustment(&self, class: &str, descriptor: &[f32]) -> Adjustment {
        self.adjustment_in(&ScopeKey { class: class.to_owned(), ..self.scope.clone() }, descriptor)
    }

    fn adjustment_in(&self, scope: &ScopeKey, descriptor: &[f32]) -> Adjustment {
        let evidence = |learned: &Arc<LearnedSource>| learned.model.evidence(scope, &self.application, descriptor);
        Adjustment { evidence: self.learned.as_ref().and_then(evidence), strength: STRENGTH }
    }

    /// Adjusts the scores of all classes of a network. `shares` says whether they add up to one.
    ///
    /// What is confirmed of near pictures speaks against the classes of `none`, which stand for "none of these". A
    /// verdict on a group of classes, such as a genus, is one on each of them.
    pub(crate) fn adjust_classes(
        &self,
        descriptor: &[f32],
        base: &[f32],
        shares: bool,
        known: &Vocabulary,
    ) -> (Vec<f32>, Adjustment) {
        let adjustment = self.adjustment(descriptor);
        let Some(evidence) = &adjustment.evidence else { return (base.to_vec(), adjustment) };
        let subject = |class: usize| known.labels().get(class).map_or(0.0, |label| evidence.value(&label.id));
        let mut estimates: Vec<f32> = (0..base.len()).map(subject).collect();
        for (group, members) in known.groups() {
            let of_group = evidence.value(&group.id);
            for class in members {
                if let Some(estimate) = estimates.get_mut(*class) {
                    *estimate = (*estimate + of_group).clamp(-1.0, 1.0);
                }
            }
        }
        for none in known.none() {
            if let Some(estimate) = estimates.get_mut(*none) {
                *estimate -= evidence.best();
            }
        }
        let shift = |class: usize| STRENGTH * estimates[class];
        let after = if shares {
            rescale_shares(base, shift)
        } else {
            let rescale = |(class, score): (usize, &f32)| rescale_odds(lift(*score, shift(class)), shift(class));
            base.iter().enumerate().map(rescale).collect()
        };
        (after, adjustment)
    }

    /// The shares of the classes of a trained classifier, before and after; `None` when the image is unlike everything
    /// that it was trained on.
    pub(crate) fn adjust_trained<'a>(
        &self,
        version: i64,
        probe: &Probe,
        descriptor: &[f32],
        subject: impl Fn(usize) -> Option<&'a str>,
    ) -> Option<(Vec<f32>, Vec<f32>, Adjustment)> {
        let mut adjustment = self.adjustment(descriptor);
        if descriptor.len() != probe.dims()
            || !(probe.is_familiar(descriptor) || adjustment.evidence.as_ref().is_some_and(Evidence::confirms_any))
        {
            return None;
        }
        let scores = probe.scores(descriptor);
        let base = probe.shares(&scores);
        let Some(learned) = self.learned.as_ref().filter(|_| adjustment.evidence.is_some()) else {
            return Some((base.clone(), base, adjustment));
        };
        // A fitted classifier has seen how its classes score; the means of an image or two have not.
        if probe.kind() == Kind::Ridge {
            let shift = |class: usize| subject(class).map_or(0.0, |subject| adjustment.shift(subject));
            return Some((base.clone(), rescale_shares(&base, shift), adjustment));
        }
        let sample = self.sample(SAMPLE_SIZE);
        let rows = learned.scores.of(&self.scope, version, probe, &sample);
        let class_of = |name: &str| (0..probe.classes()).find(|class| subject(*class) == Some(name));
        let row = |(scores, sampled): (&Arc<[f32]>, &SampledExemplar)| {
            (Arc::clone(scores), sampled.confirmed.as_deref().and_then(class_of))
        };
        let rows: Vec<_> = rows.iter().zip(&sample).map(row).collect();
        let rows: Vec<ScoreRow<'_>> =
            rows.iter().map(|(scores, confirmed)| ScoreRow { scores, confirmed: *confirmed }).collect();
        let Some(standard) = Standardiser::fit(&rows) else { return Some((base.clone(), base, Adjustment::default())) };
        let step = DEVIATIONS * standard.deviation();
        adjustment.strength = step / probe.temperature();
        let estimate = |class| subject(class).map_or(0.0, |subject| adjustment.estimate(subject));
        // The less similar the exemplars are, the less changes.
        let coverage = adjustment.evidence.as_ref().map_or(0.0, Evidence::coverage);
        let standardised = standard.apply(&scores);
        let adjusted = |(class, (score, standardised)): (usize, (&f32, f32))| {
            score + coverage * (standardised - score) + step * estimate(class)
        };
        let after: Vec<f32> = scores.iter().zip(standardised).enumerate().map(adjusted).collect();
        Some((base, probe.shares(&after), adjustment))
    }

    /// Standardises the cosines of images with a descriptor, so that an image that is like every picture does not come
    /// before one that is like this picture. `cosines` gives those of all images with another descriptor, and
    /// `index_of` says which of them a confirmed image is. [`Adjustment::image_score`] then adds what feedback says of
    /// each image.
    pub(crate) fn adjust_images(
        &self,
        descriptor: &[f32],
        base: &[f32],
        cosines: impl Fn(&[f32]) -> Vec<f32>,
        index_of: impl Fn(&str) -> Option<usize>,
    ) -> (Vec<f32>, Adjustment) {
        let mut adjustment = self.adjustment(descriptor);
        let sample = if adjustment.evidence.is_some() { self.sample(COMPARED) } else { Vec::new() };
        let row = |sampled: &SampledExemplar| {
            (cosines(&sampled.vector.dequantise()), sampled.confirmed.as_deref().and_then(&index_of))
        };
        let rows: Vec<(Vec<f32>, Option<usize>)> = sample.iter().map(row).collect();
        let rows: Vec<ScoreRow<'_>> =
            rows.iter().map(|(scores, confirmed)| ScoreRow { scores, confirmed: *confirmed }).collect();
        let Some(standard) = Standardiser::fit(&rows) else { return (base.to_vec(), Adjustment::default()) };
        adjustment.strength = DEVIATIONS * standard.deviation();
        (standard.apply(base), adjustment)
    }

    pub(super) fn sample(&self, most: usize) -> Vec<SampledExemplar> {
        let sample = |learned: &Arc<LearnedSource>| learned.model.sample(&self.scope, &self.application, most);
        self.learned.as_ref().map(sample).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kaisatsu_feedback::{Candidate, Change, ScopeKey};
    use kaisatsu_model::{AppId, Function, Source};
    use kaisatsu_vision::{Labels, Vocabulary};

    use crate::learning::{FeedbackQuery, scope, source::LearnedSource};

    #[test]
    fn a_confirmed_object_raises_what_is_seen_and_not_every_box_around_it() {
        let (learned, application) = (Arc::new(LearnedSource::new(2)), AppId::from_random([1; 10]));
        let scope = scope(Function::Detect, &Source::Model("coco".to_owned()), "e", "");
        let query = FeedbackQuery::new(&application, scope, Some(Arc::clone(&learned)));
        let descriptor = [0.6, 0.8, -0.3];
        let verdict = |valid| Change {
            scope: ScopeKey { class: "bird".to_owned(), ..query.scope.clone() },
            shared: true,
            application: application.clone(),
            owner: None,
            exemplar: "r/1".to_owned(),
            verdict: ("r".to_owned(), "1".to_owned()),
            valid: Some(valid),
            candidates: vec![Candidate { id: "1".to_owned(), subject: "bird".to_owned(), base_score: 0.5 }],
            named: None,
            descriptor: descriptor.to_vec(),
        };
        let score = |base| query.class_adjustment("bird", &descriptor).of_object("bird", base).score("bird", base);
        learned.model.apply(&verdict(true));
        assert!(score(0.5) > 0.8 && score(0.4) > 0.7, "{} {}", score(0.5), score(0.4));
        assert!(score(0.09) < 0.12 && score(0.2) < 0.4, "{} {}", score(0.09), score(0.2));
        let scores: Vec<f32> = (0..100_u8).map(|at| score(f32::from(at) / 100.0)).collect();
        assert!(scores.is_sorted_by(|a, b| a < b), "the order stays: {scores:?}");
        // That it was wrong holds wherever it is seen.
        learned.model.apply(&verdict(false));
        assert!(score(0.5) < 0.2 && score(0.09) < 0.03, "{} {}", score(0.5), score(0.09));
    }

    #[test]
    fn a_class_that_was_named_is_raised_from_nothing_and_back() {
        let (learned, application) = (Arc::new(LearnedSource::new(2)), AppId::from_random([1; 10]));
        let scope = scope(Function::Classify, &Source::Model("general".to_owned()), "e", "");
        let query = FeedbackQuery::new(&application, scope, Some(Arc::clone(&learned)));
        let known = Vocabulary::of(Arc::new(Labels::plain(["cat", "lynx", "dog"])));
        let (descriptor, base) = ([0.6, 0.8, -0.3], [0.98, 1e-9, 0.02]);
        let scores = || query.adjust_classes(&descriptor, &base, true, &known).0;
        let named = Change {
            scope: query.scope.clone(),
            shared: true,
            application,
            owner: None,
            exemplar: "r".to_owned(),
            verdict: ("r".to_owned(), "tag:lynx".to_owned()),
            valid: Some(true),
            candidates: vec![Candidate { id: "1".to_owned(), subject: "cat".to_owned(), base_score: 0.98 }],
            named: Some("lynx".to_owned()),
            descriptor: descriptor.to_vec(),
        };
        learned.model.apply(&named);
        assert!((0.05..0.2).contains(&scores()[1]), "{:?}", scores());
        let rejected =
            Change { verdict: ("r".to_owned(), "1".to_owned()), valid: Some(false), named: None, ..named.clone() };
        learned.model.apply(&rejected);
        assert!(scores()[1] > 0.5, "{:?}", scores());
        learned.model.apply(&Change { valid: None, ..rejected });
        learned.model.apply(&Change { valid: None, ..named });
        assert_eq!(scores(), base);
    }
}
