//! What feedback has taught the engine: the memory, how it follows the database, and how it moves scores.
//!
//! A recognition asks the memory on the thread that looked at the picture. Where no verdict is in force for the caller,
//! nothing is touched: the answer has the bits it would have without feedback.

mod follow;
mod guard;
mod moves;
mod rows;

use std::sync::atomic::AtomicBool;

use kaisatsu_feedback::{FeedbackModel, ScopeKey};
use kaisatsu_model::AppId;
use kaisatsu_vision::{manifest::Parts, registry::Model};
use tokio::sync::Mutex;

pub(crate) use guard::HELD;
pub(crate) use moves::{Moves, Weighed};
use rows::Rows;

/// The memory, and how far the database has been followed.
pub(crate) struct Learning {
    pub(crate) model: FeedbackModel,
    rows: Rows,
    loaded: AtomicBool,
    place: Mutex<follow::Place>,
}

impl Learning {
    /// Verdicts act for all when `quorum` applications agree.
    pub(crate) fn new(quorum: usize) -> Self {
        Self {
            model: FeedbackModel::new(quorum),
            rows: Rows::default(),
            loaded: AtomicBool::new(false),
            place: Mutex::default(),
        }
    }

    /// Forgets what was learned of a dataset.
    pub(crate) fn forget(&self, model: &str) {
        self.model.forget(model);
        self.rows.forget(model);
    }
}

/// What makes the vectors of a model: the hash of its network, or of the network it was taught on.
pub(crate) fn engine_of(model: &Model) -> String {
    match &model.manifest.parts {
        Parts::Probe(parts) => parts.probe.base_sha256.clone(),
        _ => model.manifest.files().first().map(|(_, sha256)| (*sha256).to_owned()).unwrap_or_default(),
    }
}

/// Who asks, of what, and with which vectors.
#[derive(Debug, Clone)]
pub(crate) struct Asking {
    pub(crate) application: AppId,
    pub(crate) scope: ScopeKey,
}

impl Asking {
    pub(crate) fn new(application: &AppId, task: &str, model: &str, engine: &str) -> Self {
        Self { application: application.clone(), scope: scope(task, model, engine, "") }
    }
}

/// The scope of a task's candidates. Where each candidate has a vector of its own, each kind has its own scope.
fn scope(task: &str, model: &str, engine: &str, class: &str) -> ScopeKey {
    // One catalogue, whichever part of it was asked for.
    let model = if task == crate::recognize::TASK { "" } else { model };
    let own = |text: &str| text.to_owned();
    ScopeKey { task: own(task), model: own(model), engine: own(engine), class: own(class) }
}
