//! Users' images and datasets, on every backend.

mod fixture;

use fixture::{Fixture, NOW, run_on, url};
use kaisatsu_model::{
    AppId, ApplicationName, DatasetId, Function, ImageId, Outcome, Phase, RecognitionId, Source, Tag, Timestamp, UserId,
};
use kaisatsu_store::{
    BlobClaim, BlobKey, CreateDatasetOutcome, DatasetUpdate, ImageChanges, ImageResult, ImageSource, KeptImage,
    Missing, NewDatasetImage, NewRecognition, NewVectors, PutImageOutcome, StoreError, UpdateDatasetOutcome,
    VersionLimits,
};
use kaisatsu_testkit::test_on_every_backend;

test_on_every_backend![
    the_same_bytes_are_stored_once,
    only_unreferenced_blobs_are_deleted,
    images_datasets_bytes_and_tags_are_limited,
    a_build_has_one_lease_and_another_builder_can_continue_it,
    deleting_a_dataset_stops_its_build_and_deletes_what_depends_on_it,
    of_two_concurrent_deletions_one_succeeds,
    concurrent_builders_claim_every_job_once,
    applications_take_turns,
    a_dataset_of_older_weights_is_queued_again,
    vectors_are_replaced_all_at_once_or_not_at_all,
    a_large_dataset_keeps_the_order_of_its_images,
    attempts_count_until_there_is_progress,
    replicas_that_start_together_queue_a_dataset_once,
    a_blob_is_found_by_its_name,
    a_changed_dataset_is_counted_once,
];

async fn the_same_bytes_are_stored_once(fixture: Fixture) {
    assert_eq!(fixture.claim(b"a").await, BlobClaim::Write);
    assert_eq!(fixture.claim(b"a").await, BlobClaim::Write, "nobody has said that they are written");
    let PutImageOutcome::Stored(kept) = fixture.put(1, b"a", None).await else { panic!() };
    assert_eq!(kept.tag, None);
    let first = kept.id;
    assert_eq!(fixture.claim(b"a").await, BlobClaim::Exists);
    for (number, tag) in [(2, Some("cat")), (3, Some("dog")), (4, None)] {
        let kept = KeptImage { id: first.clone(), tag: Some("cat".to_owned()), name: None };
        assert_eq!(fixture.put(number, b"a", tag).await, PutImageOutcome::Stored(kept), "the first tag stays");
    }
    let other = UserId::new("other").unwrap();
    let elsewhere = BlobKey::of(&fixture.app, &other, b"a");
    assert_ne!(elsewhere.name(), fixture.key(b"a").name());
    assert_eq!(
        fixture.store.claim_blob(&elsewhere, 10, 25, NOW).await.unwrap(),
        BlobClaim::Write,
        "nobody learns of others"
    );

    let listed = fixture.store.user_images(&fixture.app, &fixture.user, (Timestamp(0), ""), 10).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].size, listed[0].width, listed[0].tag.as_deref()), (10, 3, Some("cat")));
    assert!(fixture.store.user_images(&fixture.app, &other, (Timestamp(0), ""), 10).await.unwrap().is_empty());
    assert_eq!(fixture.store.image_blob(&fixture.app, &fixture.user, &first).await.unwrap(), Some(fixture.key(b"a")));
    assert_eq!(fixture.store.image_blob(&fixture.app, &other, &first).await.unwrap(), None);
    assert!(!fixture.store.delete_user_image(&fixture.app, &other, &first, NOW).await.unwrap());
}

async fn applications_take_turns(fixture: Fixture) {
    let one = [fixture.created(1, vec![url(1)]).await, fixture.created(2, vec![url(2)]).await];
    let other = Fixture { app: AppId::from_random([2; 10]), store: fixture.store.clone(), user: fixture.user.clone() };
    let name = ApplicationName::new("two").unwrap();
    other.store.create_application(&other.app, &name, Timestamp(0)).await.unwrap();
    let two = other.created(3, vec![url(3)]).await;
    let mut order = Vec::new();
    for now in [1_000, 1_001, 1_002] {
        order.push(fixture.take(&format!("holder {now}"), now, 2_000).await.unwrap().id);
    }
    assert_eq!(order, [one[0].clone(), two, one[1].clone()], "the later one does not wait for all of the first");
    assert_eq!(fixture.take("another", 1_003, 2_000).await, None);
}

async fn only_unreferenced_blobs_are_deleted(fixture: Fixture) {
    let image = fixture.stored(1, b"a").await;
    let set = fixture.created(1, vec![ImageSource::Stored(image.clone())]).await;
    assert!(fixture.mark().await.is_empty());
    assert!(fixture.store.delete_user_image(&fixture.app, &fixture.user, &image, NOW).await.unwrap());
    assert!(!fixture.store.delete_user_image(&fixture.app, &fixture.user, &image, NOW).await.unwrap());
    assert!(fixture.mark().await.is_empty(), "the dataset still has it");
    let shown = fixture.store.image_blob(&fixture.app, &fixture.user, &image).await.unwrap();
    assert_eq!(shown, None, "for itself: it is not shown again");
    assert!(fixture.store.dataset_images(&set, -1, 1).await.unwrap()[0].deleted);
    assert!(fixture.delete(&set).await);
    assert_eq!(fixture.mark().await, [fixture.key(b"a")]);
    assert!(fixture.mark().await.is_empty(), "somebody is at it");
    assert_eq!(fixture.claim(b"a").await, BlobClaim::Deleting, "what is being removed cannot be used");
    assert_eq!(fixture.put(2, b"a", None).await, PutImageOutcome::BlobDeleted);
    fixture.store.delete_blob_rows(&[fixture.key(b"a")], Timestamp(900)).await.unwrap();
    assert_eq!(fixture.claim(b"a").await, BlobClaim::Deleting, "only who took it last forgets it");
    fixture.store.delete_blob_rows(&[fixture.key(b"a")], NOW).await.unwrap();
    assert_eq!(fixture.claim(b"a").await, BlobClaim::Write);
    assert_eq!(fixture.mark_before(1_001, 0).await.len(), 1, "half written, and old");
    assert!(fixture.mark_before(1_001, 1_000).await.is_empty());
    assert_eq!(fixture.mark_before(0, 1_001).await.len(), 1, "half removed, and old");

    fixture.claim(b"b").await;
    fixture.store.release_blob(&fixture.key(b"b"), NOW).await.unwrap();
    assert_eq!(fixture.mark().await, [fixture.key(b"b")], "claimed, and not needed after all");
}

async fn images_datasets_bytes_and_tags_are_limited(fixture: Fixture) {
    let first = fixture.stored(1, b"a").await;
    fixture.stored(2, b"b").await;
    assert_eq!(fixture.claim(b"c").await, BlobClaim::QuotaExceeded, "thirty bytes are more than twenty-five");
    assert_eq!(fixture.store.claim_blob(&fixture.key(b"c"), 5, 25, NOW).await.unwrap(), BlobClaim::Write);
    assert_eq!(fixture.put(3, b"c", None).await, PutImageOutcome::LimitReached, "three images are more than two");
    assert!(
        matches!(fixture.put(3, b"a", None).await, PutImageOutcome::Stored(_)),
        "one of those there is not a third"
    );
    for number in [1, 2] {
        fixture.created(number, vec![url(number)]).await;
    }
    assert_eq!(fixture.create(3, vec![url(3)]).await.1, CreateDatasetOutcome::LimitReached);
    assert!(fixture.delete(&DatasetId::from_random([1; 20])).await);
    // The tags of stored images count too.
    let two = || {
        let given = NewDatasetImage { source: url(1), tag: Some(Tag::new("cat").unwrap()) };
        vec![given, NewDatasetImage { source: ImageSource::Stored(first.clone()), tag: None }]
    };
    assert_eq!(fixture.create_of(3, two(), 1).await.1, CreateDatasetOutcome::TooManyTags);
    assert_eq!(fixture.create_of(3, two(), 2).await.1, CreateDatasetOutcome::Created);
    assert!(fixture.delete(&DatasetId::from_random([3; 20])).await);
    let missing = vec![url(1), ImageSource::Stored(ImageId::from_random([9; 20]))];
    assert_eq!(fixture.create(3, missing).await.1, CreateDatasetOutcome::NoImage(1));
    let listed = fixture.store.datasets(&fixture.app, &fixture.user, (Timestamp(0), ""), 10).await.unwrap();
    assert_eq!(listed.len(), 1, "what was refused has left nothing behind");
}

async fn a_build_has_one_lease_and_another_builder_can_continue_it(fixture: Fixture) {
    let store = &fixture.store;
    let id = fixture.created(1, vec![url(0), url(1), url(2), url(3)]).await;
    let row = store.dataset(&fixture.app, &fixture.user, &id).await.unwrap().unwrap();
    assert_eq!((row.phase(), row.name()), (Phase::Queued, "cats"));
    let lease = fixture.take("one", 10, 20).await.unwrap();
    assert_eq!((&lease.id, lease.attempts, lease.model_sha256.as_str()), (&id, 1, "aa"));
    assert_eq!(fixture.take("two", 19, 30).await, None, "it is taken");
    let pending = store.pending_images(&id, Timestamp(10), -1, 10).await.unwrap();
    assert_eq!(pending.iter().map(|task| task.position).collect::<Vec<_>>(), [0, 1, 2, 3]);
    fixture.claim(b"zero").await;
    let fetched = |bytes: &[u8]| ImageResult::Fetched { blob: fixture.key(bytes), vector: vec![0.5, -1.0] };
    let looked = [
        (0, fetched(b"zero")),
        (1, ImageResult::Rejected(Outcome::NotFound, "404".to_owned())),
        (2, ImageResult::RetryAt(Timestamp(50))),
        (3, fetched(b"never written")),
    ];
    assert!(store.record_images(&lease, &looked, Timestamp(12), Timestamp(22)).await.unwrap());
    assert_eq!(fixture.take("two", 21, 30).await, None, "who shows something keeps it");

    // The lease of the first builder expires, and the second one continues.
    let second = fixture.take("two", 22, 60).await.unwrap();
    assert_eq!(second.attempts, 1, "it had come forward");
    assert!(!store.record_images(&lease, &looked, Timestamp(23), Timestamp(99)).await.unwrap());
    assert!(!store.renew_lease(&lease, Timestamp(99)).await.unwrap());
    assert!(!store.finish_dataset(&lease, None, "{}", Timestamp(23)).await.unwrap());
    let left = store.pending_images(&id, Timestamp(22), -1, 10).await.unwrap();
    assert_eq!(left.iter().map(|task| task.position).collect::<Vec<_>>(), [3], "its bytes are nowhere");
    assert_eq!(store.next_retry(&id).await.unwrap(), Some(Timestamp(0)));
    fixture.claim(b"three").await;
    store.record_images(&second, &[(3, fetched(b"three"))], Timestamp(24), Timestamp(60)).await.unwrap();
    assert_eq!(store.next_retry(&id).await.unwrap(), Some(Timestamp(50)));
    store
        .record_images(&second, &[(2, ImageResult::Rejected(Outcome::TimedOut, String::new()))], NOW, NOW)
        .await
        .unwrap();
    // Recording a result twice stores it once.
    store
        .record_images(&second, &[(0, ImageResult::Rejected(Outcome::Denied, String::new()))], NOW, NOW)
        .await
        .unwrap();
    assert_eq!(store.next_retry(&id).await.unwrap(), None);
    let mut outcomes = store.outcomes(&id).await.unwrap();
    outcomes.sort_by_key(|(outcome, _)| outcome.as_str());
    assert_eq!(outcomes, [(Outcome::Fetched, 2), (Outcome::NotFound, 1), (Outcome::TimedOut, 1)]);
    assert!(store.finish_dataset(&second, Some(b"head"), "{\"a\":1}", Timestamp(70)).await.unwrap());
    let row = store.dataset(&fixture.app, &fixture.user, &id).await.unwrap().unwrap();
    assert_eq!(
        (row.phase(), row.report.as_deref(), row.changed_at()),
        (Phase::Ready, Some("{\"a\":1}"), Timestamp(70))
    );
    assert_eq!(store.dataset_probe(&id).await.unwrap().as_deref(), Some(&b"head"[..]));
    let built = store.built_images(&id, -1, 10).await.unwrap();
    assert_eq!(built.len(), 2);
    assert_eq!((built[1].position, &built[1].vector[..]), (3, &[0.5, -1.0][..]));
    assert_eq!(fixture.take("three", 9_999, 10_000).await, None, "nothing is left to do");
}

async fn deleting_a_dataset_stops_its_build_and_deletes_what_depends_on_it(fixture: Fixture) {
    let store = &fixture.store;
    let id = fixture.created(1, vec![url(0)]).await;
    let lease = fixture.take("one", 10, 20).await.unwrap();
    fixture.claim(b"a").await;
    let recognition = |id: &DatasetId, number| NewRecognition {
        id: RecognitionId::from_random([number; 16]),
        application: fixture.app.clone(),
        function: Function::Classify,
        source: Source::Dataset(id.clone()),
        created_at: NOW,
        expires_at: Timestamp(9_000),
        items: Vec::new(),
        engine: "e".to_owned(),
        vector: None,
        picture: None,
    };
    for number in 0..=255 {
        store.save_recognition(recognition(&id, number)).await.unwrap();
    }
    let other = UserId::new("other").unwrap();
    assert!(!store.delete_dataset(&fixture.app, &other, &id, NOW).await.unwrap(), "it is not another user's to delete");
    assert_eq!(store.count_recognitions().await.unwrap(), 256, "nor is anything that was recognised with it");
    assert!(fixture.delete(&id).await);
    assert!(!fixture.delete(&id).await);
    let looked = [(0, ImageResult::Fetched { blob: fixture.key(b"a"), vector: vec![1.0] })];
    assert!(!store.record_images(&lease, &looked, NOW, NOW).await.unwrap());
    assert!(!store.finish_dataset(&lease, None, "{}", NOW).await.unwrap());
    assert!(store.dataset(&fixture.app, &fixture.user, &id).await.unwrap().is_none());
    assert!(store.built_images(&id, -1, 10).await.unwrap().is_empty());
    assert_eq!(store.count_recognitions().await.unwrap(), 0, "what was recognised with it went too");
    let late = store.save_recognition(recognition(&id, 2)).await;
    assert!(
        matches!(late, Err(StoreError::NotFound(Missing::Dataset(gone))) if gone == id),
        "and nothing comes after it"
    );
    assert_eq!(fixture.take("two", 9_999, 10_000).await, None);
}

async fn of_two_concurrent_deletions_one_succeeds(fixture: Fixture) {
    for number in 1..10 {
        let id = fixture.created(number, vec![url(0), url(1)]).await;
        let (one, two) = tokio::join!(fixture.delete(&id), fixture.delete(&id));
        assert!(one ^ two, "{one} {two}");
    }
}

async fn concurrent_builders_claim_every_job_once(fixture: Fixture) {
    let mut made = Vec::new();
    for number in 0..40u8 {
        let user = UserId::new(&format!("user {}", number / 2)).unwrap();
        let fixture = Fixture { store: fixture.store.clone(), app: fixture.app.clone(), user };
        made.push(fixture.created(number, vec![url(number)]).await);
    }
    let fixture = std::sync::Arc::new(fixture);
    let builder = |word: String| {
        let fixture = fixture.clone();
        tokio::spawn(async move {
            let mut taken = Vec::new();
            while let Some(lease) = fixture.take(&word, 1_000, 9_000).await {
                taken.push(lease.id.clone());
                assert!(fixture.store.finish_dataset(&lease, None, "{}", NOW).await.unwrap());
            }
            taken
        })
    };
    let mut taken = Vec::new();
    for run in (0..4).map(|number| builder(number.to_string())).collect::<Vec<_>>() {
        taken.extend(run.await.unwrap());
    }
    taken.sort();
    made.sort();
    assert_eq!(taken, made);
}

async fn a_dataset_of_older_weights_is_queued_again(fixture: Fixture) {
    let store = &fixture.store;
    let id = fixture.created(1, vec![url(0), url(1)]).await;
    let lease = fixture.take("one", 10, 20).await.unwrap();
    fixture.claim(b"a").await;
    let looked = [
        (0, ImageResult::Fetched { blob: fixture.key(b"a"), vector: vec![1.0] }),
        (1, ImageResult::Rejected(Outcome::NotFound, String::new())),
    ];
    store.record_images(&lease, &looked, Timestamp(12), Timestamp(22)).await.unwrap();
    store.finish_dataset(&lease, None, "{}", Timestamp(13)).await.unwrap();
    assert_eq!(store.rebuild_datasets("general", "aa", NOW).await.unwrap(), 0);
    assert_eq!(store.rebuild_datasets("general", "bb", NOW).await.unwrap(), 1);
    let lease = fixture.take("two", 1_000, 2_000).await.unwrap();
    assert_eq!((lease.id.clone(), lease.model_sha256.as_str()), (id.clone(), "bb"));
    let pending = store.pending_images(&id, NOW, -1, 10).await.unwrap();
    assert_eq!(pending.len(), 1, "what could not be had before is not asked for again");
    assert_eq!(pending[0].blob, Some(fixture.key(b"a")), "its bytes are kept");
}

async fn vectors_are_replaced_all_at_once_or_not_at_all(fixture: Fixture) {
    let store = &fixture.store;
    let id = fixture.created(1, vec![url(0), url(1)]).await;
    assert_eq!(store.outdated_dataset("general", "").await.unwrap(), None, "it is not built");
    let lease = fixture.take("one", 10, 20).await.unwrap();
    fixture.claim(b"a").await;
    let looked = [
        (0, ImageResult::Fetched { blob: fixture.key(b"a"), vector: vec![1.0] }),
        (1, ImageResult::Fetched { blob: fixture.key(b"a"), vector: vec![2.0] }),
    ];
    store.record_images(&lease, &looked, Timestamp(12), Timestamp(22)).await.unwrap();
    store.finish_dataset(&lease, None, "{}", Timestamp(13)).await.unwrap();
    assert_eq!(store.outdated_dataset("other", "").await.unwrap(), None);
    let old = store.outdated_dataset("general", "").await.unwrap().unwrap();
    assert_eq!((&old.id, &old.application, &old.user), (&id, &fixture.app, &fixture.user));
    assert_eq!(store.outdated_dataset("general", id.as_str()).await.unwrap(), None, "there is no other");

    let vectors: [(i64, &[f32]); 2] = [(0, &[3.0, 4.0]), (1, &[5.0, 6.0])];
    let (model, model_sha256, head, report) = ("joined", "bb", Some(&b"head"[..]), "[]");
    let new = NewVectors { model, model_sha256, vectors: &vectors, head, report };
    assert!(store.replace_vectors(&old, new, Timestamp(5)).await.unwrap());
    let images = store.built_images(&id, -1, 10).await.unwrap();
    assert_eq!(images.iter().map(|image| &image.vector[..]).collect::<Vec<_>>(), [[3.0, 4.0], [5.0, 6.0]]);
    assert_eq!(store.dataset_probe(&id).await.unwrap().as_deref(), head);
    let row = store.dataset(&fixture.app, &fixture.user, &id).await.unwrap().unwrap();
    assert_eq!((row.model.as_str(), row.model_sha256.as_str(), row.phase()), (model, model_sha256, Phase::Ready));
    assert_eq!(store.dataset_version(&id).await.unwrap(), Some(Timestamp(14)), "a clock that is behind changes it too");

    let late = NewVectors { model: "late", vectors: &[(0, &[7.0])], ..new };
    assert!(!store.replace_vectors(&old, late, NOW).await.unwrap(), "another replica was faster");
    assert_eq!(store.built_images(&id, -1, 10).await.unwrap(), images);
    assert_eq!(store.outdated_dataset("general", "").await.unwrap(), None);
}

async fn a_large_dataset_keeps_the_order_of_its_images(fixture: Fixture) {
    let image = fixture.stored(1, b"a").await;
    let sent = |place: usize| match place % 3 {
        0 => {
            let url = format!("https://example.org/{place}?q=\"'\\猫");
            let id = ImageId::from_random([u8::try_from(place % 250).unwrap(); 20]);
            NewDatasetImage {
                source: ImageSource::Url(url, id),
                tag: Some(Tag::new(&format!("No. {}", place % 9)).unwrap()),
            }
        }
        1 => NewDatasetImage { source: ImageSource::Stored(image.clone()), tag: Some(Tag::new("\"犬\"").unwrap()) },
        _ => NewDatasetImage { source: ImageSource::Stored(image.clone()), tag: None },
    };
    let images: Vec<NewDatasetImage> = (0..10_000).map(sent).collect();
    let (id, outcome) = fixture.create_of(1, images.clone(), 10).await;
    assert_eq!(outcome, CreateDatasetOutcome::Created);
    let kept = fixture.store.dataset_images(&id, -1, 20_000).await.unwrap();
    assert_eq!(kept.len(), images.len());
    for ((place, sent), kept) in images.iter().enumerate().zip(&kept) {
        assert_eq!((usize::try_from(kept.position).unwrap(), kept.outcome), (place, Outcome::Pending));
        assert_eq!(kept.tag, sent.tag.as_ref().map_or("猫", Tag::as_str), "its own tag stands in");
        let (url, id) = match &sent.source {
            ImageSource::Url(url, id) => (Some(url.clone()), id),
            ImageSource::Stored(id) => (None, id),
        };
        assert_eq!((&kept.url, &kept.image_id), (&url, id));
    }
    let tasks = fixture.store.pending_images(&id, NOW, -1, 3).await.unwrap();
    assert_eq!(
        tasks.iter().map(|task| task.blob.clone()).collect::<Vec<_>>(),
        [None, Some(fixture.key(b"a")), Some(fixture.key(b"a"))]
    );
}

async fn attempts_count_until_there_is_progress(fixture: Fixture) {
    let id = fixture.created(1, vec![url(0), url(1)]).await;
    for attempt in 1..4 {
        let lease = fixture.take("one", attempt * 10, 9_000).await.unwrap();
        assert_eq!(lease.attempts, attempt);
        fixture.store.defer_lease(&lease, Timestamp(attempt * 10 + 5)).await.unwrap();
        assert_eq!(fixture.take("two", attempt * 10 + 4, 9_000).await, None, "its time has not come");
    }
    let lease = fixture.take("one", 100, 9_000).await.unwrap();
    let looked = [(0, ImageResult::Rejected(Outcome::NotFound, String::new()))];
    assert!(fixture.store.record_images(&lease, &looked, Timestamp(101), Timestamp(9_000)).await.unwrap());
    fixture.store.defer_lease(&lease, Timestamp(102)).await.unwrap();
    let lease = fixture.take("one", 102, 9_000).await.unwrap();
    assert_eq!((lease.id.clone(), lease.attempts), (id, 1));
}

async fn replicas_that_start_together_queue_a_dataset_once(fixture: Fixture) {
    let store = &fixture.store;
    for number in 1..3 {
        fixture.created(number, vec![url(0)]).await;
        let lease = fixture.take("one", 10, 20).await.unwrap();
        let looked = [(0, ImageResult::Rejected(Outcome::NotFound, String::new()))];
        store.record_images(&lease, &looked, Timestamp(12), Timestamp(22)).await.unwrap();
        assert!(store.finish_dataset(&lease, None, "{}", Timestamp(13)).await.unwrap());
    }
    let start = || store.rebuild_datasets("general", "bb", NOW);
    let (a, b, c) = tokio::join!(start(), start(), start());
    assert_eq!(a.unwrap() + b.unwrap() + c.unwrap(), 2);
    let lease = fixture.take("one", 1_000, 9_000).await.unwrap();
    assert_eq!(start().await.unwrap(), 0);
    assert!(store.renew_lease(&lease, Timestamp(9_000)).await.unwrap(), "who builds it goes on");
}

async fn a_blob_is_found_by_its_name(fixture: Fixture) {
    let name = fixture.key(b"a").name();
    assert!(!fixture.store.has_blob(&name).await.unwrap());
    fixture.claim(b"a").await;
    assert!(fixture.store.has_blob(&name).await.unwrap());
    let other = BlobKey::of(&fixture.app, &UserId::new("other").unwrap(), b"a").name();
    assert!(!fixture.store.has_blob(&other).await.unwrap(), "the same bytes of another user are others");
    for strange in ["", "a/b/c", &name[1..], &name.replace('/', ":")] {
        assert!(!fixture.store.has_blob(strange).await.unwrap(), "{strange}");
    }
}

async fn a_changed_dataset_is_counted_once(fixture: Fixture) {
    let store = &fixture.store;
    let counts = async || store.dataset_counts().await.unwrap();
    let of = |phases: &[&str]| phases.iter().map(|phase| ((*phase).to_owned(), 1)).collect::<Vec<_>>();
    let id = fixture.created(1, vec![url(0)]).await;
    assert_eq!(counts().await, of(&["queued"]));
    let lease = fixture.take("one", 10, 20).await.unwrap();
    assert_eq!(counts().await, of(&["building"]));
    fixture.claim(b"a").await;
    let looked = [(0, ImageResult::Fetched { blob: fixture.key(b"a"), vector: vec![1.0] })];
    store.record_images(&lease, &looked, Timestamp(12), Timestamp(22)).await.unwrap();
    store.finish_dataset(&lease, None, "{}", Timestamp(13)).await.unwrap();
    assert_eq!(counts().await, of(&["ready"]));

    for number in [1, 2, 3] {
        let retag = vec![(ImageId::from_random([0; 20]), Tag::new(&format!("tag {number}")).unwrap())];
        let update = DatasetUpdate {
            application: fixture.app.clone(),
            user: fixture.user.clone(),
            id: id.clone(),
            version: DatasetId::from_random([100 + number; 20]),
            at: Timestamp(i64::from(number) * 100),
            name: None,
            images: ImageChanges { retag, ..ImageChanges::default() },
        };
        let outcome = store.update_dataset(&update, VersionLimits { images: 10, tags: 10 }).await.unwrap();
        assert_eq!(outcome, UpdateDatasetOutcome::Updated);
        assert_eq!(counts().await, of(&["queued", "ready"]), "change {number}: the old version answers");
        let lease = fixture.take("one", 1_000, 2_000).await.unwrap();
        if number < 3 {
            store.finish_dataset(&lease, None, "{}", Timestamp(1_001)).await.unwrap();
            assert_eq!(counts().await, of(&["ready"]), "change {number}: neither old versions nor the first one count");
        } else {
            store.fail_dataset(&lease, "none can be used", Timestamp(1_001)).await.unwrap();
            assert_eq!(counts().await, of(&["failed", "ready"]), "the old version answers");
        }
    }
}
