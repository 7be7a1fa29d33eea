//! Feedback from applications whose verdicts are partly or wholly false, among many similar classes.

use kaisatsu_feedback::{Change, FeedbackModel};

use crate::{
    support::{QUORUM, app, scope},
    world::World,
};

const RATED: usize = 192;
const TESTED: usize = 160;

/// The worlds that are tested.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=4;

/// A stream of verdicts: the first `rates` candidates of each photograph are rated. Each verdict is false with a chance
/// of `flipped`; from the photograph `lies_from` on all are.
struct Stream {
    rates: usize,
    flipped: f32,
    lies_from: usize,
    guarded: bool,
}

const HONEST: Stream = Stream { rates: 1, flipped: 0.0, lies_from: RATED, guarded: true };

#[derive(Debug)]
struct Outcome {
    /// How much feedback raised the share of right answers.
    gain: f32,
    /// The number of verdicts that the guard held back before all became lies, and since.
    held: [usize; 2],
}

impl Stream {
    fn run(&self, seed: u64) -> Outcome {
        let mut world = World::new(seed);
        let (rated, tested) = (world.photographs(RATED), world.photographs(TESTED));
        let model = FeedbackModel::new(QUORUM);
        let before = world.accuracy(&model, &tested);
        let (mut given, mut held) = (Vec::new(), [0, 0]);
        for (number, photo) in rated.iter().enumerate() {
            let answer = world.answer(&model, &photo.vector);
            let lies = number >= self.lies_from;
            for (rank, class) in answer.iter().take(self.rates).enumerate() {
                let is_false = world.happens(self.flipped) || lies;
                given.push(world.verdict(number, photo, &answer, rank, (*class == photo.class) != is_false));
                model.apply(&given[given.len() - 1]);
            }
            if self.guarded {
                held[usize::from(lies)] += guard(&model, &given);
            }
        }
        Outcome { gain: world.accuracy(&model, &tested) - before, held }
    }

    fn mean_gain(&self) -> f32 {
        SEEDS.map(|seed| self.run(seed).gain).sum::<f32>() / 4.0
    }
}

/// Withdraws what the guard holds back, and returns the number of these verdicts.
fn guard(model: &FeedbackModel, given: &[Change]) -> usize {
    let Some((held, _)) = model.find_harmful(&scope(), Some(&app(1)), &[]) else { return 0 };
    for change in given.iter().filter(|change| held.contains(&change.verdict)) {
        model.apply(&Change { valid: None, ..change.clone() });
    }
    held.len()
}

#[test]
fn with_a_fifth_of_the_verdicts_false_half_of_the_gain_remains() {
    for rates in [1, 5] {
        let honest = Stream { rates, ..HONEST }.mean_gain();
        let flipped = Stream { rates, flipped: 0.2, ..HONEST }.mean_gain();
        assert!(honest > 0.25, "{rates} rated: {honest}");
        assert!(flipped >= 0.5 * honest, "{rates} rated: {flipped} instead of {honest}");
    }
}

#[test]
fn honest_verdicts_are_not_held_back() {
    for seed in SEEDS {
        assert_eq!(HONEST.run(seed).held, [0, 0], "world {seed}");
    }
}

#[test]
fn verdicts_that_turn_into_lies_are_held_back() {
    let lies = Stream { lies_from: RATED / 2, ..HONEST };
    for seed in SEEDS {
        let (guarded, unguarded) = (lies.run(seed), Stream { guarded: false, ..lies }.run(seed));
        assert_eq!(guarded.held[0], 0, "world {seed}: those before are true");
        assert!(guarded.held[1] >= RATED / 4, "world {seed}: {guarded:?}");
        assert!(guarded.gain > unguarded.gain + 0.1, "world {seed}: {guarded:?} {unguarded:?}");
    }
}
