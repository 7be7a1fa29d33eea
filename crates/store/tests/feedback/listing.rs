//! Searching, paging and counting verdicts.

use kaisatsu_model::{Comment, Timestamp, Verdict};
use kaisatsu_store::FeedbackFilter;

use super::fixture::{ALL, Fixture, start};

pub(crate) async fn comments_are_searched_literally(fixture: Fixture) {
    let comments =
        [Some("It is 100% a Cat"), Some("1000 cats"), Some("a_b"), Some(r"a\b"), Some("犬です"), Some(""), None];
    for (number, comment) in (1..).zip(comments) {
        fixture.recognise(number, None).await;
        let mut verdict = fixture.verdict(number, Some("a"), Verdict::Valid, i64::from(number));
        verdict.comment = comment.map(|text| Comment::new(text).unwrap());
        fixture.store.rate(&verdict, ALL).await.unwrap();
    }
    let found = async |comment: Option<&str>, only_commented| {
        let comment = comment.map(str::to_owned);
        let filter = FeedbackFilter { comment, only_commented, ..FeedbackFilter::default() };
        let rows = fixture.store.newest_feedback(&filter, None, ALL).await.unwrap();
        rows.into_iter().rev().map(|row| row.rated_at.0).collect::<Vec<_>>()
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

pub(crate) async fn pages_go_from_the_oldest_to_the_newest(fixture: Fixture) {
    for number in 1..=5 {
        fixture.rated(number, i64::from(number) / 2).await;
    }
    fixture.store.rate(&fixture.verdict(5, None, Verdict::Invalid, 9), 3).await.unwrap();
    let (mut after, mut told) = (start(), Vec::new());
    loop {
        let page = fixture.store.feedback_page(&FeedbackFilter::default(), &after, 2, true).await.unwrap();
        let Some(last) = page.last() else { break };
        after = last.cursor();
        told.extend(page);
    }
    assert_eq!(told.len(), 6);
    assert!(told.windows(2).all(|two| two[0].cursor() < two[1].cursor()));
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
    assert!(fixture.all().await.iter().all(|row| row.picture.is_none()), "only when they are asked for");
    let newest = fixture.store.newest_feedback(&FeedbackFilter::default(), None, 2).await.unwrap();
    assert_eq!(newest.iter().map(|row| row.rated_at.0).collect::<Vec<_>>(), [9, 2]);
    let place = (newest[1].rated_at.0, newest[1].recognition.clone(), newest[1].item.clone().unwrap_or_default());
    let older = fixture.store.newest_feedback(&FeedbackFilter::default(), Some(&place), 1).await.unwrap();
    assert!((older[0].rated_at.0, older[0].recognition.clone()) < (place.0, place.1));
    fixture.store.delete_expired_recognitions(Timestamp(1000), ALL).await.unwrap();
    let later = fixture.store.feedback_page(&FeedbackFilter::default(), &start(), 1, true).await.unwrap();
    assert_eq!((later[0].picture.as_ref(), later[0].name.as_deref()), (None, Some("猫")));
}

pub(crate) async fn totals_are_counted_by_interval(fixture: Fixture) {
    for (number, item, said, at) in [
        (1, Some("a"), Verdict::Valid, 10),
        (2, Some("a"), Verdict::Invalid, 19),
        (3, Some("a"), Verdict::Valid, 20),
        (4, Some("a"), Verdict::Valid, 20),
        (5, Some("b"), Verdict::Invalid, 20),
        (5, None, Verdict::Invalid, 20),
    ] {
        if item.is_some() {
            fixture.recognise(number, None).await;
        }
        fixture.store.rate(&fixture.verdict(number, item, said, at), ALL).await.unwrap();
    }
    fixture.revoke(4).await;
    let totals = async |filter: &FeedbackFilter| {
        let totals = fixture.store.feedback_totals(filter, 10).await.unwrap();
        let facts = |total: kaisatsu_store::FeedbackTotal| (total.subject, total.begins, total.valid, total.invalid);
        totals.into_iter().map(facts).collect::<Vec<_>>()
    };
    let (a, b) = ("s-a".to_owned(), "s-b".to_owned());
    let expected = [(a.clone(), 10, 1, 1), (a, 20, 1, 0), (b.clone(), 20, 0, 1)];
    assert_eq!(totals(&FeedbackFilter::default()).await, expected);
    let filter = FeedbackFilter { item: Some("b".to_owned()), ..FeedbackFilter::default() };
    assert_eq!(totals(&filter).await, [(b, 20, 0, 1)]);
}
