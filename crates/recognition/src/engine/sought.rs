//! What a search looks for: images like an image, or images that show what a text says.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_vision::{TextError, Worker, registry::Model};

use super::{EngineQueue, INFERENCE, Workload, embed, image_first, not_loaded, timed};
use crate::RecognitionError;

/// What a search looks for.
#[derive(Debug, Clone)]
pub enum Sought {
    /// Images like this one.
    Image(Bytes),
    /// Images that show what this says.
    Text(String),
}

impl Sought {
    /// What identifies the vectors of such searches, by which feedback on them is learned: `weights` for images, and
    /// for texts what identifies the model's text encoder.
    pub(crate) fn weights(&self, model: &Model, weights: &str) -> Result<String, RecognitionError> {
        match (self, model.manifest.text_encoder()) {
            (Self::Image(_), _) => Ok(weights.to_owned()),
            (Self::Text(_), Some(encoder)) => Ok(encoder.sha256().to_owned()),
            (Self::Text(_), None) => Err(RecognitionError::NoTextEncoder(model.manifest.about.name.clone())),
        }
    }

    /// The score below which nothing is like it. It is learned from how alike the images of a set are among each other,
    /// which says nothing of texts: words and images are never that much alike.
    pub(crate) fn unlike_below(&self, learned: f32) -> f32 {
        match self {
            Self::Image(_) => learned,
            Self::Text(_) => 0.0,
        }
    }

    /// Turns it into a vector on the engine. Returns what `then` makes of the vector, with the vector.
    pub(crate) async fn embed<T: Send + 'static>(
        &self,
        engine: &EngineQueue,
        workload: impl Into<Workload>,
        model: &Arc<Model>,
        then: impl FnOnce(&[f32]) -> Result<T, RecognitionError> + Send + 'static,
    ) -> Result<(T, Vec<f32>), RecognitionError> {
        let workload = workload.into();
        let text = match self {
            Self::Image(image) => return embed(engine, workload, model, image.clone(), then).await,
            Self::Text(text) => text.clone(),
        };
        let name = model.manifest.about.name.clone();
        let work = move |worker: &mut Worker| {
            let vector = timed(INFERENCE, workload, || worker.embed_text(&name, &text));
            let vector = vector.ok_or_else(|| not_loaded(&name))?.map_err(|error| match error {
                TextError::NoTokens => RecognitionError::NoTokens(name),
                TextError::Runtime(error) => RecognitionError::Failed(error.to_string()),
            })?;
            Ok((then(&vector)?, vector))
        };
        engine.run(workload, work).await
    }

    /// The error of a request for something that is not there: see [`image_first`].
    pub(crate) async fn or_missing(
        &self,
        engine: &EngineQueue,
        workload: impl Into<Workload>,
        missing: RecognitionError,
    ) -> RecognitionError {
        match self {
            Self::Image(image) => image_first(engine, workload, image, missing).await,
            Self::Text(_) => missing,
        }
    }

    /// The image, to be kept with the result.
    pub(crate) fn into_image(self) -> Option<Bytes> {
        match self {
            Self::Image(image) => Some(image),
            Self::Text(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sought;

    /// The cosines of texts with pictures are below those of pictures with each other, also where they fit.
    #[test]
    fn what_is_learned_from_images_does_not_limit_texts() {
        assert_eq!(Sought::Image(bytes::Bytes::new()).unlike_below(0.6).to_bits(), 0.6f32.to_bits());
        assert_eq!(Sought::Text("a cat".to_owned()).unlike_below(0.6).to_bits(), 0.0f32.to_bits());
    }

    #[test]
    fn only_an_image_is_kept_with_the_result() {
        let image = bytes::Bytes::from_static(b"an image");
        assert_eq!(Sought::Image(image.clone()).into_image(), Some(image));
        assert_eq!(Sought::Text("a cat".to_owned()).into_image(), None);
    }
}
