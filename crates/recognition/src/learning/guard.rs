//! Holding back verdicts that make the engine worse.

use kaisatsu_feedback::{Judgement, ScopeKey};
use kaisatsu_model::{AppId, MOST_PER_CANDIDATE};
use kaisatsu_store::{NewReport, StoreError};
use metrics::counter;

use super::follow::Touched;
use crate::Recogniser;

/// Counts verdicts that were held back.
pub(crate) const HELD: &str = "kaisatsu_feedback_held_total";

impl Recogniser {
    /// Looks at the spaces in which something changed, and holds back what came lately where it does harm.
    pub(crate) async fn guard(&self, touched: Touched) -> Result<(), StoreError> {
        let mut held_any = false;
        for ((key, application), data_set) in touched {
            let shelved = data_set.and_then(|id| self.users.shelf.peek(&id));
            let learning = std::sync::Arc::clone(&self.learning);
            let asked = (key.clone(), application.clone());
            let looked = tokio::task::spawn_blocking(move || {
                let (key, application) = asked;
                let others = shelved.as_deref().map(|set| set.examples(&key.task)).unwrap_or_default();
                [Some(&application), None].map(|scope| learning.model.find_harmful(&key, scope, others))
            });
            let Ok(found) = looked.await else { continue };
            for (scope, (verdicts, judgement)) in
                [Some(application), None].into_iter().zip(found).filter_map(|(scope, found)| Some((scope, found?)))
            {
                held_any |= self.hold(&key, scope, &verdicts, judgement).await?;
            }
        }
        if held_any {
            self.learn().await?;
        }
        Ok(())
    }

    async fn hold(
        &self,
        key: &ScopeKey,
        application: Option<AppId>,
        verdicts: &[(String, String)],
        judgement: Judgement,
    ) -> Result<bool, StoreError> {
        let Judgement { judged, better, worse } = judgement;
        let whose = application.as_ref().map_or("all", AppId::as_str).to_owned();
        let report = NewReport {
            at: self.keeping.now(),
            application,
            task: key.task.clone(),
            model: key.model.clone(),
            judged: judged.into(),
            better: better.into(),
            worse: worse.into(),
        };
        let held = self.keeping.store.hold_feedback(verdicts, &report, MOST_PER_CANDIDATE).await?;
        if held > 0 {
            counter!(HELD).increment(held);
            tracing::warn!(
                held,
                judged,
                better,
                worse,
                task = key.task,
                model = key.model,
                application = whose,
                "feedback is held back: it makes confirmed answers wrong; `kaisatsu feedback held` lists what was"
            );
        }
        Ok(held > 0)
    }
}
