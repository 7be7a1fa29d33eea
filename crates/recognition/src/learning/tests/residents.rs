//! Which sources are in memory, and what acts while the database is away.

use std::sync::Arc;

use kaisatsu_model::{DatasetId, Function, Source, Verdict};
use kaisatsu_store::StoreError;

use super::{super::LearnedFeedback, model, query, rate, rate_many, recognise};
use crate::fixture::Fixture;

#[tokio::test]
async fn the_least_recently_asked_source_is_dropped_and_one_in_use_is_not() {
    let fixture = Fixture::new().await;
    let by = fixture.user.application.clone();
    for (number, name) in (0..).zip(["a", "b", "c"]) {
        recognise(&fixture, &by, number, Function::Classify, &model(name)).await;
        rate(&fixture, &by, number, Some(0), Verdict::Valid).await;
    }
    assert!(fixture.learned_by(&by, &model("a")).await);
    let (sources, one) = fixture.context.learned.size();
    assert_eq!(sources, 1);
    assert!((500..10_000).contains(&one), "{one}");
    let bounded = fixture.again_with(|settings| settings.feedback_memory = 2 * one + one / 2).await;
    let ask = async |name: &str| query(&bounded, &by, &(Function::Classify, model(name))).await;
    let resident = || ["a", "b", "c"].map(|name| bounded.is_in_memory(&model(name)));
    drop(ask("a").await);
    let b = ask("b").await;
    drop(ask("a").await);
    assert_eq!(resident(), [true, true, false]);
    // The least recently asked one is in use.
    drop(ask("c").await);
    assert_eq!(resident(), [false, true, true]);
    drop(b);
    drop(ask("a").await);
    assert_eq!(resident(), [true, false, true]);
    let (sources, bytes) = bounded.context.learned.size();
    assert!(sources == 2 && bytes <= 2 * one + one / 2, "{sources} with {bytes}");
    // Verdicts make a source larger: others go when it is next looked at.
    for number in 10..40 {
        recognise(&bounded, &by, number, Function::Classify, &model("a")).await;
        rate_many(&bounded, &by, number).await;
    }
    bounded.learn().await;
    assert_eq!(resident(), [true, false, true]);
    bounded.context.learned.trim();
    assert_eq!(resident(), [true, false, false], "alone it is larger than the bound, and stays");
    assert!(bounded.context.learned.size().1 > 2 * one + one / 2);
    drop(ask("b").await);
    assert_eq!(resident(), [false, true, false]);
    // What was deleted is neither in memory nor counted.
    bounded.context.learned.forget("b");
    assert_eq!(bounded.context.learned.size(), (0, 0));
}

#[tokio::test]
async fn datasets_in_memory_are_listed_once_and_models_are_not() {
    let fixture = Fixture::new().await;
    let by = fixture.user.application.clone();
    let datasets = [2, 1].map(|number| DatasetId::from_random([number; 20]));
    let dataset = |at: usize| Source::Dataset(datasets[at].clone());
    for asked in [
        (Function::Classify, dataset(0)),
        (Function::SimilarSearch, dataset(0)),
        (Function::Classify, dataset(1)),
        (Function::Classify, model("general")),
        (Function::RecogniseObject, Source::Catalogue(None)),
    ] {
        query(&fixture, &by, &asked).await;
    }
    let mut expected: Vec<String> = datasets.iter().map(|id| id.as_str().to_owned()).collect();
    expected.sort();
    let learned = &fixture.context.learned;
    assert_eq!((learned.datasets(), learned.size().0), (expected, 5));
    learned.forget(datasets[0].as_str());
    assert_eq!((learned.datasets(), learned.size().0), (vec![datasets[1].as_str().to_owned()], 3));
}

#[tokio::test]
async fn what_the_guard_has_not_judged_survives_that_its_source_is_dropped() {
    let fixture = Fixture::new().await;
    let bounded = fixture.again_with(|settings| settings.feedback_memory = 1).await;
    let (by, general) = (fixture.user.application.clone(), (Function::Classify, model("general")));
    for number in 0..3 {
        recognise(&fixture, &by, number, general.0, &general.1).await;
        rate(&fixture, &by, number, Some(0), Verdict::Valid).await;
    }
    let unjudged = async || query(&bounded, &by, &general).await.learned.unwrap().model.unjudged();
    assert!(unjudged().await.is_empty(), "those that are loaded were judged when they were given");
    for number in 3..6 {
        recognise(&fixture, &by, number, general.0, &general.1).await;
        rate(&fixture, &by, number, Some(0), Verdict::Valid).await;
    }
    bounded.learn().await;
    let before = unjudged().await;
    assert!(!before.is_empty());
    query(&bounded, &by, &(Function::Detect, model("general"))).await;
    bounded.context.learned.trim();
    assert!(!bounded.is_in_memory(&general.1));
    assert_eq!(unjudged().await, before);
}

#[tokio::test]
async fn an_older_database_is_read_anew() {
    let fixture = Fixture::new().await;
    let (by, general) = (fixture.user.application.clone(), model("general"));
    fixture.rate(1).await;
    assert!(!fixture.context.learned.is_following());
    fixture.learn().await;
    assert!(fixture.context.learned.is_following());
    assert!(!fixture.is_in_memory(&general), "nothing is read before it is asked for");
    assert!(fixture.learned_by(&by, &general).await);
    fixture.database.run("DELETE FROM feedback; UPDATE feedback_revision SET value = value - 1");
    fixture.learn().await;
    assert!(!fixture.is_in_memory(&general));
    assert!(!fixture.learned_by(&by, &general).await);
}

#[tokio::test]
async fn a_failing_database_is_an_error_and_what_was_learned_stays() {
    let fixture = Fixture::new().await;
    let (by, general) = (fixture.user.application.clone(), model("general"));
    fixture.rate(1).await;
    assert!(fixture.learned_by(&by, &general).await);
    fixture.database.run("UPDATE feedback_revision SET value = value + 1; DROP TABLE exemplar");
    assert!(fixture.context.learned.learn().await.is_err());
    assert!(fixture.learned_by(&by, &general).await);
    let unknown = fixture.context.learned.query(&by, Function::Detect, &general, "e").await;
    assert!(matches!(unknown, Err(StoreError::Unavailable(_))), "never an answer without feedback");
}

/// With `unsaved_answers`, a source that is not in memory is answered without feedback while the database is away.
#[tokio::test]
async fn without_the_database_what_is_in_memory_acts_and_the_rest_only_where_the_operator_allows_it() {
    let strict = Fixture::new().await;
    let lenient = strict.again_with(|settings| settings.unsaved_answers = true).await;
    let by = strict.user.application.clone();
    let ask = async |fixture: &Fixture, source: Source| {
        let learned: &Arc<LearnedFeedback> = &fixture.context.learned;
        let query = learned.query_if_possible(&fixture.context.log, &by, Function::Classify, &source, "e").await;
        query.map(|query| query.has_verdicts())
    };
    strict.rate(1).await;
    strict.rate_as(&by, 2, model("food")).await;
    for fixture in [&strict, &lenient] {
        assert!(ask(fixture, model("general")).await.unwrap());
    }
    strict.database.run("ALTER TABLE feedback_revision RENAME TO away");
    for fixture in [&strict, &lenient] {
        assert!(ask(fixture, model("general")).await.unwrap(), "it is in memory");
    }
    assert!(ask(&strict, model("food")).await.is_err());
    assert!(!ask(&lenient, model("food")).await.unwrap());
    assert!(!lenient.is_in_memory(&model("food")));
    strict.database.run("ALTER TABLE away RENAME TO feedback_revision");
    assert!(ask(&strict, model("food")).await.unwrap());
}
