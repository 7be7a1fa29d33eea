//! The text encoder of a model that makes vectors.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Fault, File, Pool, fault};
use crate::digest::hexadecimal;

/// The most tokens that a manifest may let a text have.
const MOST_TOKENS: usize = 4096;

/// A network that makes vectors of texts, in the space of the vectors of pictures.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TextEncoderParts {
    /// The network.
    pub weights: File,
    /// How a text becomes tokens: a `tokenizer.json` of Hugging Face.
    pub tokenizer: File,
    /// The input that takes the numbers of the tokens, `[1, n]`.
    #[serde(default = "input_ids")]
    pub tokens: String,
    /// The input that takes 1 for every token and 0 for what is filled up, `[1, n]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
    /// The most tokens of a text. A longer one is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
    /// The token that a shorter text is filled up with, to exactly `length`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pad: Option<u32>,
    /// The tensor with the vector.
    pub embedding: String,
    /// What becomes of a tensor that has a vector for every token.
    #[serde(default)]
    pub pool: Pool,
    #[serde(skip)]
    pub(crate) sha256: String,
}

fn input_ids() -> String {
    "input_ids".to_owned()
}

impl TextEncoderParts {
    /// Checks what can be checked without the files, and computes the hash.
    pub(super) fn checked(mut self) -> Result<Self, Fault> {
        if self.length.is_some_and(|length| !(1..=MOST_TOKENS).contains(&length)) {
            return Err(fault(format!("[text] length is 1 to {MOST_TOKENS}")));
        }
        if self.pad.is_some() && self.length.is_none() {
            return Err(fault("[text] pad needs a length to fill a text up to"));
        }
        self.sha256 = self.hash();
        Ok(self)
    }

    /// The hash of everything that decides what the vectors are.
    fn hash(&self) -> String {
        let Self { weights, tokenizer, tokens, mask, length, pad, embedding, pool, sha256: _ } = self;
        let files = [weights, tokenizer].map(|file| file.sha256.to_ascii_lowercase());
        let mut hash = Sha256::new();
        hash.update(format!("text\n{files:?}\n{tokens} {mask:?} {length:?} {pad:?}\n{embedding} {pool:?}\n"));
        hexadecimal(&hash.finalize())
    }

    /// What identifies the vectors of texts. Vectors of texts and of pictures are compared with each other, but what is
    /// learned from one kind of search says nothing about the other.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

#[cfg(test)]
mod tests {
    use super::super::Manifest;

    const CLIP: &str = r#"
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
        [text]
        weights = { file = "text.onnx", sha256 = "bb" }
        tokenizer = { file = "tokenizer.json", sha256 = "cc" }
        mask = "attention_mask"
        length = 77
        pad = 0
        embedding = "text_embeds"
    "#;

    fn manifest(from: &str, to: &str) -> Manifest {
        assert!(CLIP.contains(from), "{from}");
        Manifest::parse(&CLIP.replace(from, to)).unwrap()
    }

    #[test]
    fn its_files_are_files_of_the_model() {
        let clip = manifest("", "");
        let files: Vec<String> = clip.files().iter().map(|(file, _)| file.display().to_string()).collect();
        assert_eq!(files, ["model.onnx", "text.onnx", "tokenizer.json"]);
        assert_eq!(clip.text_encoder().unwrap().tokens, "input_ids");
        let without = Manifest::parse(&CLIP[..CLIP.find("[text]").unwrap()]).unwrap();
        assert!(without.text_encoder().is_none());
    }

    /// Collections keep their vectors when their model gets a text encoder, or another one.
    #[test]
    fn it_identifies_its_own_vectors_and_not_those_of_pictures() {
        let (pictures, texts) = {
            let clip = manifest("", "");
            (clip.embedding_sha256().unwrap().to_owned(), clip.text_encoder().unwrap().sha256().to_owned())
        };
        assert_ne!(pictures, texts);
        for (from, to) in [
            ("\"bb\"", "\"bc\""),
            ("\"cc\"", "\"cd\""),
            ("length = 77", "length = 64"),
            ("pad = 0", "pad = 1"),
            ("pad = 0", ""),
            ("\"text_embeds\"", "\"text_embeds\"\npool = \"last\""),
        ] {
            let other = manifest(from, to);
            assert_ne!(other.text_encoder().unwrap().sha256(), texts, "{to}");
            assert_eq!(other.embedding_sha256().unwrap(), pictures, "{to}");
        }
        let upper = manifest("\"bb\"", "\"BB\"");
        assert_eq!(upper.text_encoder().unwrap().sha256(), texts);
    }

    #[test]
    fn a_wrong_one_says_what_is_wrong() {
        for (from, to, told) in [
            ("length = 77", "length = 0", "model.toml: [text] length is 1 to 4096"),
            ("length = 77", "", "model.toml: [text] pad needs a length"),
            ("mask =", "maks =", "model.toml: task embed: unknown field `maks`"),
            ("embedding = \"text_embeds\"", "", "model.toml: task embed: missing field `embedding`"),
        ] {
            assert!(CLIP.contains(from), "{from}");
            let fault = Manifest::parse(&CLIP.replace(from, to)).err().map(|fault| fault.0).unwrap_or_default();
            assert!(fault.starts_with(told), "{fault}");
        }
    }
}
