//! Category recognition with a model. With a user's dataset: see `datasets::recognise`.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_model::AppId;
use kaisatsu_vision::{
    ClassScore, Classification, Labels, Worker, best, decode,
    manifest::{Parts, Task},
    registry::Model,
};

use crate::{
    Kept, Recogniser, RecognitionError,
    error::NOT_LOADED,
    keep::{Candidate, Facts, Looks},
    learning::{Asking, engine_of},
    recogniser::default_of,
    slots::{DECODE, INFERENCE, REMEMBER, timed},
};

pub(crate) const TASK: &str = "classify";

/// What a caller asks for.
#[derive(Debug, Clone)]
pub struct ClassifyAsk {
    /// The model; `None` for the default one.
    pub model: Option<String>,
    /// The most candidates.
    pub most: usize,
    /// The language of the tags, where a model has several.
    pub language: String,
}

/// A category that the picture may be of.
#[derive(Debug, Clone, PartialEq)]
pub struct Tag {
    /// What identifies it.
    pub id: String,
    /// Its name in the language that was asked for.
    pub name: String,
    /// 0 to 1.
    pub score: f32,
}

impl Candidate for Tag {
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

impl Recogniser {
    /// Says which categories a picture is of, and keeps that.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn classify(
        &self,
        application: &AppId,
        image: Bytes,
        ask: ClassifyAsk,
    ) -> Result<Kept<Tag>, RecognitionError> {
        let name = ask.model.as_deref().unwrap_or(default_of(Task::Classify));
        let model = self.model(name, Task::Classify)?;
        let engine = engine_of(&model);
        let asking = Asking::new(application, TASK, name, &engine);
        let (bounds, most, looked_at, subject) = (self.bounds, ask.most, image.clone(), model.clone());
        let learning = Arc::clone(&self.learning);
        let look = move |worker: &mut Worker| {
            let (classifier, resizer) =
                worker.classifier(network(&subject)).ok_or_else(|| gone(&subject.manifest.about.name))?;
            let wanted = Some(classifier.short_side());
            let decoded = timed(DECODE, TASK, || decode(&looked_at, bounds, wanted))?;
            let seen = timed(INFERENCE, TASK, || match &subject.probe {
                None => classifier.classify(resizer, &decoded.picture),
                Some(_) => classifier
                    .embed(resizer, &decoded.picture)
                    .map(|vector| Classification { scores: Vec::new(), embedding: Some(vector) }),
            });
            let seen = seen.map_err(|error| RecognitionError::Failed(error.to_string()))?;
            let look = seen.embedding.as_deref().unwrap_or_default();
            let id = |class| subject.labels.as_deref()?.get(class).map(|label| label.id.as_str());
            let (base, after, moves, none_below) = timed(REMEMBER, TASK, || match &subject.probe {
                None => {
                    let (after, moves) =
                        learning.move_classes(&asking, look, &seen.scores, classifier.is_exclusive(), id);
                    (seen.scores.clone(), after, moves, classifier.none_below())
                }
                Some(head) => {
                    let (base, after, moves) = learning.move_head(&asking, 0, head, look, id).unwrap_or_default();
                    (base, after, moves, 0.0)
                }
            });
            Ok((best(&after, most, none_below), base, moves, seen.embedding))
        };
        let (classes, base, moves, vector) = self.slots.run(TASK, look).await?;
        let weigh = |scored: &ClassScore| {
            let tag = tag(model.labels.as_deref()?, *scored, &ask.language)?;
            let id = tag.id.clone();
            Some(moves.weigh(tag, &id, base.get(scored.class).copied()?))
        };
        let tags = classes.iter().filter_map(weigh).collect();
        let facts = Facts {
            application: application.clone(),
            task: TASK,
            data_set: None,
            model: name.to_owned(),
            looks: Looks { engine, vector },
            picture: image,
        };
        Ok(self.keeping.keep(facts, tags).await?)
    }
}

/// The network that a model runs on: its own, or that of the model it was taught on.
fn network(model: &Model) -> &str {
    match &model.manifest.parts {
        Parts::Probe(parts) => &parts.probe.base,
        _ => &model.manifest.about.name,
    }
}

pub(crate) fn gone(model: &str) -> RecognitionError {
    let reason = "its network is not loaded".to_owned();
    RecognitionError::Unusable { model: model.to_owned(), fault: NOT_LOADED, reason }
}

fn tag(labels: &Labels, scored: ClassScore, language: &str) -> Option<Tag> {
    let label = labels.get(scored.class)?;
    Some(Tag { id: label.id.clone(), name: labels.name(label, language).to_owned(), score: scored.score })
}
