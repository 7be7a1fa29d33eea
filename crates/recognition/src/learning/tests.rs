//! What is in memory is a matter of cost alone: answers are those of all verdicts in the database.

mod reach;
mod residents;

use std::{sync::Arc, time::Duration};

use kaisatsu_model::{AppId, Function, ItemId, RecognitionId, Source, Timestamp, Verdict, splitmix::splitmix64};
use kaisatsu_store::{FeedbackFilter, NewRecognition, NewVerdict, Rated, StoredCandidate};
use kaisatsu_testkit::{Backend, test_on_every_backend};

use super::{FeedbackQuery, SourceKey};
use crate::fixture::Fixture;

test_on_every_backend![
    a_bound_changes_no_bit_of_any_answer,
    what_changes_while_a_source_is_read_is_read_again,
    all_pages_and_all_categories_are_read,
    what_many_change_and_ask_at_once_is_learned_as_it_was_left,
];

async fn run_on<F: Future<Output = ()>>(backend: Backend, test: impl FnOnce(Fixture) -> F) {
    test(Fixture::on(backend).await).await;
}

const SUBJECTS: [&str; 3] = ["cat", "dog", "lynx"];
const DIMS: u64 = 12;

/// A number that looks random, below a limit.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(1);
        splitmix64(self.0) % below
    }
}

/// One of a few directions with some noise.
fn vector(kind: u64, seed: u64) -> Vec<f32> {
    let part = |at| {
        let noise = f32::from(u16::try_from(splitmix64(seed * DIMS + at) % 1000).unwrap()) / 2000.0;
        noise + if at % 3 == kind % 3 { 1.0 } else { 0.0 }
    };
    (0..DIMS).map(part).collect()
}

fn id(number: u64) -> RecognitionId {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    RecognitionId::from_random(bytes)
}

/// A recognition with three candidates.
async fn recognise(fixture: &Fixture, by: &AppId, number: u64, function: Function, source: &Source) {
    let candidate = |(at, subject): (usize, &&str)| StoredCandidate {
        id: format!("i{at}"),
        subject: (*subject).to_owned(),
        name: (*subject).to_owned(),
        score: 0.5,
        base: None,
        moved: Vec::new(),
    };
    let picture = vector(number, number);
    let recognition = NewRecognition {
        id: id(number),
        application: by.clone(),
        function,
        source: source.clone(),
        created_at: Timestamp(0),
        expires_at: Timestamp(0).after(Duration::from_hours(1)),
        items: SUBJECTS.iter().enumerate().map(candidate).collect(),
        engine: "e".to_owned(),
        vector: Some(if function == Function::Detect { picture.repeat(SUBJECTS.len()) } else { picture }),
        picture: None,
    };
    fixture.store.save_recognition(recognition).await.unwrap();
}

async fn rate(fixture: &Fixture, by: &AppId, number: u64, candidate: Option<u64>, verdict: Verdict) {
    let verdict = NewVerdict {
        application: by.clone(),
        recognition: id(number),
        rated: candidate.map_or(Rated::Whole, |at| Rated::Candidate(ItemId::from_text(format!("i{at}")))),
        verdict,
        comment: None,
        rated_at: Timestamp(i64::try_from(number).unwrap()),
    };
    fixture.store.rate(&verdict, 20).await.unwrap();
}

async fn revoke(fixture: &Fixture, number: u64) {
    let filter = FeedbackFilter { recognition: Some(id(number)), ..FeedbackFilter::default() };
    fixture.store.revoke_feedback(&filter, 20).await.unwrap();
}

async fn query(fixture: &Fixture, by: &AppId, (function, source): &(Function, Source)) -> FeedbackQuery {
    fixture.context.learned.query(by, *function, source, "e").await.unwrap()
}

/// Everything that an application is told about pictures of every kind, to the bit.
async fn told(fixture: &Fixture, by: &AppId, asked: &(Function, Source)) -> Vec<u32> {
    let query = query(fixture, by, asked).await;
    let mut bits = vec![u32::from(query.has_verdicts())];
    for kind in 0..3 {
        let picture = vector(kind, 1_000_000 + kind);
        for subject in SUBJECTS {
            let adjustment = match asked.0 {
                Function::Detect => query.class_adjustment(subject, &picture),
                _ => query.adjustment(&picture),
            };
            let adjusted = adjustment.explain((), subject, 0.5);
            bits.push(adjustment.score(subject, 0.5).to_bits());
            bits.extend(adjusted.pushes.iter().map(|push| push.by.to_bits()));
        }
    }
    bits
}

fn model(name: &str) -> Source {
    Source::Model(name.to_owned())
}

/// Sources of every kind, of which the applications have a few each.
async fn sources(fixture: &Fixture) -> Vec<(Function, Source)> {
    let dataset = fixture.dataset(&fixture.user, 1, Vec::new()).await;
    vec![
        (Function::Classify, model("general")),
        (Function::Classify, model("food")),
        (Function::Detect, model("general")),
        (Function::SimilarSearch, Source::Collection("art".to_owned())),
        (Function::RecogniseObject, Source::Catalogue(None)),
        (Function::RecogniseObject, Source::Catalogue(Some("book".to_owned()))),
        (Function::Classify, Source::Dataset(dataset.clone())),
        (Function::SimilarSearch, Source::Dataset(dataset)),
    ]
}

async fn applications(fixture: &Fixture) -> Vec<AppId> {
    vec![fixture.user.application.clone(), fixture.application(2).await, fixture.application(3).await]
}

/// Verdicts, other verdicts on the same, and revocations in a random order, with questions in between: a server that
/// has room for one source answers as one that has room for all, and as one that has just started.
async fn a_bound_changes_no_bit_of_any_answer(all: Fixture) {
    let bounded = all.again_with(|settings| settings.feedback_memory = 1).await;
    let (sources, applications) = (sources(&all).await, applications(&all).await);
    let (mut dice, mut given, mut moved) = (Dice(7), Vec::new(), 0);
    for turn in 0..240 {
        let by = applications[usize::try_from(dice.roll(3)).unwrap()].clone();
        let asked = sources[usize::try_from(dice.roll(8)).unwrap()].clone();
        match dice.roll(10) {
            0..=5 => {
                // Datasets belong to the first application.
                let by = if asked.1.dataset().is_some() { applications[0].clone() } else { by.clone() };
                recognise(&all, &by, turn, asked.0, &asked.1).await;
                rate(&all, &by, turn, Some(turn % 3), Verdict::Valid).await;
                given.push((turn, by));
            }
            6 | 7 if !given.is_empty() => {
                let (number, by) = &given[usize::try_from(dice.roll(given.len() as u64)).unwrap()];
                let candidate = [None, Some(0), Some(1), Some(2)][usize::try_from(dice.roll(4)).unwrap()];
                rate(&all, by, *number, candidate, Verdict::Invalid).await;
            }
            8 if !given.is_empty() => {
                revoke(&all, given[usize::try_from(dice.roll(given.len() as u64)).unwrap()].0).await;
            }
            _ => {}
        }
        // Either may be behind by a few verdicts, and both know all of them when they are asked.
        for replica in [&all, &bounded] {
            if dice.roll(2) == 0 {
                replica.learn().await;
            }
        }
        if dice.roll(3) == 0 {
            all.learn().await;
            bounded.learn().await;
            let answer = told(&all, &by, &asked).await;
            moved += u32::from(answer[0] == 1);
            assert_eq!(told(&bounded, &by, &asked).await, answer, "turn {turn}: {asked:?}");
            bounded.context.learned.trim();
            assert_eq!(bounded.context.learned.size().0, 1);
        }
    }
    assert!(moved > 20, "{moved} answers had verdicts");
    let fresh = all.again().await;
    all.learn().await;
    bounded.learn().await;
    for asked in &sources {
        for by in &applications {
            let answer = told(&all, by, asked).await;
            assert_eq!(told(&bounded, by, asked).await, answer, "{asked:?}");
            assert_eq!(told(&fresh, by, asked).await, answer, "{asked:?}");
        }
    }
    // The two categories of the catalogue are one source.
    assert_eq!((all.context.learned.size().0, fresh.context.learned.size().0), (7, 7));
}

async fn what_changes_while_a_source_is_read_is_read_again(fixture: Fixture) {
    let by = fixture.user.application.clone();
    let asked = (Function::Classify, Source::Model("general".to_owned()));
    for number in 0..4 {
        recognise(&fixture, &by, number, asked.0, &asked.1).await;
        rate(&fixture, &by, number, Some(0), Verdict::Valid).await;
    }
    let learned = &fixture.context.learned;
    let key = SourceKey::new(asked.0, &asked.1);
    let mut loading = learned.begin_loading(&key).await.unwrap();
    assert!(learned.load_page(&mut loading).await.unwrap());
    // One is revoked, one changed and one given; and all of that is followed before the source is known.
    revoke(&fixture, 0).await;
    rate(&fixture, &by, 1, Some(0), Verdict::Invalid).await;
    recognise(&fixture, &by, 4, asked.0, &asked.1).await;
    rate(&fixture, &by, 4, Some(1), Verdict::Valid).await;
    fixture.learn().await;
    assert!(learned.finish_loading(loading).await.unwrap().is_some());
    let fresh = fixture.again().await;
    assert_eq!(told(&fixture, &by, &asked).await, told(&fresh, &by, &asked).await);
    // What changes afterwards is followed.
    revoke(&fixture, 4).await;
    fixture.learn().await;
    let fresh = fixture.again().await;
    assert_eq!(told(&fixture, &by, &asked).await, told(&fresh, &by, &asked).await);
    // What was read of a database that turned out to be an older one is not used.
    let loading = learned.begin_loading(&SourceKey::new(Function::Detect, &asked.1)).await.unwrap();
    fixture.database.run("UPDATE feedback_revision SET value = value - 1");
    fixture.learn().await;
    assert!(learned.finish_loading(loading).await.unwrap().is_none());
}

async fn all_pages_and_all_categories_are_read(fixture: Fixture) {
    let by = fixture.user.application.clone();
    let categories = [None, Some("book".to_owned()), Some("wine".to_owned())].map(Source::Catalogue);
    for number in 0..520 {
        let category = &categories[usize::try_from(number % 3).unwrap()];
        recognise(&fixture, &by, number, Function::RecogniseObject, category).await;
        rate_many(&fixture, &by, number).await;
    }
    let follower = fixture.again().await;
    let asked = (Function::RecogniseObject, categories[0].clone());
    let mut query = query(&follower, &by, &asked).await;
    assert_eq!(query.sample(2_000).len(), 520);
    query.application = AppId::from_random([9; 10]);
    assert!(!query.has_verdicts());
}

/// As many verdicts on one subject are in effect as a test needs.
async fn rate_many(fixture: &Fixture, by: &AppId, number: u64) {
    let verdict = NewVerdict {
        application: by.clone(),
        recognition: id(number),
        rated: Rated::Candidate(ItemId::from_text("i0")),
        verdict: Verdict::Valid,
        comment: None,
        rated_at: Timestamp(0),
    };
    fixture.store.rate(&verdict, 5_000).await.unwrap();
}

/// Tasks give, change and revoke verdicts, others ask, follow and drop sources: at the end memory has what the database
/// has.
async fn what_many_change_and_ask_at_once_is_learned_as_it_was_left(fixture: Fixture) {
    let (sources, applications) = (sources(&fixture).await, applications(&fixture).await);
    let bounded = Arc::new(fixture.again_with(|settings| settings.feedback_memory = 1).await);
    let fixture = Arc::new(fixture);
    let writer = |task: u64| {
        let (fixture, sources, applications) = (Arc::clone(&fixture), sources.clone(), applications.clone());
        tokio::spawn(async move {
            let mut dice = Dice(task * 1_000_000);
            for turn in 0..30 {
                let (number, asked) = (task * 1_000 + turn, &sources[usize::try_from(dice.roll(6)).unwrap()]);
                let by = &applications[usize::try_from(task % 3).unwrap()];
                recognise(&fixture, by, number, asked.0, &asked.1).await;
                rate(&fixture, by, number, Some(turn % 3), Verdict::Valid).await;
                match dice.roll(3) {
                    0 => revoke(&fixture, number).await,
                    1 => rate(&fixture, by, number, None, Verdict::Invalid).await,
                    _ => {}
                }
            }
        })
    };
    let reader = |task: u64| {
        let (bounded, sources, applications) = (Arc::clone(&bounded), sources.clone(), applications.clone());
        tokio::spawn(async move {
            let mut dice = Dice(task * 2_000_000);
            for _ in 0..60 {
                let asked = &sources[usize::try_from(dice.roll(6)).unwrap()];
                told(&bounded, &applications[usize::try_from(dice.roll(3)).unwrap()], asked).await;
                match dice.roll(3) {
                    0 => bounded.learn().await,
                    1 => bounded.context.learned.trim(),
                    _ => {}
                }
            }
        })
    };
    let tasks: Vec<_> = (1..4).map(writer).chain((1..4).map(reader)).collect();
    for task in tasks {
        task.await.unwrap();
    }
    bounded.learn().await;
    // What is in memory now was loaded while verdicts changed.
    assert!(bounded.context.learned.size().0 > 0);
    let fresh = fixture.again().await;
    for asked in sources.iter().rev() {
        for by in &applications {
            assert_eq!(told(&bounded, by, asked).await, told(&fresh, by, asked).await, "{asked:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn those_who_ask_at_once_share_one_load() {
    let fixture = Arc::new(Fixture::new().await);
    let by = fixture.user.application.clone();
    let asked = (Function::Classify, Source::Model("general".to_owned()));
    recognise(&fixture, &by, 1, asked.0, &asked.1).await;
    rate(&fixture, &by, 1, Some(0), Verdict::Valid).await;
    let ask = |_| {
        let (fixture, by, asked) = (Arc::clone(&fixture), by.clone(), asked.clone());
        tokio::spawn(async move { query(&fixture, &by, &asked).await })
    };
    let tasks: Vec<_> = (0..20).map(ask).collect();
    let mut queries = Vec::new();
    for task in tasks {
        queries.push(task.await.unwrap());
    }
    let first = queries[0].learned.clone().unwrap();
    assert!(queries.iter().all(|query| Arc::ptr_eq(query.learned.as_ref().unwrap(), &first)));
    assert!(queries[0].has_verdicts());
    assert!(fixture.context.learned.loading.lock().unwrap().is_empty());
}
