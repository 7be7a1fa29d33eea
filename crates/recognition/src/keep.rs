//! Keeping what was recognised, before the caller hears of it.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use kaisatsu_model::{AppId, Clock, DataSetId, ItemId, RecognitionId, Timestamp};
use kaisatsu_store::{KeptItem, NewRecognition, Store, StoreError};

use crate::learning::Weighed;

/// How many expired recognitions are forgotten in one statement, so that no statement holds the database for long.
const AT_ONCE: i64 = 500;

/// Where recognitions are kept, and for how long.
pub struct Keeping {
    pub(crate) store: Store,
    clock: Arc<dyn Clock>,
    span: Duration,
    pictures: bool,
}

/// A recognition that is kept: its id, and its candidates with theirs.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept<T> {
    /// The id of the recognition.
    pub id: RecognitionId,
    /// The candidates, best first.
    pub candidates: Vec<(ItemId, T)>,
}

/// What is to be kept of a candidate.
pub(crate) trait Candidate {
    /// What it stands for, for feedback.
    fn subject(&self) -> &str;
    /// What people read.
    fn name(&self) -> &str;
    /// How sure the engine is.
    fn score(&self) -> f32;
}

/// What is to be kept beside the candidates.
pub(crate) struct Facts {
    pub(crate) application: AppId,
    pub(crate) task: &'static str,
    pub(crate) model: String,
    /// The dataset that was looked into, if it was one.
    pub(crate) data_set: Option<DataSetId>,
    /// What the engine saw, for feedback.
    pub(crate) looks: Looks,
    pub(crate) picture: Bytes,
}

/// What the engine saw: vectors that feedback is remembered by, and the hash of the weights that made them.
pub(crate) struct Looks {
    pub(crate) engine: String,
    /// One vector of the picture, or one for each candidate, one after the other.
    pub(crate) vector: Option<Vec<f32>>,
}

impl Keeping {
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>, span: Duration, pictures: bool) -> Self {
        Self { store, clock, span, pictures }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Gives every candidate an id and keeps all of it in one transaction.
    pub(crate) async fn keep<T: Candidate>(&self, facts: Facts, found: Vec<Weighed<T>>) -> Result<Kept<T>, StoreError> {
        let now = self.now();
        let id = RecognitionId::from_random(random());
        let mut items = Vec::with_capacity(found.len());
        let mut candidates = Vec::with_capacity(found.len());
        for Weighed { candidate, base, moved } in found {
            let (item, score) = (ItemId::from_random(random()), candidate.score());
            items.push(KeptItem {
                id: item.as_str().to_owned(),
                subject: candidate.subject().to_owned(),
                name: candidate.name().to_owned(),
                score,
                base: (base.to_bits() != score.to_bits()).then_some(base),
                moved,
            });
            candidates.push((item, candidate));
        }
        let recognition = NewRecognition {
            id: id.clone(),
            application: facts.application,
            task: facts.task,
            model: facts.model,
            data_set: facts.data_set,
            created_at: now,
            expires_at: now.after(self.span),
            items,
            engine: facts.looks.engine,
            vector: facts.looks.vector,
            picture: self.pictures.then(|| facts.picture.to_vec()),
        };
        self.store.save_recognition(recognition).await?;
        Ok(Kept { id, candidates })
    }

    /// Forgets what is over its time.
    pub(crate) async fn forget(&self) -> Result<u64, StoreError> {
        let mut gone = 0;
        loop {
            let now = self.store.forget_recognitions(self.now(), AT_ONCE).await?;
            gone += now;
            if now < AT_ONCE.unsigned_abs() {
                return Ok(gone);
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
