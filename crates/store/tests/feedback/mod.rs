//! Verdicts, on every backend.

mod fixture;
mod listing;

use std::collections::BTreeSet;

use kaisatsu_model::{
    AccountId, AccountState, AppId, ApplicationName, Email, Function, KeyDigest, KeyId, KeyScope, Source, Timestamp,
    Verdict,
};
use kaisatsu_store::{
    FeedbackFilter, FeedbackRow, Missing, NewAccount, NewKey, NewReport, NewVerdict, Rated, Standing, StoreError,
};
use kaisatsu_testkit::test_on_every_backend;

use self::{
    fixture::{ALL, Fixture, id, ids, run_on, start},
    listing::{
        comments_are_searched_literally, pages_go_from_the_oldest_to_the_newest, totals_are_counted_by_interval,
    },
};

test_on_every_backend![
    the_last_verdict_counts_and_outlives_its_recognition,
    a_verdict_needs_a_recognition_of_its_application,
    what_is_named_is_rated_like_a_candidate,
    of_two_concurrent_verdicts_one_remains,
    the_newest_are_active_and_a_revocation_reactivates_older_ones,
    a_later_verdict_on_a_candidate_is_active_again,
    every_change_is_reported_once_and_in_order,
    the_active_verdicts_on_a_source_are_read_page_by_page,
    held_verdicts_are_reported_once,
    deleting_a_dataset_deletes_its_feedback,
    feedback_and_the_deletion_of_a_dataset_do_not_deadlock,
    comments_are_searched_literally,
    pages_go_from_the_oldest_to_the_newest,
    totals_are_counted_by_interval,
    a_change_names_the_owner_of_the_application,
];

async fn the_last_verdict_counts_and_outlives_its_recognition(fixture: Fixture) {
    fixture.recognise(7, None).await;
    for (item, said) in [(Some("a"), Verdict::Valid), (Some("a"), Verdict::Invalid), (None, Verdict::Valid)] {
        fixture.store.rate(&fixture.verdict(7, item, said, 50), ALL).await.unwrap();
    }
    let told = fixture.store.verdicts(&id(7)).await.unwrap();
    assert_eq!(told.len(), 2);
    assert_eq!((told[0].item.as_deref(), told[0].verdict), (None, Verdict::Valid));
    assert_eq!((told[1].item.as_deref(), told[1].verdict), (Some("a"), Verdict::Invalid));
    assert_eq!((told[1].subject.as_str(), told[1].comment.as_deref()), ("s-a", Some("そうです")));
    // After it expires the recognition is not found, and then it is deleted. Its verdicts stay, with their exemplar.
    let late = fixture.store.rate(&fixture.verdict(7, Some("b"), Verdict::Valid, 1000), ALL).await;
    assert!(matches!(late, Err(StoreError::NotFound(Missing::Recognition(_)))));
    assert_eq!(fixture.store.delete_expired_recognitions(Timestamp(1000), 10).await.unwrap(), 1);
    assert_eq!(fixture.store.verdicts(&id(7)).await.unwrap().len(), 2);
    let changes = fixture.store.changed_feedback(&start(), ALL).await.unwrap();
    assert_eq!(changes.len(), 2);
    assert_eq!((changes[0].items.len(), changes[0].vector.as_deref()), (2, Some(&[0.5, -0.25][..])));
    assert_eq!((changes[0].subject.as_str(), changes[0].verdict), ("s-a", Verdict::Invalid));
    assert_eq!((changes[1].item.as_deref(), changes[1].subject.as_str()), (None, ""));
    assert_eq!(changes[0].of, Some((Function::Classify, Source::Model("general".to_owned()))));
}

async fn a_verdict_needs_a_recognition_of_its_application(fixture: Fixture) {
    let other = AppId::from_random([2; 10]);
    fixture.store.create_application(&other, &ApplicationName::new("two").unwrap(), Timestamp(0)).await.unwrap();
    fixture.recognise(7, None).await;
    let before = fixture.store.feedback_revision().await.unwrap();
    let foreign = NewVerdict { application: other, ..fixture.verdict(7, Some("a"), Verdict::Valid, 5) };
    assert!(matches!(fixture.store.rate(&foreign, ALL).await, Err(StoreError::NotFound(Missing::Recognition(_)))));
    let unknown = fixture.store.rate(&fixture.verdict(7, Some("c"), Verdict::Valid, 5), ALL).await;
    assert!(matches!(unknown, Err(StoreError::NotFound(Missing::Candidate(_)))));
    assert!(fixture.store.verdicts(&id(7)).await.unwrap().is_empty());
    assert_eq!(
        fixture.store.feedback_revision().await.unwrap(),
        before,
        "nothing happened that replicas should look for"
    );
}

async fn what_is_named_is_rated_like_a_candidate(fixture: Fixture) {
    fixture.recognise(7, None).await;
    let named = |subject: &str, verdict, at| NewVerdict {
        rated: Rated::Subject(subject.to_owned()),
        ..fixture.verdict(7, None, verdict, at)
    };
    // A candidate that is named is that candidate.
    let rated = fixture.store.rate(&named("s-b", Verdict::Valid, 5), ALL).await.unwrap();
    assert_eq!(rated.subject, "s-b");
    fixture.store.rate(&named("s-c", Verdict::Invalid, 6), ALL).await.unwrap();
    fixture.store.rate(&named("s-c", Verdict::Valid, 7), ALL).await.unwrap();
    let changes = fixture.store.changed_feedback(&start(), ALL).await.unwrap();
    let told: Vec<_> = changes.iter().map(|one| (one.item.as_deref().unwrap(), one.named(), one.verdict)).collect();
    assert_eq!(told, [("b", None, Verdict::Valid), ("tag:s-c", Some("s-c"), Verdict::Valid)]);
    let rows = fixture.store.newest_feedback(&FeedbackFilter::default(), None, ALL).await.unwrap();
    assert_eq!((rows[0].subject.as_str(), rows[0].name.as_deref(), rows[0].score), ("s-c", Some("s-c"), None));
    assert_eq!(fixture.store.feedback_totals(&FeedbackFilter::default(), 100).await.unwrap().len(), 2);
    // The newest verdicts on a subject are in effect, named or answered.
    for number in 1..=3 {
        fixture.recognise(number, None).await;
        let at = 10 + i64::from(number);
        let named = NewVerdict { recognition: id(number), ..named("s-c", Verdict::Valid, at) };
        fixture.store.rate(&named, 3).await.unwrap();
    }
    let standing = |rows: &[FeedbackRow]| rows.iter().filter(|row| row.standing == Standing::Active).count();
    let rows = fixture.store.newest_feedback(&FeedbackFilter::default(), None, ALL).await.unwrap();
    assert_eq!((rows.len(), standing(&rows)), (5, 4));
    assert_eq!(fixture.revoke(1).await, 1);
    let rows = fixture.store.newest_feedback(&FeedbackFilter::default(), None, ALL).await.unwrap();
    assert_eq!(standing(&rows), 4, "the one that it had replaced is in effect again");
}

async fn of_two_concurrent_verdicts_one_remains(fixture: Fixture) {
    fixture.recognise(7, None).await;
    let rating = (0..8).map(|turn| {
        let fixture = fixture.clone();
        let said = if turn % 2 == 0 { Verdict::Valid } else { Verdict::Invalid };
        tokio::spawn(async move { fixture.store.rate(&fixture.verdict(7, Some("a"), said, 5), ALL).await })
    });
    for task in rating.collect::<Vec<_>>() {
        task.await.unwrap().unwrap();
    }
    assert_eq!(fixture.store.verdicts(&id(7)).await.unwrap().len(), 1);
    let changes = fixture.store.changed_feedback(&start(), ALL).await.unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].revision, fixture.store.feedback_revision().await.unwrap());
}

async fn the_newest_are_active_and_a_revocation_reactivates_older_ones(fixture: Fixture) {
    for number in 1..=6 {
        fixture.rated(number, i64::from(number)).await;
    }
    // Another subject is counted separately.
    fixture.store.rate(&fixture.verdict(1, Some("b"), Verdict::Invalid, 9), 3).await.unwrap();
    let acting = |rows: Vec<FeedbackRow>| -> Vec<(String, Option<String>)> {
        let active = rows.into_iter().filter(|row| row.standing == Standing::Active);
        active.map(|row| (row.recognition, row.item)).collect()
    };
    let some = |number: u8, item: &str| (id(number).to_string(), Some(item.to_owned()));
    assert_eq!(acting(fixture.all().await), [some(4, "a"), some(5, "a"), some(6, "a"), some(1, "b")]);
    assert_eq!(fixture.those(Standing::Retired).await, ids(&[1, 2, 3]));

    // An active and a retired one: those are active that would be if only 1, 3, 4 and 6 had been given.
    assert_eq!((fixture.revoke(5).await, fixture.revoke(2).await), (1, 1));
    assert_eq!(acting(fixture.all().await), [some(3, "a"), some(4, "a"), some(6, "a"), some(1, "b")]);
    assert_eq!(fixture.revoke(5).await, 0, "it is revoked already");
    let all = FeedbackFilter { item: Some("s-a".to_owned()), ..FeedbackFilter::default() };
    assert_eq!(fixture.store.count_feedback(&all).await.unwrap().all, 6);
    assert_eq!(fixture.store.count_feedback(&all).await.unwrap().revoked, 2);
    // Several, of different subjects.
    let many = FeedbackFilter { since: Some(Timestamp(4)), until: Some(Timestamp(9)), ..FeedbackFilter::default() };
    assert_eq!(fixture.store.revoke_feedback(&many, 3).await.unwrap(), 2);
    assert_eq!(acting(fixture.all().await), [some(1, "a"), some(3, "a"), some(1, "b")]);
    assert_eq!(fixture.store.revoke_feedback(&FeedbackFilter::default(), 3).await.unwrap(), 3);
    assert_eq!(acting(fixture.all().await), []);
}

async fn a_later_verdict_on_a_candidate_is_active_again(fixture: Fixture) {
    fixture.rated(1, 1).await;
    assert_eq!(fixture.revoke(1).await, 1);
    assert_eq!(fixture.those(Standing::Revoked).await, ids(&[1]));
    let mut again = fixture.verdict(1, Some("a"), Verdict::Invalid, 2);
    again.comment = None;
    fixture.store.rate(&again, 3).await.unwrap();
    let kept = &fixture.store.verdicts(&id(1)).await.unwrap()[0];
    assert_eq!((kept.standing, kept.verdict, &kept.comment), (Standing::Active, Verdict::Invalid, &None));
    // A retired verdict that is given again is the newest.
    for number in 2..=4 {
        fixture.rated(number, i64::from(number) + 1).await;
    }
    assert_eq!(fixture.those(Standing::Active).await, ids(&[2, 3, 4]));
    fixture.store.rate(&fixture.verdict(1, Some("a"), Verdict::Valid, 9), 3).await.unwrap();
    assert_eq!(fixture.those(Standing::Active).await, ids(&[3, 4, 1]));
}

async fn every_change_is_reported_once_and_in_order(fixture: Fixture) {
    for number in 1..=5 {
        fixture.rated(number, i64::from(number)).await;
    }
    let (mut after, mut told) = (start(), Vec::new());
    loop {
        let page = fixture.store.changed_feedback(&after, 2).await.unwrap();
        let Some(last) = page.last() else { break };
        after = last.cursor();
        told.extend(page);
    }
    assert_eq!(told.len(), 5);
    assert!(told.windows(2).all(|two| two[0].cursor() < two[1].cursor()));
    assert_eq!(after.0, fixture.store.feedback_revision().await.unwrap());

    // A verdict and the one it retires, a revocation and the one it reactivates: two changes each.
    fixture.rated(6, 6).await;
    let changes = fixture.store.changed_feedback(&after, ALL).await.unwrap();
    let standings = |standing| {
        let those = changes.iter().filter(|change| change.standing == standing);
        those.map(|change| change.recognition.clone()).collect::<BTreeSet<_>>()
    };
    assert_eq!((changes.len(), standings(Standing::Active), standings(Standing::Retired)), (2, ids(&[6]), ids(&[3])));
    let after = changes[1].cursor();
    fixture.revoke(6).await;
    let changes = fixture.store.changed_feedback(&after, ALL).await.unwrap();
    assert!(changes.iter().all(|change| change.revision == after.0 + 1));
    let told: BTreeSet<_> =
        changes.iter().map(|change| (change.recognition.clone(), change.standing.as_str())).collect();
    assert_eq!(told, BTreeSet::from([(id(6).to_string(), "revoked"), (id(3).to_string(), "active")]));
}

async fn the_active_verdicts_on_a_source_are_read_page_by_page(fixture: Fixture) {
    let dataset = fixture.create_dataset(1).await;
    for number in 1..=9 {
        fixture.recognise(number, (number > 7).then_some(&dataset)).await;
        for item in ["a", "b"] {
            fixture.store.rate(&fixture.verdict(number, Some(item), Verdict::Valid, 5), ALL).await.unwrap();
        }
    }
    let third = FeedbackFilter { recognition: Some(id(3)), ..FeedbackFilter::default() };
    assert_eq!(fixture.store.revoke_feedback(&third, ALL).await.unwrap(), 2);
    let pages = async |function, model, size: i64| {
        let (mut after, mut found) = (Default::default(), Vec::new());
        loop {
            let page = fixture.store.active_feedback(function, model, &after, size).await.unwrap();
            let Some(last) = page.last() else { return found };
            assert!(page.len() <= usize::try_from(size).unwrap());
            after = last.cursor_on_source();
            found.extend(page.into_iter().map(|change| (change.recognition, change.item.unwrap())));
        }
    };
    let of = |numbers: &[u8]| -> Vec<(String, String)> {
        let both = |number: &u8| ["a", "b"].map(|item| (id(*number).to_string(), item.to_owned()));
        numbers.iter().flat_map(both).collect()
    };
    for size in [1, 5, ALL] {
        assert_eq!(pages(Function::Classify, Some("general"), size).await, of(&[1, 2, 4, 5, 6, 7]));
        assert_eq!(pages(Function::Classify, Some(dataset.as_str()), size).await, of(&[8, 9]));
        // All models of a function, one after the other.
        let mut all = pages(Function::Classify, None, size).await;
        all.sort();
        assert_eq!(all, of(&[1, 2, 4, 5, 6, 7, 8, 9]));
        assert!(pages(Function::Classify, Some("food"), size).await.is_empty());
        assert!(pages(Function::Detect, Some("general"), size).await.is_empty());
    }
}

async fn held_verdicts_are_reported_once(fixture: Fixture) {
    for number in 1..=4 {
        fixture.rated(number, i64::from(number)).await;
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
    let first = report(5, Some(fixture.app.clone()));
    assert_eq!(fixture.store.hold_feedback(&those, &first, 3).await.unwrap(), 2, "1 does not act, 9 is not there");
    assert_eq!(fixture.those(Standing::Active).await, ids(&[1, 4]), "an older one has room again");
    let revision = fixture.store.feedback_revision().await.unwrap();
    assert_eq!(fixture.store.hold_feedback(&those[1..], &first, 3).await.unwrap(), 0);
    assert_eq!(fixture.store.feedback_revision().await.unwrap(), revision);
    assert_eq!(fixture.those(Standing::Held).await, ids(&[2, 3]));
    let last = [(id(4).to_string(), "a".to_owned())];
    let earlier = fixture.store.hold_feedback(&last, &report(3, None), 3).await.unwrap();
    assert_eq!(earlier, 0, "a verdict that was given after the judgement is another one");
    assert_eq!(fixture.store.hold_feedback(&last, &report(6, None), 3).await.unwrap(), 1);
    let reports = fixture.store.feedback_reports(10).await.unwrap();
    let told: Vec<_> = reports.iter().map(|report| (report.at.0, report.application.clone(), report.held)).collect();
    assert_eq!(told, [(6, None, 1), (5, Some(fixture.app.clone()), 2)]);
    assert_eq!((reports[0].judged, reports[0].better, reports[0].worse), (40, 1, 9));
    assert_eq!(fixture.store.feedback_reports(1).await.unwrap().len(), 1);
    // A new verdict replaces it.
    fixture.store.rate(&fixture.verdict(2, Some("a"), Verdict::Valid, 7), 3).await.unwrap();
    assert_eq!(fixture.those(Standing::Active).await, ids(&[1, 2]));
}

async fn deleting_a_dataset_deletes_its_feedback(fixture: Fixture) {
    let (one, two) = (fixture.create_dataset(1).await, fixture.create_dataset(2).await);
    for (number, dataset) in [(1, &one), (2, &two)] {
        fixture.recognise(number, Some(dataset)).await;
        fixture.store.rate(&fixture.verdict(number, Some("a"), Verdict::Valid, 5), ALL).await.unwrap();
    }
    fixture.delete(&one).await;
    let left = fixture.store.changed_feedback(&start(), ALL).await.unwrap();
    assert_eq!(left.iter().map(|change| change.dataset().cloned()).collect::<Vec<_>>(), [Some(two.clone())]);
    let asked = [one.to_string(), two.to_string(), "none".to_owned()];
    assert_eq!((fixture.count("feedback").await, fixture.count("exemplar").await), (1, 1));
    assert_eq!(fixture.store.existing_datasets(&asked).await.unwrap(), [two.to_string()]);
    assert!(fixture.store.existing_datasets(&[]).await.unwrap().is_empty());
}

async fn feedback_and_the_deletion_of_a_dataset_do_not_deadlock(fixture: Fixture) {
    for turn in 0..12_u8 {
        let dataset = fixture.create_dataset(turn).await;
        // There are some verdicts already: a new one retires one of them, and a second one on a candidate replaces the
        // first.
        for number in 0..6 {
            let number = turn * 20 + number;
            fixture.recognise(number, Some(&dataset)).await;
            if number % 2 == 0 {
                fixture.store.rate(&fixture.verdict(number, Some("a"), Verdict::Valid, 5), 2).await.unwrap();
            }
        }
        let writing = (0..6).map(|number| {
            let fixture = fixture.clone();
            tokio::spawn(async move {
                fixture.store.rate(&fixture.verdict(turn * 20 + number, Some("a"), Verdict::Invalid, 6), 2).await
            })
        });
        let writing: Vec<_> = writing.collect();
        let revoking = tokio::spawn({
            let (fixture, model) = (fixture.clone(), Some(dataset.to_string()));
            let filter = FeedbackFilter { model, ..FeedbackFilter::default() };
            async move { fixture.store.revoke_feedback(&filter, 2).await }
        });
        fixture.delete(&dataset).await;
        for task in writing {
            let outcome = task.await.unwrap();
            assert!(matches!(outcome, Ok(_) | Err(StoreError::NotFound(Missing::Recognition(_)))), "{outcome:?}");
        }
        revoking.await.unwrap().unwrap();
        assert_eq!((fixture.count("feedback").await, fixture.count("exemplar").await), (0, 0));
    }
}

/// The quorum counts owners: two applications of one account are one voice, and an application without an account is
/// its
/// own owner.
async fn a_change_names_the_owner_of_the_application(mut fixture: Fixture) {
    let account = AccountId::from_random([1; 10]);
    let new = NewAccount {
        id: account.clone(),
        email: Email::new("a@example.org").unwrap(),
        password: "hash".to_owned(),
        state: AccountState::Active,
        language: None,
        created_at: Timestamp(0),
    };
    fixture.store.register(&new).await.unwrap();
    fixture.rated(1, 1).await;
    for number in [2, 3] {
        let (app, name) = (AppId::from_random([number; 10]), ApplicationName::new(&format!("app {number}")).unwrap());
        let (id, digest, hint) = (KeyId::from_random([number; 10]), KeyDigest([number; 32]), "abcd".to_owned());
        let key = NewKey {
            id,
            digest,
            hint,
            scope: KeyScope::Standard,
            allowed_places: None,
            created_at: Timestamp(0),
            expires_at: None,
            made_by: None,
            console: None,
        };
        fixture.store.create_application_with_key(&app, &name, Some(&account), &key).await.unwrap();
        fixture.app = app;
        fixture.rated(number, i64::from(number)).await;
    }
    let changes = fixture.store.changed_feedback(&start(), ALL).await.unwrap();
    let owners: Vec<_> = changes.iter().map(|change| change.owner.as_ref()).collect();
    assert_eq!(owners, [None, Some(&account), Some(&account)]);
}
