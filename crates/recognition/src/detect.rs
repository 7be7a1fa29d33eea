//! Object detection.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_feedback::{STRENGTH, rescale_odds};
use kaisatsu_model::AppId;
use kaisatsu_vision::{Detection, ImageFile, PixelBox, Worker, decode, manifest::Task};

use crate::{
    Kept, Recogniser, RecognitionError,
    classify::gone,
    keep::{Candidate, Facts, Looks},
    learning::{Asking, Moves, engine_of},
    recogniser::default_of,
    slots::{DECODE, INFERENCE, REMEMBER, timed},
};

pub(crate) const TASK: &str = "detect";

/// The most things that are considered when feedback may change their order.
const CONSIDERED: usize = 300;

/// What a caller asks for.
#[derive(Debug, Clone)]
pub struct DetectAsk {
    /// The model; `None` for the default one.
    pub model: Option<String>,
    /// The most candidates.
    pub most: usize,
    /// The least score.
    pub min_score: f32,
    /// The language of the tags, where a model has several.
    pub language: String,
}

/// A thing that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Thing {
    /// What identifies its kind.
    pub id: String,
    /// The name of its kind.
    pub name: String,
    /// 0 to 1.
    pub score: f32,
    /// Where it is, in pixels of the image as sent.
    pub place: PixelBox,
}

impl Candidate for Thing {
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

/// A thing before it has a name.
struct Seen {
    found: Detection,
    /// After feedback.
    score: f32,
    look: Vec<f32>,
    moves: Moves,
}

impl Recogniser {
    /// Finds things in a picture, and keeps what it found. The second value is the image's size as sent.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn detect(
        &self,
        application: &AppId,
        image: Bytes,
        ask: DetectAsk,
    ) -> Result<(Kept<Thing>, (u32, u32)), RecognitionError> {
        let name = ask.model.as_deref().unwrap_or(default_of(Task::Detect));
        let model = self.model(name, Task::Detect)?;
        let engine = engine_of(&model);
        let asking = Asking::new(application, TASK, name, &engine);
        let (bounds, looked_at, subject) = (self.bounds, image.clone(), model.clone());
        let (most, min_score, learning) = (ask.most, ask.min_score, Arc::clone(&self.learning));
        let look = move |worker: &mut Worker| -> Result<(Vec<Seen>, ImageFile), RecognitionError> {
            let name = &subject.manifest.about.name;
            let (detector, resizer) = worker.detector(name).ok_or_else(|| gone(name))?;
            let (wanted, most) = (Some(detector.short_side()), most.min(detector.keep()));
            let decoded = timed(DECODE, TASK, || decode(&looked_at, bounds, wanted))?;
            // What feedback could lift over the threshold, or into the first so many, has to be looked at.
            let (considered, floor) = if learning.model.has_feedback_for(&asking.application, TASK, name) {
                (most.max(CONSIDERED), rescale_odds(min_score, -STRENGTH))
            } else {
                (most, min_score)
            };
            let found = timed(INFERENCE, TASK, || detector.detect(resizer, &decoded.picture, considered, floor));
            let found = found.map_err(|error| RecognitionError::Failed(error.to_string()))?;
            let weigh = |(found, look): (Detection, Vec<f32>)| {
                let id = subject.labels.as_deref()?.get(found.class)?.id.clone();
                let moves = learning.moves_of(&asking, &id, &look);
                Some(Seen { score: moves.score(&id, found.score), found, look, moves })
            };
            let seen = found.found.into_iter().zip(found.descriptors).filter_map(weigh);
            let mut seen: Vec<Seen> = timed(REMEMBER, TASK, || seen.filter(|seen| seen.score >= min_score).collect());
            // Equal scores stay in the order of the detector.
            seen.sort_by(|a, b| b.score.total_cmp(&a.score));
            seen.truncate(most);
            Ok((seen, decoded.file))
        };
        let (seen, sent) = self.slots.run(TASK, look).await?;
        let mut vector = Vec::new();
        let mut things = Vec::with_capacity(seen.len());
        for Seen { found, score, look, moves } in seen {
            let Some((labels, label)) = model.labels.as_deref().and_then(|all| Some((all, all.get(found.class)?)))
            else {
                continue;
            };
            let name = labels.name(label, &ask.language).to_owned();
            let thing = Thing { id: label.id.clone(), name, score, place: sent.locate(found.area) };
            things.push(moves.weigh(thing, &label.id, found.score));
            vector.extend(look);
        }
        let facts = Facts {
            application: application.clone(),
            task: TASK,
            data_set: None,
            model: name.to_owned(),
            looks: Looks { engine, vector: Some(vector) },
            picture: image,
        };
        let kept = self.keeping.keep(facts, things).await?;
        Ok((kept, (sent.width, sent.height)))
    }
}
