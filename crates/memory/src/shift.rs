//! Moving scores without leaving their range.

/// A probability whose odds are moved by a power of e. No shift changes no bit.
#[must_use]
pub fn shifted_odds(score: f32, power: f32) -> f32 {
    if power == 0.0 || score <= 0.0 || score >= 1.0 {
        return score;
    }
    let odds = score / (1.0 - score) * power.exp();
    (odds / (1.0 + odds)).clamp(0.0, 1.0)
}

/// Shares of one whole, each moved by a power of e and made whole again.
#[must_use]
pub fn shifted_shares(shares: &[f32], power: impl Fn(usize) -> f32) -> Vec<f32> {
    let mut moved: Vec<f32> = shares.iter().enumerate().map(|(at, share)| share * power(at).exp()).collect();
    let (before, after): (f32, f32) = (shares.iter().sum(), moved.iter().sum());
    if after > 0.0 {
        for share in &mut moved {
            *share = (*share * before / after).clamp(0.0, 1.0);
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{shifted_odds, shifted_shares};

    proptest! {
        #[test]
        fn a_score_stays_in_its_range_and_keeps_its_order(score in 0.0f32..=1.0, power in -20.0f32..20.0) {
            let moved = shifted_odds(score, power);
            prop_assert!((0.0..=1.0).contains(&moved));
            let forth = (moved - score) * power.signum();
            prop_assert!(forth >= -1e-6);
            prop_assert_eq!(shifted_odds(score, 0.0).to_bits(), score.to_bits());
        }

        #[test]
        fn shares_stay_one_whole(shares in proptest::collection::vec(0.001f32..1.0, 1..50), power in -5.0f32..5.0) {
            let sum: f32 = shares.iter().sum();
            let shares: Vec<f32> = shares.iter().map(|share| share / sum).collect();
            let moved = shifted_shares(&shares, |at| if at == 0 { power } else { 0.0 });
            prop_assert!((moved.iter().sum::<f32>() - 1.0).abs() < 1e-3);
            let forth = (moved[0] - shares[0]) * power.signum();
            prop_assert!(forth >= -1e-5);
        }
    }
}
