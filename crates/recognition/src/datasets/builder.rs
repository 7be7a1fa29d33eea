//! Building datasets in the background, in steps that may run twice without harm.
//!
//! A replica takes a job by a lease and renews it while it works. Every step writes what it found in one transaction
//! that checks the lease: a replica that was thought dead, or whose dataset was deleted, writes nothing.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use kaisatsu_model::{DataSetId, Outcome, Timestamp};
use kaisatsu_store::{BuiltImage, Lease, Looked, StoreError, Task};
use metrics::counter;
use tokio::task::JoinSet;

use super::health;
use crate::{Recogniser, RecognitionError, keep::random};

/// How often somebody looks for work when nobody rings: another replica may have left some.
const EVERY: Duration = Duration::from_secs(1);

/// How long is waited after a fault of ours: longer each time that nothing comes forward. All tries together take an hour,
/// so that no ordinary outage of the storage ends a dataset.
const AFTER_FAULT: Duration = Duration::from_secs(5);
const MOST_AFTER_FAULT: Duration = Duration::from_mins(5);

/// How long one dataset is built while others wait: a thousand addresses that do not answer are one user's, and not
/// everybody's.
const TURN: Duration = Duration::from_mins(1);

/// How long a job is left to other replicas.
const ELSEWHERE: Duration = Duration::from_secs(30);

/// Images that are read from the database at once, and that are written down at once at most.
const PAGE: i64 = 256;
const LOT: usize = 32;

/// How often a job may be taken up without coming forward: an image that ends the whole process must not do so for ever.
pub(super) const MOST_ATTEMPTS: i64 = 20;

/// The share of images that has to be usable, as one in so many.
const USABLE_ONE_IN: u64 = 2;

const NOT_GIVEN_BACK: &str = "a job could not be given back; it is free when its lease is over";

/// How long a job waits that failed at its so-manieth attempt without coming forward.
fn after_fault(attempt: i64) -> Duration {
    let doublings = u32::try_from(attempt - 1).unwrap_or(0);
    AFTER_FAULT.saturating_mul(2_u32.saturating_pow(doublings)).min(MOST_AFTER_FAULT)
}

/// Why building stopped before it was done.
enum Stop {
    /// The lease is another's, or the dataset is deleted.
    Lost,
    /// Something is to be tried again later.
    Wait(Timestamp),
    /// A fault of ours.
    Fault(RecognitionError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Fault(error.into())
    }
}

/// The images that are being looked at, by their places.
type Looking = JoinSet<(i64, Result<Looked, RecognitionError>)>;

/// The images of a dataset whose time has come, read a page at a time.
struct Pending {
    id: DataSetId,
    page: VecDeque<Task>,
    /// The last place that was read; `None` when there is nothing behind it.
    after: Option<i64>,
}

impl Pending {
    /// Says that there is nothing more for now.
    fn stop(&mut self) {
        self.page.clear();
        self.after = None;
    }

    async fn next(&mut self, recogniser: &Recogniser) -> Result<Option<Task>, StoreError> {
        if self.page.is_empty()
            && let Some(after) = self.after
        {
            let keeping = &recogniser.keeping;
            self.page = keeping.store.pending_images(&self.id, keeping.now(), after, PAGE).await?.into();
            self.after = self.page.back().map(|last| last.position);
        }
        Ok(self.page.pop_front())
    }
}

impl Recogniser {
    /// Builds datasets as long as the server runs, one at a time.
    pub fn build_data_sets(self: &Arc<Self>) {
        let recogniser = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut renewed = false;
            loop {
                let Some(alive) = recogniser.upgrade() else { return };
                if alive.not_ready().is_none() {
                    if !renewed {
                        renewed = alive.renew_outdated().await;
                    }
                    alive.build_all().await;
                }
                let _ = tokio::time::timeout(EVERY, alive.users.to_build.notified()).await;
            }
        });
    }

    /// Builds until there is nothing to do, or something is wrong.
    async fn build_all(self: &Arc<Self>) {
        loop {
            let now = self.keeping.now();
            let word: [u8; 16] = random();
            let lease = self.keeping.store.claim_data_set(&kaisatsu_store::hex(&word), now, self.lease_end()).await;
            let lease = match lease {
                Ok(Some(lease)) => Arc::new(lease),
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "jobs cannot be read; datasets wait");
                    return tokio::time::sleep(AFTER_FAULT).await;
                }
            };
            match self.build_under(&lease).await {
                Ok(()) => tracing::info!(dataset = %lease.id, "dataset done"),
                Err(Stop::Lost) => tracing::info!(dataset = %lease.id, "dataset is deleted, or another replica's now"),
                Err(Stop::Wait(at)) => self.give_back(&lease, at).await,
                Err(Stop::Fault(error)) => {
                    tracing::error!(dataset = %lease.id, %error, "building stopped; it goes on shortly");
                    let again = self.keeping.now().after(after_fault(lease.attempts));
                    if let Err(error) = self.keeping.store.put_off_lease(&lease, again).await {
                        tracing::warn!(%error, "{NOT_GIVEN_BACK}");
                    }
                    return;
                }
            }
        }
    }

    /// When the weights of a model are other ones than before, its datasets are built again from the bytes kept.
    /// Whether that could be seen to.
    async fn renew_outdated(&self) -> bool {
        for model in self.slots.engine().registry().models() {
            let Some(sha256) = model.manifest.embedding_sha256() else { continue };
            let name = &model.manifest.about.name;
            match self.keeping.store.rebuild_data_sets(name, sha256, self.keeping.now()).await {
                Ok(0) => {}
                Ok(count) => {
                    tracing::info!(
                        model = name,
                        count,
                        "the model has other weights now: its datasets are built again"
                    );
                }
                Err(error) => {
                    tracing::warn!(%error, "datasets of other weights cannot be looked for");
                    return false;
                }
            }
        }
        true
    }

    fn lease_end(&self) -> Timestamp {
        self.keeping.now().after(self.users.settings.lease)
    }

    async fn give_back(&self, lease: &Lease, at: Timestamp) {
        if let Err(error) = self.keeping.store.yield_lease(lease, at).await {
            tracing::warn!(%error, "{NOT_GIVEN_BACK}");
        }
    }

    /// Builds a dataset, and keeps its lease meanwhile.
    async fn build_under(self: &Arc<Self>, lease: &Arc<Lease>) -> Result<(), Stop> {
        let renewing = async {
            loop {
                tokio::time::sleep(self.users.settings.lease / 3).await;
                match self.keeping.store.renew_lease(lease, self.lease_end()).await {
                    Ok(true) => {}
                    // Nothing is left to renew. The next step finds that out by itself, and tidies up.
                    Ok(false) => return std::future::pending::<()>().await,
                    Err(error) => tracing::warn!(%error, "a lease could not be renewed"),
                }
            }
        };
        tokio::select! {
            done = self.build(lease) => done,
            () = renewing => Err(Stop::Lost),
        }
    }

    async fn build(self: &Arc<Self>, lease: &Arc<Lease>) -> Result<(), Stop> {
        let store = &self.keeping.store;
        if lease.attempts > MOST_ATTEMPTS {
            let reason = "the server ended or failed again and again while it looked at the images";
            return self.ended(store.fail_data_set(lease, reason, self.keeping.now()).await?);
        }
        // A replica with other weights, in the middle of an upgrade, leaves the job to one that has them.
        if self.embedder(&lease.model, &lease.model_sha256, "the dataset is to be built with other weights").is_err() {
            return Err(Stop::Wait(self.keeping.now().after(ELSEWHERE)));
        }
        self.look_at_all(lease).await?;
        if let Some(at) = store.next_try(&lease.id).await? {
            return Err(Stop::Wait(at.max(self.keeping.now())));
        }
        let counts = store.outcomes(&lease.id).await?;
        let total: u64 = counts.iter().map(|(_, count)| count.unsigned_abs()).sum();
        let usable: u64 =
            counts.iter().filter(|(o, _)| *o == Outcome::Fetched).map(|(_, count)| count.unsigned_abs()).sum();
        if usable == 0 || usable * USABLE_ONE_IN < total {
            let reason = format!("{usable} of {total} images can be used, and at least half have to be");
            return self.ended(store.fail_data_set(lease, &reason, self.keeping.now()).await?);
        }
        let images = self.all_built(&lease.id).await?;
        // One after the other, because datasets are built one at a time; and not on the engine, whose threads are for
        // pictures that somebody waits for.
        let learned = tokio::task::spawn_blocking(move || health::learn(&images)).await;
        let learned = learned.map_err(|_| Stop::Fault(RecognitionError::Failed("learning broke off".to_owned())))?;
        let now = self.keeping.now();
        let done = match learned {
            Ok(learned) => store.finish_data_set(lease, learned.head.as_deref(), &learned.report, now).await?,
            Err(error) => store.fail_data_set(lease, &error.to_string(), now).await?,
        };
        self.ended(done)
    }

    #[allow(clippy::unused_self, reason = "it reads as the last step of building")]
    fn ended(&self, written: bool) -> Result<(), Stop> {
        if written { Ok(()) } else { Err(Stop::Lost) }
    }

    /// Looks at every image whose time has come, some at once, and writes down what came of them as they come.
    async fn look_at_all(self: &Arc<Self>, lease: &Arc<Lease>) -> Result<(), Stop> {
        // Tasks of their own: they go on while the others are written down.
        let mut looking = JoinSet::new();
        let Err(stop) = self.look_on(lease, &mut looking).await else { return Ok(()) };
        let mut left = Vec::new();
        while let Some(looked) = looking.join_next().await {
            if let Ok((position, Ok(looked))) = looked {
                left.push((position, looked));
            }
        }
        // One image that cannot be read must not keep those beside it from coming forward.
        self.write_down(lease, &left).await?;
        Err(stop)
    }

    async fn look_on(self: &Arc<Self>, lease: &Arc<Lease>, looking: &mut Looking) -> Result<(), Stop> {
        let mut tasks = Pending { id: lease.id.clone(), page: VecDeque::new(), after: Some(-1) };
        let began = Instant::now();
        loop {
            if began.elapsed() > TURN {
                tasks.stop();
            }
            while looking.len() < self.users.settings.fetches
                && let Some(task) = tasks.next(self).await?
            {
                let (recogniser, lease) = (Arc::clone(self), Arc::clone(lease));
                looking.spawn(async move { (task.position, recogniser.look_for_data_set(&lease, &task).await) });
            }
            let Some(first) = looking.join_next().await else { return Ok(()) };
            let mut lot = vec![first];
            while lot.len() < LOT
                && let Some(another) = looking.try_join_next()
            {
                lot.push(another);
            }
            let mut done = Vec::with_capacity(lot.len());
            let mut stop = None;
            for looked in lot {
                match looked {
                    Ok((position, Ok(looked))) => done.push((position, looked)),
                    Ok((_, Err(error))) => stop = Some(Stop::Fault(error)),
                    Err(error) => stop = Some(Stop::Fault(RecognitionError::Failed(error.to_string()))),
                }
            }
            self.write_down(lease, &done).await?;
            if let Some(stop) = stop {
                return Err(stop);
            }
        }
    }

    async fn write_down(&self, lease: &Lease, looked: &[(i64, Looked)]) -> Result<(), Stop> {
        if looked.is_empty() {
            return Ok(());
        }
        let now = self.keeping.now();
        if !self.keeping.store.record_images(lease, looked, now, self.lease_end()).await? {
            for (_, looked) in looked {
                if let Looked::Fetched { blob, .. } = looked {
                    self.let_go(blob).await;
                }
            }
            return Err(Stop::Lost);
        }
        for (_, looked) in looked {
            let outcome = match looked {
                Looked::Fetched { .. } => Outcome::Fetched.as_str(),
                Looked::Refused(outcome, _) => outcome.as_str(),
                Looked::Later(_) => "later",
            };
            counter!("kaisatsu_dataset_images_total", "outcome" => outcome).increment(1);
        }
        Ok(())
    }

    async fn all_built(&self, id: &DataSetId) -> Result<Vec<BuiltImage>, StoreError> {
        let mut images: Vec<BuiltImage> = Vec::new();
        loop {
            let after = images.last().map_or(-1, |last| last.position);
            let page = self.keeping.store.built_images(id, after, PAGE).await?;
            if page.is_empty() {
                return Ok(images);
            }
            images.extend(page);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{MOST_ATTEMPTS, after_fault};

    #[test]
    fn a_dataset_outlives_an_outage_and_does_not_wait_for_ever() {
        let waits: Vec<Duration> = (1..=MOST_ATTEMPTS).map(after_fault).collect();
        assert!(waits.is_sorted() && waits[0] == Duration::from_secs(5));
        let all: Duration = waits.iter().sum();
        assert!(all > Duration::from_mins(30) && all < Duration::from_hours(2), "{all:?}");
    }
}
