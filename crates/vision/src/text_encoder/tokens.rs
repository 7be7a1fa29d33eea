//! Texts as the numbers of their tokens.

use std::path::Path;

use tokenizers::{PaddingStrategy, Tokenizer, TruncationParams};

use crate::manifest::Fault;

/// A tokenizer that cuts and fills up as a network wants it.
pub(crate) struct TextTokenizer {
    tokenizer: Tokenizer,
    length: Option<usize>,
    pad: Option<u32>,
}

/// The tokens of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) ids: Vec<i64>,
    /// 1 for a token, 0 for what was filled up.
    pub(crate) mask: Vec<i64>,
    pub(crate) shape: [usize; 2],
    /// How many of them are tokens of the text.
    pub(crate) count: usize,
}

impl TextTokenizer {
    /// Reads a `tokenizer.json`. Texts have at most `length` tokens; with `pad` exactly as many.
    pub(crate) fn read(file: &Path, length: Option<usize>, pad: Option<u32>) -> Result<Self, Fault> {
        let told = |error: &dyn std::fmt::Display| Fault(format!("{}: {error}", file.display()));
        let bytes = std::fs::read(file).map_err(|error| told(&error))?;
        let tokenizer = Tokenizer::from_bytes(bytes)
            .map_err(|error| told(&format!("it is not a tokenizer.json of Hugging Face: {error}")))?;
        Self { tokenizer, length: None, pad: None }.with(length, pad).map_err(|fault| told(&fault))
    }

    /// The same with another length.
    pub(crate) fn with(mut self, length: Option<usize>, pad: Option<u32>) -> Result<Self, Fault> {
        (self.length, self.pad) = (length, pad);
        if let Some(max_length) = length {
            // Asked without a limit first: the crate does not check that what it adds fits in.
            let told = |error: &dyn std::fmt::Display| Fault(error.to_string());
            self.tokenizer.with_truncation(None).map_err(|error| told(&error))?;
            let added = self.tokenizer.with_padding(None).encode("", true).map_or(0, |encoded| encoded.len());
            if max_length <= added {
                return Err(Fault(format!("{max_length} tokens are too few: it adds {added} to every text")));
            }
            let cut = TruncationParams { max_length, ..TruncationParams::default() };
            self.tokenizer.with_truncation(Some(cut)).map_err(|error| told(&error))?;
        }
        self.tokenizer.with_padding(None);
        Ok(self)
    }

    /// The length that a tokenizer's own file fills every text up to, and the token that it does this with.
    pub(crate) fn own_padding(file: &Path) -> Option<(Option<usize>, u32)> {
        let tokenizer = Tokenizer::from_file(file).ok()?;
        let padding = tokenizer.get_padding()?;
        let length = match padding.strategy {
            PaddingStrategy::Fixed(length) => Some(length),
            PaddingStrategy::BatchLongest => None,
        };
        Some((length, padding.pad_id))
    }

    /// The tokens of a text; `None` if it has none, or one that the tokenizer has no number for.
    pub(crate) fn tokens(&self, text: &str) -> Option<Tokens> {
        let encoded = self.tokenizer.encode(text, true).ok()?;
        let mut ids: Vec<i64> = encoded.get_ids().iter().map(|id| i64::from(*id)).collect();
        let (count, mut mask) = (ids.len(), vec![1; ids.len()]);
        if let (Some(length), Some(pad)) = (self.length, self.pad) {
            ids.resize(length.max(count), i64::from(pad));
            mask.resize(ids.len(), 0);
        }
        (count > 0).then_some(Tokens { shape: [1, ids.len()], ids, mask, count })
    }
}

#[cfg(test)]
mod tests {
    use super::TextTokenizer;

    /// Whole words, between a token for the beginning and one for the end.
    const WORDS: &str = r#"{
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"}, "decoder": null,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]},
                               "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]}}
        },
        "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "<s>": 1, "</s>": 2, "red": 3, "blue": 4}}
    }"#;

    /// The form of CLIP's: pairs of bytes in words that a regular expression finds.
    const CLIP: &str = r#"{
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "decoder": null,
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "NFC"}, {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "}, {"type": "Lowercase"}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "behavior": "Removed", "invert": true, "pattern": {"Regex":
             "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+"}},
            {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true}]},
        "post_processor": {"type": "RobertaProcessing", "sep": ["<end>", 9], "cls": ["<start>", 8],
                           "trim_offsets": false, "add_prefix_space": false},
        "model": {"type": "BPE", "dropout": null, "unk_token": "<end>", "continuing_subword_prefix": "",
            "end_of_word_suffix": "</w>", "fuse_unk": false,
            "vocab": {"i": 0, "t</w>": 1, "it</w>": 2, "'": 3, "s</w>": 4, "'s</w>": 5, "r": 6, "ed</w>": 7,
                      "<start>": 8, "<end>": 9, "e": 10, "d</w>": 11, "red</w>": 12},
            "merges": ["i t</w>", "' s</w>", "e d</w>", "r ed</w>"]}
    }"#;

    #[test]
    fn a_tokenizer_of_the_form_of_clips_is_read() {
        let tokens = |text| read(CLIP, Some(77), None).unwrap().tokens(text).unwrap().ids;
        assert_eq!(tokens("It's  RED"), [8, 2, 5, 12, 9]);
        assert_eq!(tokens("ried"), [8, 6, 0, 7, 9]);
    }

    fn read(text: &str, length: Option<usize>, pad: Option<u32>) -> Result<TextTokenizer, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokenizer.json");
        std::fs::write(&file, text).unwrap();
        TextTokenizer::read(&file, length, pad).map_err(|fault| fault.0)
    }

    fn ids(length: Option<usize>, pad: Option<u32>, text: &str) -> (Vec<i64>, usize) {
        let tokens = read(WORDS, length, pad).unwrap().tokens(text).unwrap();
        assert_eq!((tokens.shape, tokens.mask.len()), ([1, tokens.ids.len()], tokens.ids.len()));
        assert_eq!(usize::try_from(tokens.mask.iter().sum::<i64>()).unwrap(), tokens.count);
        (tokens.ids, tokens.count)
    }

    #[test]
    fn a_text_is_cut_and_filled_up() {
        assert_eq!(ids(None, None, "Red blue what"), (vec![1, 3, 4, 0, 2], 5));
        assert_eq!(ids(Some(4), None, "red blue red"), (vec![1, 3, 4, 2], 4), "the end stays");
        assert_eq!(ids(Some(6), None, "red"), (vec![1, 3, 2], 3));
        assert_eq!(ids(Some(6), Some(9), "red"), (vec![1, 3, 2, 9, 9, 9], 3));
        assert_eq!(ids(Some(4), Some(9), "red blue red"), (vec![1, 3, 4, 2], 4));
    }

    #[test]
    fn what_is_no_tokenizer_or_too_short_is_told() {
        assert!(read("{}", None, None).err().unwrap().contains("it is not a tokenizer.json of Hugging Face"));
        assert!(read(WORDS, Some(2), None).err().unwrap().contains("2 tokens are too few: it adds 2 to every text"));
        let bare = WORDS.replace("\"?\"", "\"none\"").replace(r#"{"none": 0, "#, "{");
        assert_eq!(read(&bare, None, None).unwrap().tokens("green"), None, "a word without a number");
    }

    #[test]
    fn the_padding_of_its_own_file_is_known_and_not_applied() {
        let padding = r#""padding": {"strategy": {"Fixed": 64}, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 7, "pad_type_id": 0, "pad_token": "x"}"#;
        let padded = WORDS.replace("\"padding\": null", padding);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &padded).unwrap();
        assert_eq!(TextTokenizer::own_padding(file.path()), Some((Some(64), 7)));
        assert_eq!(read(&padded, None, None).unwrap().tokens("red").unwrap().ids, [1, 3, 2]);
        std::fs::write(file.path(), WORDS).unwrap();
        assert_eq!(TextTokenizer::own_padding(file.path()), None);
    }
}
