//! The log of recognitions: each is saved before its caller gets the answer, so that feedback can name it. Where the
//! operator allows it, what needs no database is also answered while it is away, and not saved.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use kaisatsu_model::{AppId, Clock, Function, ItemId, RecognitionId, Source};
use kaisatsu_store::{NewRecognition, ScoreAdjustment, Store, StoreError, StoredCandidate};

use crate::engine::UNSAVED;

/// How many expired recognitions one statement deletes, so that no statement holds the database for long.
const BATCH: i64 = 500;

/// How long a recognition that may be answered without it waits for the database.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a database that is away is tried.
const AWAY: Duration = Duration::from_secs(2);

/// Where recognitions are saved, and for how long.
pub(crate) struct RecognitionLog {
    store: Store,
    clock: Arc<dyn Clock>,
    settings: LogSettings,
    /// When a database that is away is tried again, in microseconds of the clock's ticks; 0 while it answers.
    try_at: AtomicU64,
}

/// What the operator decides about the log.
pub(crate) struct LogSettings {
    /// How long recognitions are saved.
    pub(crate) retention: Duration,
    /// Whether images are saved with them.
    pub(crate) images: bool,
    /// Whether what needs no database is answered without it.
    pub(crate) unsaved: bool,
}

/// A recognition as it is answered: its id, and its candidates with theirs.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved<T> {
    /// The id of the recognition.
    pub id: RecognitionId,
    /// The candidates, best first.
    pub candidates: Vec<(ItemId, T)>,
    /// Whether it is saved. Feedback cannot name one that is not.
    pub is_saved: bool,
}

/// What is saved of a candidate.
pub(crate) trait Candidate {
    /// What it stands for, for feedback.
    fn subject(&self) -> &str;
    /// Its name for people.
    fn name(&self) -> &str;
    /// Its score, after feedback.
    fn score(&self) -> f32;
}

/// A candidate, and what feedback did to its score.
pub(crate) struct Adjusted<T> {
    pub(crate) candidate: T,
    /// The score before feedback.
    pub(crate) base: f32,
    /// The verdicts that changed it.
    pub(crate) pushes: Vec<ScoreAdjustment>,
}

/// What is saved beside the candidates.
pub(crate) struct Entry {
    pub(crate) application: AppId,
    pub(crate) function: Function,
    pub(crate) source: Source,
    /// The hash of the weights that made the descriptor.
    pub(crate) weights: String,
    /// One vector of the image, or one for each candidate, one after the other. Feedback is learned by it.
    pub(crate) descriptor: Option<Vec<f32>>,
    /// The image, if it was one that was sent.
    pub(crate) image: Option<Bytes>,
}

impl RecognitionLog {
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>, settings: LogSettings) -> Self {
        Self { store, clock, settings, try_at: AtomicU64::new(0) }
    }

    /// Gives every candidate an id and saves all of them in one transaction.
    pub(crate) async fn save<T: Candidate>(
        &self,
        entry: Entry,
        found: Vec<Adjusted<T>>,
    ) -> Result<Saved<T>, StoreError> {
        let (recognition, saved) = self.compose(entry, found);
        self.store.save_recognition(recognition).await?;
        Ok(saved)
    }

    /// The same for a recognition that nothing in the database was needed for. While the database is away it is not
    /// saved, where the operator allows that.
    pub(crate) async fn save_if_possible<T: Candidate>(
        &self,
        entry: Entry,
        found: Vec<Adjusted<T>>,
    ) -> Result<Saved<T>, StoreError> {
        if !self.settings.unsaved {
            return self.save(entry, found).await;
        }
        let (recognition, saved) = self.compose(entry, found);
        if self.may_try() {
            match tokio::time::timeout(PATIENCE, self.store.save_recognition(recognition)).await {
                Ok(Ok(())) => {
                    self.try_at.store(0, Ordering::Relaxed);
                    return Ok(saved);
                }
                // The application has been deleted.
                Ok(Err(error @ StoreError::NotFound(_))) => return Err(error),
                Ok(Err(error)) => self.note_away(&error),
                Err(_) => self.note_away(&StoreError::TimedOut),
            }
        }
        metrics::counter!(UNSAVED).increment(1);
        Ok(Saved { is_saved: false, ..saved })
    }

    /// What a recognition needs of the database that may be answered without it; `None` while that is away.
    pub(crate) async fn unless_away<T>(
        &self,
        needed: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<Option<T>, StoreError> {
        if !self.settings.unsaved {
            return needed.await.map(Some);
        }
        if !self.may_try() {
            return Ok(None);
        }
        // The database is tried with something short, since what is needed may take longer than one that is away is
        // waited for.
        let got = match tokio::time::timeout(PATIENCE, self.store.feedback_revision()).await {
            Ok(Ok(_)) => needed.await,
            Ok(Err(error)) => Err(error),
            Err(_) => Err(StoreError::TimedOut),
        };
        match got {
            Ok(value) => {
                self.try_at.store(0, Ordering::Relaxed);
                Ok(Some(value))
            }
            Err(error @ (StoreError::NotFound(_) | StoreError::Conflict(_) | StoreError::Damaged(_))) => Err(error),
            Err(error) => {
                self.note_away(&error);
                Ok(None)
            }
        }
    }

    /// Whether the database is to be tried: while it answers always, and else by one request at a time.
    fn may_try(&self) -> bool {
        let (at, now) = (self.try_at.load(Ordering::Relaxed), self.clock.ticks());
        let next = micros(now + AWAY);
        at == 0
            || at <= micros(now) && self.try_at.compare_exchange(at, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn note_away(&self, error: &StoreError) {
        let next = micros(self.clock.ticks() + AWAY);
        if self.try_at.swap(next, Ordering::Relaxed) == 0 {
            tracing::warn!(%error, "recognitions are answered and not saved until the database can be written again");
        }
    }

    /// The row of a recognition, and what is answered of it.
    fn compose<T: Candidate>(&self, entry: Entry, found: Vec<Adjusted<T>>) -> (NewRecognition, Saved<T>) {
        let now = self.clock.now();
        let id = RecognitionId::from_random(random());
        let mut items = Vec::with_capacity(found.len());
        let mut candidates = Vec::with_capacity(found.len());
        for Adjusted { candidate, base, pushes } in found {
            let (item, score) = (ItemId::from_random(random()), candidate.score());
            items.push(StoredCandidate {
                id: item.as_str().to_owned(),
                subject: candidate.subject().to_owned(),
                name: candidate.name().to_owned(),
                score,
                base: (base.to_bits() != score.to_bits()).then_some(base),
                moved: pushes,
            });
            candidates.push((item, candidate));
        }
        let recognition = NewRecognition {
            id: id.clone(),
            application: entry.application,
            function: entry.function,
            source: entry.source,
            created_at: now,
            expires_at: now.after(self.settings.retention),
            items,
            engine: entry.weights,
            vector: entry.descriptor,
            picture: entry.image.filter(|_| self.settings.images).map(|image| image.to_vec()),
        };
        (recognition, Saved { id, candidates, is_saved: true })
    }

    /// Deletes expired recognitions; how many.
    pub(crate) async fn expire(&self) -> Result<u64, StoreError> {
        let mut deleted = 0;
        loop {
            let batch = self.store.delete_expired_recognitions(self.clock.now(), BATCH).await?;
            deleted += batch;
            if batch < BATCH.unsigned_abs() {
                return Ok(deleted);
            }
        }
    }
}

fn micros(ticks: Duration) -> u64 {
    u64::try_from(ticks.as_micros()).unwrap_or(u64::MAX)
}

/// Random bytes. Without them no id can be made, and a server whose system has none cannot go on.
#[allow(clippy::panic, reason = "a system without randomness is broken beyond what a caller can be told")]
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if let Err(error) = getrandom::fill(&mut bytes) {
        panic!("the system gives no random bytes: {error}");
    }
    bytes
}
