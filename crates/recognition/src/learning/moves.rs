//! Moving the scores of candidates by what the memory says, each within its range.

use std::sync::Arc;

use kaisatsu_feedback::{
    Contribution, Evidence, SAMPLE_SIZE, STRENGTH, SampledExemplar, ScopeKey, ScoreRow, Standardiser, rescale_odds,
    rescale_shares, soft_clamp,
};
use kaisatsu_store::Push;
use kaisatsu_vision::probe::{Kind, Probe};

use super::{Asking, Learning, scope};

/// Verdicts named beside a candidate; the others have moved it less.
const NAMED: usize = 10;

/// Exemplars that images are standardised with: each is compared with every image, every time.
const COMPARED: usize = SAMPLE_SIZE / 2;

/// A candidate, and what feedback did to it.
pub(crate) struct Weighed<T> {
    pub(crate) candidate: T,
    /// How sure the engine was without feedback.
    pub(crate) base: f32,
    /// The verdicts that moved it.
    pub(crate) moved: Vec<Push>,
}

/// What the memory says of the candidates of one picture; perhaps nothing.
#[derive(Default)]
pub(crate) struct Moves {
    said: Option<Evidence>,
    /// How far the fullest leaning moves a candidate: its odds, as a power of e; of images, the score itself.
    strength: f32,
}

impl Moves {
    fn lean(&self, subject: &str) -> f32 {
        self.said.as_ref().map_or(0.0, |said| said.value(subject))
    }

    /// How far a candidate is moved.
    fn power(&self, subject: &str) -> f32 {
        self.strength * self.lean(subject)
    }

    /// Puts a candidate beside what moved it.
    pub(crate) fn weigh<T>(&self, candidate: T, subject: &str, base: f32) -> Weighed<T> {
        let estimate = self.said.as_ref().and_then(|said| said.estimate(subject));
        let push = |said: &Contribution| {
            // Where candidates have vectors of their own the exemplar is named by recognition and candidate.
            let named = said.exemplar.as_deref().map(|name| name.split_once('/').unwrap_or((name, "")));
            Push {
                recognition: named.map(|(recognition, _)| recognition.to_owned()),
                item: named.map(|(_, item)| item.to_owned()).filter(|item| !item.is_empty()),
                valid: said.valid,
                by: said.amount * self.strength,
            }
        };
        let moved = estimate.iter().flat_map(|estimate| estimate.contributions.iter().take(NAMED).map(push)).collect();
        Weighed { candidate, base, moved }
    }

    /// The score of an image with that cosine, at the place where it stands among the images.
    pub(crate) fn image_score(&self, subject: &str, base: f32, place: f32) -> f32 {
        let Some(said) = &self.said else { return base };
        (base + said.coverage() * (soft_clamp(place + self.power(subject)) - base)).clamp(0.0, 1.0)
    }

    /// The score of a candidate that stands for itself.
    pub(crate) fn score(&self, subject: &str, base: f32) -> f32 {
        rescale_odds(base, self.power(subject))
    }
}

impl Learning {
    /// What is said of candidates that each have a score of their own.
    pub(crate) fn moves(&self, asking: &Asking, look: &[f32]) -> Moves {
        Moves { said: self.model.evidence(&asking.scope, &asking.application, look), strength: STRENGTH }
    }

    /// The same for one kind of candidate with a vector of its own.
    pub(crate) fn moves_of(&self, asking: &Asking, part: &str, look: &[f32]) -> Moves {
        let ScopeKey { task, model, engine, .. } = &asking.scope;
        let key = scope(task, model, engine, part);
        Moves { said: self.model.evidence(&key, &asking.application, look), strength: STRENGTH }
    }

    /// Moves the scores of all classes of a network. `shares` says whether they are parts of one whole.
    pub(crate) fn move_classes<'a>(
        &self,
        asking: &Asking,
        look: &[f32],
        base: &[f32],
        shares: bool,
        subject: impl Fn(usize) -> Option<&'a str>,
    ) -> (Vec<f32>, Moves) {
        let moves = self.moves(asking, look);
        if moves.said.is_none() {
            return (base.to_vec(), moves);
        }
        let power = |class: usize| subject(class).map_or(0.0, |subject| moves.power(subject));
        let after = if shares {
            rescale_shares(base, power)
        } else {
            base.iter().enumerate().map(|(class, score)| rescale_odds(*score, power(class))).collect()
        };
        (after, moves)
    }

    /// The shares of the classes of a head, before and after; `None` when the picture is a stranger to it.
    pub(crate) fn move_head<'a>(
        &self,
        asking: &Asking,
        version: i64,
        head: &Probe,
        look: &[f32],
        subject: impl Fn(usize) -> Option<&'a str>,
    ) -> Option<(Vec<f32>, Vec<f32>, Moves)> {
        let mut moves = self.moves(asking, look);
        if look.len() != head.dims()
            || !(head.is_familiar(look) || moves.said.as_ref().is_some_and(Evidence::confirms_any))
        {
            return None;
        }
        let scores = head.scores(look);
        let base = head.shares(&scores);
        if moves.said.is_none() {
            return Some((base.clone(), base, moves));
        }
        // A fitted head has seen how its classes score; the means of a picture or two have not.
        if head.kind() == Kind::Ridge {
            let power = |class: usize| subject(class).map_or(0.0, |subject| moves.power(subject));
            return Some((base.clone(), rescale_shares(&base, power), moves));
        }
        let sample = self.sample(asking, SAMPLE_SIZE);
        let rows = self.rows.of(&asking.scope, version, head, &sample);
        let place_of = |name: &str| (0..head.classes()).find(|class| subject(*class) == Some(name));
        let row = |(scores, sampled): (&Arc<[f32]>, &SampledExemplar)| {
            (Arc::clone(scores), sampled.confirmed.as_deref().and_then(place_of))
        };
        let rows: Vec<_> = rows.iter().zip(&sample).map(row).collect();
        let rows: Vec<ScoreRow<'_>> =
            rows.iter().map(|(scores, right)| ScoreRow { scores, confirmed: *right }).collect();
        let Some(standard) = Standardiser::fit(&rows) else { return Some((base.clone(), base, Moves::default())) };
        let step = STRENGTH * standard.deviation();
        moves.strength = step / head.temperature();
        let lean = |class| subject(class).map_or(0.0, |subject| moves.lean(subject));
        // Where next to nothing is heard, next to nothing changes.
        let presence = moves.said.as_ref().map_or(0.0, Evidence::coverage);
        let place = |(class, score): (usize, &f32)| {
            score + presence * (standard.apply(class, *score) - score) + step * lean(class)
        };
        let after: Vec<f32> = scores.iter().enumerate().map(place).collect();
        Some((base, head.shares(&after), moves))
    }

    /// Moves images by their cosines with a picture: first standardised, so that an image that is like every picture
    /// does not come before one that is like this one. `cosines` are those of all images with another vector, and
    /// `place_of` says which of them a confirmed one is. The result are places that still lack what is said of each
    /// image, for which [`Moves::image_score`] is asked.
    pub(crate) fn move_images(
        &self,
        asking: &Asking,
        look: &[f32],
        base: &[f32],
        cosines: impl Fn(&[f32]) -> Vec<f32>,
        place_of: impl Fn(&str) -> Option<usize>,
    ) -> (Vec<f32>, Moves) {
        let mut moves = self.moves(asking, look);
        let sample = if moves.said.is_some() { self.sample(asking, COMPARED) } else { Vec::new() };
        let row = |sampled: &SampledExemplar| {
            (cosines(&sampled.vector.dequantise()), sampled.confirmed.as_deref().and_then(&place_of))
        };
        let rows: Vec<(Vec<f32>, Option<usize>)> = sample.iter().map(row).collect();
        let rows: Vec<ScoreRow<'_>> =
            rows.iter().map(|(scores, right)| ScoreRow { scores, confirmed: *right }).collect();
        let Some(standard) = Standardiser::fit(&rows) else { return (base.to_vec(), Moves::default()) };
        moves.strength = STRENGTH * standard.deviation();
        (base.iter().enumerate().map(|(image, cosine)| standard.apply(image, *cosine)).collect(), moves)
    }

    fn sample(&self, asking: &Asking, most: usize) -> Vec<SampledExemplar> {
        self.model.sample(&asking.scope, &asking.application, most)
    }
}
