//! Building datasets in the background, in steps that may run twice without harm.
//!
//! A replica leases a job and renews the lease while it works. Every step writes its results in one transaction that
//! checks the lease: a replica that was thought dead, or whose dataset was deleted, writes nothing.

mod image;
mod reembed;
mod report;
mod specialise;

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use image::ImageEmbedder;
use kaisatsu_model::{Clock, DatasetId, Outcome, Timestamp};
use kaisatsu_store::{BuiltImage, ImageResult, Lease, PendingImage, Store, StoreError};
use metrics::counter;
use tokio::task::JoinSet;

use crate::{RecognitionError, background::Signals, context::Context, engine::Models, log::random};

/// How often jobs are looked for without a signal: another replica may have left some.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long a job waits after the server failed: longer each time without progress. All attempts together take an hour,
/// so that no ordinary outage of the storage ends a dataset.
const FIRST_BACKOFF: Duration = Duration::from_secs(5);
const LONGEST_BACKOFF: Duration = Duration::from_mins(5);

/// How long one dataset is built while others wait, so that a thousand addresses that do not answer hold up one user
/// and not everybody.
const TURN: Duration = Duration::from_mins(1);

/// How long a job is left to replicas that have its weights.
const OTHER_WEIGHTS: Duration = Duration::from_secs(30);

/// Images that are read from the database at once, and results that are written at once.
const PAGE: i64 = 256;
const BATCH: usize = 32;

/// How often a job may be taken without progress: an image that ends the whole process must not do so for ever.
const MOST_ATTEMPTS: i64 = 20;

/// One in so many images has to be usable.
const USABLE_ONE_IN: u64 = 2;

/// How long a server that stops waits until its dataset is given back.
const GIVING_BACK: Duration = Duration::from_secs(3);

const NOT_GIVEN_BACK: &str = "a job could not be given back; it is free when its lease ends";

/// How long a job waits after it failed at an attempt.
fn backoff(attempt: i64) -> Duration {
    let doublings = u32::try_from(attempt - 1).unwrap_or(0);
    FIRST_BACKOFF.saturating_mul(2_u32.saturating_pow(doublings)).min(LONGEST_BACKOFF)
}

/// Why a build stopped before it was done.
enum Stop {
    /// Another replica has the lease, or the dataset is deleted.
    Lost,
    /// Something has to be tried again later.
    Wait(Timestamp),
    /// The server failed.
    Failed(RecognitionError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// The images that are being embedded, by their positions.
type InProgress = JoinSet<(i64, Result<ImageResult, RecognitionError>)>;

/// The images of a dataset that are due, read a page at a time.
struct Pending {
    id: DatasetId,
    page: VecDeque<PendingImage>,
    /// The last position that was read; `None` when there is nothing after it.
    after: Option<i64>,
}

impl Pending {
    /// Ends the list.
    fn stop(&mut self) {
        self.page.clear();
        self.after = None;
    }

    async fn next(&mut self, store: &Store, now: Timestamp) -> Result<Option<PendingImage>, StoreError> {
        if self.page.is_empty()
            && let Some(after) = self.after
        {
            self.page = store.pending_images(&self.id, now, after, PAGE).await?.into();
            self.after = self.page.back().map(|last| last.position);
        }
        Ok(self.page.pop_front())
    }
}

/// Builds datasets in the background.
pub(crate) struct DatasetBuilder {
    store: Store,
    clock: Arc<dyn Clock>,
    models: Models,
    images: ImageEmbedder,
    signals: Arc<Signals>,
    /// The most images that are fetched at once.
    fetches: usize,
    /// How long a lease lasts.
    lease: Duration,
    /// Held while other vectors are tried for a dataset.
    specialising: tokio::sync::Mutex<()>,
    /// Held while datasets are built.
    building: tokio::sync::Mutex<()>,
}

impl DatasetBuilder {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            clock: Arc::clone(&context.clock),
            models: context.models.clone(),
            images: ImageEmbedder::new(context),
            signals: Arc::clone(&context.signals),
            fetches: context.fetches,
            lease: context.lease,
            specialising: tokio::sync::Mutex::default(),
            building: tokio::sync::Mutex::default(),
        }
    }

    /// Builds datasets as long as this lives, one at a time.
    pub(crate) fn start(self: &Arc<Self>) {
        let builder = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut requeued = false;
            loop {
                let Some(alive) = builder.upgrade() else { return };
                if alive.models.are_loaded() {
                    if !requeued {
                        requeued = alive.requeue_outdated().await;
                    }
                    alive.build_all().await;
                }
                let _ = tokio::time::timeout(POLL_INTERVAL, alive.signals.build.notified()).await;
            }
        });
        self.start_reembedding();
    }

    /// Waits, for a while, until the dataset that was built when the engine was stopped is given back.
    pub(crate) async fn stopped(&self) {
        let _ = tokio::time::timeout(GIVING_BACK, self.building.lock()).await;
    }

    /// Builds until there is nothing to do, or something fails.
    async fn build_all(self: &Arc<Self>) {
        let _building = self.building.lock().await;
        while !self.images.is_stopped() {
            let now = self.clock.now();
            let holder: [u8; 16] = random();
            let lease = self.store.claim_dataset(&kaisatsu_store::hex(&holder), now, self.lease_end()).await;
            let lease = match lease {
                Ok(Some(lease)) => Arc::new(lease),
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "jobs cannot be read; datasets wait");
                    return tokio::time::sleep(FIRST_BACKOFF).await;
                }
            };
            match self.build_under(&lease).await {
                Ok(()) => tracing::info!(dataset = %lease.id, "dataset done"),
                Err(Stop::Lost) => {
                    tracing::info!(dataset = %lease.id, "dataset is deleted, or another replica builds it");
                }
                Err(Stop::Wait(at)) => {
                    if let Err(error) = self.store.release_lease(&lease, at).await {
                        tracing::warn!(%error, "{NOT_GIVEN_BACK}");
                    }
                }
                Err(Stop::Failed(error)) => {
                    tracing::error!(dataset = %lease.id, %error, "the build failed; it is tried again shortly");
                    let again = self.clock.now().after(backoff(lease.attempts));
                    if let Err(error) = self.store.defer_lease(&lease, again).await {
                        tracing::warn!(%error, "{NOT_GIVEN_BACK}");
                    }
                    return;
                }
            }
        }
    }

    /// Queues datasets again whose model has other weights now. Says whether the database could be asked.
    async fn requeue_outdated(&self) -> bool {
        for (model, sha256) in self.models.embedding_weights() {
            match self.store.rebuild_datasets(model, sha256, self.clock.now()).await {
                Ok(0) => {}
                Ok(count) => {
                    tracing::info!(model, count, "the model has other weights now: its datasets are built again");
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
        self.clock.now().after(self.lease)
    }

    /// Builds a dataset, and renews its lease meanwhile.
    async fn build_under(self: &Arc<Self>, lease: &Arc<Lease>) -> Result<(), Stop> {
        let renewing = async {
            loop {
                tokio::time::sleep(self.lease / 3).await;
                match self.store.renew_lease(lease, self.lease_end()).await {
                    Ok(true) => {}
                    // The lease is lost. The next step of the build notices that, and cleans up.
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
        let store = &self.store;
        if lease.attempts > MOST_ATTEMPTS {
            let reason = "the server ended or failed again and again while it looked at the images";
            return held(store.fail_dataset(lease, reason, self.clock.now()).await?);
        }
        // A replica with other weights, in the middle of an upgrade, leaves the job to one that has them.
        let reason = "the dataset is to be built with other weights";
        if self.models.embedder(&lease.model, &lease.model_sha256, reason).is_err() {
            return Err(Stop::Wait(self.clock.now().after(OTHER_WEIGHTS)));
        }
        self.embed_all(lease).await?;
        if let Some(at) = store.next_retry(&lease.id).await? {
            return Err(Stop::Wait(at.max(self.clock.now())));
        }
        let counts = store.outcomes(&lease.id).await?;
        if let Some(reason) = too_few(&counts) {
            return held(store.fail_dataset(lease, &reason, self.clock.now()).await?);
        }
        let images = self.built_images(&lease.id).await?;
        // Not on the engine: its threads are for images that somebody waits for.
        let trained = tokio::task::spawn_blocking(move || (report::train_and_report(&images), images)).await;
        let (trained, images) =
            trained.map_err(|_| Stop::Failed(RecognitionError::Failed("training broke off".to_owned())))?;
        let now = self.clock.now();
        let written = match trained {
            Ok(trained) => {
                let written = store.finish_dataset(lease, trained.probe.as_deref(), &trained.report, now).await?;
                if written && trained.probe.is_some() {
                    self.specialise_later(lease, images);
                }
                written
            }
            Err(error) => store.fail_dataset(lease, &error.to_string(), now).await?,
        };
        held(written)
    }

    /// Embeds every image that is due, some at once, and writes the results as they come.
    async fn embed_all(self: &Arc<Self>, lease: &Arc<Lease>) -> Result<(), Stop> {
        // Tasks of their own: they go on while results are written.
        let mut running = JoinSet::new();
        let Err(stop) = self.embed_due(lease, &mut running).await else { return Ok(()) };
        if self.images.is_stopped() {
            running.abort_all();
        }
        let mut left = Vec::new();
        while let Some(result) = running.join_next().await {
            if let Ok((position, Ok(result))) = result {
                left.push((position, result));
            }
        }
        // An image that cannot be read must not lose the results of the others.
        self.write_results(lease, &left).await?;
        Err(stop)
    }

    async fn embed_due(self: &Arc<Self>, lease: &Arc<Lease>, running: &mut InProgress) -> Result<(), Stop> {
        let mut pending = Pending { id: lease.id.clone(), page: VecDeque::new(), after: Some(-1) };
        let began = Instant::now();
        loop {
            if began.elapsed() > TURN {
                pending.stop();
            }
            while running.len() < self.fetches
                && let Some(task) = pending.next(&self.store, self.clock.now()).await?
            {
                let (builder, lease) = (Arc::clone(self), Arc::clone(lease));
                running.spawn(async move { (task.position, builder.images.embed(&lease, &task).await) });
            }
            let Some(first) = running.join_next().await else { return Ok(()) };
            let mut batch = vec![first];
            while batch.len() < BATCH
                && let Some(another) = running.try_join_next()
            {
                batch.push(another);
            }
            let mut results = Vec::with_capacity(batch.len());
            let mut stop = None;
            for result in batch {
                match result {
                    Ok((position, Ok(result))) => results.push((position, result)),
                    // Another server may go on at once.
                    Ok((_, Err(RecognitionError::Stopping))) => stop = Some(Stop::Wait(self.clock.now())),
                    Ok((_, Err(error))) => stop = Some(Stop::Failed(error)),
                    Err(error) => stop = Some(Stop::Failed(RecognitionError::Failed(error.to_string()))),
                }
            }
            self.write_results(lease, &results).await?;
            if let Some(stop) = stop {
                return Err(stop);
            }
        }
    }

    async fn write_results(&self, lease: &Lease, results: &[(i64, ImageResult)]) -> Result<(), Stop> {
        if results.is_empty() {
            return Ok(());
        }
        if !self.store.record_images(lease, results, self.clock.now(), self.lease_end()).await? {
            for (_, result) in results {
                if let ImageResult::Fetched { blob, .. } = result {
                    self.images.release(blob).await;
                }
            }
            return Err(Stop::Lost);
        }
        for (_, result) in results {
            let outcome = match result {
                ImageResult::Fetched { .. } => Outcome::Fetched.as_str(),
                ImageResult::Rejected(outcome, _) => outcome.as_str(),
                ImageResult::RetryAt(_) => "later",
            };
            counter!("kaisatsu_dataset_images_total", "outcome" => outcome).increment(1);
        }
        Ok(())
    }

    async fn built_images(&self, id: &DatasetId) -> Result<Vec<BuiltImage>, StoreError> {
        let mut images: Vec<BuiltImage> = Vec::new();
        loop {
            let after = images.last().map_or(-1, |last| last.position);
            let page = self.store.built_images(id, after, PAGE).await?;
            if page.is_empty() {
                return Ok(images);
            }
            images.extend(page);
        }
    }
}

/// Why too few images can be used, if they are too few.
fn too_few(counts: &[(Outcome, i64)]) -> Option<String> {
    let total: u64 = counts.iter().map(|(_, count)| count.unsigned_abs()).sum();
    let fetched = counts.iter().filter(|(outcome, _)| *outcome == Outcome::Fetched);
    let usable: u64 = fetched.map(|(_, count)| count.unsigned_abs()).sum();
    (usable == 0 || usable * USABLE_ONE_IN < total)
        .then(|| format!("{usable} of {total} images can be used, and at least half have to be"))
}

/// A step whose lease was lost has written nothing.
fn held(written: bool) -> Result<(), Stop> {
    if written { Ok(()) } else { Err(Stop::Lost) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kaisatsu_model::Outcome;

    use super::{MOST_ATTEMPTS, backoff, too_few};

    #[test]
    fn all_attempts_together_take_between_half_an_hour_and_two_hours() {
        let waits: Vec<Duration> = (1..=MOST_ATTEMPTS).map(backoff).collect();
        assert!(waits.is_sorted() && waits[0] == Duration::from_secs(5));
        let all: Duration = waits.iter().sum();
        assert!(all > Duration::from_mins(30) && all < Duration::from_hours(2), "{all:?}");
    }

    #[test]
    fn half_of_the_images_have_to_be_usable() {
        let of = |usable, not_found| too_few(&[(Outcome::Fetched, usable), (Outcome::NotFound, not_found)]);
        assert_eq!((of(2, 2), of(1, 0)), (None, None));
        assert_eq!(of(1, 2).unwrap(), "1 of 3 images can be used, and at least half have to be");
        assert!(of(0, 0).is_some() && of(0, 1).is_some());
    }
}
