//! Holding back verdicts that make recognition worse.

use kaisatsu_feedback::{Judgement, ScopeKey};
use kaisatsu_model::{AppId, MOST_PER_CANDIDATE};
use kaisatsu_store::{NewReport, StoreError};
use metrics::counter;

use super::learner::Learner;
use crate::{
    engine::HELD,
    learning::{Changed, SourceKey, scope_source},
};

/// Verdicts that do harm, and have to be held back.
pub(super) struct Harmful {
    key: ScopeKey,
    /// Whose they are; `None` for those that apply to all.
    application: Option<AppId>,
    /// The recognition and the candidate of each.
    verdicts: Vec<(String, String)>,
    judgement: Judgement,
}

impl Learner {
    /// Judges the scopes in which something changed, and holds back the latest verdicts where they do harm.
    pub(super) async fn guard(&self, changed: Changed) -> Result<(), StoreError> {
        // What could not be held back the last time: it is judged already, and would not be found again.
        let mut harmful = std::mem::take(&mut *self.not_held.lock().await);
        for ((key, application), dataset) in changed {
            let cached = dataset.and_then(|id| self.datasets.peek(&id));
            let Some(learned) = self.learned.resident(&SourceKey::of(&key)) else { continue };
            let (scope, own) = (key.clone(), application.clone());
            let judging = tokio::task::spawn_blocking(move || {
                let examples = cached.as_deref().map(|set| set.examples(scope.function)).unwrap_or_default();
                [Some(&own), None].map(|whose| learned.model.find_harmful(&scope, whose, examples))
            });
            let Ok(found) = judging.await else { continue };
            for (whose, found) in [Some(application), None].into_iter().zip(found) {
                let Some((verdicts, judgement)) = found else { continue };
                harmful.push(Harmful { key: key.clone(), application: whose, verdicts, judgement });
            }
        }
        let (mut held_any, mut failed) = (false, Ok(()));
        for found in harmful {
            match self.hold(&found).await {
                Ok(held) => held_any |= held,
                Err(error) => {
                    self.not_held.lock().await.push(found);
                    failed = Err(error);
                }
            }
        }
        if held_any {
            self.learned.learn().await?;
        }
        failed
    }

    async fn hold(&self, found: &Harmful) -> Result<bool, StoreError> {
        let Harmful { key, application, verdicts, judgement } = found;
        let (function, source) = (key.function, scope_source(key));
        let Judgement { judged, better, worse } = *judgement;
        let whose = application.as_ref().map_or("all", AppId::as_str).to_owned();
        let report = NewReport {
            at: self.clock.now(),
            application: application.clone(),
            function,
            source,
            judged: judged.into(),
            better: better.into(),
            worse: worse.into(),
        };
        let held = self.store.hold_feedback(verdicts, &report, MOST_PER_CANDIDATE).await?;
        if held > 0 {
            counter!(HELD).increment(held);
            tracing::warn!(
                held,
                judged,
                better,
                worse,
                task = function.as_str(),
                model = key.model,
                application = whose,
                "feedback is held back: it makes confirmed answers wrong; `kaisatsu feedback held` lists what was"
            );
        }
        Ok(held > 0)
    }
}
