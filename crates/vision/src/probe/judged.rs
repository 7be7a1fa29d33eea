//! What a classifier says of pictures that it has not seen: its accuracy, and the temperature that makes its scores
//! mean what they say.

use crate::softmax::softmax;

/// Temperatures to choose from, as multiples of the deviation of the scores.
const SOFTEST: f32 = 3.0;
const STEP: f32 = 0.85;
const STEPS: i32 = 30;

/// How much the logarithm of the right score counts beside the share of right answers. With few pictures the right
/// answers alone are mostly chance; with many the likelihood alone prefers class means, whose scores are smoother.
const LIKELIHOOD: f32 = 0.25;

/// A picture that was left out: its class among the examples, and its score for every class.
pub(super) struct Row {
    pub(super) picture: usize,
    pub(super) class: usize,
    pub(super) scores: Vec<f32>,
}

/// A kind of classifier and what it says of pictures that were left out.
pub(super) struct Judged {
    pub(super) rows: Vec<Row>,
    /// The temperature of the softmax that fits best, if there are pictures to judge by.
    pub(super) temperature: Option<f32>,
    /// The larger, the better.
    pub(super) value: f32,
}

impl Judged {
    #[allow(clippy::cast_precision_loss, reason = "counts of pictures")]
    pub(super) fn new(rows: Vec<Row>) -> Self {
        let count = rows.len().max(1) as f32;
        let fit = |temperature: f32| {
            let sum: f32 = rows.iter().map(|row| softmax(&row.scores, temperature)[row.class].max(1e-9).ln()).sum();
            sum / count
        };
        let deviation = deviation(rows.iter().map(|row| &row.scores[..]));
        let tried = (0..STEPS).map(|step| deviation * SOFTEST * STEP.powi(step)).filter(|_| deviation > 0.0);
        let tried: Vec<f32> = tried.filter(|_| !rows.is_empty()).collect();
        let best = tried.iter().map(|temperature| (*temperature, fit(*temperature))).max_by(|a, b| a.1.total_cmp(&b.1));
        let right = rows.iter().filter(|row| first(&row.scores) == Some(row.class)).count();
        let value = right as f32 / count + LIKELIHOOD * best.map_or(f32::NEG_INFINITY, |(_, fit)| fit);
        // Where all of a few pictures are right, the likelihood only grows with certainty. But eight right ones of
        // eight speak for a ninth with 9 to 1, and not more (Laplace's rule of succession).
        let earned = (right as f32 + 1.0) / (rows.len() as f32 + 2.0);
        let promised = |temperature: f32| {
            let best = |row: &Row| softmax(&row.scores, temperature).into_iter().fold(0.0, f32::max);
            rows.iter().map(best).sum::<f32>() / count
        };
        let softer = |best: f32| {
            let mut softer = tried.iter().rev().filter(|temperature| **temperature >= best);
            softer.find(|temperature| promised(**temperature) <= earned).copied().unwrap_or(best)
        };
        let temperature = best.map(|(best, _)| softer(best));
        Self { rows, temperature, value }
    }
}

/// The class with the best score, the first of several.
pub(super) fn first(scores: &[f32]) -> Option<usize> {
    let best = scores.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
    best.map(|(class, _)| class)
}

/// The root of the mean squared difference between a score and the mean of its row.
#[allow(clippy::cast_precision_loss, reason = "counts of classes")]
pub(super) fn deviation<'a>(rows: impl Iterator<Item = &'a [f32]>) -> f32 {
    let (mut sum, mut count) = (0.0, 0.0);
    for row in rows {
        let mean = row.iter().sum::<f32>() / row.len().max(1) as f32;
        sum += row.iter().map(|score| (score - mean).powi(2)).sum::<f32>();
        count += row.len() as f32;
    }
    if count > 0.0 { (sum / count).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{Judged, Row};
    use crate::softmax::softmax;

    /// Pictures of two classes, the scores of which are `apart`; the first `wrong` of them are of the other class.
    fn judged(pictures: usize, wrong: usize, apart: f32) -> Judged {
        let row = |picture: usize| {
            let class = picture % 2;
            let scores = if class == 0 { vec![apart, 0.0] } else { vec![0.0, apart] };
            Row { picture, class: if picture < wrong { 1 - class } else { class }, scores }
        };
        Judged::new((0..pictures).map(row).collect())
    }

    fn promised(judged: &Judged) -> f32 {
        let row = &judged.rows[judged.rows.len() - 1];
        softmax(&row.scores, judged.temperature.unwrap())[row.class]
    }

    #[test]
    fn scores_promise_no_more_than_so_many_right_pictures_speak_for() {
        for apart in [0.01, 1.0, 50.0] {
            assert!((0.85..=0.9).contains(&promised(&judged(8, 0, apart))), "{apart}");
            assert!((0.98..=101.0 / 102.0).contains(&promised(&judged(100, 0, apart))), "{apart}");
        }
        assert!((promised(&judged(100, 20, 1.0)) - 0.8).abs() < 0.03, "the share of right ones, as it fits best");
        assert_eq!(judged(0, 0, 1.0).temperature, None);
    }
}
