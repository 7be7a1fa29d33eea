//! Scores on no scale of their own as probabilities.

/// The probability of each: they add up to one, and the higher the temperature, the more alike they are.
pub(crate) fn softmax(scores: &[f32], temperature: f32) -> Vec<f32> {
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut powers: Vec<f32> = scores.iter().map(|score| ((score - top) / temperature).exp()).collect();
    let sum: f32 = powers.iter().sum();
    for power in &mut powers {
        *power /= sum;
    }
    powers
}
