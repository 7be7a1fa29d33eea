//! All services on a database and a folder of their own, without models, for tests.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use kaisatsu_fetch::{Fetcher, Policy};
use kaisatsu_model::{
    AppId, ApplicationName, Clock, DatasetId, DatasetName, Function, ItemId, RecognitionId, Source, Timestamp, UserId,
    Verdict,
};
use kaisatsu_store::{
    BlobAddress, Blobs, CreateDatasetOutcome, DatasetLimits, NewDataset, NewDatasetImage, NewRecognition, NewVerdict,
    Rated, Store, StoredCandidate,
};
use kaisatsu_testkit::{Backend, Database};
use kaisatsu_vision::{Engine, ModelRegistry};
use tempfile::TempDir;

use crate::{
    Recognition, SegmentSettings, Settings, User, UserLimits, UserSettings, VectorPlace, VectorSettings,
    context::Context, learning::SourceKey,
};

/// One grey pixel.
pub(crate) const PIXEL: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\
    \x00\x00\x00\x00:~\x9bU\x00\x00\x00\x0aIDATx\x9cch\x00\x00\x00\x82\x00\x81w\xcdr\xb6\x00\x00\x00\x00IEND\
    \xaeB`\x82";

/// The vector of every recognition that the fixture saves.
pub(crate) const VECTOR: [f32; 2] = [0.6, 0.8];

/// A clock that is moved by hand.
#[derive(Default)]
pub(crate) struct ManualClock(AtomicI64);

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }

    fn ticks(&self) -> Duration {
        Duration::ZERO
    }
}

/// The services, an application and a user.
pub(crate) struct Fixture {
    pub(crate) context: Context,
    pub(crate) recognition: Recognition,
    pub(crate) store: Store,
    pub(crate) user: User,
    pub(crate) database: Arc<Database>,
    pub(crate) folder: Arc<TempDir>,
    clock: Arc<ManualClock>,
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        Self::on(Backend::Sqlite).await
    }

    pub(crate) async fn on(backend: Backend) -> Self {
        let database = Database::fresh(backend);
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let application = AppId::from_random([1; 10]);
        store.create_application(&application, &ApplicationName::new("one").unwrap(), Timestamp(0)).await.unwrap();
        let folder = Arc::new(tempfile::tempdir().unwrap());
        Self::over(store, Arc::new(database), application, folder, |_| ()).await
    }

    /// Another replica on the same database.
    pub(crate) async fn again(&self) -> Self {
        self.again_with(|_| ()).await
    }

    /// Another replica on the same database, with other settings.
    pub(crate) async fn again_with(&self, set: impl FnOnce(&mut Settings)) -> Self {
        self.again_on(Arc::new(tempfile::tempdir().unwrap()), set).await
    }

    /// Another replica on the same database and the same storage.
    pub(crate) async fn again_with_its_storage(&self) -> Self {
        self.again_on(Arc::clone(&self.folder), |_| ()).await
    }

    async fn again_on(&self, folder: Arc<TempDir>, set: impl FnOnce(&mut Settings)) -> Self {
        let store = Store::open(&self.database.address.parse().unwrap()).await.unwrap();
        Self::over(store, Arc::clone(&self.database), self.user.application.clone(), folder, set).await
    }

    async fn over(
        store: Store,
        database: Arc<Database>,
        application: AppId,
        folder: Arc<TempDir>,
        set: impl FnOnce(&mut Settings),
    ) -> Self {
        let clock = Arc::new(ManualClock::default());
        let mut settings = Settings {
            waiting: 8,
            max_pixels: 1_000,
            keep: Duration::from_hours(1),
            keep_pictures: false,
            unsaved_answers: false,
            quorum: 2,
            feedback_memory: usize::MAX,
            exif_position: false,
            vectors: VectorSettings { place: VectorPlace::Auto, threshold: 1_000, memory: usize::MAX },
            segments: SegmentSettings { items: 8, folder: folder.path().join("segments"), cache_bytes: 1 << 30 },
        };
        set(&mut settings);
        let policy = Policy { allowed: Vec::new(), max_bytes: 1_000, timeout: Duration::from_secs(1) };
        let users = UserSettings {
            blobs: Blobs::open(&BlobAddress::Folder(folder.path().to_owned())).unwrap(),
            fetcher: Fetcher::new(policy).unwrap(),
            limits: UserLimits { bytes: 100_000, images: 1_000, datasets: 10, dataset_images: 100 },
            fetches: 2,
            lease: Duration::from_secs(10),
        };
        let registry = ModelRegistry::open(&folder.path().join("models")).unwrap();
        let engine = Engine::start(registry, 1, Duration::from_mins(15), || ()).unwrap();
        while !engine.is_warm() {
            tokio::task::yield_now().await;
        }
        let context = Context::new(engine, store.clone(), clock.clone(), &settings, users);
        let recognition = Recognition::over(&context);
        let user = User { application, id: UserId::new("u").unwrap() };
        Self { context, recognition, store, user, database, folder, clock }
    }

    /// Another user of the same application.
    pub(crate) fn other_user(&self) -> User {
        User { application: self.user.application.clone(), id: UserId::new("v").unwrap() }
    }

    /// Another application.
    pub(crate) async fn application(&self, number: u8) -> AppId {
        let application = AppId::from_random([number; 10]);
        let name = ApplicationName::new(&format!("app {number}")).unwrap();
        self.store.create_application(&application, &name, self.clock.now()).await.unwrap();
        application
    }

    /// A dataset of a user.
    pub(crate) async fn dataset(&self, user: &User, number: u8, images: Vec<NewDatasetImage>) -> DatasetId {
        let id = DatasetId::from_random([number; 20]);
        let new = NewDataset {
            id: id.clone(),
            application: user.application.clone(),
            user: user.id.clone(),
            name: DatasetName::new("cats").unwrap(),
            model: "general".to_owned(),
            model_sha256: "aa".to_owned(),
            created_at: Timestamp(number.into()),
            images,
        };
        let outcome = self.store.create_dataset(&new, DatasetLimits { datasets: 10, tags: 10 }).await.unwrap();
        assert_eq!(outcome, CreateDatasetOutcome::Created);
        id
    }

    pub(crate) fn pass(&self, time: Duration) {
        self.clock.0.store(self.clock.now().after(time).0, Ordering::Relaxed);
    }

    /// A classification with one candidate, "cat", and a verdict on it.
    pub(crate) async fn rate(&self, number: u8) {
        self.rate_as(&self.user.application, number, Source::Model("general".to_owned())).await;
    }

    /// The same by any application with any source.
    pub(crate) async fn rate_as(&self, application: &AppId, number: u8, source: Source) {
        let (id, item) = (RecognitionId::from_random([number; 16]), ItemId::from_random([number; 10]));
        let candidate = StoredCandidate {
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
            function: Function::Classify,
            source,
            created_at: self.clock.now(),
            expires_at: self.clock.now().after(Duration::from_hours(1)),
            items: vec![candidate],
            engine: "e".to_owned(),
            vector: Some(VECTOR.to_vec()),
            picture: None,
        };
        self.store.save_recognition(recognition).await.unwrap();
        let verdict = NewVerdict {
            application: application.clone(),
            recognition: id,
            rated: Rated::Candidate(item),
            verdict: Verdict::Valid,
            comment: None,
            rated_at: self.clock.now(),
        };
        self.store.rate(&verdict, 10).await.unwrap();
    }

    /// Follows the verdicts.
    pub(crate) async fn learn(&self) {
        self.context.learned.learn().await.unwrap();
    }

    /// Whether any verdict on a source is in force for an application.
    pub(crate) async fn learned_by(&self, application: &AppId, source: &Source) -> bool {
        let query = self.context.learned.query(application, Function::Classify, source, "e").await;
        query.unwrap().has_verdicts()
    }

    /// Whether the verdicts on a source are in memory.
    pub(crate) fn is_in_memory(&self, source: &Source) -> bool {
        self.context.learned.resident(&SourceKey::new(Function::Classify, source)).is_some()
    }

    /// What feedback makes of a score of one half of "cat" in an image like those that were rated.
    pub(crate) async fn score(&self, application: &AppId, source: &Source) -> f32 {
        let query = self.context.learned.query(application, Function::Classify, source, "e").await.unwrap();
        query.adjustment(&VECTOR).score("cat", 0.5)
    }
}
