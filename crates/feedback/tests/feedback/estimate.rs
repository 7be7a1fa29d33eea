//! The estimate for one application from its own verdicts: size, direction, reach and bounds.

use kaisatsu_feedback::{Change, QuantisedVector};
use proptest::prelude::*;

use crate::support::{
    app, at_cosine, candidates, direction, estimate, model_of, picture, scope, value, verdict, verdict_on,
};

/// Kernel regression as a textbook has it, in double precision: unit vectors without their mean, centred on their mean
/// with a prior of eight vectors at the origin, a quadratic kernel from a cosine of 0.2 on, or from up to 0.5 on where
/// the total weight would exceed 1, and a prior of weight 0.6.
#[allow(clippy::cast_precision_loss, reason = "small counts")]
fn reference(exemplars: &[(Vec<f32>, bool)], query: &[f32]) -> f64 {
    let unit = |vector: &[f32]| -> Vec<f64> {
        let mean = vector.iter().map(|value| f64::from(*value)).sum::<f64>() / vector.len() as f64;
        let centred: Vec<f64> = vector.iter().map(|value| f64::from(*value) - mean).collect();
        let norm = centred.iter().map(|value| value * value).sum::<f64>().sqrt();
        centred.iter().map(|value| value / norm).collect()
    };
    let vectors: Vec<Vec<f64>> = exemplars.iter().map(|(vector, _)| unit(vector)).collect();
    let count = 8.0 + vectors.len() as f64;
    let centre: Vec<f64> =
        (0..query.len()).map(|at| vectors.iter().map(|vector| vector[at]).sum::<f64>() / count).collect();
    let around = |vector: &[f64]| -> Vec<f64> { vector.iter().zip(&centre).map(|(a, b)| a - b).collect() };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let query = around(&unit(query));
    let cosine = |vector: Vec<f64>| dot(&vector, &query) / (dot(&vector, &vector) * dot(&query, &query)).sqrt();
    let cosines: Vec<f64> = vectors.iter().map(|vector| cosine(around(vector))).collect();
    let weight = |cosine: f64, end: f64| ((cosine - end) / (1.0 - end)).max(0.0).powi(2);
    let total = |end: f64| cosines.iter().map(|cosine| weight(*cosine, end)).sum::<f64>();
    let ends = (0..=16).map(|step| 0.2 + 0.3 * f64::from(step) / 16.0);
    let end = ends.into_iter().find(|end| total(*end) <= 1.0).unwrap_or(0.5);
    let signed =
        |(cosine, (_, valid)): (&f64, &(Vec<f32>, bool))| weight(*cosine, end) * if *valid { 1.0 } else { -1.0 };
    cosines.iter().zip(exemplars).map(signed).sum::<f64>() / (0.6 + total(end))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn estimates_are_those_of_the_textbook(
        exemplars in proptest::collection::vec((0u64..3, any::<u64>(), any::<bool>()), 1..40),
        kind in 0u64..3,
        seed in any::<u64>(),
    ) {
        let exemplars: Vec<(Vec<f32>, bool)> =
            exemplars.iter().map(|(kind, seed, valid)| (picture(*kind, *seed), *valid)).collect();
        let rated = (0..).zip(&exemplars).map(|(number, (vector, valid))| {
            verdict_on(1, number, vector.clone(), "a", Some(*valid))
        });
        let query = picture(kind, seed);
        let found = value(&model_of(rated), 1, &query, "a").unwrap_or(0.0);
        let expected = reference(&exemplars, &query);
        prop_assert!((f64::from(found) - expected).abs() < 0.02, "{found} {expected}");
    }
}

#[test]
fn the_search_among_many_exemplars_finds_the_near_ones() {
    // 100 pictures of the kind of the query, and 300 of each of the seven others.
    let numbers = (0..2400u64).filter(|number| number % 8 != 0 || number % 3 == 0);
    let exemplars: Vec<(Vec<f32>, bool)> = numbers.map(|n| (picture(n % 8, n), n % 5 != 0)).collect();
    let is_near = |exemplar: &(Vec<f32>, bool)| exemplar.0[0] > 1.0 && exemplar.0[8] > 1.0;
    assert_eq!(exemplars.iter().filter(|exemplar| is_near(exemplar)).count(), 100);
    let rated = (0..).zip(&exemplars).map(|(n, (vector, valid))| verdict_on(1, n, vector.clone(), "a", Some(*valid)));
    let model = model_of(rated);
    for seed in 9000..9010 {
        let query = picture(0, seed);
        let found = estimate(&model, 1, &query, "a");
        let keys = found.contributions.iter().map(|one| one.exemplar.as_deref().unwrap());
        let near = keys.filter(|key| is_near(&exemplars[key[3..].parse::<usize>().unwrap()])).count();
        assert!(near >= 85, "{near} of 100");
        let expected = reference(&exemplars, &query);
        assert!((f64::from(found.value) - expected).abs() < 0.1, "{} {expected}", found.value);
    }
}

#[test]
fn a_verdict_applies_at_once_near_by_and_less_with_distance() {
    let model = model_of([]);
    assert!(model.evidence(&scope(), &app(1), &picture(0, 5)).is_none(), "there is no verdict yet");
    model.apply(&verdict(1, 5, 0, "a", Some(true)));
    let same = value(&model, 1, &picture(0, 1005), "a").unwrap();
    let near = value(&model, 1, &picture(0, 6), "a").unwrap();
    assert!((same - 1.0 / 1.6).abs() < 1e-3, "a weight of 1 and a prior of 0.6: {same}");
    assert!(same > near && near > 0.05, "{same} {near}");
    assert_eq!(value(&model, 1, &picture(3, 6), "a"), None, "out of reach there is no evidence");
    model.apply(&verdict(1, 5, 0, "a", Some(false)));
    let turned = value(&model, 1, &picture(0, 1005), "a").unwrap();
    assert_eq!(turned.to_bits(), (-same).to_bits(), "a later verdict on the same candidate replaces the earlier one");
}

#[test]
fn an_estimate_names_the_verdicts_behind_it() {
    let at = |number, cosine, valid| verdict_on(1, number, at_cosine(0, 1, cosine), "a", Some(valid));
    let model = model_of([at(1, 0.9, true), at(2, 1.0, false), at(3, 0.95, true)]);
    let estimate = estimate(&model, 1, &at_cosine(0, 1, 1.0), "a");
    let named = estimate.contributions.iter().map(|one| (one.exemplar.as_deref().unwrap(), one.valid));
    assert_eq!(named.collect::<Vec<_>>(), [("r1-2", false), ("r1-3", true), ("r1-1", true)], "the nearest first");
    assert!(estimate.contributions.iter().all(|one| (one.amount > 0.0) == one.valid), "{estimate:?}");
    assert!((estimate.contributions.iter().map(|one| one.amount).sum::<f32>() - estimate.value).abs() < 1e-6);
}

#[test]
fn a_subject_without_verdicts_has_no_estimate() {
    let model = model_of([verdict(1, 5, 0, "a", Some(true))]);
    let evidence = model.evidence(&scope(), &app(1), &picture(0, 1005)).unwrap();
    assert_eq!(evidence.value("other").to_bits(), 0);
    assert!(evidence.estimate("other").is_none() && evidence.estimate("never named").is_none());
}

#[test]
fn no_number_of_verdicts_exceeds_the_bound() {
    let similar = model_of((0..3000).map(|number| verdict(1, number, 0, "a", Some(true))));
    let of_similar = value(&similar, 1, &picture(0, 9999), "a").unwrap();
    let same = model_of((0..3000).map(|number| verdict_on(1, number, picture(0, 9999), "a", Some(true))));
    let of_same = value(&same, 1, &picture(0, 9999), "a").unwrap();
    assert!(of_similar > 0.5 && of_same > 0.9 && of_same < 1.0, "{of_similar} {of_same}");
}

#[test]
fn coverage_rises_quickly_with_the_weight_of_the_neighbours() {
    let coverage = |cosine| {
        let model = model_of([verdict_on(1, 1, at_cosine(0, 1, cosine), "a", Some(true))]);
        model.evidence(&scope(), &app(1), &at_cosine(0, 1, 1.0)).map_or(0.0, |evidence| evidence.coverage())
    };
    assert!((coverage(1.0) - 1.0 / 1.05).abs() < 1e-3, "{}", coverage(1.0));
    assert!(coverage(0.4) < 0.5 && coverage(0.4) > 0.0, "{}", coverage(0.4));
    assert!(coverage(0.1) < f32::EPSILON, "out of reach");
}

#[test]
fn a_picture_is_confirmed_by_a_high_estimate_only() {
    let confirms = |cosine, valid| {
        let model = model_of([verdict_on(1, 1, at_cosine(0, 1, cosine), "a", Some(valid))]);
        model.evidence(&scope(), &app(1), &at_cosine(0, 1, 1.0)).unwrap().confirms_any()
    };
    assert!(confirms(1.0, true) && confirms(0.8, true));
    assert!(!confirms(0.4, true), "within reach, but not near enough");
    assert!(!confirms(1.0, false));
}

#[test]
fn a_rating_of_the_whole_result_stands_for_its_candidates() {
    let whole = |valid| Change { verdict: ("r1-5".to_owned(), String::new()), ..verdict(1, 5, 0, "a", valid) };
    let model = model_of([whole(Some(false))]);
    let values = || ["a", "other", "third"].map(|subject| value(&model, 1, &picture(0, 1005), subject).unwrap());
    assert!(values().iter().all(|value| *value < -0.5), "a wrong result has no right candidate");
    model.apply(&verdict(1, 5, 0, "a", Some(true)));
    let [first, second, third] = values();
    assert!(first > 0.5 && second < -0.5 && third < -0.5, "the rating of a candidate overrides that of the result");
    model.apply(&verdict(1, 5, 0, "a", None));
    model.apply(&whole(Some(true)));
    let [first, second, third] = values();
    assert!(first > 0.5 && second == 0.0 && third == 0.0, "of a right result the first candidate is right");
    model.apply(&whole(None));
    assert_eq!(value(&model, 1, &picture(0, 1005), "a"), None);
}

#[test]
fn of_two_candidates_with_one_subject_the_first_decides() {
    let twice = |item: &str, valid| Change {
        verdict: ("r1-5".to_owned(), item.to_owned()),
        candidates: candidates(&[("a", 0.5), ("a", 0.3)]),
        ..verdict(1, 5, 0, "a", Some(valid))
    };
    let model = model_of([twice("1", true), twice("2", false)]);
    assert!(value(&model, 1, &picture(0, 1005), "a").unwrap() > 0.6);
    assert_eq!(estimate(&model, 1, &picture(0, 1005), "a").contributions.len(), 1);
}

#[test]
fn vectors_of_another_length_are_ignored() {
    let short = vec![1.0, 0.0, 0.5];
    let model = model_of([verdict(1, 5, 0, "a", Some(true)), verdict_on(1, 6, short.clone(), "a", Some(true))]);
    assert_eq!(value(&model, 1, &short, "a"), None);
    assert!(value(&model, 1, &picture(0, 1005), "a").is_some());
    // Once the last exemplar of the old network is withdrawn, those of the new one count.
    model.apply(&verdict(1, 5, 0, "a", None));
    model.apply(&verdict_on(1, 7, short.clone(), "a", Some(true)));
    assert!(value(&model, 1, &short, "a").unwrap() > 0.6);
}

#[test]
fn a_vector_may_have_8192_components_and_no_more() {
    let vector = |pairs: usize| direction(&vec![1.0; pairs]);
    assert!(QuantisedVector::new(&vector(4096)).is_some());
    let longer: Vec<f32> = vector(4096).into_iter().chain([0.0]).collect();
    assert!(QuantisedVector::new(&longer).is_none());
    // The largest sums of products fit.
    let model = model_of([verdict_on(1, 1, vector(4096), "a", Some(true))]);
    assert!(value(&model, 1, &vector(4096), "a").unwrap() > 0.6);
}
