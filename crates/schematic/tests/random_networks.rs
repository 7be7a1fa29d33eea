//! Whatever the network is: the map keeps its embedding, every station has a name, and nothing overlaps.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

mod common;

use common::{built, network};
use proptest::{prelude::*, test_runner::RngSeed};

/// Stations scattered over a town, and lines that go from one to some other near by, again and again.
fn towns() -> impl Strategy<Value = (Vec<(f64, f64)>, Vec<Vec<usize>>)> {
    let places = prop::collection::vec((0.0..0.2_f64, 0.0..0.24_f64), 4..70);
    places.prop_flat_map(|places| {
        let count = places.len();
        let line = (0..count, prop::collection::vec(0..4_usize, 1..14));
        let lines = prop::collection::vec(line, 1..9);
        (Just(places), lines).prop_map(|(places, lines)| {
            let lines = lines.into_iter().map(|(start, turns)| walk(&places, start, &turns)).collect();
            let places = places.into_iter().map(|(north, east)| (35.5 + north, 139.5 + east)).collect();
            (places, lines)
        })
    })
}

/// Goes to the n-th nearest station that the line has not been to yet.
fn walk(places: &[(f64, f64)], start: usize, turns: &[usize]) -> Vec<usize> {
    let mut way = vec![start];
    for &turn in turns {
        let here = places[way[way.len() - 1]];
        let mut others: Vec<usize> = (0..places.len()).filter(|at| !way.contains(at)).collect();
        others.sort_by(|&a, &b| {
            let far = |at: usize| (places[at].0 - here.0).hypot(places[at].1 - here.1);
            far(a).total_cmp(&far(b))
        });
        match others.get(turn.min(others.len().saturating_sub(1))) {
            Some(&next) => way.push(next),
            None => break,
        }
    }
    way
}

/// Other networks for those who look for trouble: `KAISATSU_TEST_SEED=7 cargo test …`.
fn seed() -> u64 {
    std::env::var("KAISATSU_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

proptest! {
    // The same networks every time: a failure can be looked at, and is no matter of luck.
    #![proptest_config(ProptestConfig { cases: 40, rng_seed: RngSeed::Fixed(seed()), failure_persistence: None, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn a_map_is_the_network_bent((places, lines) in towns()) {
        let lines: Vec<(&[usize], bool)> = lines.iter().filter(|line| line.len() > 1).map(|line| (&line[..], false)).collect();
        built(&network(&places, &lines));
    }
}
