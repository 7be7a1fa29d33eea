//! The statements that build a dataset take exactly the steps that [`Phase`] and [`Job`] allow.

use kaisatsu_model::{
    AppId, ApplicationName, DatasetId, DatasetName, IllegalStep, ImageId, Job, Outcome, Phase, Tag, Timestamp, UserId,
};

use crate::{DatasetLimits, ImageResult, ImageSource, Lease, NewDataset, NewDatasetImage, Pool, Store};

struct Fixture {
    store: Store,
    _folder: tempfile::TempDir,
}

const fn at(time: i64) -> Timestamp {
    Timestamp(time)
}

impl Fixture {
    /// A queued dataset whose job may run at 100.
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("sqlite:{}", folder.path().join("kaisatsu.db").display());
        let store = Store::open(&address.parse().unwrap()).await.unwrap();
        let application = AppId::from_random([1; 10]);
        store.create_application(&application, &ApplicationName::new("one").unwrap(), at(0)).await.unwrap();
        let source = ImageSource::Url("https://example.org/0.jpg".to_owned(), ImageId::from_random([1; 20]));
        let new = NewDataset {
            id: DatasetId::from_random([1; 20]),
            application,
            user: UserId::new("u").unwrap(),
            name: DatasetName::new("cats").unwrap(),
            model: "general".to_owned(),
            model_sha256: "aa".to_owned(),
            created_at: at(100),
            images: vec![NewDatasetImage { source, tag: Tag::new("cat").ok() }],
        };
        store.create_dataset(&new, DatasetLimits { datasets: 1, tags: 1 }).await.unwrap();
        Self { store, _folder: folder }
    }

    async fn claim(&self, now: i64) -> Option<Lease> {
        self.store.claim_dataset("word", at(now), at(now + 100)).await.unwrap()
    }

    async fn run(&self, sql: &'static str) {
        let Pool::Sqlite(pool) = &self.store.pool else { unreachable!() };
        sqlx::query(sql).execute(pool).await.unwrap();
    }

    async fn job(&self) -> Option<Job> {
        let Pool::Sqlite(pool) = &self.store.pool else { unreachable!() };
        let row = sqlx::query_as("SELECT run_at, lease, lease_until, attempts FROM dataset_job");
        let row: Option<(i64, Option<String>, i64, i64)> = row.fetch_optional(pool).await.unwrap();
        row.map(|(run_at, lease, until, attempts)| match lease {
            None => Job::Waiting { run_at: at(run_at), attempts },
            Some(_) => Job::Leased { run_at: at(run_at), until: at(until), attempts },
        })
    }

    async fn phase(&self) -> Phase {
        let Pool::Sqlite(pool) = &self.store.pool else { unreachable!() };
        let word: String = sqlx::query_scalar("SELECT phase FROM dataset").fetch_one(pool).await.unwrap();
        Phase::from_text(&word).unwrap()
    }

    /// The job is where a step leads from `before`.
    async fn follows(&self, before: Job, step: impl Fn(Job) -> Result<Job, IllegalStep>) {
        assert_eq!(self.job().await, Some(step(before).unwrap()));
    }
}

#[tokio::test]
async fn a_job_takes_the_steps_of_its_states() {
    let fixture = Fixture::new().await;
    let job = fixture.job().await.unwrap();
    assert!(job.claim(at(99), at(199)).is_err() && fixture.claim(99).await.is_none(), "before its time");
    let lease = fixture.claim(100).await.unwrap();
    fixture.follows(job, |job| job.claim(at(100), at(200))).await;

    let job = fixture.job().await.unwrap();
    assert!(job.claim(at(199), at(299)).is_err() && fixture.claim(199).await.is_none(), "while the lease runs");
    assert!(fixture.store.renew_lease(&lease, at(250)).await.unwrap());
    fixture.follows(job, |job| job.renew(at(250))).await;

    let job = fixture.job().await.unwrap();
    fixture.store.defer_lease(&lease, at(300)).await.unwrap();
    fixture.follows(job, |job| job.put_off(at(300))).await;

    let job = fixture.job().await.unwrap();
    assert!(job.renew(at(400)).is_err() && !fixture.store.renew_lease(&lease, at(400)).await.unwrap());
    let lease = fixture.claim(300).await.unwrap();
    fixture.follows(job, |job| job.claim(at(300), at(400))).await;

    let job = fixture.job().await.unwrap();
    let refused = [(0, ImageResult::Rejected(Outcome::NotFound, "gone".to_owned()))];
    assert!(fixture.store.record_images(&lease, &refused, at(300), at(450)).await.unwrap());
    fixture.follows(job, |job| job.advance(at(450))).await;

    let job = fixture.job().await.unwrap();
    fixture.store.release_lease(&lease, at(500)).await.unwrap();
    fixture.follows(job, |job| job.give_back(at(500))).await;
    let job = fixture.job().await.unwrap();
    assert!(job.advance(at(600)).is_err());
    assert!(!fixture.store.record_images(&lease, &refused, at(500), at(600)).await.unwrap());
}

#[tokio::test]
async fn a_dataset_takes_the_steps_of_its_phases() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.phase().await, Phase::Queued);
    let lease = fixture.claim(100).await.unwrap();
    assert_eq!(fixture.phase().await, Phase::Queued.begin().unwrap());
    for phase in [Phase::Queued, Phase::Ready, Phase::Failed] {
        fixture
            .run(match phase {
                Phase::Queued => "UPDATE dataset SET phase = 'queued'",
                Phase::Ready => "UPDATE dataset SET phase = 'ready'",
                Phase::Building | Phase::Failed => "UPDATE dataset SET phase = 'failed'",
            })
            .await;
        assert!(phase.finish().is_err() && !fixture.store.finish_dataset(&lease, None, "{}", at(101)).await.unwrap());
        assert!(phase.fail().is_err() && !fixture.store.fail_dataset(&lease, "broken", at(101)).await.unwrap());
        assert_eq!(fixture.phase().await, phase, "an illegal step writes nothing");
    }
    fixture.run("UPDATE dataset SET phase = 'building'").await;
    assert!(fixture.store.finish_dataset(&lease, None, "{}", at(102)).await.unwrap());
    assert_eq!((fixture.phase().await, fixture.job().await), (Phase::Building.finish().unwrap(), None));

    assert_eq!(fixture.store.rebuild_datasets("general", "bb", at(103)).await.unwrap(), 1);
    assert_eq!(fixture.phase().await, Phase::Ready.rebuild().unwrap());
    let lease = fixture.claim(103).await.unwrap();
    assert!(fixture.store.fail_dataset(&lease, "broken", at(104)).await.unwrap());
    assert_eq!((fixture.phase().await, fixture.job().await), (Phase::Building.fail().unwrap(), None));
    assert!(Phase::Failed.rebuild().is_err());
    assert_eq!(fixture.store.rebuild_datasets("general", "cc", at(105)).await.unwrap(), 0);
    assert_eq!((fixture.phase().await, fixture.job().await), (Phase::Failed, None));
}
