//! Standardises scores per item, because some items score high on every picture and others on none.
//!
//! Without this, the first items that get an exemplar outrank all others.

/// The number of exemplars from which the mean and deviation of an item are estimated.
pub const SAMPLE_SIZE: usize = 128;

/// The weight of the pooled mean and deviation in those of an item, in exemplars.
const PRIOR_COUNT: f32 = 8.0;

/// The lower bound of the pooled deviation.
const MIN_DEVIATION: f32 = 0.02;

/// The mean and standard deviation of each item's scores on exemplars of other items, shrunk towards the pooled ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Standardiser {
    /// Mean and deviation by item.
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
    /// Estimates the means and deviations. Returns `None` without exemplars, without items, or for rows of different
    /// lengths. The order of the rows affects rounding, so callers pass them sorted by name.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "counts of exemplars and items")]
    pub fn fit(rows: &[ScoreRow<'_>]) -> Option<Self> {
        let items = rows.first()?.scores.len();
        if items == 0 || rows.iter().any(|row| row.scores.len() != items) {
            return None;
        }
        let columns: Vec<Column> = (0..items).map(|item| Column::of(rows, item)).collect();
        let count: f32 = columns.iter().map(|column| column.count).sum();
        let mean = columns.iter().map(|column| column.sum).sum::<f32>() / count.max(1.0);
        // A single exemplar gives no deviation within an item, so the deviation between the items is added.
        let between: f32 = rows[0].scores.iter().map(|score| (score - mean).powi(2)).sum();
        let within: f32 = columns.iter().map(|column| column.squares).sum();
        let pooled = ((within + between) / (count + items as f32)).sqrt().max(MIN_DEVIATION);
        let item = |column: &Column| {
            let deviation = ((column.squares + PRIOR_COUNT * pooled.powi(2)) / (column.count + PRIOR_COUNT)).sqrt();
            ((column.sum + mean * PRIOR_COUNT) / (column.count + PRIOR_COUNT), deviation)
        };
        Some(Self { items: columns.iter().map(item).collect(), pooled_mean: mean, pooled_deviation: pooled })
    }

    /// Maps a score from the distribution of its item to the pooled distribution.
    #[must_use]
    pub fn apply(&self, item: usize, score: f32) -> f32 {
        let Some((mean, deviation)) = self.items.get(item) else { return score };
        self.pooled_mean + (score - mean) / deviation * self.pooled_deviation
    }

    /// The pooled standard deviation of a score.
    #[must_use]
    pub fn deviation(&self) -> f32 {
        self.pooled_deviation
    }
}

/// Sums over the scores of one item.
struct Column {
    count: f32,
    sum: f32,
    /// The sum of squared deviations from the item's mean.
    squares: f32,
}

impl Column {
    fn of(rows: &[ScoreRow<'_>], item: usize) -> Self {
        let scores = || rows.iter().filter(|row| row.confirmed != Some(item)).map(|row| row.scores[item]);
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
        assert!(standardiser.apply(0, 0.85) < standardiser.apply(1, 0.5));
        assert!(Standardiser::fit(&[]).is_none());
        assert!(Standardiser::fit(&[ScoreRow { scores: &[], confirmed: None }]).is_none());
    }

    #[test]
    fn confirming_one_item_many_times_does_not_lower_it() {
        let rows = vec![ScoreRow { scores: &[0.9, 0.2, 0.1], confirmed: Some(0) }; 100];
        let standardiser = Standardiser::fit(&rows).unwrap();
        assert!(standardiser.apply(0, 0.7) > standardiser.apply(1, 0.25));
    }

    /// The figures are worked out by hand: two exemplars, two items, nothing confirmed.
    #[test]
    fn means_and_deviations_are_shrunk_towards_the_pooled_ones() {
        let rows = [&[0.9f32, 0.1], &[0.7, 0.3]].map(|scores| ScoreRow { scores, confirmed: None });
        let standardiser = Standardiser::fit(&rows).unwrap();
        // The pooled mean is 2.0 / 4. Within the items the squares sum to 0.02 each, between them to 0.16 + 0.16.
        let pooled = (0.36f32 / 6.0).sqrt();
        let near = |found: f32, expected: f32| assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        near(standardiser.deviation(), pooled);
        let deviation = ((0.02 + 8.0 * 0.06) / 10.0f32).sqrt();
        // The mean of the first item is 1.6 / 2, shrunk to (1.6 + 8 * 0.5) / 10.
        near(standardiser.apply(0, 0.56), 0.5);
        near(standardiser.apply(0, 0.86), 0.5 + 0.3 / deviation * pooled);
        near(standardiser.apply(1, 0.44), 0.5);
        near(standardiser.apply(2, 0.44), 0.44);
    }

    #[test]
    fn the_score_of_the_confirmed_item_is_left_out() {
        let rows = [(&[0.9f32, 0.1], Some(0)), (&[0.7, 0.3], None)];
        let rows = rows.map(|(scores, confirmed)| ScoreRow { scores, confirmed });
        let standardiser = Standardiser::fit(&rows).unwrap();
        // The first item has one score, 0.7, and the second two. The pooled mean is 1.1 / 3.
        let mean = 1.1f32 / 3.0;
        let shrunk = (0.7 + 8.0 * mean) / 9.0;
        assert!((standardiser.apply(0, shrunk) - mean).abs() < 1e-5);
        // Each exemplar confirms its only item: there is no score, and the pooled mean is 0.
        let alone = Standardiser::fit(&[ScoreRow { scores: &[0.9], confirmed: Some(0) }]).unwrap();
        assert!((alone.apply(0, 0.0)).abs() < 1e-6 && alone.apply(0, 0.5) > 0.4);
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
