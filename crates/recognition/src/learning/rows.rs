//! How the classes of a head score on exemplars, so that it is worked out once for each.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use kaisatsu_feedback::{SAMPLE_SIZE, SampledExemplar, ScopeKey};
use kaisatsu_vision::probe::Probe;

/// Rows of scores by exemplar, for each space and each head that it had.
#[derive(Default)]
pub(super) struct Rows(Mutex<HashMap<ScopeKey, Kept>>);

#[derive(Default)]
struct Kept {
    /// Which head: a dataset that was built again has another.
    version: i64,
    rows: HashMap<Arc<str>, Arc<[f32]>>,
}

impl Rows {
    /// The scores of every class on each of the exemplars.
    pub(super) fn of(&self, key: &ScopeKey, version: i64, head: &Probe, sample: &[SampledExemplar]) -> Vec<Arc<[f32]>> {
        let found: Vec<Option<Arc<[f32]>>> = {
            let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = all.get(key).filter(|kept| kept.version == version);
            sample.iter().map(|sampled| kept?.rows.get(&sampled.key).cloned()).collect()
        };
        let missing = found.iter().any(Option::is_none);
        let row = |(row, sampled): (Option<Arc<[f32]>>, &SampledExemplar)| {
            row.unwrap_or_else(|| head.scores(&sampled.vector.dequantise()).into())
        };
        let rows: Vec<Arc<[f32]>> = found.into_iter().zip(sample).map(row).collect();
        if missing {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = all.entry(key.clone()).or_default();
            // Several applications have several samples; what is not asked for any more goes now and then.
            if kept.version != version || kept.rows.len() > 8 * SAMPLE_SIZE {
                *kept = Kept { version, rows: HashMap::new() };
            }
            kept.rows.extend(sample.iter().map(|sampled| Arc::clone(&sampled.key)).zip(rows.iter().cloned()));
        }
        rows
    }

    pub(super) fn forget(&self, model: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|key, _| key.model != model);
    }
}
