//! Vectors of texts, comparable with those of pictures.

mod tokens;

use std::path::Path;

pub(crate) use tokens::{TextTokenizer, Tokens};

use crate::{
    manifest::{Backend, Fault, Pool, TextEncoderParts},
    runtime::{Feed, Network, Runtime, RuntimeError, Tensor},
    vector,
};

/// What every text encoder is tried on.
pub(crate) const SENTENCE: &str = "a photo of a red flower";

/// Why there is no vector of a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// The tokenizer knows nothing of it.
    #[error("the tokenizer makes no tokens of the text")]
    NoTokens,
    /// The network failed.
    #[error("{0}")]
    Runtime(#[from] RuntimeError),
}

/// A text encoder on one thread.
pub(crate) struct TextEncoder {
    network: Network,
    tokenizer: TextTokenizer,
    parts: TextEncoderParts,
}

impl TextEncoder {
    /// Loads the network and the tokenizer, and runs them once to see that vectors have `dims` numbers.
    pub(crate) fn load(runtime: &Runtime, folder: &Path, parts: &TextEncoderParts, dims: usize) -> Result<Self, Fault> {
        let TextEncoderParts { weights, tokenizer, length, pad, .. } = parts;
        let tokenizer = TextTokenizer::read(&folder.join(&tokenizer.file), *length, *pad)?;
        // Our own kernels are for numbers with a point; tokens are whole ones.
        let network = runtime.network(&folder.join(&weights.file), Backend::Onnxruntime);
        let network = network.map_err(|error| Fault(error.to_string()))?;
        let mut encoder = Self { network, tokenizer, parts: parts.clone() };
        let vector = encoder.embed(SENTENCE).map_err(|error| Fault(format!("[text]: {error}")))?;
        if vector.len() == dims {
            Ok(encoder)
        } else {
            let told = "the vector of a text has";
            Err(Fault(format!("[text]: {told} {} numbers, and that of a picture {dims}", vector.len())))
        }
    }

    /// The vector of a text, of length one.
    pub(crate) fn embed(&mut self, text: &str) -> Result<Vec<f32>, TextError> {
        let TextEncoderParts { tokens: input, mask, embedding, pool, .. } = &self.parts;
        let tokens = self.tokenizer.tokens(text).ok_or(TextError::NoTokens)?;
        let [output] = self.network.run(&tokens.feeds(input, mask.as_deref()), [embedding])?;
        let mut vector = pooled(*pool, output, tokens.count).ok_or_else(|| {
            RuntimeError::Run(format!("pool = \"{}\" makes no vector of '{embedding}'", pool.as_str()))
        })?;
        vector::normalise(&mut vector);
        Ok(vector)
    }
}

impl Tokens {
    /// What a network is fed with.
    pub(crate) fn feeds<'a>(&'a self, input: &'a str, mask: Option<&'a str>) -> Vec<(&'a str, Feed<'a>)> {
        let mut feeds = vec![(input, Feed::Integers(&self.shape, &self.ids))];
        feeds.extend(mask.map(|mask| (mask, Feed::Integers(&self.shape, &self.mask))));
        feeds
    }
}

/// One vector of an output for a text of `count` tokens: what was filled up has no part in it.
pub(crate) fn pooled(pool: Pool, mut output: Tensor, count: usize) -> Option<Vec<f32>> {
    if let ([1, length, width], false) = (&mut output.shape[..], pool == Pool::None)
        && *length > count
    {
        output.values.truncate(count * *width);
        *length = count;
    }
    pool.vector(&output)
}

#[cfg(test)]
mod tests {
    use super::pooled;
    use crate::{manifest::Pool, runtime::Tensor};

    #[test]
    fn what_was_filled_up_has_no_part_in_the_vector() {
        let output = || Tensor { shape: vec![1, 3, 2], values: vec![1.0, 2.0, 3.0, 6.0, 50.0, 90.0] };
        assert_eq!(pooled(Pool::Mean, output(), 2), Some(vec![2.0, 4.0]));
        assert_eq!(pooled(Pool::Last, output(), 2), Some(vec![3.0, 6.0]));
        assert_eq!(pooled(Pool::First, output(), 2), Some(vec![1.0, 2.0]));
        assert_eq!(pooled(Pool::Last, output(), 3), Some(vec![50.0, 90.0]));
        assert_eq!(pooled(Pool::None, output(), 2), None, "three vectors");
        let whole = Tensor { shape: vec![1, 2], values: vec![7.0, 8.0] };
        assert_eq!(pooled(Pool::None, whole, 1), Some(vec![7.0, 8.0]));
    }
}
