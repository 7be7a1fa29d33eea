//! Object detection.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_feedback::{STRENGTH, rescale_odds};
use kaisatsu_model::{AppId, Function, Source};
use kaisatsu_vision::{
    self as vision, Accuracy, Bounds, DecodeError, Decoded, ImageFile, PixelBox, Tiles, Worker, decode, manifest::Task,
};

use crate::{
    RecognitionError, Saved,
    context::Context,
    engine::{DECODE, EngineQueue, FEEDBACK, INFERENCE, Models, Workload, default_model, not_loaded, timed},
    learning::{Adjustment, LearnedFeedback},
    log::{Candidate, Entry, RecognitionLog},
};

const FUNCTION: Function = Function::Detect;
const WORKLOAD: Workload = Workload::Function(FUNCTION);

/// The most objects that are considered when feedback may change their order.
const CONSIDERED: usize = 300;

/// Object detection.
pub struct Detect {
    models: Models,
    engine: Arc<EngineQueue>,
    learned: Arc<LearnedFeedback>,
    log: Arc<RecognitionLog>,
}

/// What a caller asks for.
#[derive(Debug, Clone)]
pub struct DetectRequest {
    /// The model; `None` for the default one.
    pub model: Option<String>,
    /// The most candidates.
    pub most: usize,
    /// The least score.
    pub min_score: f32,
    /// The language of the names, where a model has several.
    pub language: String,
    /// Whether the image is searched in tiles too.
    pub accuracy: Accuracy,
}

/// An object that was detected.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// What identifies its class.
    pub id: String,
    /// The name of its class.
    pub name: String,
    /// 0 to 1.
    pub score: f32,
    /// Where it is, in pixels of the image as sent.
    pub area: PixelBox,
}

impl Candidate for Detection {
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

/// A detection before it has a name.
struct Raw {
    found: vision::Detection,
    /// After feedback.
    score: f32,
    descriptor: Vec<f32>,
    adjustment: Adjustment,
}

impl Detect {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            models: context.models.clone(),
            engine: Arc::clone(&context.engine),
            learned: Arc::clone(&context.learned),
            log: Arc::clone(&context.log),
        }
    }

    /// Detects objects in an image, and saves them. The second value is the image's size as sent.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn run(
        &self,
        application: &AppId,
        image: Bytes,
        request: DetectRequest,
    ) -> Result<(Saved<Detection>, (u32, u32)), RecognitionError> {
        let name = request.model.as_deref().unwrap_or(default_model(Task::Detect));
        let model = self.models.find(name, Task::Detect)?;
        let (weights, source) = (model.weights.clone(), Source::Model(name.to_owned()));
        let query = self.learned.query_if_possible(&self.log, application, FUNCTION, &source, &weights).await?;
        let has_verdicts = query.has_verdicts();
        let (bounds, input, detecting) = (self.engine.bounds(), image.clone(), model.clone());
        let (most, min_score, accuracy) = (request.most, request.min_score, request.accuracy);
        let work = move |worker: &mut Worker| -> Result<(Vec<Raw>, ImageFile), RecognitionError> {
            let name = &detecting.manifest.about.name;
            let (detector, resizer) = worker.detector(name).ok_or_else(|| not_loaded(name))?;
            let (short_side, most) = (detector.short_side(), most.min(detector.keep()));
            let (decoded, tiles) = timed(DECODE, WORKLOAD, || decode_for_tiles(&input, bounds, short_side, accuracy))?;
            // Feedback may lift an object over the threshold, or among the first: those are considered too.
            let (considered, floor) = if has_verdicts {
                (most.max(CONSIDERED), rescale_odds(min_score, -STRENGTH))
            } else {
                (most, min_score)
            };
            let found =
                timed(INFERENCE, WORKLOAD, || detector.detect(resizer, &decoded.picture, tiles, considered, floor));
            let found = found.map_err(|error| RecognitionError::Failed(error.to_string()))?;
            let adjust = |(found, descriptor): (vision::Detection, Vec<f32>)| {
                let id = detecting.labels.as_deref()?.get(found.class)?.id.clone();
                let adjustment = query.class_adjustment(&id, &descriptor).of_object(&id, found.score);
                Some(Raw { score: adjustment.score(&id, found.score), found, descriptor, adjustment })
            };
            let raw = found.found.into_iter().zip(found.descriptors).filter_map(adjust);
            let mut raw: Vec<Raw> = timed(FEEDBACK, WORKLOAD, || raw.filter(|raw| raw.score >= min_score).collect());
            // Equal scores stay in the order of the detector.
            raw.sort_by(|a, b| b.score.total_cmp(&a.score));
            raw.truncate(most);
            Ok((raw, decoded.file))
        };
        let (raw, file) = self.engine.run(FUNCTION, work).await?;
        let mut descriptors = Vec::new();
        let mut detections = Vec::with_capacity(raw.len());
        for Raw { found, score, descriptor, adjustment } in raw {
            let Some((labels, label)) = model.labels.as_deref().and_then(|all| Some((all, all.get(found.class)?)))
            else {
                continue;
            };
            let name = labels.name(label, &request.language).to_owned();
            let detection = Detection { id: label.id.clone(), name, score, area: file.locate(found.area) };
            detections.push(adjustment.explain(detection, &label.id, found.score));
            descriptors.extend(descriptor);
        }
        let (application, descriptor) = (application.clone(), Some(descriptors));
        let entry = Entry { application, function: FUNCTION, source, weights, descriptor, image: Some(image) };
        Ok((self.log.save_if_possible(entry, detections).await?, (file.width, file.height)))
    }
}

/// An image with the pixels that its tiles need. How many tiles there are is known with its size; one that was decoded
/// with too few pixels is decoded again.
fn decode_for_tiles(
    image: &[u8],
    bounds: Bounds,
    short_side: u32,
    accuracy: Accuracy,
) -> Result<(Decoded, Tiles), DecodeError> {
    let decoded = decode(image, bounds, Some(short_side))?;
    // The file may lie on its side; the tiles are those of the upright picture.
    let upright = |file: ImageFile, picture: &vision::Picture| {
        let (long, short) = (file.width.max(file.height), file.width.min(file.height));
        if picture.width() >= picture.height() { (long, short) } else { (short, long) }
    };
    let size = upright(decoded.file, &decoded.picture);
    let tiles = Tiles::of(size, accuracy);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few times the side of a network")]
    let wanted = (f64::from(short_side) * tiles.magnification(size)).ceil() as u32;
    let has = decoded.picture.width().min(decoded.picture.height());
    if has >= wanted.min(size.0.min(size.1)) {
        return Ok((decoded, tiles));
    }
    Ok((decode(image, bounds, Some(wanted))?, tiles))
}
