//! A store with one application, and shorthands for what it recognises and rates.

use std::collections::BTreeSet;

use kaisatsu_model::{
    AppId, Comment, DatasetId, DatasetName, Function, ImageId, ItemId, RecognitionId, Source, Tag, Timestamp, UserId,
    Verdict,
};
use kaisatsu_store::{
    CreateDatasetOutcome, DatasetLimits, FeedbackFilter, FeedbackRow, ImageSource, NewDataset, NewDatasetImage,
    NewRecognition, NewVerdict, Rated, Standing, Store, StoredCandidate,
};
use kaisatsu_testkit::{Backend, Database};
use sqlx::Connection;

use crate::support::store_with_application;

/// More than any test has.
pub(crate) const ALL: i64 = 1000;

#[derive(Clone)]
pub(crate) struct Fixture {
    pub(crate) store: Store,
    pub(crate) app: AppId,
    pub(crate) address: String,
}

pub(crate) async fn run_on<F: Future<Output = ()>>(backend: Backend, test: impl FnOnce(Fixture) -> F) {
    let database = Database::fresh(backend);
    let (store, app) = store_with_application(&database).await;
    test(Fixture { store, app, address: database.address.clone() }).await;
}

pub(crate) fn id(number: u8) -> RecognitionId {
    RecognitionId::from_random([number; 16])
}

impl Fixture {
    /// Stores a recognition with two candidates, `a` and `b`, until time 1000.
    pub(crate) async fn recognise(&self, number: u8, dataset: Option<&DatasetId>) {
        let item = |id: &str, score, base| StoredCandidate {
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
            function: Function::Classify,
            source: dataset.cloned().map_or_else(|| Source::Model("general".to_owned()), Source::Dataset),
            created_at: Timestamp(1),
            expires_at: Timestamp(1000),
            items: vec![item("a", 0.75, Some(0.5)), item("b", 0.25, None)],
            engine: "e".to_owned(),
            vector: Some(vec![0.5, -0.25]),
            picture: Some(vec![1, 2, number]),
        };
        self.store.save_recognition(new).await.unwrap();
    }

    pub(crate) fn verdict(&self, number: u8, item: Option<&str>, verdict: Verdict, at: i64) -> NewVerdict {
        NewVerdict {
            application: self.app.clone(),
            recognition: id(number),
            rated: item.map_or(Rated::Whole, |id| Rated::Candidate(ItemId::from_text(id))),
            verdict,
            comment: Some(Comment::new("そうです").unwrap()),
            rated_at: Timestamp(at),
        }
    }

    /// Stores a recognition and a verdict that candidate `a` is right; three of these are active at a time.
    pub(crate) async fn rated(&self, number: u8, at: i64) {
        self.recognise(number, None).await;
        self.store.rate(&self.verdict(number, Some("a"), Verdict::Valid, at), 3).await.unwrap();
    }

    pub(crate) async fn revoke(&self, number: u8) -> u64 {
        let filter = FeedbackFilter { recognition: Some(id(number)), ..FeedbackFilter::default() };
        self.store.revoke_feedback(&filter, 3).await.unwrap()
    }

    pub(crate) async fn all(&self) -> Vec<FeedbackRow> {
        self.store.feedback_page(&FeedbackFilter::default(), &start(), ALL, false).await.unwrap()
    }

    pub(crate) async fn those(&self, standing: Standing) -> BTreeSet<String> {
        self.all().await.into_iter().filter(|row| row.standing == standing).map(|row| row.recognition).collect()
    }

    /// The number of rows of a table.
    pub(crate) async fn count(&self, table: &str) -> i64 {
        sqlx::any::install_default_drivers();
        let mut connection = sqlx::AnyConnection::connect(&self.address).await.unwrap();
        let sql = format!("SELECT COUNT(*) FROM {table}");
        sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&mut connection).await.unwrap()
    }

    pub(crate) async fn create_dataset(&self, number: u8) -> DatasetId {
        let new = NewDataset {
            id: DatasetId::from_random([number; 20]),
            application: self.app.clone(),
            user: user(),
            name: DatasetName::new("cats").unwrap(),
            model: "general".to_owned(),
            model_sha256: "aa".to_owned(),
            created_at: Timestamp(0),
            images: vec![NewDatasetImage {
                source: ImageSource::Url("https://example.org/a.jpg".to_owned(), ImageId::from_random([number; 20])),
                tag: Some(Tag::new("cat").unwrap()),
            }],
        };
        assert_eq!(
            self.store.create_dataset(&new, DatasetLimits { datasets: ALL, tags: 1_000 }).await.unwrap(),
            CreateDatasetOutcome::Created
        );
        new.id
    }

    pub(crate) async fn delete(&self, dataset: &DatasetId) {
        assert!(self.store.delete_dataset(&self.app, &user(), dataset, Timestamp(5)).await.unwrap());
    }
}

pub(crate) fn user() -> UserId {
    UserId::new("山田").unwrap()
}

/// The cursor before all rows.
pub(crate) fn start() -> (i64, String, String) {
    (i64::MIN, String::new(), String::new())
}

pub(crate) fn ids(numbers: &[u8]) -> BTreeSet<String> {
    numbers.iter().map(|&number| id(number).to_string()).collect()
}
