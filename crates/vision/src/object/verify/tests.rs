use proptest::prelude::*;

use super::{LEAST_PAIRS, consensus, sane};
use crate::object::{
    homography::{Homography, Match},
    random::Random,
};

const SIZE: (f64, f64) = (600.0, 400.0);

fn anywhere(random: &mut Random, (width, height): (f64, f64)) -> (f64, f64) {
    let mut share = || f64::from(u32::try_from(random.next() >> 32).unwrap_or(0)) / f64::from(u32::MAX);
    (share() * width, share() * height)
}

/// Right pairs, a pixel off at most, among wrong ones that lead anywhere.
fn scene(view: &Homography, right: usize, wrong: usize, seed: u64) -> Vec<Match> {
    let mut random = Random::new(seed);
    let mut matches: Vec<Match> = Vec::new();
    while matches.len() < right {
        let from = anywhere(&mut random, SIZE);
        let off = anywhere(&mut random, (2.0, 2.0));
        if let Some(to) = view.apply(from) {
            matches.push((from, (to.0 + off.0 - 1.0, to.1 + off.1 - 1.0)));
        }
    }
    matches.extend((0..wrong).map(|_| (anywhere(&mut random, SIZE), anywhere(&mut random, (640.0, 480.0)))));
    // A shuffle by fixed numbers: right and wrong pairs must not come in order.
    for at in (1..matches.len()).rev() {
        matches.swap(at, random.below(at + 1));
    }
    matches
}

/// A card before a camera: turned, scaled, narrowed, and slanting towards its sides.
fn seen(turn: f64, scale: f64, narrow: f64, slant_x: f64, slant_y: f64) -> Homography {
    let (sin, cos) = (turn.sin() * scale, turn.cos() * scale);
    Homography([[cos, -sin * narrow, 120.0], [sin, cos * narrow, 90.0], [slant_x, slant_y, 1.0]])
}

fn view() -> impl Strategy<Value = Homography> {
    (-0.5..0.5_f64, 0.5..1.3_f64, 0.8..1.2_f64, -2.5e-4..2.5e-4_f64, -2.5e-4..2.5e-4_f64)
        .prop_map(|(turn, scale, narrow, slant_x, slant_y)| seen(turn, scale, narrow, slant_x, slant_y))
}

/// Views from the straight to the slanting, evenly over their range, each with its own strays. They are the same in
/// every run: sampling finds a thing nearly always, and "nearly" is no property.
#[test]
fn a_thing_is_found_among_thrice_as_many_strays() {
    const STEPS: usize = 5;
    let step = |at: usize, end: f64| [-end, -end / 2.0, 0.0, end / 2.0, end][at % STEPS];
    for at in 0..STEPS.pow(3) {
        let (turn, slant_x, slant_y) = (step(at, 0.5), step(at / STEPS, 2.5e-4), step(at / STEPS / STEPS, 2.5e-4));
        for (scale, narrow) in [(0.5, 1.2), (0.9, 1.0), (0.9, 0.8), (1.3, 0.8)] {
            let view = seen(turn, scale, narrow, slant_x, slant_y);
            let found = consensus(&scene(&view, 40, 120, at as u64), SIZE).expect("it is there");
            assert!(found.inliers >= 34, "{} of 40 in view {at}: {view:?}", found.inliers);
            let corner = view.apply((0.0, 0.0)).expect("in front");
            assert!((found.corners[0].0 - corner.0).hypot(found.corners[0].1 - corner.1) < 25.0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn strays_alone_are_never_enough(seed in any::<u64>(), count in 0..250_usize) {
        let identity = Homography([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        let found = consensus(&scene(&identity, 0, count, seed), SIZE);
        prop_assert!(found.is_none_or(|found| found.inliers < 15), "{found:?}");
    }

    #[test]
    fn a_mirror_image_is_not_verified(seed in any::<u64>()) {
        let mirror = Homography([[-1.0, 0.0, 600.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        let found = consensus(&scene(&mirror, 60, 20, seed), SIZE);
        prop_assert!(found.is_none_or(|found| found.inliers < 15), "{found:?}");
    }

    #[test]
    fn the_same_pairs_give_the_same_answer(view in view(), seed in any::<u64>()) {
        let matches = scene(&view, 25, 75, seed);
        prop_assert_eq!(consensus(&matches, SIZE), consensus(&matches, SIZE));
    }
}

#[test]
fn too_few_pairs_say_nothing() {
    let straight = Homography([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!(consensus(&scene(&straight, LEAST_PAIRS - 1, 0, 1), SIZE), None);
    assert_eq!(consensus(&[], SIZE), None);
}

#[test]
fn pairs_all_in_one_place_say_nothing() {
    let here = ((5.0, 5.0), (7.0, 7.0));
    assert_eq!(consensus(&[here; 40], SIZE), None);
}

#[test]
fn cards_are_sane_and_slivers_are_not() {
    let card = [(10.0, 10.0), (500.0, 40.0), (480.0, 390.0), (20.0, 350.0)];
    assert!(sane(&card, SIZE));
    let mirrored = [card[1], card[0], card[3], card[2]];
    assert!(!sane(&mirrored, SIZE));
    let folded = [card[0], card[2], card[1], card[3]];
    assert!(!sane(&folded, SIZE));
    let sliver = [(0.0, 0.0), (600.0, 0.0), (610.0, 30.0), (10.0, 30.0)];
    assert!(!sane(&sliver, SIZE));
    let bent = [(0.0, 0.0), (600.0, 0.0), (1200.0, 60.0), (600.0, 60.0)];
    assert!(!sane(&bent, SIZE));
    assert!(!sane(&[(f64::NAN, 0.0); 4], SIZE));
}
