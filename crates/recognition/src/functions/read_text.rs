//! Reading the text in an image.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_model::{AppId, Function, Source};
use kaisatsu_vision::{
    Worker, decode,
    manifest::Task,
    text::{Language, Limits, Line},
};

use crate::{
    RecognitionError, Saved,
    context::Context,
    engine::{DECODE, EngineQueue, INFERENCE, Models, Workload, default_model, not_loaded, timed},
    log::{Adjusted, Candidate, Entry, RecognitionLog},
};

const FUNCTION: Function = Function::ReadText;
const WORKLOAD: Workload = Workload::Function(FUNCTION);

/// The most work that an image may make: see docs/performance.md.
const LIMITS: Limits = Limits { longest_side: 1536, lines: 200 };

/// The shorter side at which a JPEG is decoded: the reader itself shrinks larger pictures.
const SHORT_SIDE: u32 = 2000;

/// Reading text.
pub struct ReadText {
    models: Models,
    engine: Arc<EngineQueue>,
    log: Arc<RecognitionLog>,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct TextLine {
    /// What it says.
    pub text: String,
    /// How sure the reader is of its characters on average, 0 to 1.
    pub score: f32,
    /// Its corners in pixels of the image as sent: those of the line as it is read, from its upper left to the right.
    pub corners: [(f32, f32); 4],
    /// Whether it is a column of upright letters, such as Japanese ones.
    pub vertical: bool,
}

impl Candidate for TextLine {
    fn subject(&self) -> &str {
        &self.text
    }

    fn name(&self) -> &str {
        &self.text
    }

    fn score(&self) -> f32 {
        self.score
    }
}

impl ReadText {
    pub(crate) fn new(context: &Context) -> Self {
        Self { models: context.models.clone(), engine: Arc::clone(&context.engine), log: Arc::clone(&context.log) }
    }

    /// Reads the lines of an image in reading order, and saves them: all characters that the model knows, or those of a
    /// language. The second value is the image's size as sent.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn run(
        &self,
        application: &AppId,
        image: Bytes,
        language: Option<Language>,
    ) -> Result<(Saved<TextLine>, (u32, u32)), RecognitionError> {
        let model = self.models.find(default_model(Task::ReadText), Task::ReadText)?;
        let (name, weights) = (model.manifest.about.name.clone(), model.weights.clone());
        let source = Source::Model(name.clone());
        let (bounds, input) = (self.engine.bounds(), image.clone());
        let work = move |worker: &mut Worker| {
            let decoded = timed(DECODE, WORKLOAD, || decode(&input, bounds, Some(SHORT_SIDE)))?;
            let (picture, file) = (&decoded.picture, decoded.file);
            let lines = timed(INFERENCE, WORKLOAD, || worker.read_text(&name, picture, LIMITS, language));
            let lines = lines.ok_or_else(|| not_loaded(&name))?;
            let lines = lines.map_err(|error| RecognitionError::Failed(error.to_string()))?;
            #[allow(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
            let (width, height) = (picture.width() as f32, picture.height() as f32);
            let locate = |Line { text, score, quad, vertical }: Line| {
                let corners = quad.map(|(x, y)| file.locate_point((x / width, y / height)));
                TextLine { text, score, corners, vertical }
            };
            Ok((lines.into_iter().map(locate).collect::<Vec<_>>(), file))
        };
        let (lines, file) = self.engine.run(FUNCTION, work).await?;
        // No verdict changes what is read: see docs/feedback.md.
        let unmoved = |line: TextLine| Adjusted { base: line.score, candidate: line, pushes: Vec::new() };
        let application = application.clone();
        let entry = Entry { application, function: FUNCTION, source, weights, descriptor: None, image: Some(image) };
        let saved = self.log.save_if_possible(entry, lines.into_iter().map(unmoved).collect()).await?;
        Ok((saved, (file.width, file.height)))
    }
}
