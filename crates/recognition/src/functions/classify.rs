//! Category recognition with a model. With a user's dataset: see `datasets::recognise`.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_model::{AppId, Function, Position, Source};
use kaisatsu_vision::{
    ClassScore, Classification, Picture, RuntimeError, Vocabulary, Worker, decode,
    instances::Facts,
    manifest::{Extended, Task},
    probe::Probe,
    registry::Model,
};

use crate::{
    RecognitionError, Saved,
    context::Context,
    engine::{
        DECODE, EngineQueue, FEEDBACK, INFERENCE, Models, Workload, default_model, extended, network, not_loaded,
        scored_by, timed,
    },
    learning::{Adjustment, LearnedFeedback},
    log::{Candidate, Entry, RecognitionLog},
};

const FUNCTION: Function = Function::Classify;
const WORKLOAD: Workload = Workload::Function(FUNCTION);

/// Category recognition.
pub struct Classify {
    models: Models,
    pub(super) engine: Arc<EngineQueue>,
    pub(super) learned: Arc<LearnedFeedback>,
    pub(super) log: Arc<RecognitionLog>,
    /// Whether the position in a picture's EXIF data may be used.
    pub(super) exif_position: bool,
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
    /// Where the image was taken, for models of things that have a place.
    pub taken_at: Option<Position>,
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
    /// What else is known of it, if it is a single thing.
    pub facts: Option<Arc<Facts>>,
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
            exif_position: context.exif_position,
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
        if let Some(things) = model.instances.clone() {
            return self.find_instances(application, image, request, &model, things).await;
        }
        // What is learned of a view's classes is learned of them in the model that it is a view of, and the other way
        // round.
        let (weights, source) = (model.weights.clone(), Source::Model(scored_by(&model).to_owned()));
        let query = self.learned.query_if_possible(&self.log, application, FUNCTION, &source, &weights).await?;
        let (bounds, most, input, network_of) = (self.engine.bounds(), request.most, image.clone(), model.clone());
        let work = move |worker: &mut Worker| {
            let model = network_of;
            let (base, missing) = (network(&model), || not_loaded(&model.manifest.about.name));
            let mut wanted = worker.short_side(base).ok_or_else(missing)?;
            let other = extended(&model);
            if let Some(other) = other {
                wanted = wanted.max(worker.short_side(&other.model).ok_or_else(missing)?);
            }
            if let Some(gate) = &model.gate {
                wanted = wanted.max(worker.short_side(&gate.rule.model).ok_or_else(missing)?);
            }
            let decoded = timed(DECODE, WORKLOAD, || decode(&input, bounds, Some(wanted)))?;
            let embedded = |vector| Classification { scores: Vec::new(), embedding: Some(vector) };
            let seen = timed(INFERENCE, WORKLOAD, || match (&model.probe, other) {
                (None, _) => classified(worker, base, &model, &decoded.picture),
                (Some(_), None) => worker.embed(base, &decoded.picture).map(|vector| vector.map(embedded)),
                (Some(probe), Some(other)) => beside(worker, (base, probe), other, &model, &decoded.picture),
            });
            let seen = seen.ok_or_else(missing)?.map_err(|error| RecognitionError::Failed(error.to_string()))?;
            let rules = worker
                .classifier(other.map_or(base, |extended| &extended.model))
                .map(|(one, _)| (one.is_exclusive(), one.none_below()));
            let descriptor = seen.embedding.as_deref().unwrap_or_default();
            let id = |class| model.labels.as_deref()?.get(class).map(|label| label.id.as_str());
            let (base, after, adjustment, none_below) =
                timed(FEEDBACK, WORKLOAD, || match model.probe.as_ref().filter(|_| other.is_none()) {
                    None => {
                        let (shares, none_below) = rules.unwrap_or_default();
                        let adjusted = vocabulary(&model)
                            .map(|known| query.adjust_classes(descriptor, &seen.scores, shares, known));
                        let (after, adjustment) =
                            adjusted.unwrap_or_else(|| (seen.scores.clone(), Adjustment::default()));
                        (seen.scores.clone(), after, adjustment, none_below)
                    }
                    Some(probe) => {
                        let adjusted = query.adjust_trained(0, probe, descriptor, id);
                        let (base, after, adjustment) = adjusted.unwrap_or_default();
                        (base, after, adjustment, 0.0)
                    }
                });
            let candidates = vocabulary(&model).map(|known| known.candidates(&after, most, none_below));
            Ok((candidates.unwrap_or_default(), base, adjustment, seen.embedding))
        };
        let (classes, base, adjustment, descriptor) = self.engine.run(FUNCTION, work).await?;
        let adjusted = |scored: &ClassScore| {
            let category = category(vocabulary(&model)?, *scored, &request.language)?;
            let (id, score) = (category.id.clone(), category.score);
            // The score of a group is a sum, and feedback has moved its parts.
            Some(adjustment.explain(category, &id, base.get(scored.class).copied().unwrap_or(score)))
        };
        let categories = classes.iter().filter_map(adjusted).collect();
        let application = application.clone();
        let entry = Entry { application, function: FUNCTION, source, weights, descriptor, image: Some(image) };
        Ok(self.log.save_if_possible(entry, categories).await?)
    }
}

/// The scores of a picture by a model's network. What its gate says to be nothing of its vocabulary goes to the class
/// that stands for that.
fn classified(
    worker: &mut Worker,
    name: &str,
    model: &Model,
    picture: &Picture,
) -> Option<Result<Classification, RuntimeError>> {
    let (classifier, resizer) = worker.classifier(name)?;
    let mut seen = match classifier.classify(resizer, picture) {
        Ok(seen) => seen,
        Err(error) => return Some(Err(error)),
    };
    // Classes that were taught beside those of the network come before them.
    let taught = model.labels.as_ref()?.len().saturating_sub(seen.scores.len());
    let none = vocabulary(model)?.none().first().and_then(|none| none.checked_sub(taught));
    let Some((gate, none)) = model.gate.as_ref().zip(none) else { return Some(Ok(seen)) };
    let (classifier, resizer) = worker.classifier(&gate.rule.model)?;
    let other = match classifier.classify(resizer, picture) {
        Ok(other) => other,
        Err(error) => return Some(Err(error)),
    };
    let sum = gate.classes.iter().filter_map(|class| other.scores.get(*class)).sum();
    let probability = gate.rule.probability(sum);
    for score in &mut seen.scores {
        *score *= probability;
    }
    if let Some(rest) = seen.scores.get_mut(none) {
        *rest += 1.0 - probability;
    }
    Some(Ok(seen))
}

/// The shares of taught classes, and behind them the scores of the classifier that they extend: each as far as the
/// picture is likely to be of its part.
fn beside(
    worker: &mut Worker,
    (base, probe): (&str, &Probe),
    extended: &Extended,
    model: &Model,
    picture: &Picture,
) -> Option<Result<Classification, RuntimeError>> {
    let (vector, others) = match (worker.embed(base, picture)?, classified(worker, &extended.model, model, picture)?) {
        (Ok(vector), Ok(others)) => (vector, others),
        (Err(error), _) | (_, Err(error)) => return Some(Err(error)),
    };
    let own = probe.ownership(&vector, extended.typical);
    let shares = probe.shares(&probe.scores(&vector)).into_iter().map(|share| own * share);
    let scores = shares.chain(others.scores.iter().map(|score| (1.0 - own) * score)).collect();
    Some(Ok(Classification { scores, embedding: Some(vector) }))
}

fn vocabulary(model: &Model) -> Option<&Vocabulary> {
    model.vocabulary.as_ref()
}

fn category(vocabulary: &Vocabulary, scored: ClassScore, language: &str) -> Option<Category> {
    let (label, name) = vocabulary.name(scored.class, language)?;
    Some(Category { id: label.id.clone(), name: name.to_owned(), score: scored.score, facts: None })
}
