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
}
