//! Standardising: some items are near to every picture, and others to none. Without this the first items with an
//! exemplar swallow the rest.

/// Exemplars that an item is measured with.
pub const SAMPLED: usize = 128;

/// How many exemplars the common figures count for.
const PRIOR: f32 = 8.0;

/// The least spread of scores that is believed.
const LEAST: f32 = 0.02;

/// How each item scores on exemplars of something else: its mean and its deviation.
#[derive(Debug, Clone, PartialEq)]
pub struct Standard {
    items: Vec<(f32, f32)>,
    mean: f32,
    spread: f32,
}

/// The scores of all items on one exemplar.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// One for each item.
    pub scores: &'a [f32],
    /// The item that the exemplar was confirmed to be. It does not count there: who rates many pictures of one thing must
    /// not make that thing look like something that is near to everything.
    pub right: Option<usize>,
}

impl Standard {
    /// From the scores on exemplars, in the order of their names. `None` without any.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "counts of exemplars and items")]
    pub fn of(rows: &[Row<'_>]) -> Option<Self> {
        let items = rows.first()?.scores.len();
        if items == 0 || rows.iter().any(|row| row.scores.len() != items) {
            return None;
        }
        let columns: Vec<Column> = (0..items).map(|item| Column::of(rows, item)).collect();
        let count: f32 = columns.iter().map(|column| column.count).sum();
        let mean = columns.iter().map(|column| column.sum).sum::<f32>() / count.max(1.0);
        // Of one exemplar nothing is known of the deviations: that of the items among themselves stands in.
        let among: f32 = rows[0].scores.iter().map(|score| (score - mean).powi(2)).sum();
        let within: f32 = columns.iter().map(|column| column.square).sum();
        let spread = ((within + among) / (count + items as f32)).sqrt().max(LEAST);
        let item = |column: &Column| {
            let deviation = ((column.square + PRIOR * spread.powi(2)) / (column.count + PRIOR)).sqrt();
            ((column.sum + mean * PRIOR) / (column.count + PRIOR), deviation)
        };
        Some(Self { items: columns.iter().map(item).collect(), mean, spread })
    }

    /// The score of an item as if all items scored alike.
    #[must_use]
    pub fn apply(&self, item: usize, score: f32) -> f32 {
        let Some((mean, deviation)) = self.items.get(item) else { return score };
        self.mean + (score - mean) / deviation * self.spread
    }

    /// The usual deviation of a score.
    #[must_use]
    pub fn spread(&self) -> f32 {
        self.spread
    }
}

/// The scores of one item.
struct Column {
    count: f32,
    sum: f32,
    /// Of the deviations from its mean, squared.
    square: f32,
}

impl Column {
    fn of(rows: &[Row<'_>], item: usize) -> Self {
        let scores = || rows.iter().filter(|row| row.right != Some(item)).map(|row| row.scores[item]);
        let (count, sum) = scores().fold((0.0, 0.0), |(count, sum), score| (count + 1.0, sum + score));
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        Self { count, sum, square: scores().map(|score| (score - mean).powi(2)).sum() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::{Row, Standard};

    #[test]
    fn an_item_that_is_near_to_everything_is_brought_down() {
        let rows: Vec<Vec<f32>> =
            (0..40u8).map(|n| vec![0.8 + 0.05 * f32::from(n % 3), 0.3 + 0.1 * f32::from(n % 2), 0.3]).collect();
        let rows: Vec<Row<'_>> = rows.iter().map(|scores| Row { scores, right: None }).collect();
        let standard = Standard::of(&rows).unwrap();
        assert!(standard.apply(0, 0.85) < standard.apply(1, 0.5));
        assert!(Standard::of(&[]).is_none() && Standard::of(&[Row { scores: &[], right: None }]).is_none());
    }

    #[test]
    fn who_rates_one_thing_only_does_not_bring_it_down() {
        let rows = vec![Row { scores: &[0.9, 0.2, 0.1], right: Some(0) }; 100];
        let standard = Standard::of(&rows).unwrap();
        assert!(standard.apply(0, 0.7) > standard.apply(1, 0.25));
    }
}
