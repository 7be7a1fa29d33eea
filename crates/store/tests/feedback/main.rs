//! Verdicts and the memory they are, one story for every backend.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

mod listing;
mod stage;

use std::collections::BTreeSet;

use kaisatsu_model::{AppId, ApplicationName, Function, Source, Timestamp, Verdict};
use kaisatsu_store::{FeedbackFilter, FeedbackRow, Missing, NewReport, NewVerdict, Standing, StoreError};
use kaisatsu_testkit::tell_on_every_backend;

use crate::{
    listing::{
        comments_are_searched_for_what_is_written, pages_go_from_the_oldest_to_the_newest,
        totals_are_counted_by_stretches_of_time,
    },
    stage::{ALL, Stage, id, ids, start, tell},
};

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
    assert!(matches!(late, Err(StoreError::NotFound(Missing::Recognition(_)))));
    assert_eq!(stage.store.delete_expired_recognitions(Timestamp(1000), 10).await.unwrap(), 1);
    assert_eq!(stage.store.verdicts(&id(7)).await.unwrap().len(), 2);
    let changes = stage.store.changed_feedback(&start(), ALL).await.unwrap();
    assert_eq!(changes.len(), 2);
    assert_eq!((changes[0].items.len(), changes[0].vector.as_deref()), (2, Some(&[0.5, -0.25][..])));
    assert_eq!((changes[0].subject.as_str(), changes[0].verdict), ("s-a", Verdict::Invalid));
    assert_eq!((changes[1].item.as_deref(), changes[1].subject.as_str()), (None, ""));
    assert_eq!(changes[0].of, Some((Function::Classify, Source::Model("general".to_owned()))));
}

async fn a_verdict_is_on_a_recognition_of_its_application(stage: Stage) {
    let other = AppId::from_random([2; 10]);
    stage.store.create_application(&other, &ApplicationName::new("two").unwrap(), Timestamp(0)).await.unwrap();
    stage.recognise(7, None).await;
    let before = stage.store.feedback_revision().await.unwrap();
    let foreign = NewVerdict { application: other, ..stage.verdict(7, Some("a"), Verdict::Valid, 5) };
    assert!(matches!(stage.store.rate(&foreign, ALL).await, Err(StoreError::NotFound(Missing::Recognition(_)))));
    let unknown = stage.store.rate(&stage.verdict(7, Some("c"), Verdict::Valid, 5), ALL).await;
    assert!(matches!(unknown, Err(StoreError::NotFound(Missing::Candidate(_)))));
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
        function: Function::Classify,
        source: Some(Source::Model("general".to_owned())),
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
    let (one, two) = (stage.create_dataset(1).await, stage.create_dataset(2).await);
    for (number, dataset) in [(1, &one), (2, &two)] {
        stage.recognise(number, Some(dataset)).await;
        stage.store.rate(&stage.verdict(number, Some("a"), Verdict::Valid, 5), ALL).await.unwrap();
    }
    stage.delete(&one).await;
    let left = stage.store.changed_feedback(&start(), ALL).await.unwrap();
    assert_eq!(left.iter().map(|change| change.dataset().cloned()).collect::<Vec<_>>(), [Some(two.clone())]);
    let asked = [one.to_string(), two.to_string(), "none".to_owned()];
    assert_eq!((stage.count("feedback").await, stage.count("exemplar").await), (1, 1));
    assert_eq!(stage.store.live_datasets(&asked).await.unwrap(), [two.to_string()]);
    assert!(stage.store.live_datasets(&[]).await.unwrap().is_empty());
}

async fn feedback_and_a_deletion_at_once_do_not_hurt_each_other(stage: Stage) {
    for turn in 0..12_u8 {
        let dataset = stage.create_dataset(turn).await;
        // Some verdicts are there: a new one takes the place of one, a second one on the same candidate writes it again.
        for number in 0..6 {
            let number = turn * 20 + number;
            stage.recognise(number, Some(&dataset)).await;
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
            let (stage, model) = (stage.clone(), Some(dataset.to_string()));
            let filter = FeedbackFilter { model, ..FeedbackFilter::default() };
            async move { stage.store.revoke_feedback(&filter, 2).await }
        });
        stage.delete(&dataset).await;
        for task in writing {
            let outcome = task.await.unwrap();
            assert!(matches!(outcome, Ok(_) | Err(StoreError::NotFound(Missing::Recognition(_)))), "{outcome:?}");
        }
        revoking.await.unwrap().unwrap();
        assert_eq!((stage.count("feedback").await, stage.count("exemplar").await), (0, 0));
    }
}
