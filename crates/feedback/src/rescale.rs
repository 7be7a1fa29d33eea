//! Moves scores by the evidence without leaving the range of a score, 0 to 1.

/// The assumed error rate of an engine that is certain of a candidate.
const ERROR_RATE: f32 = 0.01;

/// Adds `log_odds` to the log-odds of a probability. Zero leaves every bit as it is.
///
/// Negative evidence also adds the engine's error rate to the odds against the candidate: otherwise no amount of it
/// could lower a score of 1.
#[must_use]
pub fn rescale_odds(score: f32, log_odds: f32) -> f32 {
    if log_odds == 0.0 || score <= 0.0 {
        return score;
    }
    let factor = log_odds.exp();
    let against = (1.0 - score) / score + ERROR_RATE * (1.0 - factor).max(0.0);
    (factor / (factor + against)).clamp(0.0, 1.0)
}

/// The width of the range at each end in which [`soft_clamp`] bends.
const MARGIN: f32 = 0.05;

/// Maps any number into 0 to 1: unchanged in the middle, approaching the ends exponentially, strictly increasing as far
/// as floating point allows. Two values beyond the range therefore keep their order.
#[must_use]
pub fn soft_clamp(value: f32) -> f32 {
    if value > 1.0 - MARGIN {
        1.0 - MARGIN * ((1.0 - MARGIN - value) / MARGIN).exp()
    } else if value < MARGIN {
        MARGIN * ((value - MARGIN) / MARGIN).exp()
    } else {
        value
    }
}

/// A score to which positive evidence adds the engine's error rate, the more the stronger it is: an engine that gives
/// the right answer a millionth is wrong, and no factor of the evidence alone could lift that.
#[must_use]
pub fn lift(score: f32, log_factor: f32) -> f32 {
    if log_factor > 0.0 { score + ERROR_RATE * (1.0 - (-log_factor).exp()) } else { score }
}

/// Multiplies each share, lifted, by e to the power of its `log_factor` and scales the shares to their former sum. If
/// all are zero, every bit stays as it is.
///
/// Of what negative evidence takes from a share, the engine's error rate goes to the others in equal parts: otherwise
/// no amount of it could lower a share beside which the engine sees nothing.
#[must_use]
pub fn rescale_shares(shares: &[f32], log_factor: impl Fn(usize) -> f32) -> Vec<f32> {
    let log_factors: Vec<f32> = (0..shares.len()).map(log_factor).collect();
    if log_factors.iter().all(|log_factor| *log_factor == 0.0) {
        return shares.to_vec();
    }
    let before: f32 = shares.iter().sum();
    #[allow(clippy::cast_precision_loss, reason = "a number of classes")]
    let others = shares.len().saturating_sub(1).max(1) as f32;
    let freed = |share: f32, by: f32| ERROR_RATE * share * (1.0 - by.exp()).max(0.0) / others;
    let all_freed: f32 = shares.iter().zip(&log_factors).map(|(share, by)| freed(*share, *by)).sum();
    let rescale = |(share, by): (&f32, f32)| {
        let given = (all_freed - freed(*share, by)).max(0.0);
        (share + given + before * lift(0.0, by)) * by.exp()
    };
    let mut rescaled: Vec<f32> = shares.iter().zip(log_factors).map(rescale).collect();
    let after: f32 = rescaled.iter().sum();
    if after > 0.0 {
        for share in &mut rescaled {
            *share = (*share * before / after).clamp(0.0, 1.0);
        }
    }
    rescaled
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{rescale_odds, rescale_shares, soft_clamp};

    fn assert_near(found: f32, expected: f32) {
        assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
    }

    #[test]
    fn log_odds_are_added() {
        assert_near(rescale_odds(0.5, 3.0f32.ln()), 0.75);
        assert_near(rescale_odds(0.2, 2.0f32.ln()), 1.0 / 3.0);
        // Odds of 1 to 3, and an error rate of 1% of the two thirds that were taken away.
        assert_near(rescale_odds(0.5, -3.0f32.ln()), (1.0 / 3.0) / (1.0 / 3.0 + 1.0 + 0.01 * 2.0 / 3.0));
    }

    #[test]
    fn a_certain_score_can_be_lowered_and_an_impossible_one_not_raised() {
        let factor = (-4.0f32).exp();
        assert_near(rescale_odds(1.0, -4.0), factor / (factor + 0.01 * (1.0 - factor)));
        assert_eq!(rescale_odds(1.0, 4.0).to_bits(), 1.0f32.to_bits());
        assert_eq!(rescale_odds(0.0, 4.0).to_bits(), 0.0f32.to_bits());
        assert_eq!(rescale_odds(0.0, -4.0).to_bits(), 0.0f32.to_bits());
    }

    #[test]
    fn soft_clamp_bends_near_the_ends_only() {
        for unchanged in [0.05, 0.051, 0.5, 0.949, 0.95] {
            assert_eq!(soft_clamp(unchanged).to_bits(), unchanged.to_bits());
        }
        let bent = 0.05 * (-1.0f32).exp();
        assert_near(soft_clamp(0.0), bent);
        assert_near(soft_clamp(1.0), 1.0 - bent);
        assert_near(soft_clamp(-0.1), 0.05 * (-3.0f32).exp());
        assert_near(soft_clamp(1.1), 1.0 - 0.05 * (-3.0f32).exp());
    }

    #[test]
    fn shares_are_multiplied_and_scaled_to_their_former_sum() {
        // The lifted share is 0.25 + 0.01 / 2 of the sum, which is a half.
        let double_first = |at| if at == 0 { 2.0f32.ln() } else { 0.0 };
        let rescaled = rescale_shares(&[0.25, 0.15, 0.1], double_first);
        let expected = [0.505, 0.15, 0.1].map(|share: f32| 0.5 * share / 0.755);
        rescaled.iter().zip(expected).for_each(|(found, expected)| assert_near(*found, expected));
        let further_apart = |at| if at == 0 { 3.0f32.ln() } else { -3.0f32.ln() };
        let rescaled = rescale_shares(&[0.5, 0.5], further_apart);
        // A hundredth of the third that the second loses goes to the first, too.
        let (up, down) = (1.5 + 0.01 * 2.0 + 0.01 / 3.0 * 3.0, 0.5 / 3.0);
        rescaled.iter().zip([up, down]).for_each(|(found, share)| assert_near(*found, share / (up + down)));
        assert_eq!(rescale_shares(&[0.3, 0.6, 0.1], |_| 0.0), [0.3, 0.6, 0.1]);
        assert_eq!(rescale_shares(&[0.0, 0.0], |_| 1.0), [0.0, 0.0], "there is nothing to divide by");
    }

    #[test]
    fn a_certain_share_can_be_lowered() {
        let rejected = |by: f32| rescale_shares(&[1.0, 0.0, 0.0], |at| if at == 0 { -by } else { 0.0 });
        let (once, often) = (rejected(1.5), rejected(4.0));
        assert!((0.9..0.98).contains(&once[0]) && (0.5..0.7).contains(&often[0]), "{once:?} {often:?}");
        assert_near(often[1], often[2]);
        assert_near(often.iter().sum(), 1.0);
        assert_eq!(rescale_shares(&[1.0], |_| -4.0), [1.0], "there is nothing else that it could be");
    }

    #[test]
    fn a_share_that_the_engine_gives_nothing_can_win_against_a_rejected_one() {
        // What one verdict on the same picture does: e to the power of 2.5, for one share and against the other.
        let by = |at: usize| [2.5, -2.5, 0.0][at];
        let rescaled = rescale_shares(&[0.0, 0.99, 0.01], by);
        assert!(rescaled[0] > 0.5 && rescaled[1] < rescaled[0], "{rescaled:?}");
        let confirmed_only = rescale_shares(&[0.0, 0.99, 0.01], |at| if at == 0 { 2.5 } else { 0.0 });
        assert!((0.05..0.2).contains(&confirmed_only[0]), "{confirmed_only:?}");
    }

    proptest! {
        #[test]
        fn a_rescaled_score_stays_in_range_and_moves_in_the_direction_of_the_evidence(
            score in 0.0f32..=1.0,
            log_odds in -20.0f32..20.0,
        ) {
            let rescaled = rescale_odds(score, log_odds);
            prop_assert!((0.0..=1.0).contains(&rescaled));
            let moved = (rescaled - score) * log_odds.signum();
            prop_assert!(moved >= -1e-6);
            prop_assert!(log_odds > -0.5 || rescaled < 0.999);
            prop_assert_eq!(rescale_odds(score, 0.0).to_bits(), score.to_bits());
        }

        #[test]
        fn soft_clamp_keeps_the_order(one in -2.0f32..3.0, further in 0.0f32..1.0) {
            let (a, b) = (soft_clamp(one), soft_clamp(one + further));
            prop_assert!((0.0..=1.0).contains(&a) && a <= b);
        }

        #[test]
        fn shares_keep_their_sum(shares in proptest::collection::vec(0.001f32..1.0, 1..50), by in -5.0f32..5.0) {
            let sum: f32 = shares.iter().sum();
            let shares: Vec<f32> = shares.iter().map(|share| share / sum).collect();
            let rescaled = rescale_shares(&shares, |at| if at == 0 { by } else { 0.0 });
            prop_assert!((rescaled.iter().sum::<f32>() - 1.0).abs() < 1e-3);
            let moved = (rescaled[0] - shares[0]) * by.signum();
            prop_assert!(moved >= -1e-5);
        }
    }
}
