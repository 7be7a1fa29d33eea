//! Standardising: some items are near to every picture, and others to none. Without this the first items with an
//! exemplar swallow the rest.

/// Exemplars that an item is measured with.
pub const SAMPLED: usize = 128;

/// How many exemplars the common figures count for.
const PRIOR: f32 = 8.0;

/// The least spread of scores that is believed.
const LEAST: f32 = 0.02;

/// How each item scores on exemplars: its mean and its deviation.
#[derive(Debug, Clone, PartialEq)]
pub struct Standard {
    items: Vec<(f32, f32)>,
    mean: f32,
    spread: f32,
}

impl Standard {
    /// From a row of scores for each exemplar, the rows in the order of the exemplars' names. `None` without rows.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "counts of exemplars and items")]
    pub fn of(rows: &[&[f32]]) -> Option<Self> {
        let items = rows.first()?.len();
        if items == 0 || rows.iter().any(|row| row.len() != items) {
            return None;
        }
        let count = rows.len() as f32;
        let mut means = vec![0.0; items];
        for row in rows {
            means.iter_mut().zip(*row).for_each(|(sum, score)| *sum += score);
        }
        for sum in &mut means {
            *sum /= count;
        }
        let mean = means.iter().sum::<f32>() / items as f32;
        let mut squares = vec![0.0; items];
        for row in rows {
            squares.iter_mut().zip(*row).zip(&means).for_each(|((sum, score), mean)| *sum += (score - mean).powi(2));
        }
        // Of one exemplar nothing is known of the deviations: that of the items among themselves stands in.
        let among: f32 = rows[0].iter().map(|score| (score - mean).powi(2)).sum::<f32>() / items as f32;
        let within: f32 = squares.iter().sum::<f32>() / (items as f32 * count);
        let spread = ((within * (count - 1.0) + among) / count).sqrt().max(LEAST);
        let item = |(own, square): (&f32, &f32)| {
            let deviation = ((square + PRIOR * spread.powi(2)) / (count + PRIOR)).sqrt();
            ((own * count + mean * PRIOR) / (count + PRIOR), deviation)
        };
        Some(Self { items: means.iter().zip(&squares).map(item).collect(), mean, spread })
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

#[cfg(test)]
mod tests {
    use super::Standard;

    #[test]
    fn an_item_that_is_near_to_everything_is_brought_down() {
        let rows: Vec<Vec<f32>> =
            (0..40u8).map(|n| vec![0.9 + 0.01 * f32::from(n % 3), 0.3 + 0.1 * f32::from(n % 2), 0.3]).collect();
        let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
        let standard = Standard::of(&rows).unwrap();
        assert!(standard.apply(0, 0.9) < standard.apply(1, 0.5));
        assert!(Standard::of(&[]).is_none() && Standard::of(&[&[], &[]]).is_none());
    }
}
