//! Moving scores without leaving their range.

/// How likely an engine that is quite sure is to be wrong all the same, when it is told so.
const ERROR: f32 = 0.01;

/// A probability whose odds are moved by a power of e. No shift changes no bit. What speaks against a candidate also
/// says that the engine can be wrong: otherwise nothing could be said against one that it is certain of.
#[must_use]
pub fn shifted_odds(score: f32, power: f32) -> f32 {
    if power == 0.0 || score <= 0.0 || (score >= 1.0 && power > 0.0) {
        return score;
    }
    let times = power.exp();
    let against = (1.0 - score) / score + ERROR * (1.0 - times).max(0.0);
    (times / (times + against)).clamp(0.0, 1.0)
}

/// How near to its ends a score of images is left as it is.
const EDGE: f32 = 0.05;

/// A place on a line that may lead beyond 0 and 1, as a score: near the ends, and beyond them, it comes ever closer to
/// them, so that what is further along still scores more.
#[must_use]
pub fn within_range(place: f32) -> f32 {
    if place > 1.0 - EDGE {
        1.0 - EDGE * ((1.0 - EDGE - place) / EDGE).exp()
    } else if place < EDGE {
        EDGE * ((place - EDGE) / EDGE).exp()
    } else {
        place
    }
}

/// Shares of one whole, each moved by a power of e and made whole again. No shift changes no bit.
#[must_use]
pub fn shifted_shares(shares: &[f32], power: impl Fn(usize) -> f32) -> Vec<f32> {
    let powers: Vec<f32> = (0..shares.len()).map(power).collect();
    if powers.iter().all(|power| *power == 0.0) {
        return shares.to_vec();
    }
    let mut moved: Vec<f32> = shares.iter().zip(powers).map(|(share, power)| share * power.exp()).collect();
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

    use super::{shifted_odds, shifted_shares, within_range};

    proptest! {
        #[test]
        fn a_score_stays_in_its_range_and_keeps_its_order(score in 0.0f32..=1.0, power in -20.0f32..20.0) {
            let moved = shifted_odds(score, power);
            prop_assert!((0.0..=1.0).contains(&moved));
            let forth = (moved - score) * power.signum();
            prop_assert!(forth >= -1e-6);
            prop_assert!(power > -0.5 || moved < 0.999);
            prop_assert_eq!(shifted_odds(score, 0.0).to_bits(), score.to_bits());
        }

        #[test]
        fn places_keep_their_order(one in -2.0f32..3.0, further in 0.0f32..1.0) {
            let (a, b) = (within_range(one), within_range(one + further));
            prop_assert!((0.0..=1.0).contains(&a) && a <= b);
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
