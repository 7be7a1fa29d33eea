//! Holding back verdicts that make recognition worse.

use kaisatsu_feedback::{Judgement, ScopeKey};
use kaisatsu_model::{AppId, MOST_PER_CANDIDATE, Timestamp};
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
    /// When they were judged: a verdict that replaces one of them later is not held.
    judged_at: Timestamp,
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
            let judged_at = self.clock.now();
            let judging = tokio::task::spawn_blocking(move || {
                let examples = cached.as_deref().map(|set| set.examples(scope.function)).unwrap_or_default();
                [Some(&own), None].map(|whose| learned.model.find_harmful(&scope, whose, examples))
            });
            let Ok(found) = judging.await else { continue };
            for (whose, found) in [Some(application), None].into_iter().zip(found) {
                let Some((verdicts, judgement)) = found else { continue };
                harmful.push(Harmful { key: key.clone(), application: whose, verdicts, judgement, judged_at });
            }
        }
        let mut held_any = false;
        for found in harmful {
            match self.hold(&found).await {
                Ok(held) => held_any |= held,
                Err(error) => {
                    tracing::warn!(%error, "feedback that makes answers wrong could not be held back; it is tried again");
                    self.not_held.lock().await.push(found);
                }
            }
        }
        if held_any {
            self.learned.learn().await?;
        }
        Ok(())
    }

    async fn hold(&self, found: &Harmful) -> Result<bool, StoreError> {
        let Harmful { key, application, verdicts, judgement, judged_at } = found;
        let (function, source) = (key.function, scope_source(key));
        let Judgement { judged, better, worse } = *judgement;
        let whose = application.as_ref().map_or("all", AppId::as_str).to_owned();
        let report = NewReport {
            at: *judged_at,
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

#[cfg(test)]
mod tests {
    use kaisatsu_feedback::{Judgement, ScopeKey};
    use kaisatsu_model::{Function, ItemId, RecognitionId};

    use super::{super::learner::Learner, Harmful};
    use crate::{fixture::Fixture, learning::Changed};

    #[tokio::test]
    async fn verdicts_that_could_not_be_held_back_are_held_back_when_the_database_is_back() {
        let fixture = Fixture::new().await;
        fixture.rate(1).await;
        let learner = Learner::new(&fixture.context);
        let key = ScopeKey {
            function: Function::Classify,
            model: "general".to_owned(),
            engine: "e".to_owned(),
            class: String::new(),
        };
        let (recognition, item) = (RecognitionId::from_random([1; 16]), ItemId::from_random([1; 10]));
        learner.not_held.lock().await.push(Harmful {
            key,
            application: Some(fixture.user.application.clone()),
            verdicts: vec![(recognition.as_str().to_owned(), item.as_str().to_owned())],
            judgement: Judgement { judged: 20, better: 0, worse: 9 },
            judged_at: fixture.context.clock.now(),
        });
        fixture.database.run("ALTER TABLE feedback_report RENAME TO elsewhere");
        learner.guard(Changed::new()).await.unwrap();
        fixture.database.run("ALTER TABLE elsewhere RENAME TO feedback_report");
        let held = async || -> i64 {
            fixture.store.feedback_reports(10).await.unwrap().iter().map(|report| report.held).sum()
        };
        assert_eq!(held().await, 0);
        for _ in 0..2 {
            learner.guard(Changed::new()).await.unwrap();
            assert_eq!(held().await, 1);
        }
        assert!(learner.not_held.lock().await.is_empty());
    }
}
