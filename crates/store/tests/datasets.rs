//! Users' images and datasets, one story for every backend.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use kaisatsu_model::{
    AppId, ApplicationName, DatasetId, DatasetName, Function, ImageId, Outcome, Phase, RecognitionId, Source, Tag,
    Timestamp, UserId,
};
use kaisatsu_store::{
    BlobClaim, BlobKey, CreateDatasetOutcome, DatasetLimits, ImageResult, ImageSource, Lease, Missing, NewDataset,
    NewDatasetImage, NewRecognition, NewUserImage, PutImageOutcome, Store, StoreError,
};
use kaisatsu_testkit::{Backend, Database, tell_on_every_backend};

tell_on_every_backend![
    the_same_bytes_are_kept_once,
    what_is_let_go_is_removed_and_what_is_not_stays,
    limits_hold,
    a_dataset_is_built_by_one_at_a_time_and_survives_who_builds_it,
    a_deletion_wins,
    two_deletions_at_once_delete_once,
    many_builders_take_every_job_once,
    a_dataset_of_older_weights_is_built_again,
    a_large_dataset_is_kept_as_it_was_sent,
    what_failed_is_counted_until_something_comes_forward,
    replicas_that_start_together_queue_a_dataset_once,
    bytes_are_known_by_their_name,
];

struct Stage {
    store: Store,
    app: AppId,
    user: UserId,
}

async fn tell<F: Future<Output = ()>>(backend: Backend, tale: impl FnOnce(Stage) -> F) {
    let database = Database::fresh(backend);
    let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
    let app = AppId::from_random([1; 10]);
    store.create_application(&app, &ApplicationName::new("one").unwrap(), Timestamp(0)).await.unwrap();
    tale(Stage { store, app, user: UserId::new("山田").unwrap() }).await;
}

const NOW: Timestamp = Timestamp(1_000);

impl Stage {
    fn key(&self, bytes: &[u8]) -> BlobKey {
        BlobKey::of(&self.app, &self.user, bytes)
    }

    async fn claim(&self, bytes: &[u8]) -> BlobClaim {
        self.store.claim_blob(&self.key(bytes), 10, 25, NOW).await.unwrap()
    }

    async fn put(&self, number: u8, bytes: &[u8], tag: Option<&str>) -> PutImageOutcome {
        let new = NewUserImage {
            id: ImageId::from_random([number; 20]),
            key: self.key(bytes),
            width: 3,
            height: 2,
            tag: tag.map(str::to_owned),
            name: None,
            created_at: Timestamp(i64::from(number)),
        };
        self.store.put_user_image(&new, 2).await.unwrap()
    }

    async fn kept(&self, number: u8, bytes: &[u8]) -> ImageId {
        assert_ne!(self.claim(bytes).await, BlobClaim::QuotaExceeded);
        match self.put(number, bytes, Some("猫")).await {
            PutImageOutcome::Stored(id) => id,
            other => panic!("{other:?}"),
        }
    }

    async fn doom(&self, written: i64, removed: i64) -> Vec<BlobKey> {
        self.store.mark_blobs_deleting(NOW, Timestamp(written), Timestamp(removed), 10).await.unwrap()
    }

    async fn doomed(&self) -> Vec<BlobKey> {
        self.doom(500, 500).await
    }

    async fn create(&self, number: u8, sources: Vec<ImageSource>) -> (DatasetId, CreateDatasetOutcome) {
        let image = |source| NewDatasetImage { source, tag: Some(Tag::new("cat").unwrap()) };
        self.create_of(number, sources.into_iter().map(image).collect(), 10).await
    }

    async fn create_of(
        &self,
        number: u8,
        images: Vec<NewDatasetImage>,
        tags: usize,
    ) -> (DatasetId, CreateDatasetOutcome) {
        let id = DatasetId::from_random([number; 20]);
        let new = NewDataset {
            id: id.clone(),
            application: self.app.clone(),
            user: self.user.clone(),
            name: DatasetName::new("cats").unwrap(),
            model: "general".to_owned(),
            model_sha256: "aa".to_owned(),
            created_at: Timestamp(i64::from(number)),
            images,
        };
        (id, self.store.create_dataset(&new, DatasetLimits { datasets: 2, tags }).await.unwrap())
    }

    async fn created(&self, number: u8, sources: Vec<ImageSource>) -> DatasetId {
        let (id, outcome) = self.create(number, sources).await;
        assert_eq!(outcome, CreateDatasetOutcome::Created);
        id
    }

    async fn take(&self, word: &str, now: i64, until: i64) -> Option<Lease> {
        self.store.claim_dataset(word, Timestamp(now), Timestamp(until)).await.unwrap()
    }

    async fn delete(&self, id: &DatasetId) -> bool {
        self.store.delete_dataset(&self.app, &self.user, id, NOW).await.unwrap()
    }
}

fn url(number: u8) -> ImageSource {
    ImageSource::Url(format!("https://example.org/{number}.jpg"), ImageId::from_random([number; 20]))
}

async fn the_same_bytes_are_kept_once(stage: Stage) {
    assert_eq!(stage.claim(b"a").await, BlobClaim::Write);
    assert_eq!(stage.claim(b"a").await, BlobClaim::Write, "nobody has said that they are written");
    let PutImageOutcome::Stored(first) = stage.put(1, b"a", Some("cat")).await else { panic!() };
    assert_eq!(stage.claim(b"a").await, BlobClaim::Exists);
    assert_eq!(stage.put(2, b"a", None).await, PutImageOutcome::Stored(first.clone()), "the id stays");
    let other = UserId::new("other").unwrap();
    let elsewhere = BlobKey::of(&stage.app, &other, b"a");
    assert_ne!(elsewhere.name(), stage.key(b"a").name());
    assert_eq!(
        stage.store.claim_blob(&elsewhere, 10, 25, NOW).await.unwrap(),
        BlobClaim::Write,
        "nobody learns of others"
    );

    let listed = stage.store.user_images(&stage.app, &stage.user, (Timestamp(0), ""), 10).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].size, listed[0].width, listed[0].tag.as_deref()), (10, 3, Some("cat")));
    assert!(stage.store.user_images(&stage.app, &other, (Timestamp(0), ""), 10).await.unwrap().is_empty());
    assert_eq!(stage.store.image_blob(&stage.app, &stage.user, &first).await.unwrap(), Some(stage.key(b"a")));
    assert_eq!(stage.store.image_blob(&stage.app, &other, &first).await.unwrap(), None);
    assert!(!stage.store.delete_user_image(&stage.app, &other, &first, NOW).await.unwrap());
}

async fn what_is_let_go_is_removed_and_what_is_not_stays(stage: Stage) {
    let image = stage.kept(1, b"a").await;
    let set = stage.created(1, vec![ImageSource::Stored(image.clone())]).await;
    assert!(stage.doomed().await.is_empty());
    assert!(stage.store.delete_user_image(&stage.app, &stage.user, &image, NOW).await.unwrap());
    assert!(!stage.store.delete_user_image(&stage.app, &stage.user, &image, NOW).await.unwrap());
    assert!(stage.doomed().await.is_empty(), "the dataset still has it");
    assert!(stage.delete(&set).await);
    assert_eq!(stage.doomed().await, [stage.key(b"a")]);
    assert!(stage.doomed().await.is_empty(), "somebody is at it");
    assert_eq!(stage.claim(b"a").await, BlobClaim::Deleting, "what is being removed cannot be used");
    assert_eq!(stage.put(2, b"a", None).await, PutImageOutcome::BlobDeleted);
    stage.store.delete_blob_rows(&[stage.key(b"a")], Timestamp(900)).await.unwrap();
    assert_eq!(stage.claim(b"a").await, BlobClaim::Deleting, "only who took it last forgets it");
    stage.store.delete_blob_rows(&[stage.key(b"a")], NOW).await.unwrap();
    assert_eq!(stage.claim(b"a").await, BlobClaim::Write);
    assert_eq!(stage.doom(1_001, 0).await.len(), 1, "half written, and old");
    assert!(stage.doom(1_001, 1_000).await.is_empty());
    assert_eq!(stage.doom(0, 1_001).await.len(), 1, "half removed, and old");

    stage.claim(b"b").await;
    stage.store.release_blob(&stage.key(b"b"), NOW).await.unwrap();
    assert_eq!(stage.doomed().await, [stage.key(b"b")], "claimed, and not needed after all");
}

async fn limits_hold(stage: Stage) {
    let first = stage.kept(1, b"a").await;
    stage.kept(2, b"b").await;
    assert_eq!(stage.claim(b"c").await, BlobClaim::QuotaExceeded, "thirty bytes are more than twenty-five");
    assert_eq!(stage.store.claim_blob(&stage.key(b"c"), 5, 25, NOW).await.unwrap(), BlobClaim::Write);
    assert_eq!(stage.put(3, b"c", None).await, PutImageOutcome::LimitReached, "three images are more than two");
    assert!(matches!(stage.put(3, b"a", None).await, PutImageOutcome::Stored(_)), "one of those there is not a third");
    for number in [1, 2] {
        stage.created(number, vec![url(number)]).await;
    }
    assert_eq!(stage.create(3, vec![url(3)]).await.1, CreateDatasetOutcome::LimitReached);
    assert!(stage.delete(&DatasetId::from_random([1; 20])).await);
    // Tags are counted with those that stored images bring along.
    let two = || {
        let given = NewDatasetImage { source: url(1), tag: Some(Tag::new("cat").unwrap()) };
        vec![given, NewDatasetImage { source: ImageSource::Stored(first.clone()), tag: None }]
    };
    assert_eq!(stage.create_of(3, two(), 1).await.1, CreateDatasetOutcome::TooManyTags);
    assert_eq!(stage.create_of(3, two(), 2).await.1, CreateDatasetOutcome::Created);
    assert!(stage.delete(&DatasetId::from_random([3; 20])).await);
    let missing = vec![url(1), ImageSource::Stored(ImageId::from_random([9; 20]))];
    assert_eq!(stage.create(3, missing).await.1, CreateDatasetOutcome::NoImage(1));
    let listed = stage.store.datasets(&stage.app, &stage.user, (Timestamp(0), ""), 10).await.unwrap();
    assert_eq!(listed.len(), 1, "what was refused has left nothing behind");
}

async fn a_dataset_is_built_by_one_at_a_time_and_survives_who_builds_it(stage: Stage) {
    let store = &stage.store;
    let id = stage.created(1, vec![url(0), url(1), url(2), url(3)]).await;
    let row = store.dataset(&stage.app, &stage.user, &id).await.unwrap().unwrap();
    assert_eq!((row.phase(), row.name()), (Phase::Queued, "cats"));
    let lease = stage.take("one", 10, 20).await.unwrap();
    assert_eq!((&lease.id, lease.attempts, lease.model_sha256.as_str()), (&id, 1, "aa"));
    assert_eq!(stage.take("two", 19, 30).await, None, "it is taken");
    let pending = store.pending_images(&id, Timestamp(10), -1, 10).await.unwrap();
    assert_eq!(pending.iter().map(|task| task.position).collect::<Vec<_>>(), [0, 1, 2, 3]);
    stage.claim(b"zero").await;
    let fetched = |bytes: &[u8]| ImageResult::Fetched { blob: stage.key(bytes), vector: vec![0.5, -1.0] };
    let looked = [
        (0, fetched(b"zero")),
        (1, ImageResult::Rejected(Outcome::NotFound, "404".to_owned())),
        (2, ImageResult::RetryAt(Timestamp(50))),
        (3, fetched(b"never written")),
    ];
    assert!(store.record_images(&lease, &looked, Timestamp(12), Timestamp(22)).await.unwrap());
    assert_eq!(stage.take("two", 21, 30).await, None, "who shows something keeps it");

    // The first holder is silent for too long; the second goes on where it was.
    let second = stage.take("two", 22, 60).await.unwrap();
    assert_eq!(second.attempts, 1, "it had come forward");
    assert!(!store.record_images(&lease, &looked, Timestamp(23), Timestamp(99)).await.unwrap());
    assert!(!store.renew_lease(&lease, Timestamp(99)).await.unwrap());
    assert!(!store.finish_dataset(&lease, None, "{}", Timestamp(23)).await.unwrap());
    let left = store.pending_images(&id, Timestamp(22), -1, 10).await.unwrap();
    assert_eq!(left.iter().map(|task| task.position).collect::<Vec<_>>(), [3], "its bytes are nowhere");
    assert_eq!(store.next_retry(&id).await.unwrap(), Some(Timestamp(0)));
    stage.claim(b"three").await;
    store.record_images(&second, &[(3, fetched(b"three"))], Timestamp(24), Timestamp(60)).await.unwrap();
    assert_eq!(store.next_retry(&id).await.unwrap(), Some(Timestamp(50)));
    store
        .record_images(&second, &[(2, ImageResult::Rejected(Outcome::TimedOut, String::new()))], NOW, NOW)
        .await
        .unwrap();
    // Said twice, it is done once.
    store
        .record_images(&second, &[(0, ImageResult::Rejected(Outcome::Denied, String::new()))], NOW, NOW)
        .await
        .unwrap();
    assert_eq!(store.next_retry(&id).await.unwrap(), None);
    let mut outcomes = store.outcomes(&id).await.unwrap();
    outcomes.sort_by_key(|(outcome, _)| outcome.as_str());
    assert_eq!(outcomes, [(Outcome::Fetched, 2), (Outcome::NotFound, 1), (Outcome::TimedOut, 1)]);
    assert!(store.finish_dataset(&second, Some(b"head"), "{\"a\":1}", Timestamp(70)).await.unwrap());
    let row = store.dataset(&stage.app, &stage.user, &id).await.unwrap().unwrap();
    assert_eq!(
        (row.phase(), row.report.as_deref(), row.changed_at()),
        (Phase::Ready, Some("{\"a\":1}"), Timestamp(70))
    );
    assert_eq!(store.dataset_head(&id).await.unwrap().as_deref(), Some(&b"head"[..]));
    let built = store.built_images(&id, -1, 10).await.unwrap();
    assert_eq!(built.len(), 2);
    assert_eq!((built[1].position, &built[1].vector[..]), (3, &[0.5, -1.0][..]));
    assert_eq!(stage.take("three", 9_999, 10_000).await, None, "nothing is left to do");
}

async fn a_deletion_wins(stage: Stage) {
    let store = &stage.store;
    let id = stage.created(1, vec![url(0)]).await;
    let lease = stage.take("one", 10, 20).await.unwrap();
    stage.claim(b"a").await;
    let recognition = |id: &DatasetId, number| NewRecognition {
        id: RecognitionId::from_random([number; 16]),
        application: stage.app.clone(),
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
    assert!(!store.delete_dataset(&stage.app, &other, &id, NOW).await.unwrap(), "it is not another user's to delete");
    assert_eq!(store.count_recognitions().await.unwrap(), 256, "nor is anything that was recognised with it");
    assert!(stage.delete(&id).await);
    assert!(!stage.delete(&id).await);
    let looked = [(0, ImageResult::Fetched { blob: stage.key(b"a"), vector: vec![1.0] })];
    assert!(!store.record_images(&lease, &looked, NOW, NOW).await.unwrap());
    assert!(!store.finish_dataset(&lease, None, "{}", NOW).await.unwrap());
    assert!(store.dataset(&stage.app, &stage.user, &id).await.unwrap().is_none());
    assert!(store.built_images(&id, -1, 10).await.unwrap().is_empty());
    assert_eq!(store.count_recognitions().await.unwrap(), 0, "what was recognised with it went too");
    let late = store.save_recognition(recognition(&id, 2)).await;
    assert!(
        matches!(late, Err(StoreError::NotFound(Missing::Dataset(gone))) if gone == id),
        "and nothing comes after it"
    );
    assert_eq!(stage.take("two", 9_999, 10_000).await, None);
}

async fn two_deletions_at_once_delete_once(stage: Stage) {
    for number in 1..10 {
        let id = stage.created(number, vec![url(0), url(1)]).await;
        let (one, two) = tokio::join!(stage.delete(&id), stage.delete(&id));
        assert!(one ^ two, "{one} {two}");
    }
}

async fn many_builders_take_every_job_once(stage: Stage) {
    let mut made = Vec::new();
    for number in 0..40u8 {
        let user = UserId::new(&format!("user {}", number / 2)).unwrap();
        let stage = Stage { store: stage.store.clone(), app: stage.app.clone(), user };
        made.push(stage.created(number, vec![url(number)]).await);
    }
    let stage = std::sync::Arc::new(stage);
    let builder = |word: String| {
        let stage = stage.clone();
        tokio::spawn(async move {
            let mut taken = Vec::new();
            while let Some(lease) = stage.take(&word, 1_000, 9_000).await {
                taken.push(lease.id.clone());
                assert!(stage.store.finish_dataset(&lease, None, "{}", NOW).await.unwrap());
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

async fn a_dataset_of_older_weights_is_built_again(stage: Stage) {
    let store = &stage.store;
    let id = stage.created(1, vec![url(0), url(1)]).await;
    let lease = stage.take("one", 10, 20).await.unwrap();
    stage.claim(b"a").await;
    let looked = [
        (0, ImageResult::Fetched { blob: stage.key(b"a"), vector: vec![1.0] }),
        (1, ImageResult::Rejected(Outcome::NotFound, String::new())),
    ];
    store.record_images(&lease, &looked, Timestamp(12), Timestamp(22)).await.unwrap();
    store.finish_dataset(&lease, None, "{}", Timestamp(13)).await.unwrap();
    assert_eq!(store.rebuild_datasets("general", "aa", NOW).await.unwrap(), 0);
    assert_eq!(store.rebuild_datasets("general", "bb", NOW).await.unwrap(), 1);
    let lease = stage.take("two", 1_000, 2_000).await.unwrap();
    assert_eq!((lease.id.clone(), lease.model_sha256.as_str()), (id.clone(), "bb"));
    let pending = store.pending_images(&id, NOW, -1, 10).await.unwrap();
    assert_eq!(pending.len(), 1, "what could not be had before is not asked for again");
    assert_eq!(pending[0].blob, Some(stage.key(b"a")), "its bytes are kept");
}

async fn a_large_dataset_is_kept_as_it_was_sent(stage: Stage) {
    let image = stage.kept(1, b"a").await;
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
    let (id, outcome) = stage.create_of(1, images.clone(), 10).await;
    assert_eq!(outcome, CreateDatasetOutcome::Created);
    let kept = stage.store.dataset_images(&id, -1, 20_000).await.unwrap();
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
    let tasks = stage.store.pending_images(&id, NOW, -1, 3).await.unwrap();
    assert_eq!(
        tasks.iter().map(|task| task.blob.clone()).collect::<Vec<_>>(),
        [None, Some(stage.key(b"a")), Some(stage.key(b"a"))]
    );
}

async fn what_failed_is_counted_until_something_comes_forward(stage: Stage) {
    let id = stage.created(1, vec![url(0), url(1)]).await;
    for attempt in 1..4 {
        let lease = stage.take("one", attempt * 10, 9_000).await.unwrap();
        assert_eq!(lease.attempts, attempt);
        stage.store.defer_lease(&lease, Timestamp(attempt * 10 + 5)).await.unwrap();
        assert_eq!(stage.take("two", attempt * 10 + 4, 9_000).await, None, "its time has not come");
    }
    let lease = stage.take("one", 100, 9_000).await.unwrap();
    let looked = [(0, ImageResult::Rejected(Outcome::NotFound, String::new()))];
    assert!(stage.store.record_images(&lease, &looked, Timestamp(101), Timestamp(9_000)).await.unwrap());
    stage.store.defer_lease(&lease, Timestamp(102)).await.unwrap();
    let lease = stage.take("one", 102, 9_000).await.unwrap();
    assert_eq!((lease.id.clone(), lease.attempts), (id, 1));
}

async fn replicas_that_start_together_queue_a_dataset_once(stage: Stage) {
    let store = &stage.store;
    for number in 1..3 {
        stage.created(number, vec![url(0)]).await;
        let lease = stage.take("one", 10, 20).await.unwrap();
        let looked = [(0, ImageResult::Rejected(Outcome::NotFound, String::new()))];
        store.record_images(&lease, &looked, Timestamp(12), Timestamp(22)).await.unwrap();
        assert!(store.finish_dataset(&lease, None, "{}", Timestamp(13)).await.unwrap());
    }
    let start = || store.rebuild_datasets("general", "bb", NOW);
    let (a, b, c) = tokio::join!(start(), start(), start());
    assert_eq!(a.unwrap() + b.unwrap() + c.unwrap(), 2);
    let lease = stage.take("one", 1_000, 9_000).await.unwrap();
    assert_eq!(start().await.unwrap(), 0);
    assert!(store.renew_lease(&lease, Timestamp(9_000)).await.unwrap(), "who builds it goes on");
}

async fn bytes_are_known_by_their_name(stage: Stage) {
    let name = stage.key(b"a").name();
    assert!(!stage.store.has_blob(&name).await.unwrap());
    stage.claim(b"a").await;
    assert!(stage.store.has_blob(&name).await.unwrap());
    let other = BlobKey::of(&stage.app, &UserId::new("other").unwrap(), b"a").name();
    assert!(!stage.store.has_blob(&other).await.unwrap(), "the same bytes of another user are others");
    for strange in ["", "a/b/c", &name[1..], &name.replace('/', ":")] {
        assert!(!stage.store.has_blob(strange).await.unwrap(), "{strange}");
    }
}
