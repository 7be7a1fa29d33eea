//! A network that makes vectors and nothing else.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Backend, Fault, File, Input, TextEncoderParts, fault, sensible};
use crate::{digest::hexadecimal, runtime::Tensor};

/// The parts of a network that makes vectors.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EmbedderParts {
    /// What the network runs on.
    #[serde(default)]
    pub runtime: Backend,
    /// The network.
    pub weights: File,
    /// How a picture becomes numbers.
    pub input: Input,
    /// How numbers become a vector.
    pub output: EmbedderOutput,
    /// The network that makes vectors of texts, comparable with those of pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<TextEncoderParts>,
    #[serde(skip)]
    sha256: String,
}

/// The output of a network that makes vectors.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EmbedderOutput {
    /// The tensor.
    pub embedding: String,
    /// What becomes of a tensor that has more than one vector.
    #[serde(default)]
    pub pool: Pool,
}

/// How one vector is made of an output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pool {
    /// The output is one vector.
    #[default]
    None,
    /// `[1, n, d]`: the first of the vectors, which transformers call the class token.
    First,
    /// `[1, n, d]`: the last of the vectors. Of a text: that of its last token, which most tokenizers add as its end.
    Last,
    /// `[1, n, d]`: the mean of the vectors. `[1, d, height, width]`: the mean over all pixels.
    Mean,
}

impl EmbedderParts {
    /// The parts, with what identifies the vectors.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn new(runtime: Backend, weights: File, input: Input, output: EmbedderOutput) -> Result<Self, Fault> {
        Self { runtime, weights, input, output, text: None, sha256: String::new() }.checked()
    }

    /// The same with a text encoder.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn with_text(self, text: TextEncoderParts) -> Result<Self, Fault> {
        Self { text: Some(text), ..self }.checked()
    }

    /// Checks what can be checked without the weights, and computes the hash.
    pub(super) fn checked(mut self) -> Result<Self, Fault> {
        sensible(&self.input)?;
        if self.input.scale_factor.is_some() || self.input.original_size.is_some() {
            return Err(fault("[input] scale_factor and original_size are for detectors"));
        }
        self.text = self.text.map(TextEncoderParts::checked).transpose()?;
        self.sha256 = self.hash();
        Ok(self)
    }

    /// The hash of everything that decides what the vectors are. The network is only a part of that: another mean or
    /// another pooling makes vectors of the same length that mean something else. A text encoder is no part of it: it
    /// changes nothing about the vectors of pictures.
    fn hash(&self) -> String {
        let Input { width, height, layout, channels, fit, crop_fraction, filter, pad_value, mean, std, .. } =
            &self.input;
        let EmbedderOutput { embedding, pool } = &self.output;
        let mut hash = Sha256::new();
        hash.update(format!("{}\n{embedding} {pool:?}\n", self.weights.sha256.to_ascii_lowercase()));
        hash.update(format!("{width} {height} {layout:?} {channels:?} {fit:?} {crop_fraction} {filter:?}\n"));
        hash.update(format!("{pad_value} {mean:?} {std:?}\n"));
        hexadecimal(&hash.finalize())
    }

    /// What identifies the vectors.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

impl Pool {
    /// The word of the manifest.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::First => "first",
            Self::Last => "last",
            Self::Mean => "mean",
        }
    }

    /// One vector of an output; `None` when the output has another shape.
    #[allow(clippy::cast_precision_loss, reason = "a count of tokens or pixels")]
    pub(crate) fn vector(self, Tensor { shape, values }: &Tensor) -> Option<Vec<f32>> {
        let size: usize = shape.iter().product();
        if size != values.len() || size == 0 || shape.first() != Some(&1) {
            return None;
        }
        match (self, &shape[1..]) {
            // A vector, however many ones are around it.
            (Self::None, sides) if sides.iter().filter(|side| **side != 1).count() <= 1 => Some(values.clone()),
            (Self::First, [_, length]) => values.chunks_exact(*length).next().map(<[f32]>::to_vec),
            (Self::Last, [_, length]) => values.chunks_exact(*length).next_back().map(<[f32]>::to_vec),
            (Self::Mean, [count, length]) => {
                let mut mean = vec![0.0; *length];
                for vector in values.chunks_exact(*length) {
                    mean.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value / *count as f32);
                }
                Some(mean)
            }
            (Self::Mean, [_, height, width]) => {
                let pixels = height * width;
                Some(values.chunks_exact(pixels).map(|plane| plane.iter().sum::<f32>() / pixels as f32).collect())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Manifest, Parts},
        Pool,
    };
    use crate::runtime::Tensor;

    const EMBEDDER: &str = r#"
        name = "clip"
        task = "embed"
        title = "t"
        licence = "l"
        source = { registry = "local", package = "p", version = "1" }
        weights = { file = "model.onnx", sha256 = "aa" }
        [input]
        name = "pixel_values"
        width = 224
        height = 224
        mean = [0.0, 0.0, 0.0]
        std = [255.0, 255.0, 255.0]
        [output]
        embedding = "image_embeds"
    "#;

    fn sha256(text: &str) -> String {
        Manifest::parse(text).unwrap().embedding_sha256().unwrap().to_owned()
    }

    #[test]
    fn what_changes_the_vectors_changes_the_hash() {
        let known = sha256(EMBEDDER);
        for (from, to) in [
            ("\"aa\"", "\"ac\""),
            ("width = 224", "width = 256"),
            ("mean = [0.0,", "mean = [1.0,"),
            ("embedding = \"image_embeds\"", "embedding = \"image_embeds\"\npool = \"mean\""),
        ] {
            assert_ne!(sha256(&EMBEDDER.replace(from, to)), known, "{from}");
        }
        for (from, to) in [("\"aa\"", "\"AA\""), ("\"clip\"", "\"mine\""), ("title = \"t\"", "title = \"u\"")] {
            assert_eq!(sha256(&EMBEDDER.replace(from, to)), known, "{from}");
        }
    }

    #[test]
    fn an_embedder_is_no_ensemble_and_has_no_classes() {
        let manifest = Manifest::parse(EMBEDDER).unwrap();
        assert!(matches!(manifest.parts, Parts::Embedder(_)));
        assert_eq!(manifest.files().len(), 1);
        let classes = EMBEDDER.replace("[input]", "labels = { file = \"labels.tsv\", sha256 = \"bb\" }\n[input]");
        let fault = Manifest::parse(&classes).unwrap_err();
        assert!(fault.0.starts_with("model.toml: task embed: unknown field `labels`"), "{fault}");
        let flat = EMBEDDER.replace("width = 224", "width = 0");
        assert!(Manifest::parse(&flat).unwrap_err().0.starts_with("model.toml: [input]: width and height"));
    }

    #[test]
    fn a_vector_is_taken_from_outputs_of_each_shape() {
        let of = |shape: &[usize]| Tensor { shape: shape.to_vec(), values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 9.0] };
        for (pool, shape, expected) in [
            (Pool::None, &[1, 6][..], Some(vec![1.0, 2.0, 3.0, 4.0, 5.0, 9.0])),
            (Pool::None, &[1, 6, 1, 1], Some(vec![1.0, 2.0, 3.0, 4.0, 5.0, 9.0])),
            (Pool::None, &[1, 2, 3], None),
            (Pool::First, &[1, 2, 3], Some(vec![1.0, 2.0, 3.0])),
            (Pool::Last, &[1, 2, 3], Some(vec![4.0, 5.0, 9.0])),
            (Pool::Mean, &[1, 2, 3], Some(vec![2.5, 3.5, 6.0])),
            (Pool::Mean, &[1, 2, 3, 1], Some(vec![2.0, 6.0])),
            (Pool::First, &[1, 6], None),
            (Pool::Last, &[1, 6], None),
            (Pool::Mean, &[2, 3], None),
        ] {
            assert_eq!(pool.vector(&of(shape)), expected, "{pool:?} {shape:?}");
        }
    }
}
