//! A recogniser without models, for tests of what it keeps and forgets.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use kaisatsu_fetch::{Fetcher, Policy};
use kaisatsu_model::{AppId, ApplicationName, Clock, ItemId, RecognitionId, Timestamp, UserId, Verdict};
use kaisatsu_store::{BlobAddress, Blobs, KeptItem, NewRecognition, NewVerdict, Store};
use kaisatsu_testkit::{Backend, Database};
use kaisatsu_vision::{Engine, ModelRegistry};
use tempfile::TempDir;

use crate::{Recogniser, Settings, User, UserLimits, UserSettings};

/// One grey pixel.
pub(crate) const PIXEL: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\x0aIDATx\x9cch\x00\x00\x00\x82\x00\x81w\xcdr\xb6\x00\x00\x00\x00IEND\xaeB`\x82";

/// A clock that is moved by hand.
#[derive(Default)]
pub(crate) struct HandClock(AtomicI64);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }

    fn ticks(&self) -> Duration {
        Duration::ZERO
    }
}

/// A recogniser with an application and a user, on a database and a folder of its own.
pub(crate) struct Stage {
    pub(crate) recogniser: Arc<Recogniser>,
    pub(crate) store: Store,
    pub(crate) user: User,
    pub(crate) database: Database,
    pub(crate) folder: TempDir,
    clock: Arc<HandClock>,
}

impl Stage {
    pub(crate) async fn set() -> Self {
        let (database, folder) = (Database::fresh(Backend::Sqlite), tempfile::tempdir().unwrap());
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let application = AppId::from_random([1; 10]);
        store.create_application(&application, &ApplicationName::new("one").unwrap(), Timestamp(0)).await.unwrap();
        let clock = Arc::new(HandClock::default());
        let decided =
            Settings { waiting: 8, max_pixels: 1_000, keep: Duration::from_hours(1), keep_pictures: false, quorum: 2 };
        let policy = Policy { allowed: Vec::new(), max_bytes: 1_000, timeout: Duration::from_secs(1) };
        let users = UserSettings {
            blobs: Blobs::open(&BlobAddress::Folder(folder.path().to_owned())).unwrap(),
            fetcher: Fetcher::new(policy).unwrap(),
            limits: UserLimits { bytes: 100_000, images: 1_000, data_sets: 10, data_set_images: 100 },
            fetches: 2,
            lease: Duration::from_secs(10),
        };
        let engine = Engine::start(ModelRegistry::open(&folder.path().join("models")).unwrap(), 1, || ()).unwrap();
        while !engine.is_warm() {
            tokio::task::yield_now().await;
        }
        let recogniser = Arc::new(Recogniser::new(engine, store.clone(), clock.clone(), &decided, users));
        Self { recogniser, store, user: User { application, id: UserId::new("u").unwrap() }, database, folder, clock }
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.recogniser.users.settings.blobs
    }

    pub(crate) fn pass(&self, time: Duration) {
        self.clock.0.store(self.clock.now().after(time).0, Ordering::Relaxed);
    }

    /// A recognition with one candidate, and a verdict on it.
    pub(crate) async fn rate(&self, number: u8) {
        let (id, application) = (RecognitionId::from_random([number; 16]), self.user.application.clone());
        let item = ItemId::from_random([number; 10]);
        let kept = KeptItem {
            id: item.as_str().to_owned(),
            subject: "cat".to_owned(),
            name: "cat".to_owned(),
            score: 0.5,
            base: None,
            moved: Vec::new(),
        };
        let recognition = NewRecognition {
            id: id.clone(),
            application: application.clone(),
            task: "classify",
            model: "general".to_owned(),
            data_set: None,
            created_at: self.clock.now(),
            expires_at: self.clock.now().after(Duration::from_hours(1)),
            items: vec![kept],
            engine: "e".to_owned(),
            vector: Some(vec![0.6, 0.8]),
            picture: None,
        };
        self.store.save_recognition(recognition).await.unwrap();
        let verdict = NewVerdict {
            application,
            recognition: id,
            item: Some(item),
            verdict: Verdict::Valid,
            comment: None,
            rated_at: self.clock.now(),
        };
        self.store.rate(&verdict, 10).await.unwrap();
    }

    /// Whether any verdict is in force for the application.
    pub(crate) fn has_learned_something(&self) -> bool {
        self.recogniser.learning.model.has_feedback_for(&self.user.application, "classify", "general")
    }
}
