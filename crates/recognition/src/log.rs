//! The log of recognitions: each is saved before its caller gets the answer, so that feedback can name it.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use kaisatsu_model::{AppId, Clock, Function, ItemId, RecognitionId, Source};
use kaisatsu_store::{NewRecognition, ScoreAdjustment, Store, StoreError, StoredCandidate};

/// How many expired recognitions one statement deletes, so that no statement holds the database for long.
const BATCH: i64 = 500;

/// Where recognitions are saved, and for how long.
pub(crate) struct RecognitionLog {
    store: Store,
    clock: Arc<dyn Clock>,
    retention: Duration,
    images: bool,
}

/// A saved recognition: its id, and its candidates with theirs.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved<T> {
    /// The id of the recognition.
    pub id: RecognitionId,
    /// The candidates, best first.
    pub candidates: Vec<(ItemId, T)>,
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
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>, retention: Duration, images: bool) -> Self {
        Self { store, clock, retention, images }
    }

    /// Gives every candidate an id and saves all of them in one transaction.
    pub(crate) async fn save<T: Candidate>(
        &self,
        entry: Entry,
        found: Vec<Adjusted<T>>,
    ) -> Result<Saved<T>, StoreError> {
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
            expires_at: now.after(self.retention),
            items,
            engine: entry.weights,
            vector: entry.descriptor,
            picture: entry.image.filter(|_| self.images).map(|image| image.to_vec()),
        };
        self.store.save_recognition(recognition).await?;
        Ok(Saved { id, candidates })
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

/// Random bytes. Without them no id can be made, and a server whose system has none cannot go on.
#[allow(clippy::panic, reason = "a system without randomness is broken beyond what a caller can be told")]
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if let Err(error) = getrandom::fill(&mut bytes) {
        panic!("the system gives no random bytes: {error}");
    }
    bytes
}
