//! Category recognition with a model. With a user's dataset: see `datasets::recognise`.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_model::{AppId, Function, Source};
use kaisatsu_vision::{ClassScore, Classification, Labels, Worker, best, decode, manifest::Task};

use crate::{
    RecognitionError, Saved,
    context::Context,
    engine::{
        DECODE, EngineQueue, FEEDBACK, INFERENCE, Models, Workload, default_model, network, not_loaded, timed, weights,
    },
    learning::{FeedbackQuery, LearnedFeedback},
    log::{Candidate, Entry, RecognitionLog},
};

const FUNCTION: Function = Function::Classify;
const WORKLOAD: Workload = Workload::Function(FUNCTION);

/// Category recognition.
pub struct Classify {
    models: Models,
    engine: Arc<EngineQueue>,
    learned: Arc<LearnedFeedback>,
    log: Arc<RecognitionLog>,
}

/// What a caller asks for.
#[derive(Debug, Clone)]
pub struct ClassifyRequest {
    /// The model; `None` for the default one.
    pub model: Option<String>,
    /// The most candidates.
    pub most: usize,
    /// The language of the names, where a model has several.
    pub language: String,
}

/// A category that the image may belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct Category {
    /// What identifies it.
    pub id: String,
    /// Its name in the language that was asked for.
    pub name: String,
    /// 0 to 1.
    pub score: f32,
}

impl Candidate for Category {
    fn subject(&self) -> &str {
        &self.id
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn score(&self) -> f32 {
        self.score
    }
}

impl Classify {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            models: context.models.clone(),
            engine: Arc::clone(&context.engine),
            learned: Arc::clone(&context.learned),
            log: Arc::clone(&context.log),
        }
    }

    /// Finds the categories that an image belongs to, and saves them.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn run(
        &self,
        application: &AppId,
        image: Bytes,
        request: ClassifyRequest,
    ) -> Result<Saved<Category>, RecognitionError> {
        let name = request.model.as_deref().unwrap_or(default_model(Task::Classify));
        let model = self.models.find(name, Task::Classify)?;
        let (weights, source) = (weights(&model), Source::Model(name.to_owned()));
        let query = FeedbackQuery::new(application, FUNCTION, &source, &weights);
        let (bounds, most, input, network_of) = (self.engine.bounds(), request.most, image.clone(), model.clone());
        let learned = Arc::clone(&self.learned);
        let work = move |worker: &mut Worker| {
            let model = network_of;
            let (base, missing) = (network(&model), || not_loaded(&model.manifest.about.name));
            let wanted = worker.short_side(base).ok_or_else(missing)?;
            let decoded = timed(DECODE, WORKLOAD, || decode(&input, bounds, Some(wanted)))?;
            let embedded = |vector| Classification { scores: Vec::new(), embedding: Some(vector) };
            let seen = timed(INFERENCE, WORKLOAD, || match &model.probe {
                None => worker.classifier(base).map(|(one, resizer)| one.classify(resizer, &decoded.picture)),
                Some(_) => worker.embed(base, &decoded.picture).map(|vector| vector.map(embedded)),
            });
            let seen = seen.ok_or_else(missing)?.map_err(|error| RecognitionError::Failed(error.to_string()))?;
            let rules = worker.classifier(base).map(|(one, _)| (one.is_exclusive(), one.none_below()));
            let descriptor = seen.embedding.as_deref().unwrap_or_default();
            let id = |class| model.labels.as_deref()?.get(class).map(|label| label.id.as_str());
            let (base, after, adjustment, none_below) = timed(FEEDBACK, WORKLOAD, || match &model.probe {
                None => {
                    let (shares, none_below) = rules.unwrap_or_default();
                    let (after, adjustment) = learned.adjust_classes(&query, descriptor, &seen.scores, shares, id);
                    (seen.scores.clone(), after, adjustment, none_below)
                }
                Some(probe) => {
                    let adjusted = learned.adjust_trained(&query, 0, probe, descriptor, id);
                    let (base, after, adjustment) = adjusted.unwrap_or_default();
                    (base, after, adjustment, 0.0)
                }
            });
            Ok((best(&after, most, none_below), base, adjustment, seen.embedding))
        };
        let (classes, base, adjustment, descriptor) = self.engine.run(FUNCTION, work).await?;
        let adjusted = |scored: &ClassScore| {
            let category = category(model.labels.as_deref()?, *scored, &request.language)?;
            let id = category.id.clone();
            Some(adjustment.explain(category, &id, base.get(scored.class).copied()?))
        };
        let categories = classes.iter().filter_map(adjusted).collect();
        let application = application.clone();
        let entry = Entry { application, function: FUNCTION, source, weights, descriptor, image };
        Ok(self.log.save(entry, categories).await?)
    }
}

fn category(labels: &Labels, scored: ClassScore, language: &str) -> Option<Category> {
    let label = labels.get(scored.class)?;
    Some(Category { id: label.id.clone(), name: labels.name(label, language).to_owned(), score: scored.score })
}
