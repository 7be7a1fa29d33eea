//! Recognitions, collections and the catalogue, on every backend.

use kaisatsu_model::{AppId, ApplicationName, RecognitionId, Timestamp};
use kaisatsu_store::{
    BlobClaim, BlobKey, Collection, Missing, NewImage, NewItem, NewRecognition, NewSegment, ScoreAdjustment,
    SegmentRange, Store, StoreError, StoredCandidate,
};
use kaisatsu_testkit::{Backend, Database, test_on_every_backend};

use crate::support::store_with_application;

test_on_every_backend![
    a_recognition_is_visible_to_its_application_until_it_expires,
    changed_images_are_reported_once,
    items_are_stored_and_removed_with_their_codes_and_pictures,
    a_thumbnail_is_stored_as_long_as_an_image_or_an_item_refers_to_it,
    a_segment_is_recorded_whole_and_its_bytes_stay_as_long,
];

async fn run_on<F: Future<Output = ()>>(backend: Backend, test: impl FnOnce(Store, AppId) -> F) {
    let database = Database::fresh(backend);
    let (store, app) = store_with_application(&database).await;
    test(store, app).await;
}

fn recognition(app: &AppId, number: u8, expires_at: i64) -> NewRecognition {
    let item = |id: &str, score| StoredCandidate {
        id: id.to_owned(),
        subject: format!("s-{id}"),
        name: "猫".to_owned(),
        score,
        base: None,
        moved: Vec::new(),
    };
    NewRecognition {
        id: RecognitionId::from_random([number; 16]),
        application: app.clone(),
        function: kaisatsu_model::Function::Classify,
        source: kaisatsu_model::Source::Model("general".to_owned()),
        created_at: Timestamp(0),
        expires_at: Timestamp(expires_at),
        items: vec![item("a", 0.75), item("b", 0.25)],
        engine: "e".to_owned(),
        vector: Some(vec![0.5, -0.25]),
        picture: Some(vec![1, 2, 3]),
    }
}

async fn a_recognition_is_visible_to_its_application_until_it_expires(store: Store, app: AppId) {
    let other = AppId::from_random([2; 10]);
    store.create_application(&other, &ApplicationName::new("two").unwrap(), Timestamp(0)).await.unwrap();
    let mut kept = recognition(&app, 7, 100);
    let push = ScoreAdjustment { recognition: None, item: Some("x".to_owned()), valid: true, by: 0.25 };
    (kept.items[0].base, kept.items[0].moved) = (Some(0.5), vec![push]);
    store.save_recognition(kept.clone()).await.unwrap();
    for asked in [Some(&app), None] {
        let record = store.recognition_record(asked, &kept.id, Timestamp(99)).await.unwrap();
        assert_eq!((record.application, record.items), (app.clone(), kept.items.clone()));
        assert_eq!(
            (record.task.as_str(), record.model.as_str(), record.created_at),
            ("classify", "general", Timestamp(0))
        );
    }
    for (asked, now) in [(Some(&other), 99), (Some(&app), 100), (None, 100)] {
        let nothing = store.recognition_record(asked, &kept.id, Timestamp(now)).await;
        assert!(matches!(nothing, Err(StoreError::NotFound(Missing::Recognition(_)))));
    }
    assert_eq!(store.delete_expired_recognitions(Timestamp(99), 10).await.unwrap(), 0);
    assert_eq!(store.delete_expired_recognitions(Timestamp(100), 10).await.unwrap(), 1);
    assert_eq!(store.count_recognitions().await.unwrap(), 0);
}

fn image(id: &str, first: f32) -> NewImage {
    NewImage {
        image_id: id.to_owned(),
        image_url: String::new(),
        tag: "t".to_owned(),
        vector: vec![first, 1.0],
        thumbnail: None,
    }
}

async fn changed_images_are_reported_once(store: Store, _: AppId) {
    let wanted = Collection { name: "c".to_owned(), model: "general".to_owned(), model_sha256: "x".to_owned() };
    assert_eq!(store.ensure_collection(&wanted, Timestamp(0)).await.unwrap(), wanted);
    let other = Collection { model_sha256: "y".to_owned(), ..wanted.clone() };
    assert_eq!(store.ensure_collection(&other, Timestamp(0)).await.unwrap(), other, "nothing is in it yet");
    assert_eq!(store.ensure_collection(&wanted, Timestamp(0)).await.unwrap(), wanted);
    store.put_images("c", &[image("a", 0.1), image("b", 0.2), image("c", 0.3)]).await.unwrap();
    assert_eq!(store.ensure_collection(&other, Timestamp(0)).await.unwrap(), wanted, "there are images of the first");
    let first = store.changed_images("c", (0, 0), 2).await.unwrap();
    let last = first.last().map(|change| (change.revision, change.number)).unwrap();
    let rest = store.changed_images("c", last, 2).await.unwrap();
    assert_eq!((first.len(), rest.len()), (2, 1), "page by page");
    assert_eq!(rest[0].vector.as_deref(), Some(&[0.3, 1.0][..]));
    let last = (rest[0].revision, rest[0].number);
    assert_eq!(store.remove_images("c", Some("a")).await.unwrap(), 1);
    assert_eq!(store.remove_images("c", Some("a")).await.unwrap(), 0);
    store.put_images("c", &[image("b", 0.9)]).await.unwrap();
    let changes = store.changed_images("c", last, 10).await.unwrap();
    assert!(store.changed_images("other", (0, 0), 10).await.unwrap().is_empty());
    let changed = async |revision| store.changed_collections(revision).await.unwrap();
    assert_eq!((changed(last.0).await, changed(changes[1].revision).await), (vec!["c".to_owned()], Vec::new()));
    assert_eq!(store.collection_list().await.unwrap(), std::slice::from_ref(&wanted));
    assert_eq!(changes.iter().map(|change| change.vector.clone()).collect::<Vec<_>>(), [None, Some(vec![0.9, 1.0])]);
    assert_eq!(store.image_ids("c").await.unwrap(), ["b", "c"]);
    let numbers: Vec<i64> = first.iter().map(|change| change.number).collect();
    let there = store.images(&numbers).await.unwrap();
    assert_eq!(there.iter().map(|record| record.image_id.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(store.collections().await.unwrap(), [(wanted, 2)]);
    assert_eq!(store.remove_images("c", None).await.unwrap(), 2);
}

fn item(id: &str, sketch: u8) -> NewItem {
    NewItem {
        id: id.to_owned(),
        category: "book".to_owned(),
        name: "本".to_owned(),
        detail: "{}".to_owned(),
        image_url: String::new(),
        sites: "[]".to_owned(),
        codes: vec!["9784101010014".to_owned()],
        pictures: vec![(vec![sketch], vec![sketch, 9])],
        digest: vec![sketch],
        thumbnail: None,
    }
}

async fn items_are_stored_and_removed_with_their_codes_and_pictures(store: Store, _: AppId) {
    store.put_items(&[item("a", 1), item("b", 2)]).await.unwrap();
    store.put_items(&[item("a", 3)]).await.unwrap();
    assert_eq!(store.item_digest("a").await.unwrap(), Some(vec![3]));
    let changes = store.changed_items((0, 0), 10).await.unwrap();
    let sketches: Vec<u8> = changes.iter().map(|change| change.sketches[0].1[0]).collect();
    assert_eq!(sketches, [2, 3], "the older change first, and an item once");
    let with_codes = async || -> Vec<(String, String)> {
        let found = store.items_with_codes(&["9784101010014", "4901234567894"]).await.unwrap();
        found.into_iter().map(|(code, item)| (code, item.id)).collect()
    };
    let coded = |id: &str| ("9784101010014".to_owned(), id.to_owned());
    assert_eq!(with_codes().await, [coded("a"), coded("b")]);
    let pictures: Vec<i64> = changes.iter().map(|change| change.sketches[0].0).chain([999]).collect();
    let references = async || -> Vec<(i64, Vec<u8>, String)> {
        let mut found = store.references(&pictures).await.unwrap();
        found.sort_by_key(|row| row.picture);
        found.into_iter().map(|row| (row.picture, row.features, row.item.id)).collect()
    };
    let (b, a) = ((pictures[0], vec![2, 9], "b".to_owned()), (pictures[1], vec![3, 9], "a".to_owned()));
    assert_eq!(references().await, [b.clone(), a], "each with its item, in one statement");
    assert!(store.references(&[]).await.unwrap().is_empty() && store.items_with_codes(&[]).await.unwrap().is_empty());
    assert!(store.remove_item("a").await.unwrap());
    assert!(!store.remove_item("a").await.unwrap());
    assert_eq!(references().await, [b]);
    assert_eq!(with_codes().await, [coded("b")]);
    let last = (changes[1].revision, changes[1].number);
    let gone = store.changed_items(last, 10).await.unwrap();
    assert_eq!((gone.len(), gone[0].sketches.len()), (1, 0));
    assert_eq!(store.catalogue_counts().await.unwrap(), [("book".to_owned(), 1)]);
    assert!(store.has_more_items_than(0).await.unwrap() && !store.has_more_items_than(1).await.unwrap());
}

async fn a_thumbnail_is_stored_as_long_as_an_image_or_an_item_refers_to_it(store: Store, _: AppId) {
    let keys = [b"one", b"two"].map(|file| BlobKey::public(kaisatsu_store::sha256(file)));
    let [one, two] = &keys;
    for key in &keys {
        assert_eq!(store.claim_blob(key, 3, i64::MAX, Timestamp(0)).await.unwrap(), BlobClaim::Write);
    }
    let swept =
        async |now: i64| store.mark_blobs_deleting(Timestamp(now), Timestamp(0), Timestamp(0), 10).await.unwrap();
    let collection = Collection { name: "c".to_owned(), model: "m".to_owned(), model_sha256: "aa".to_owned() };
    store.ensure_collection(&collection, Timestamp(0)).await.unwrap();
    let with = |image: NewImage, key: &BlobKey| NewImage { thumbnail: Some(key.sha256), ..image };
    let both = [with(image("a", 0.1), one), with(image("b", 0.2), one)];
    assert!(store.put_images("c", &both).await.unwrap());
    let shown = NewItem { thumbnail: Some(one.sha256), ..item("x", 1) };
    assert!(store.put_items(&[shown]).await.unwrap());
    assert_eq!(store.image_thumbnail("c", "a").await.unwrap(), Some(one.sha256));
    assert_eq!(store.item_thumbnail("x").await.unwrap(), Some(one.sha256));
    let rows = store.blob_rows(None, 10).await.unwrap();
    assert_eq!(rows.iter().map(|row| (&row.key, row.referenced)).collect::<Vec<_>>().len(), 2);
    assert!(rows.iter().all(|row| row.referenced == (row.key == *one)));

    // Replaced, removed, and still referred to by the others.
    assert!(store.put_images("c", &[with(image("a", 0.1), two)]).await.unwrap());
    assert_eq!(store.remove_images("c", Some("b")).await.unwrap(), 1);
    assert_eq!(swept(1).await, []);
    assert!(store.put_items(&[item("x", 1)]).await.unwrap());
    assert_eq!(store.item_thumbnail("x").await.unwrap(), None);
    assert_eq!(swept(2).await, std::slice::from_ref(one));
    // One that is being deleted cannot be referred to: nothing is stored.
    assert!(!store.put_images("c", &[image("d", 0.3), with(image("e", 0.3), one)]).await.unwrap());
    assert!(!store.put_items(&[NewItem { thumbnail: Some(one.sha256), ..item("y", 1) }]).await.unwrap());
    assert_eq!(store.image_ids("c").await.unwrap(), ["a"]);
    assert_eq!(store.item_digest("y").await.unwrap(), None);

    assert!(store.remove_collection("c").await.unwrap());
    assert_eq!(store.image_thumbnail("c", "a").await.unwrap(), None);
    assert_eq!(swept(3).await, std::slice::from_ref(two));
    // The owner of thumbnails is no application.
    assert_eq!(store.deleted_applications().await.unwrap(), []);
    assert_eq!(store.owned_applications(None).await.unwrap().len(), 1);
    assert!(store.owned_application(&one.application).await.unwrap().is_none());
}

async fn a_segment_is_recorded_whole_and_its_bytes_stay_as_long(store: Store, _: AppId) {
    store.put_items(&[item("a", 1), item("b", 2)]).await.unwrap();
    store.put_items(&[item("c", 3)]).await.unwrap();
    assert!(store.remove_item("b").await.unwrap());
    let all = SegmentRange { from: (0, 0), to: (i64::MAX, i64::MAX) };
    let told = store.item_revisions(all, 10).await.unwrap();
    let told: Vec<(i64, i64, i64)> = told.iter().map(|row| (row.revision, row.number, row.removed)).collect();
    assert_eq!(told, [(1, 1, 0), (2, 3, 0), (3, 2, 1)], "in the order of their latest changes");
    let first_two = SegmentRange { from: (0, 0), to: (2, 3) };
    assert_eq!(store.count_changed_items(first_two, 10).await.unwrap(), 2);
    assert_eq!(store.count_changed_items(SegmentRange { from: (1, 1), ..all }, 10).await.unwrap(), 2);
    assert_eq!(store.count_changed_items(all, 1).await.unwrap(), 1, "no more are counted");

    let now = Timestamp(5);
    let segment = |bytes: &[u8], from, to| {
        let range = SegmentRange { from, to };
        NewSegment { sha256: kaisatsu_store::sha256(bytes), size: 3, range, entries: 2, items: 1 }
    };
    let record = async |holder: &str, former: &[_], new: &NewSegment| {
        let key = BlobKey::public(new.sha256);
        let _ = store.claim_blob(&key, 3, i64::MAX, now).await.unwrap();
        store.replace_segments(holder, former, Some(new), now).await.unwrap()
    };
    assert!(store.lease_segments("me", now, Timestamp(9)).await.unwrap());
    assert!(!store.lease_segments("you", Timestamp(8), Timestamp(20)).await.unwrap());
    assert!(store.lease_segments("me", Timestamp(8), Timestamp(9)).await.unwrap(), "it is renewed");
    let (one, two) = (segment(b"one", (0, 0), (1, 1)), segment(b"two", (1, 1), (2, 3)));
    assert!(!record("you", &[], &one).await, "the lease is another's");
    assert!(record("me", &[], &two).await && record("me", &[], &one).await);
    assert!(!record("me", &[], &segment(b"three", (1, 0), (1, 2))).await, "it overlaps");
    let recorded = store.catalogue_segments().await.unwrap();
    assert_eq!(recorded.iter().map(|one| one.segment.clone()).collect::<Vec<_>>(), [one.clone(), two.clone()]);

    // Nobody removes the bytes of what is recorded, also if somebody takes them for released.
    for known in &recorded {
        store.release_blob(&known.key(), now).await.unwrap();
    }
    let sweep = async || store.mark_blobs_deleting(now, Timestamp(0), Timestamp(0), 10).await.unwrap();
    assert!(sweep().await.is_empty());
    assert!(store.blob_rows(None, 10).await.unwrap().iter().filter(|row| row.complete).all(|row| row.referenced));

    // One in place of both, all or nothing.
    let both = segment(b"both", (0, 0), (2, 3));
    assert!(store.lease_segments("you", Timestamp(9), Timestamp(20)).await.unwrap(), "it has run out");
    assert!(!record("me", &recorded, &both).await, "the lease was lost meanwhile");
    assert_eq!(store.catalogue_segments().await.unwrap(), recorded);
    assert!(record("you", &recorded, &both).await);
    assert!(!record("you", &recorded, &both).await, "those are gone");
    let swept = sweep().await;
    assert_eq!(swept.len(), 2);
    assert!([&one, &two].iter().all(|gone| swept.contains(&BlobKey::public(gone.sha256))));
    let recorded = store.catalogue_segments().await.unwrap();
    assert!(store.replace_segments("you", &recorded, None, now).await.unwrap());
    assert!(store.catalogue_segments().await.unwrap().is_empty());
    assert_eq!(sweep().await, [BlobKey::public(both.sha256)]);
}
