//! A store with one application and one user, and shorthands for what they do.

use kaisatsu_model::{AppId, DatasetId, DatasetName, ImageId, Tag, Timestamp, UserId};
use kaisatsu_store::{
    BlobClaim, BlobKey, CreateDatasetOutcome, DatasetLimits, ImageSource, Lease, NewDataset, NewDatasetImage,
    NewUserImage, PutImageOutcome, Store,
};
use kaisatsu_testkit::{Backend, Database};

use crate::support::store_with_application;

pub(crate) struct Fixture {
    pub(crate) store: Store,
    pub(crate) app: AppId,
    pub(crate) user: UserId,
}

pub(crate) async fn run_on<F: Future<Output = ()>>(backend: Backend, test: impl FnOnce(Fixture) -> F) {
    let database = Database::fresh(backend);
    let (store, app) = store_with_application(&database).await;
    test(Fixture { store, app, user: UserId::new("山田").unwrap() }).await;
}

pub(crate) const NOW: Timestamp = Timestamp(1_000);

impl Fixture {
    pub(crate) fn key(&self, bytes: &[u8]) -> BlobKey {
        BlobKey::of(&self.app, &self.user, bytes)
    }

    pub(crate) async fn claim(&self, bytes: &[u8]) -> BlobClaim {
        self.store.claim_blob(&self.key(bytes), 10, 25, NOW).await.unwrap()
    }

    pub(crate) async fn put(&self, number: u8, bytes: &[u8], tag: Option<&str>) -> PutImageOutcome {
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

    pub(crate) async fn stored(&self, number: u8, bytes: &[u8]) -> ImageId {
        assert_ne!(self.claim(bytes).await, BlobClaim::QuotaExceeded);
        match self.put(number, bytes, Some("猫")).await {
            PutImageOutcome::Stored(kept) => kept.id,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn mark_before(&self, claimed: i64, marked: i64) -> Vec<BlobKey> {
        self.store.mark_blobs_deleting(NOW, Timestamp(claimed), Timestamp(marked), 10).await.unwrap()
    }

    pub(crate) async fn mark(&self) -> Vec<BlobKey> {
        self.mark_before(500, 500).await
    }

    pub(crate) async fn create(&self, number: u8, sources: Vec<ImageSource>) -> (DatasetId, CreateDatasetOutcome) {
        let image = |source| NewDatasetImage { source, tag: Some(Tag::new("cat").unwrap()) };
        self.create_of(number, sources.into_iter().map(image).collect(), 10).await
    }

    pub(crate) async fn create_of(
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

    pub(crate) async fn created(&self, number: u8, sources: Vec<ImageSource>) -> DatasetId {
        let (id, outcome) = self.create(number, sources).await;
        assert_eq!(outcome, CreateDatasetOutcome::Created);
        id
    }

    pub(crate) async fn take(&self, holder: &str, now: i64, until: i64) -> Option<Lease> {
        self.store.claim_dataset(holder, Timestamp(now), Timestamp(until)).await.unwrap()
    }

    pub(crate) async fn delete(&self, id: &DatasetId) -> bool {
        self.store.delete_dataset(&self.app, &self.user, id, NOW).await.unwrap()
    }
}

pub(crate) fn url(number: u8) -> ImageSource {
    ImageSource::Url(format!("https://example.org/{number}.jpg"), ImageId::from_random([number; 20]))
}
