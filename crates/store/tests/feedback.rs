//! Verdicts and the memory they are, one story for every backend.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::collections::BTreeSet;

use kaisatsu_model::{
    AppId, ApplicationName, Comment, DataSetId, DataSetName, ImageId, ItemId, RecognitionId, Tag, Timestamp, UserId,
    Verdict,
};
use kaisatsu_store::{
    CreateDataSet, FeedbackFilter, FeedbackRow, ImageSource, KeptItem, NewDataSet, NewDataSetImage, NewRecognition,
    NewReport, NewVerdict, Standing, Store, StoreError,
};
use kaisatsu_testkit::{Backend, Database, tell_on_every_backend};
use sqlx::Connection;

tell_on_every_backend![
    the_last_verdict_counts_and_outlives_its_recognition,
    a_verdict_is_on_a_recognition_of_its_application,
    two_verdicts_at_once_leave_one,
    the_newest_act_and_what_is_revoked_has_never_been,
    a_later_word_makes_a_verdict_act_again,
    every_change_is_told_once_and_in_order,
    what_is_held_is_reported_once,
    a_dataset_takes_its_feedback_with_it,
    feedback_and_a_deletion_at_once_do_not_hurt_each_other,
    comments_are_searched_for_what_is_written,
    pages_go_from_the_oldest_to_the_newest,
    totals_are_counted_by_stretches_of_time,
];

/// More than any story has.
const ALL: i64 = 1000;

#[derive(Clone)]
struct Stage {
    store: Store,
    app: AppId,
    address: String,
}

async fn tell<F: Future<Output = ()>>(backend: Backend, tale: impl FnOnce(Stage) -> F) {
    let database = Database::fresh(backend);
    let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
    let app = AppId::from_random([1; 10]);
    store.create_application(&app, &ApplicationName::new("one").unwrap(), Timestamp(0)).await.unwrap();
    tale(Stage { store, app, address: database.address.clone() }).await;
}

fn id(number: u8) -> RecognitionId {
    RecognitionId::from_random([number; 16])
}

impl Stage {
    /// Keeps a recognition with two candidates, `a` and `b`, until time 1000.
    async fn recognise(&self, number: u8, data_set: Option<&DataSetId>) {
        let item = |id: &str, score, base| KeptItem {
            id: id.to_owned(),
            subject: format!("s-{id}"),
            name: "猫".to_owned(),
            score,
            base,
            moved: Vec::new(),
        };
        let new = NewRecognition {
            id: id(number),
            application: self.app.clone(),
            task: "classify",
            model: data_set.map_or("general", DataSetId::as_str).to_owned(),
            data_set: data_set.cloned(),
            created_at: Timestamp(1),
            expires_at: Timestamp(1000),
            items: vec![item("a", 0.75, Some(0.5)), item("b", 0.25, None)],
            engine: "e".to_owned(),
            vector: Some(vec![0.5, -0.25]),
            picture: Some(vec![1, 2, number]),
        };
        self.store.save_recognition(new).await.unwrap();
    }

    fn verdict(&self, number: u8, item: Option<&str>, verdict: Verdict, at: i64) -> NewVerdict {
        NewVerdict {
            application: self.app.clone(),
            recognition: id(number),
            item: item.map(ItemId::from_text),
            verdict,
            comment: Some(Comment::new("そうです").unwrap()),
            rated_at: Timestamp(at),
        }
    }

    /// Recognises something and says of candidate `a` that it is right; three of these act at a time.
    async fn rated(&self, number: u8, at: i64) {
        self.recognise(number, None).await;
        self.store.rate(&self.verdict(number, Some("a"), Verdict::Valid, at), 3).await.unwrap();
    }

    async fn revoke(&self, number: u8) -> u64 {
        let filter = FeedbackFilter { recognition: Some(id(number)), ..FeedbackFilter::default() };
        self.store.revoke_feedback(&filter, 3).await.unwrap()
    }

    async fn all(&self) -> Vec<FeedbackRow> {
        self.store.feedback_page(&FeedbackFilter::default(), &start(), ALL, false).await.unwrap()
    }

    async fn those(&self, standing: Standing) -> BTreeSet<String> {
        self.all().await.into_iter().filter(|row| row.standing == standing).map(|row| row.recognition).collect()
    }

    /// How many rows a table has that the store does not show.
    async fn count(&self, table: &str) -> i64 {
        sqlx::any::install_default_drivers();
        let mut connection = sqlx::AnyConnection::connect(&self.address).await.unwrap();
        let sql = format!("SELECT COUNT(*) FROM {table}");
        sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&mut connection).await.unwrap()
    }

    async fn create_data_set(&self, number: u8) -> DataSetId {
        let new = NewDataSet {
            id: DataSetId::from_random([number; 20]),
            application: self.app.clone(),
            user: user(),
            name: DataSetName::new("cats").unwrap(),
            model: "general".to_owned(),
            model_sha256: "aa".to_owned(),
            created_at: Timestamp(0),
            images: vec![NewDataSetImage {
                source: ImageSource::Url("https://example.org/a.jpg".to_owned(), ImageId::from_random([number; 20])),
                tag: Some(Tag::new("cat").unwrap()),
            }],
        };
        assert_eq!(self.store.create_data_set(&new, ALL).await.unwrap(), CreateDataSet::Kept);
        new.id
    }

    async fn delete(&self, data_set: &DataSetId) {
        assert!(self.store.delete_data_set(&self.app, &user(), data_set, Timestamp(5)).await.unwrap());
    }
}

fn user() -> UserId {
    UserId::new("山田").unwrap()
}

/// Before everything.
fn start() -> (i64, String, String) {
    (i64::MIN, String::new(), String::new())
}

fn ids(numbers: &[u8]) -> BTreeSet<String> {
    numbers.iter().map(|&number| id(number).to_string()).collect()
}

async fn the_last_verdict_counts_and_outlives_its_recognition(stage: Stage) {
    stage.recognise(7, None).await;
    for (item, said) in [(Some("a"), Verdict::Valid), (Some("a"), Verdict::Invalid), (None, Verdict::Valid)] {
        stage.store.rate(&stage.verdict(7, item, said, 50), ALL).await.unwrap();
    }
    let told = stage.store.verdicts(&id(7)).await.unwrap();
    assert_eq!(told.len(), 2);
    assert_eq!((told[0].item.as_deref(), told[0].verdict), (None, Verdict::Valid));
    assert_eq!((told[1].item.as_deref(), told[1].verdict), (Some("a"), Verdict::Invalid));
    assert_eq!((told[1].subject.as_str(), told[1].comment.as_deref()), ("s-a", Some("そうです")));
    // Its time is over: it is not found any more, and then it is forgotten; the verdicts stay, with what they are on.
    let late = stage.store.rate(&stage.verdict(7, Some("b"), Verdict::Valid, 1000), ALL).await;
    assert!(matches!(late, Err(StoreError::NoRecognition(_))));
    assert_eq!(stage.store.forget_recognitions(Timestamp(1000), 10).await.unwrap(), 1);
    assert_eq!(stage.store.verdicts(&id(7)).await.unwrap().len(), 2);
    let changes = stage.store.changed_feedback(&start(), ALL).await.unwrap();
    assert_eq!(changes.len(), 2);
    assert_eq!((changes[0].items.len(), changes[0].vector.as_deref()), (2, Some(&[0.5, -0.25][..])));
    assert_eq!((changes[0].subject.as_str(), changes[0].verdict), ("s-a", Verdict::Invalid));
    assert_eq!((changes[1].item.as_deref(), changes[1].subject.as_str()), (None, ""));
    assert_eq!(
        (changes[0].task.as_str(), changes[0].model.as_str(), &changes[0].data_set),
        ("classify", "general", &None)
    );
}

async fn a_verdict_is_on_a_recognition_of_its_application(stage: Stage) {
    let other = AppId::from_random([2; 10]);
    stage.store.create_application(&other, &ApplicationName::new("two").unwrap(), Timestamp(0)).await.unwrap();
    stage.recognise(7, None).await;
    let before = stage.store.feedback_revision().await.unwrap();
    let foreign = NewVerdict { application: other, ..stage.verdict(7, Some("a"), Verdict::Valid, 5) };
    assert!(matches!(stage.store.rate(&foreign, ALL).await, Err(StoreError::NoRecognition(_))));
    let unknown = stage.store.rate(&stage.verdict(7, Some("c"), Verdict::Valid, 5), ALL).await;
    assert!(matches!(unknown, Err(StoreError::NoItem(_))));
    assert!(stage.store.verdicts(&id(7)).await.unwrap().is_empty());
    assert_eq!(
        stage.store.feedback_revision().await.unwrap(),
        before,
        "nothing happened that replicas should look for"
    );
}

async fn two_verdicts_at_once_leave_one(stage: Stage) {
    stage.recognise(7, None).await;
    let rating = (0..8).map(|turn| {
        let stage = stage.clone();
        let said = if turn % 2 == 0 { Verdict::Valid } else { Verdict::Invalid };
        tokio::spawn(async move { stage.store.rate(&stage.verdict(7, Some("a"), said, 5), ALL).await })
    });
    for task in rating.collect::<Vec<_>>() {
        task.await.unwrap().unwrap();
    }
    assert_eq!(stage.store.verdicts(&id(7)).await.unwrap().len(), 1);
    let changes = stage.store.changed_feedback(&start(), ALL).await.unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].revision, stage.store.feedback_revision().await.unwrap());
}

async fn the_newest_act_and_what_is_revoked_has_never_been(stage: Stage) {
    for number in 1..=6 {
        stage.rated(number, i64::from(number)).await;
    }
    // Another subject has a count of its own.
    stage.store.rate(&stage.verdict(1, Some("b"), Verdict::Invalid, 9), 3).await.unwrap();
    let acting = |rows: Vec<FeedbackRow>| -> Vec<(String, Option<String>)> {
        let active = rows.into_iter().filter(|row| row.standing == Standing::Active);
        active.map(|row| (row.recognition, row.item)).collect()
    };
    let some = |number: u8, item: &str| (id(number).to_string(), Some(item.to_owned()));
    assert_eq!(acting(stage.all().await), [some(4, "a"), some(5, "a"), some(6, "a"), some(1, "b")]);
    assert_eq!(stage.those(Standing::Retired).await, ids(&[1, 2, 3]));

    // One that acts and one that does not: exactly those act that would if there had only been 1, 3, 4 and 6.
    assert_eq!((stage.revoke(5).await, stage.revoke(2).await), (1, 1));
    assert_eq!(acting(stage.all().await), [some(3, "a"), some(4, "a"), some(6, "a"), some(1, "b")]);
    assert_eq!(stage.revoke(5).await, 0, "it is revoked already");
    let all = FeedbackFilter { item: Some("s-a".to_owned()), ..FeedbackFilter::default() };
    assert_eq!(stage.store.count_feedback(&all).await.unwrap().all, 6);
    assert_eq!(stage.store.count_feedback(&all).await.unwrap().revoked, 2);
    // Several at once, across subjects.
    let many = FeedbackFilter { since: Some(Timestamp(4)), until: Some(Timestamp(9)), ..FeedbackFilter::default() };
    assert_eq!(stage.store.revoke_feedback(&many, 3).await.unwrap(), 2);
    assert_eq!(acting(stage.all().await), [some(1, "a"), some(3, "a"), some(1, "b")]);
    assert_eq!(stage.store.revoke_feedback(&FeedbackFilter::default(), 3).await.unwrap(), 3);
    assert_eq!(acting(stage.all().await), []);
}

async fn a_later_word_makes_a_verdict_act_again(stage: Stage) {
    stage.rated(1, 1).await;
    assert_eq!(stage.revoke(1).await, 1);
    assert_eq!(stage.those(Standing::Revoked).await, ids(&[1]));
    let mut again = stage.verdict(1, Some("a"), Verdict::Invalid, 2);
    again.comment = None;
    stage.store.rate(&again, 3).await.unwrap();
    let kept = &stage.store.verdicts(&id(1)).await.unwrap()[0];
    assert_eq!((kept.standing, kept.verdict, &kept.comment), (Standing::Active, Verdict::Invalid, &None));
    // One that newer ones took the place of is the newest then.
    for number in 2..=4 {
        stage.rated(number, i64::from(number) + 1).await;
    }
    assert_eq!(stage.those(Standing::Active).await, ids(&[2, 3, 4]));
    stage.store.rate(&stage.verdict(1, Some("a"), Verdict::Valid, 9), 3).await.unwrap();
    assert_eq!(stage.those(Standing::Active).await, ids(&[3, 4, 1]));
}

async fn every_change_is_told_once_and_in_order(stage: Stage) {
    for number in 1..=5 {
        stage.rated(number, i64::from(number)).await;
    }
    let (mut after, mut told) = (start(), Vec::new());
    loop {
        let page = stage.store.changed_feedback(&after, 2).await.unwrap();
        let Some(last) = page.last() else { break };
        after = last.place();
        told.extend(page);
    }
    assert_eq!(told.len(), 5);
    assert!(told.windows(2).all(|two| two[0].place() < two[1].place()));
    assert_eq!(after.0, stage.store.feedback_revision().await.unwrap());

    // A verdict and the one that it replaces, a revocation and the one that it brings back: two changes each.
    stage.rated(6, 6).await;
    let changes = stage.store.changed_feedback(&after, ALL).await.unwrap();
    let standings = |standing| {
        let those = changes.iter().filter(|change| change.standing == standing);
        those.map(|change| change.recognition.clone()).collect::<BTreeSet<_>>()
    };
    assert_eq!((changes.len(), standings(Standing::Active), standings(Standing::Retired)), (2, ids(&[6]), ids(&[3])));
    let after = changes[1].place();
    stage.revoke(6).await;
    let changes = stage.store.changed_feedback(&after, ALL).await.unwrap();
    assert!(changes.iter().all(|change| change.revision == after.0 + 1));
    let told: BTreeSet<_> =
        changes.iter().map(|change| (change.recognition.clone(), change.standing.as_str())).collect();
    assert_eq!(told, BTreeSet::from([(id(6).to_string(), "revoked"), (id(3).to_string(), "active")]));
}

async fn what_is_held_is_reported_once(stage: Stage) {
    for number in 1..=4 {
        stage.rated(number, i64::from(number)).await;
    }
    let report = |at: i64, application: Option<AppId>| NewReport {
        at: Timestamp(at),
        application,
        task: "classify".to_owned(),
        model: "general".to_owned(),
        judged: 40,
        better: 1,
        worse: 9,
    };
    let those: Vec<_> = [1, 2, 3, 9].map(|number| (id(number).to_string(), "a".to_owned())).into();
    let first = report(5, Some(stage.app.clone()));
    assert_eq!(stage.store.hold_feedback(&those, &first, 3).await.unwrap(), 2, "1 does not act, 9 is not there");
    assert_eq!(stage.those(Standing::Active).await, ids(&[1, 4]), "an older one has room again");
    let revision = stage.store.feedback_revision().await.unwrap();
    assert_eq!(stage.store.hold_feedback(&those[1..], &first, 3).await.unwrap(), 0);
    assert_eq!(stage.store.feedback_revision().await.unwrap(), revision);
    assert_eq!(stage.those(Standing::Held).await, ids(&[2, 3]));
    let last = [(id(4).to_string(), "a".to_owned())];
    assert_eq!(stage.store.hold_feedback(&last, &report(6, None), 3).await.unwrap(), 1);
    let reports = stage.store.feedback_reports(10).await.unwrap();
    let told: Vec<_> = reports.iter().map(|report| (report.at.0, report.application.clone(), report.held)).collect();
    assert_eq!(told, [(6, None, 1), (5, Some(stage.app.clone()), 2)]);
    assert_eq!((reports[0].judged, reports[0].better, reports[0].worse), (40, 1, 9));
    assert_eq!(stage.store.feedback_reports(1).await.unwrap().len(), 1);
    // The next word counts.
    stage.store.rate(&stage.verdict(2, Some("a"), Verdict::Valid, 7), 3).await.unwrap();
    assert_eq!(stage.those(Standing::Active).await, ids(&[1, 2]));
}

async fn a_dataset_takes_its_feedback_with_it(stage: Stage) {
    let (one, two) = (stage.create_data_set(1).await, stage.create_data_set(2).await);
    for (number, data_set) in [(1, &one), (2, &two)] {
        stage.recognise(number, Some(data_set)).await;
        stage.store.rate(&stage.verdict(number, Some("a"), Verdict::Valid, 5), ALL).await.unwrap();
    }
    stage.delete(&one).await;
    let left = stage.store.changed_feedback(&start(), ALL).await.unwrap();
    assert_eq!(left.iter().map(|change| change.data_set.clone()).collect::<Vec<_>>(), [Some(two.clone())]);
    let asked = [one.to_string(), two.to_string(), "none".to_owned()];
    assert_eq!((stage.count("feedback").await, stage.count("exemplar").await), (1, 1));
    assert_eq!(stage.store.live_data_sets(&asked).await.unwrap(), [two.to_string()]);
    assert!(stage.store.live_data_sets(&[]).await.unwrap().is_empty());
}

async fn feedback_and_a_deletion_at_once_do_not_hurt_each_other(stage: Stage) {
    for turn in 0..12_u8 {
        let data_set = stage.create_data_set(turn).await;
        // Some verdicts are there: a new one takes the place of one, a second one on the same candidate writes it again.
        for number in 0..6 {
            let number = turn * 20 + number;
            stage.recognise(number, Some(&data_set)).await;
            if number % 2 == 0 {
                stage.store.rate(&stage.verdict(number, Some("a"), Verdict::Valid, 5), 2).await.unwrap();
            }
        }
        let writing = (0..6).map(|number| {
            let stage = stage.clone();
            tokio::spawn(async move {
                stage.store.rate(&stage.verdict(turn * 20 + number, Some("a"), Verdict::Invalid, 6), 2).await
            })
        });
        let writing: Vec<_> = writing.collect();
        let revoking = tokio::spawn({
            let (stage, model) = (stage.clone(), Some(data_set.to_string()));
            let filter = FeedbackFilter { model, ..FeedbackFilter::default() };
            async move { stage.store.revoke_feedback(&filter, 2).await }
        });
        stage.delete(&data_set).await;
        for task in writing {
            let outcome = task.await.unwrap();
            assert!(matches!(outcome, Ok(_) | Err(StoreError::NoRecognition(_))), "{outcome:?}");
        }
        revoking.await.unwrap().unwrap();
        assert_eq!((stage.count("feedback").await, stage.count("exemplar").await), (0, 0));
    }
}

async fn comments_are_searched_for_what_is_written(stage: Stage) {
    let comments =
        [Some("It is 100% a Cat"), Some("1000 cats"), Some("a_b"), Some(r"a\b"), Some("犬です"), Some(""), None];
    for (number, comment) in (1..).zip(comments) {
        stage.recognise(number, None).await;
        let mut verdict = stage.verdict(number, Some("a"), Verdict::Valid, i64::from(number));
        verdict.comment = comment.map(|text| Comment::new(text).unwrap());
        stage.store.rate(&verdict, ALL).await.unwrap();
    }
    let found = async |comment: Option<&str>, only_commented| {
        let comment = comment.map(str::to_owned);
        let filter = FeedbackFilter { comment, only_commented, ..FeedbackFilter::default() };
        let rows = stage.store.newest_feedback(&filter, ALL).await.unwrap();
        rows.into_iter().map(|row| row.rated_at.0).collect::<Vec<_>>()
    };
    for (text, numbers) in [
        ("cat", &[1, 2][..]),
        ("100%", &[1]),
        ("%", &[1]),
        ("_", &[3]),
        ("A_B", &[3]),
        (r"\", &[4]),
        ("犬", &[5]),
        ("nothing", &[]),
    ] {
        assert_eq!(found(Some(text), false).await, numbers, "{text}");
    }
    assert_eq!(found(None, true).await, [1, 2, 3, 4, 5]);
    assert_eq!(found(None, false).await.len(), 7);
}

async fn pages_go_from_the_oldest_to_the_newest(stage: Stage) {
    for number in 1..=5 {
        stage.rated(number, i64::from(number) / 2).await;
    }
    stage.store.rate(&stage.verdict(5, None, Verdict::Invalid, 9), 3).await.unwrap();
    let (mut after, mut told) = (start(), Vec::new());
    loop {
        let page = stage.store.feedback_page(&FeedbackFilter::default(), &after, 2, true).await.unwrap();
        let Some(last) = page.last() else { break };
        after = last.place();
        told.extend(page);
    }
    assert_eq!(told.len(), 6);
    assert!(told.windows(2).all(|two| two[0].place() < two[1].place()));
    let (first, last) = (&told[0], &told[5]);
    assert_eq!(
        (first.application_name.as_str(), first.name.as_deref(), first.subject.as_str()),
        ("one", Some("猫"), "s-a")
    );
    assert_eq!((first.score, first.base, first.recognised_at), (Some(0.75), Some(0.5), Timestamp(1)));
    assert_eq!((first.picture.as_deref(), first.items.len()), (Some(&[1, 2, 1][..]), 2));
    assert_eq!(
        (last.item.as_deref(), last.name.as_deref(), last.score, last.verdict),
        (None, None, None, Verdict::Invalid)
    );
    assert!(stage.all().await.iter().all(|row| row.picture.is_none()), "only when they are asked for");
    let newest = stage.store.newest_feedback(&FeedbackFilter::default(), 2).await.unwrap();
    assert_eq!(newest.iter().map(|row| row.rated_at.0).collect::<Vec<_>>(), [2, 9]);
    stage.store.forget_recognitions(Timestamp(1000), ALL).await.unwrap();
    let later = stage.store.feedback_page(&FeedbackFilter::default(), &start(), 1, true).await.unwrap();
    assert_eq!((later[0].picture.as_ref(), later[0].name.as_deref()), (None, Some("猫")));
}

async fn totals_are_counted_by_stretches_of_time(stage: Stage) {
    for (number, item, said, at) in [
        (1, Some("a"), Verdict::Valid, 10),
        (2, Some("a"), Verdict::Invalid, 19),
        (3, Some("a"), Verdict::Valid, 20),
        (4, Some("a"), Verdict::Valid, 20),
        (5, Some("b"), Verdict::Invalid, 20),
        (5, None, Verdict::Invalid, 20),
    ] {
        if item.is_some() {
            stage.recognise(number, None).await;
        }
        stage.store.rate(&stage.verdict(number, item, said, at), ALL).await.unwrap();
    }
    stage.revoke(4).await;
    let totals = async |filter: &FeedbackFilter| {
        let totals = stage.store.feedback_totals(filter, 10).await.unwrap();
        let facts = |total: kaisatsu_store::Total| (total.subject, total.begins, total.valid, total.invalid);
        totals.into_iter().map(facts).collect::<Vec<_>>()
    };
    let (a, b) = ("s-a".to_owned(), "s-b".to_owned());
    let expected = [(a.clone(), 10, 1, 1), (a, 20, 1, 0), (b.clone(), 20, 0, 1)];
    assert_eq!(totals(&FeedbackFilter::default()).await, expected);
    let filter = FeedbackFilter { item: Some("b".to_owned()), ..FeedbackFilter::default() };
    assert_eq!(totals(&filter).await, [(b, 20, 0, 1)]);
}
