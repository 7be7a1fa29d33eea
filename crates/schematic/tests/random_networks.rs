//! Random networks: the map preserves the embedding, every station has a label, and nothing overlaps.

use proptest::{prelude::*, test_runner::RngSeed};

use crate::common::{built, network};

/// Stations scattered over a town, and lines that repeatedly go to a nearby station.
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

/// Goes to the n-th nearest station that the line has not visited.
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

/// The seed of the random networks; `KAISATSU_TEST_SEED=7 cargo test …` uses others.
fn seed() -> u64 {
    std::env::var("KAISATSU_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

proptest! {
    // The seed is fixed, so that failures are reproducible.
    #![proptest_config(ProptestConfig {
        cases: 40,
        rng_seed: RngSeed::Fixed(seed()),
        failure_persistence: None,
        max_shrink_iters: 40,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_map_preserves_its_network((places, lines) in towns()) {
        let lines = lines.iter().filter(|line| line.len() > 1);
        let lines: Vec<(&[usize], bool)> = lines.map(|line| (&line[..], false)).collect();
        built(&network(&places, &lines));
    }
}
