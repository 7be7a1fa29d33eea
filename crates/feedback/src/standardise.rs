//! Standardises scores per item, because some items score high on every picture and others on none.
//!
//! Without this, the first items that get an exemplar outrank all others. Scores are compared within a picture: what a
//! picture has in common with all items, for example that it is a drawing, is subtracted first. Otherwise items with a
//! small deviation would gain from it and items with a large one lose.

/// The number of exemplars from which the mean and deviation of an item are estimated.
pub const SAMPLE_SIZE: usize = 128;

/// The weight of the pooled mean and deviation in those of an item, in exemplars.
const PRIOR_COUNT: f32 = 8.0;

/// The lower bound of the pooled deviation.
const MIN_DEVIATION: f32 = 0.02;

/// The mean and standard deviation of each item's scores on exemplars of other items, shrunk towards the pooled ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Standardiser {
    /// Mean and deviation by item, around the mean of the picture.
    items: Vec<(f32, f32)>,
    pooled_mean: f32,
    pooled_deviation: f32,
}

/// The scores of all items on one exemplar.
#[derive(Debug, Clone, Copy)]
pub struct ScoreRow<'a> {
    /// One score per item.
    pub scores: &'a [f32],
    /// The item that the exemplar was confirmed to show. Its score is left out: otherwise confirming many pictures of
    /// one item would raise that item's mean, and so lower its standardised score.
    pub confirmed: Option<usize>,
}

impl Standardiser {
    /// Estimates the means and deviations of the scores around the mean of their picture. Returns `None` without
    /// exemplars, without items, or for rows of different lengths. The order of the rows affects rounding, so callers
    /// pass them sorted by name.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "counts of exemplars and items")]
    pub fn fit(rows: &[ScoreRow<'_>]) -> Option<Self> {
        let items = rows.first()?.scores.len();
        if items == 0 || rows.iter().any(|row| row.scores.len() != items) {
            return None;
        }
        let levels: Vec<f32> = rows.iter().map(|row| level(row.scores)).collect();
        let columns: Vec<Column> = (0..items).map(|item| Column::of(rows, &levels, item)).collect();
        let count: f32 = columns.iter().map(|column| column.count).sum();
        let mean = columns.iter().map(|column| column.sum).sum::<f32>() / count.max(1.0);
        // A single exemplar gives no deviation within an item, so the deviation between the items is added.
        let between: f32 = rows[0].scores.iter().map(|score| (score - levels[0] - mean).powi(2)).sum();
        let within: f32 = columns.iter().map(|column| column.squares).sum();
        let pooled = ((within + between) / (count + items as f32)).sqrt().max(MIN_DEVIATION);
        let item = |column: &Column| {
            let deviation = ((column.squares + PRIOR_COUNT * pooled.powi(2)) / (column.count + PRIOR_COUNT)).sqrt();
            ((column.sum + mean * PRIOR_COUNT) / (column.count + PRIOR_COUNT), deviation)
        };
        Some(Self { items: columns.iter().map(item).collect(), pooled_mean: mean, pooled_deviation: pooled })
    }

    /// Maps the scores of a picture, each from the distribution of its item to the pooled distribution. An item that
    /// is unknown keeps its score.
    #[must_use]
    pub fn apply(&self, scores: &[f32]) -> Vec<f32> {
        let level = level(scores);
        let map = |(item, score): (usize, &f32)| {
            let Some((mean, deviation)) = self.items.get(item) else { return *score };
            level + self.pooled_mean + (score - level - mean) / deviation * self.pooled_deviation
        };
        scores.iter().enumerate().map(map).collect()
    }

    /// The pooled standard deviation of a score around the mean of its picture.
    #[must_use]
    pub fn deviation(&self) -> f32 {
        self.pooled_deviation
    }
}

/// The mean score of a picture; 0 for a single item, which has nothing to be compared with.
#[allow(clippy::cast_precision_loss, reason = "a count of items")]
fn level(scores: &[f32]) -> f32 {
    if scores.len() < 2 { 0.0 } else { scores.iter().sum::<f32>() / scores.len() as f32 }
}

/// Sums over the scores of one item.
struct Column {
    count: f32,
    sum: f32,
    /// The sum of squared deviations from the item's mean.
    squares: f32,
}

impl Column {
    fn of(rows: &[ScoreRow<'_>], levels: &[f32], item: usize) -> Self {
        let others = || rows.iter().zip(levels).filter(|(row, _)| row.confirmed != Some(item));
        let scores = || others().map(|(row, level)| row.scores[item] - level);
        let (count, sum) = scores().fold((0.0, 0.0), |(count, sum), score| (count + 1.0, sum + score));
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        Self { count, sum, squares: scores().map(|score| (score - mean).powi(2)).sum() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::{ScoreRow, Standardiser};

    #[test]
    fn an_item_that_scores_high_on_every_picture_is_lowered() {
        let rows: Vec<Vec<f32>> =
            (0..40u8).map(|n| vec![0.8 + 0.05 * f32::from(n % 3), 0.3 + 0.1 * f32::from(n % 2), 0.3]).collect();
        let rows: Vec<ScoreRow<'_>> = rows.iter().map(|scores| ScoreRow { scores, confirmed: None }).collect();
        let standardiser = Standardiser::fit(&rows).unwrap();
        let standardised = standardiser.apply(&[0.85, 0.5, 0.3]);
        assert!(standardised[0] < standardised[1], "{standardised:?}");
        assert!(Standardiser::fit(&[]).is_none());
        assert!(Standardiser::fit(&[ScoreRow { scores: &[], confirmed: None }]).is_none());
    }

    #[test]
    fn confirming_one_item_many_times_does_not_lower_it() {
        let rows = vec![ScoreRow { scores: &[0.9, 0.2, 0.1], confirmed: Some(0) }; 100];
        let standardiser = Standardiser::fit(&rows).unwrap();
        let standardised = standardiser.apply(&[0.7, 0.25, 0.1]);
        assert!(standardised[0] > standardised[1], "{standardised:?}");
    }

    fn assert_near(found: &[f32], expected: &[f32]) {
        let near = |(found, expected): (&f32, &f32)| (found - expected).abs() < 1e-5;
        assert!(found.len() == expected.len() && found.iter().zip(expected).all(near), "{found:?} {expected:?}");
    }

    /// The figures are worked out by hand: two exemplars, three items, nothing confirmed.
    #[test]
    fn means_and_deviations_are_shrunk_towards_the_pooled_ones() {
        let rows = [&[0.9f32, 0.1, 0.2], &[0.7, 0.3, 0.2]].map(|scores| ScoreRow { scores, confirmed: None });
        let standardiser = Standardiser::fit(&rows).unwrap();
        // Both pictures have a level of 0.4. Around it the squares of the items sum to 0.02, 0.02 and 0, those between
        // the items of the first exemplar to 0.25 + 0.09 + 0.04.
        let pooled = (0.42f32 / 9.0).sqrt();
        assert_near(&[standardiser.deviation()], &[pooled]);
        // The mean of an item is its sum, 0.8, -0.4 or -0.4, divided by two exemplars and a prior of eight.
        let deviation = |squares: f32| ((squares + 8.0 * pooled.powi(2)) / 10.0).sqrt();
        let expected = |score: f32, mean: f32, squares: f32| 0.5 + (score - 0.5 - mean) / deviation(squares) * pooled;
        let found = standardiser.apply(&[0.8, 0.5, 0.2]);
        assert_near(&found, &[expected(0.8, 0.08, 0.02), expected(0.5, -0.04, 0.02), expected(0.2, -0.04, 0.0)]);
    }

    #[test]
    fn the_score_of_the_confirmed_item_is_left_out() {
        let rows = [(&[0.9f32, 0.1], Some(0)), (&[0.7, 0.3], None)];
        let rows = rows.map(|(scores, confirmed)| ScoreRow { scores, confirmed });
        let standardiser = Standardiser::fit(&rows).unwrap();
        // Around the level of 0.5 the first item has one score, 0.2, and the second two, -0.4 and -0.2.
        let mean = -0.4f32 / 3.0;
        let pooled = ((0.02 + (0.4 - mean).powi(2) + (-0.4 - mean).powi(2)) / 5.0f32).sqrt();
        let first = ((8.0 * pooled.powi(2)) / 9.0f32).sqrt();
        let second = ((0.02 + 8.0 * pooled.powi(2)) / 10.0f32).sqrt();
        let expected = |score: f32, item: f32, deviation: f32| 0.5 + mean + (score - 0.5 - item) / deviation * pooled;
        let items = ((0.2 + 8.0 * mean) / 9.0, (-0.6 + 8.0 * mean) / 10.0);
        let found = standardiser.apply(&[0.6, 0.4]);
        assert_near(&found, &[expected(0.6, items.0, first), expected(0.4, items.1, second)]);
    }

    #[test]
    fn a_single_item_keeps_its_scores_apart() {
        let rows = [&[0.2f32], &[0.8]].map(|scores| ScoreRow { scores, confirmed: None });
        let standardiser = Standardiser::fit(&rows).unwrap();
        assert!(standardiser.apply(&[0.9])[0] > standardiser.apply(&[0.1])[0] + 0.3);
        // The squares around the mean of 0.5 sum to 0.18; the first exemplar adds 0.09.
        assert_near(&[standardiser.deviation()], &[0.3]);
        // Each exemplar confirms the only item: there is no score, and the pooled mean is 0.
        let alone = Standardiser::fit(&[ScoreRow { scores: &[0.9], confirmed: Some(0) }]).unwrap();
        assert!(alone.apply(&[0.0])[0].abs() < 1e-6 && alone.apply(&[0.5])[0] > 0.4);
    }

    /// Pictures of one kind resemble all items, those of another none. This must not decide between items whose scores
    /// vary by different amounts.
    #[test]
    fn what_a_picture_has_in_common_with_all_items_does_not_change_their_order() {
        let rows: Vec<Vec<f32>> = (0..40u8)
            .map(|n| vec![0.3 + 0.1 * f32::from(n % 2), 0.3 + 0.01 * f32::from(n % 3), 0.3 + 0.02 * f32::from(n % 5)])
            .collect();
        let rows: Vec<ScoreRow<'_>> = rows.iter().map(|scores| ScoreRow { scores, confirmed: None }).collect();
        let standardiser = Standardiser::fit(&rows).unwrap();
        let scores = [0.42f32, 0.33, 0.31];
        let found = standardiser.apply(&scores);
        let brighter = standardiser.apply(&scores.map(|score| score + 0.4));
        assert_near(&brighter, &found.iter().map(|score| score + 0.4).collect::<Vec<f32>>());
        assert_near(&standardiser.apply(&[0.42, 0.33, 0.31, 0.7])[3..], &[0.7]);
        let rows: Vec<ScoreRow<'_>> = rows.iter().map(|row| ScoreRow { scores: &row.scores[..2], ..*row }).collect();
        let standardiser = Standardiser::fit(&rows).unwrap();
        let brighter: Vec<f32> = standardiser.apply(&[0.42, 0.33]).iter().map(|score| score + 0.4).collect();
        assert_near(&standardiser.apply(&[0.82, 0.73]), &brighter);
    }

    #[test]
    fn equal_scores_have_the_smallest_deviation() {
        let rows = [ScoreRow { scores: &[0.5, 0.5], confirmed: None }; 3];
        assert_eq!(Standardiser::fit(&rows).unwrap().deviation().to_bits(), 0.02f32.to_bits());
    }

    #[test]
    fn rows_of_different_lengths_are_refused() {
        let rows = [&[0.5f32, 0.5][..], &[0.5]].map(|scores| ScoreRow { scores, confirmed: None });
        assert!(Standardiser::fit(&rows).is_none());
    }
}
