//! A cache of how the classes of a classifier score on exemplars, so that each is computed once.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use kaisatsu_feedback::{SAMPLE_SIZE, SampledExemplar, ScopeKey};
use kaisatsu_vision::probe::Probe;

/// What a row takes beside its scores: its place in the table, and the headers of the row and of its key.
const ROW: usize = 128;

/// Rows of scores by exemplar, for each scope.
#[derive(Default)]
pub(super) struct ScoreCache(Mutex<HashMap<ScopeKey, Scores>>);

#[derive(Default)]
struct Scores {
    /// The version of the classifier: a dataset that was built again has another.
    version: i64,
    rows: HashMap<Arc<str>, Arc<[f32]>>,
}

impl ScoreCache {
    /// The scores of every class on each of the exemplars.
    pub(super) fn of(
        &self,
        key: &ScopeKey,
        version: i64,
        probe: &Probe,
        sample: &[SampledExemplar],
    ) -> Vec<Arc<[f32]>> {
        let found: Vec<Option<Arc<[f32]>>> = {
            let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let cached = all.get(key).filter(|cached| cached.version == version);
            sample.iter().map(|sampled| cached?.rows.get(&sampled.key).cloned()).collect()
        };
        let missing = found.iter().any(Option::is_none);
        let row = |(row, sampled): (Option<Arc<[f32]>>, &SampledExemplar)| {
            row.unwrap_or_else(|| probe.scores(&sampled.vector.dequantise()).into())
        };
        let rows: Vec<Arc<[f32]>> = found.into_iter().zip(sample).map(row).collect();
        if missing {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let cached = all.entry(key.clone()).or_default();
            // Applications have different samples; what is not asked for any more is dropped now and then.
            if cached.version != version || cached.rows.len() > 8 * SAMPLE_SIZE {
                *cached = Scores { version, rows: HashMap::new() };
            }
            cached.rows.extend(sample.iter().map(|sampled| Arc::clone(&sampled.key)).zip(rows.iter().cloned()));
        }
        rows
    }

    /// The memory that the rows take, estimated. Those of one scope are of one length.
    pub(super) fn bytes(&self) -> usize {
        let row = |scores: &Scores| scores.rows.values().next().map_or(0, |row| ROW + row.len() * size_of::<f32>());
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().map(|scores| scores.rows.len() * row(scores)).sum()
    }
}
