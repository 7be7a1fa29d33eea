//! Object detection.

use bytes::Bytes;
use kaisatsu_model::AppId;
use kaisatsu_vision::{Found, PixelBox, Sent, Worker, decode, manifest::Task};

use crate::{
    Kept, Recogniser, RecognitionError,
    classify::gone,
    keep::{Candidate, Facts},
    recogniser::default_of,
    slots::{DECODE, INFERENCE, timed},
};

const TASK: &str = "detect";

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
        let (bounds, looked_at, subject) = (self.bounds, image.clone(), model.clone());
        let (most, min_score) = (ask.most, ask.min_score);
        let look = move |worker: &mut Worker| -> Result<(Vec<Found>, Sent), RecognitionError> {
            let name = &subject.manifest.about.name;
            let (detector, resizer) = worker.detector(name).ok_or_else(|| gone(&subject))?;
            let wanted = Some(detector.short_side());
            let decoded = timed(DECODE, TASK, || decode(&looked_at, bounds, wanted))?;
            let found = timed(INFERENCE, TASK, || detector.detect(resizer, &decoded.picture, most, min_score));
            Ok((found.map_err(|error| RecognitionError::Failed(error.to_string()))?, decoded.sent))
        };
        let (found, sent) = self.slots.run(TASK, look).await?;
        let things = found.into_iter().filter_map(|found| {
            let labels = model.labels.as_deref()?;
            let label = labels.get(found.class)?;
            Some(Thing {
                id: label.id.clone(),
                name: labels.name(label, &ask.language).to_owned(),
                score: found.score,
                place: sent.locate(found.area),
            })
        });
        let facts = Facts {
            application: application.clone(),
            task: TASK,
            data_set: None,
            model: name.to_owned(),
            vector: None,
            picture: image,
        };
        let kept = self.keeping.keep(facts, things.collect()).await?;
        Ok((kept, (sent.width, sent.height)))
    }
}
