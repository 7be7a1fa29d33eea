//! Which recent verdicts are held back.

use kaisatsu_feedback::{Change, Example, FeedbackModel, Judgement};

use crate::support::{app, candidates, direction, model_of, scope, scope_of, verdict_on};

/// The number of pictures that have nothing in common.
const ISOLATED: usize = 20;

/// A vector near one of the isolated pictures and out of reach of the others.
fn near(at: usize, cosine: f32) -> Vec<f32> {
    let mut components = [0.0; 2 * ISOLATED];
    components[at] = cosine;
    components[at + ISOLATED] = (1.0 - cosine * cosine).sqrt();
    direction(&components)
}

/// A verdict on an isolated picture's answer, which the engine puts slightly before another one.
fn rating(by: u8, number: u64, at: usize, cosine: f32, valid: bool) -> Change {
    let (subject, other) = (format!("s{at}"), format!("x{at}"));
    Change {
        candidates: candidates(&[(&subject, 0.5), (&other, 0.4)]),
        ..verdict_on(by, number, near(at, cosine), &subject, Some(valid))
    }
}

/// A model in which every isolated picture was confirmed long ago.
fn confirmed() -> FeedbackModel {
    let model = model_of((0..ISOLATED).map(|at| rating(1, at as u64, at, 1.0, true)));
    model.mark_all_judged();
    model
}

/// Applies wrong verdicts near the given pictures, and others to make up the number that the guard waits for.
fn reject(model: &FeedbackModel, from: u64, pictures: std::ops::Range<usize>) {
    let missing = 16 - pictures.len();
    for (number, at) in (from..).zip(pictures) {
        model.apply(&rating(1, number, at, 0.9, false));
    }
    for number in from + 50..from + 50 + missing as u64 {
        // Of a subject that no example has.
        model.apply(&verdict_on(1, number, near(19, 0.3), "unrelated", Some(false)));
    }
}

fn judge(model: &FeedbackModel) -> Option<Judgement> {
    model.find_harmful(&scope(), Some(&app(1)), &[]).map(|(_, judgement)| judgement)
}

fn judgement(judged: u32, better: u32, worse: u32) -> Judgement {
    Judgement { judged, better, worse }
}

#[test]
fn an_example_is_left_out_of_the_vote_on_itself() {
    // With its own confirmation in the vote every answer would stay right.
    let model = confirmed();
    reject(&model, 100, 0..16);
    assert_eq!(judge(&model), Some(judgement(20, 0, 16)));
}

#[test]
fn the_guard_waits_for_16_exemplars() {
    let model = confirmed();
    for at in 0..15 {
        model.apply(&rating(1, 100 + at, usize::try_from(at).unwrap(), 0.9, false));
    }
    // Neither a verdict that is repeated nor one that is withdrawn is a new one.
    model.apply(&rating(1, 100, 0, 0.9, false));
    model.apply(&Change { valid: None, ..rating(1, 0, 0, 1.0, true) });
    assert_eq!(judge(&model), None);
    model.apply(&rating(1, 115, 15, 0.9, false));
    let (held, judgement) = model.find_harmful(&scope(), Some(&app(1)), &[]).unwrap();
    assert_eq!((judgement.judged, judgement.worse), (19, 15));
    let mut expected: Vec<(String, String)> = (100..116).map(|n| (format!("r1-{n}"), "1".to_owned())).collect();
    expected.sort();
    assert_eq!(held, expected);
    assert_eq!(judge(&model), None, "every verdict is judged once");
}

#[test]
fn what_was_judged_before_is_not_held_back_later() {
    let model = confirmed();
    reject(&model, 100, 0..16);
    model.mark_all_judged();
    assert_eq!(judge(&model), None);
}

#[test]
fn harm_is_significant_beyond_two_deviations_and_from_five_answers_on() {
    let cases = [
        ((0, 4), false),
        ((0, 5), true),
        ((1, 5), false),
        ((1, 6), false),
        ((1, 7), true),
        ((4, 12), false),
        ((4, 13), true),
        ((50, 50), false),
        ((100, 0), false),
    ];
    for ((better, worse), harmful) in cases {
        assert_eq!(judgement(200, better, worse).is_harmful(), harmful, "{better} better, {worse} worse");
    }
}

#[test]
fn four_wrong_answers_are_chance_and_five_are_not() {
    let model = confirmed();
    reject(&model, 100, 0..4);
    assert_eq!(judge(&model), None);
    let model = confirmed();
    reject(&model, 100, 0..5);
    assert_eq!(judge(&model), Some(judgement(20, 0, 5)));
}

#[test]
fn harm_in_small_steps_adds_up() {
    let model = confirmed();
    reject(&model, 100, 0..4);
    assert_eq!(judge(&model), None);
    reject(&model, 200, 4..7);
    let (held, found) = model.find_harmful(&scope(), Some(&app(1)), &[]).unwrap();
    assert_eq!(found, judgement(20, 0, 7));
    assert_eq!(held.len(), 32, "the first ones were on probation");
}

#[test]
fn verdicts_that_repair_earlier_harm_are_not_held_back() {
    let model = confirmed();
    reject(&model, 100, 0..8);
    model.mark_all_judged();
    // Two of the eight are right again; without any feedback all eight are.
    for number in 200..202 {
        for copy in 0..3 {
            let at = usize::try_from(number - 200).unwrap();
            model.apply(&rating(1, number + 10 * copy, at, 0.95, true));
        }
    }
    reject(&model, 300, 0..0);
    assert_eq!(judge(&model), None);
}

#[test]
fn verdicts_that_change_nothing_are_not_held_back_for_earlier_harm() {
    let model = confirmed();
    reject(&model, 100, 0..8);
    model.mark_all_judged();
    reject(&model, 300, 0..0);
    assert_eq!(judge(&model), None);
}

/// The judgement on 16 wrong verdicts near confirmed pictures with these base scores of the right and the other answer.
fn judge_with_scores(right: f32, other: f32) -> Option<Judgement> {
    let scored = |change: Change, at: usize| {
        let (subject, competitor) = (format!("s{at}"), format!("x{at}"));
        Change { candidates: candidates(&[(&subject, right), (&competitor, other)]), ..change }
    };
    let model = model_of((0..ISOLATED).map(|at| scored(rating(1, at as u64, at, 1.0, true), at)));
    model.mark_all_judged();
    (0..16).for_each(|at| model.apply(&scored(rating(1, 100 + at as u64, at, 0.9, false), at)));
    judge(&model)
}

#[test]
fn base_scores_are_compared_as_log_odds() {
    let harmful = Some(judgement(20, 0, 16));
    assert_eq!(judge_with_scores(0.5, 0.4), harmful);
    assert_eq!(judge_with_scores(0.9, 0.05), None, "no feedback can make up for log-odds of 5");
    assert_eq!(judge_with_scores(0.6, 0.25), harmful, "log-odds of 1.5");
    assert_eq!(judge_with_scores(0.99, 0.8), None, "near certainty, log-odds of 3.2");
    assert_eq!(judge_with_scores(0.4, 0.4), harmful, "of equal scores the first is the answer");
    assert_eq!(judge_with_scores(1.0, 1.0), harmful, "a certain answer has finite log-odds");
    assert_eq!(judge_with_scores(0.0, 0.0), harmful, "and so has an impossible one");
    assert_eq!(judge_with_scores(0.3, 0.5), None, "it was not the answer before either");
}

#[test]
fn a_picture_with_two_right_answers_is_no_example() {
    let model = confirmed();
    let second =
        |at: usize| Change { verdict: (format!("r1-{at}"), "2".to_owned()), ..rating(1, at as u64, at, 1.0, true) };
    (0..5).for_each(|at| model.apply(&second(at)));
    model.mark_all_judged();
    reject(&model, 100, 0..16);
    assert_eq!(judge(&model), Some(judgement(15, 0, 11)));
}

#[test]
fn at_most_128_pictures_are_examples() {
    let model = model_of((0..140).map(|number| rating(1, number, usize::try_from(number % 16).unwrap(), 1.0, true)));
    model.mark_all_judged();
    for number in 1000..1400 {
        model.apply(&rating(1, number, usize::try_from(number % 16).unwrap(), 1.0, false));
    }
    assert_eq!(judge(&model), Some(judgement(128, 0, 128)));
}

#[test]
fn an_only_candidate_is_lost_when_it_is_clearly_rejected() {
    let only = |number, at: usize, cosine, valid| {
        let subject = format!("s{at}");
        Change { candidates: candidates(&[(&subject, 0.9)]), ..rating(1, number, at, cosine, valid) }
    };
    let judged = |cosine| {
        let model = model_of((0..ISOLATED).map(|at| only(at as u64, at, 1.0, true)));
        model.mark_all_judged();
        (0..16).for_each(|at| model.apply(&only(100 + at as u64, at, cosine, false)));
        judge(&model)
    };
    assert_eq!(judged(1.0), Some(judgement(20, 0, 16)));
    assert_eq!(judged(0.75), None);
}

#[test]
fn verdicts_that_apply_to_all_are_judged_together() {
    let model = model_of((1..=3).flat_map(|by| (0..ISOLATED).map(move |at| rating(by, at as u64, at, 1.0, true))));
    model.mark_all_judged();
    for by in 11..=16 {
        for at in 0..3 {
            model.apply(&rating(by, at as u64, at, 1.0, false));
        }
    }
    assert_eq!(judge(&model), None, "the verdicts of the first application are all right");
    let (held, found) = model.find_harmful(&scope(), None, &[]).unwrap();
    assert_eq!((found, held.len()), (judgement(60, 0, 9), 18));
    assert!(held.iter().all(|(recognition, _)| recognition.starts_with("r1") && recognition.len() > 4), "{held:?}");
    assert!(model.find_harmful(&scope(), None, &[]).is_none());
}

#[test]
fn verdicts_without_a_quorum_do_not_count_among_those_that_apply_to_all() {
    let model = model_of((1..=3).flat_map(|by| (0..ISOLATED).map(move |at| rating(by, at as u64, at, 1.0, true))));
    model.mark_all_judged();
    for by in 11..=15 {
        for at in 0..3 {
            model.apply(&rating(by, at as u64, at, 1.0, false));
        }
    }
    for at in 5..10 {
        model.apply(&rating(21, at as u64, at, 1.0, false));
    }
    assert!(model.find_harmful(&scope(), None, &[]).is_none(), "fifteen apply to all");
    model.apply(&rating(16, 0, 0, 1.0, false));
    assert!(model.find_harmful(&scope(), None, &[]).is_some());
}

#[test]
fn ratings_of_a_whole_result_are_held_back_by_their_own_name() {
    let model = confirmed();
    for at in 0..16 {
        let whole = (format!("r1-{}", 100 + at), String::new());
        model.apply(&Change { verdict: whole, ..rating(1, 100 + at as u64, at, 0.9, false) });
    }
    // The whole result rejects the competitor too, so nothing overtakes; the second rating confirms it.
    for at in 0..16 {
        let second = (format!("r1-{}", 100 + at), "2".to_owned());
        model.apply(&Change { verdict: second, ..rating(1, 100 + at as u64, at, 0.9, true) });
    }
    let (held, _) = model.find_harmful(&scope(), Some(&app(1)), &[]).unwrap();
    assert_eq!(held.len(), 32);
    assert_eq!(held[..2], [("r1-100".to_owned(), String::new()), ("r1-100".to_owned(), "2".to_owned())]);
}

/// An example that is no rated picture.
fn example(right: &str, scores: &[(&str, f32)]) -> Example {
    let scores = scores.iter().map(|(name, score)| ((*name).to_owned(), *score)).collect();
    Example { descriptor: near(0, 1.0), right: right.to_owned(), scores }
}

#[test]
fn further_examples_are_judged_too() {
    let model = model_of((0..64).map(|number| rating(1, number, 0, 1.0, false)));
    let examples = vec![example("s0", &[("s0", 0.5), ("never rated", 0.4)]); 20];
    let (held, found) = model.find_harmful(&scope(), Some(&app(1)), &examples).unwrap();
    assert_eq!((found, held.len()), (judgement(20, 0, 20), 64));
}

#[test]
fn answers_that_turn_right_weigh_against_those_that_turn_wrong() {
    let judged = |better: usize, worse: usize| {
        let model = model_of((0..64).map(|number| rating(1, number, 0, 1.0, false)));
        let scores = [("s0", 0.5), ("never rated", 0.4)];
        let examples = [vec![example("never rated", &scores); better], vec![example("s0", &scores); worse]].concat();
        model.find_harmful(&scope(), Some(&app(1)), &examples).map(|(_, judgement)| judgement)
    };
    assert_eq!(judged(4, 20), Some(judgement(24, 4, 20)));
    assert_eq!(judged(12, 20), None);
}

#[test]
fn a_right_answer_without_verdicts_can_be_overtaken() {
    let rated = || model_of((0..16).map(|number| rating(1, number, 0, 0.95, true)));
    let scores = [("s0", 0.35), ("best", 0.5), ("second", 0.45)];
    let judged = |right: &str| {
        let examples = vec![example(right, &scores); 9];
        rated().find_harmful(&scope(), Some(&app(1)), &examples).map(|(_, judgement)| judgement)
    };
    // The 16 confirmed pictures are judged and are no examples themselves.
    assert_eq!(judged("best"), Some(judgement(9, 0, 9)));
    assert_eq!(judged("second"), None, "it was not the answer before either");
    assert_eq!(judged("s0"), None, "it is the answer only now");
}

#[test]
fn nothing_is_judged_where_nothing_is_known() {
    let model = confirmed();
    reject(&model, 100, 0..16);
    assert!(model.find_harmful(&scope_of("another"), Some(&app(1)), &[]).is_none());
    assert!(model.find_harmful(&scope(), Some(&app(2)), &[]).is_none());
    assert!(model.find_harmful(&scope(), None, &[]).is_none());
    assert_eq!(judge(&model), Some(judgement(20, 0, 16)));
}
