//! Vectors of pictures, and of texts where there is a text encoder, by a network that makes nothing else.

use std::path::Path;

use kaisatsu_resize::Resizer;

use crate::{
    Picture,
    manifest::{EmbedderOutput, EmbedderParts, Fault, Fit, Input},
    prepare::{prepare, shape, short_side},
    runtime::{Feed, Network, Runtime, RuntimeError},
    text_encoder::{TextEncoder, TextError},
    vector,
};

/// An embedder on one thread.
pub struct Embedder {
    network: Network,
    input: Input,
    output: EmbedderOutput,
    text: Option<TextEncoder>,
}

impl Embedder {
    /// Loads the networks of a manifest, and runs each once to see that they fit.
    ///
    /// # Errors
    /// What does not fit.
    pub fn load(runtime: &Runtime, folder: &Path, parts: &EmbedderParts) -> Result<Self, Fault> {
        let EmbedderParts { weights, input, output, .. } = parts;
        let told = |error: RuntimeError| Fault(error.to_string());
        let network = runtime.network(&folder.join(&weights.file), parts.runtime).map_err(told)?;
        let mut embedder = Self { network, input: input.clone(), output: output.clone(), text: None };
        let vector = embedder.infer(&vec![0.0; input.width as usize * input.height as usize * 3]).map_err(told)?;
        if let Some(text) = &parts.text {
            embedder.text = Some(TextEncoder::load(runtime, folder, text, vector.len())?);
        }
        Ok(embedder)
    }

    /// The name of what its network runs on.
    #[must_use]
    pub fn runs_on(&self) -> &'static str {
        self.network.runs_on()
    }

    /// The shorter side that it needs of a picture.
    #[must_use]
    pub fn short_side(&self) -> u32 {
        short_side(&self.input)
    }

    /// The vector of a picture, of length one. `fit` replaces that of the manifest.
    ///
    /// # Errors
    /// When the network fails, or gives no vector.
    pub fn embed(
        &mut self,
        resizer: &mut Resizer,
        picture: &Picture,
        fit: Option<Fit>,
    ) -> Result<Vec<f32>, RuntimeError> {
        let prepared = prepare(resizer, picture, &self.input, fit)
            .ok_or_else(|| RuntimeError::Run("the picture cannot be resized".to_owned()))?;
        self.infer(&prepared.tensor)
    }

    /// The vector of a text, of length one; `None` where there is no text encoder.
    pub fn embed_text(&mut self, text: &str) -> Option<Result<Vec<f32>, TextError>> {
        Some(self.text.as_mut()?.embed(text))
    }

    fn infer(&mut self, tensor: &[f32]) -> Result<Vec<f32>, RuntimeError> {
        let EmbedderOutput { embedding, pool } = &self.output;
        let shape = shape(&self.input);
        let feeds = [(self.input.name.as_str(), Feed::Floats(&shape, tensor))];
        let [output] = self.network.run(&feeds, [embedding])?;
        let mut vector = pool.vector(&output).ok_or_else(|| {
            let (shape, pool) = (&output.shape, pool.as_str());
            RuntimeError::Run(format!("'{embedding}' is {shape:?}, which pool = \"{pool}\" makes no vector of"))
        })?;
        vector::normalise(&mut vector);
        Ok(vector)
    }
}
