//! Recognitions, their candidates, and the verdicts on them.

use std::fmt::{self, Write as _};

use crate::{DatasetId, Invalid, base32::id};

/// The id of a recognition: a random UUID (version 4).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecognitionId(String);

impl RecognitionId {
    /// A fresh id out of random bytes.
    #[must_use]
    pub fn from_random(mut bytes: [u8; 16]) -> Self {
        bytes[6] = (bytes[6] & 0x0f) | 0x40;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        let mut text = String::with_capacity(36);
        for (at, byte) in bytes.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }

    /// An id as it was sent. What does not exist is simply not found later.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RecognitionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

id!(
    /// The id of one candidate of a recognition.
    ItemId,
    "itm_",
    10
);

impl ItemId {
    /// What the id of a tag begins with that was named in feedback and is none of the candidates.
    const OF_TAG: &'static str = "tag:";

    /// The id under which the verdict on a tag is kept that is none of the candidates.
    #[must_use]
    pub fn of_tag(subject: &str) -> Self {
        Self::from_text(format!("{}{subject}", Self::OF_TAG))
    }

    /// The tag, if the id is that of one.
    #[must_use]
    pub fn tag(id: &str) -> Option<&str> {
        id.strip_prefix(Self::OF_TAG)
    }
}

/// A function of image recognition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Function {
    /// Which categories an image belongs to.
    Classify,
    /// Which objects an image shows, and where.
    Detect,
    /// Which images are most like an image.
    SimilarSearch,
    /// Which items of the catalogue an image shows.
    RecogniseObject,
    /// What the text in an image says.
    ReadText,
}

impl Function {
    /// Every function.
    pub const ALL: [Self; 5] =
        [Self::Classify, Self::Detect, Self::SimilarSearch, Self::RecogniseObject, Self::ReadText];

    /// The word for it in the database, in metrics and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Classify => "classify",
            Self::Detect => "detect",
            Self::SimilarSearch => "similar",
            Self::RecogniseObject => "recognize",
            Self::ReadText => "readText",
        }
    }

    /// Whether something is learned of verdicts on its candidates. Of those on text nothing is: that a line was misread
    /// says nothing about the next line.
    #[must_use]
    pub fn learns(self) -> bool {
        self != Self::ReadText
    }

    /// The function of a word.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.as_str() == text)
    }
}

/// What an image is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// A model, by its name.
    Model(String),
    /// A public collection of images, by its name.
    Collection(String),
    /// A user's dataset.
    Dataset(DatasetId),
    /// The catalogue of items, or one category of it.
    Catalogue(Option<String>),
}

impl Source {
    /// The word for the whole catalogue.
    const WHOLE_CATALOGUE: &'static str = "product-all";

    /// Its name in the database, in metrics and on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Model(name) | Self::Collection(name) | Self::Catalogue(Some(name)) => name,
            Self::Dataset(id) => id.as_str(),
            Self::Catalogue(None) => Self::WHOLE_CATALOGUE,
        }
    }

    /// The source that a function has under a name. Ids of datasets are known by their prefix.
    #[must_use]
    pub fn from_text(function: Function, name: &str) -> Self {
        match function {
            Function::RecogniseObject if name == Self::WHOLE_CATALOGUE => Self::Catalogue(None),
            Function::RecogniseObject => Self::Catalogue(Some(name.to_owned())),
            Function::Classify | Function::SimilarSearch if name.starts_with(DatasetId::PREFIX) => {
                Self::Dataset(DatasetId::from_text(name))
            }
            Function::SimilarSearch => Self::Collection(name.to_owned()),
            Function::Classify | Function::Detect | Function::ReadText => Self::Model(name.to_owned()),
        }
    }

    /// The dataset, if it is one.
    #[must_use]
    pub fn dataset(&self) -> Option<&DatasetId> {
        match self {
            Self::Dataset(id) => Some(id),
            Self::Model(_) | Self::Collection(_) | Self::Catalogue(_) => None,
        }
    }
}

/// Whether a candidate was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It was.
    Valid,
    /// It was not.
    Invalid,
}

/// How many verdicts of one application on one subject act at a time: older ones say little that newer ones do not, and
/// every replica keeps all that act in memory.
pub const MOST_PER_CANDIDATE: i64 = 500;

/// What a caller wrote beside a verdict: at most 2,000 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment(String);

impl Comment {
    /// The most characters.
    pub const LONGEST: usize = 2000;

    /// Checks the rule above.
    ///
    /// # Errors
    /// The rule, when `text` breaks it.
    pub fn new(text: &str) -> Result<Self, Invalid> {
        // PostgreSQL keeps no NUL in text; nobody writes one on purpose.
        if text.chars().count() > Self::LONGEST || text.contains('\0') {
            return Err(Invalid("must be at most 2000 characters, none of them NUL"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The comment as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Comment, Function, ItemId, RecognitionId, Source};
    use crate::DatasetId;

    #[test]
    fn a_recognition_id_is_a_random_uuid() {
        assert_eq!(RecognitionId::from_random([0xff; 16]).as_str(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(RecognitionId::from_random([0; 16]).to_string(), "00000000-0000-4000-8000-000000000000");
    }

    #[test]
    fn the_id_of_a_tag_names_it() {
        let id = ItemId::of_tag("Quercus alba");
        assert_eq!((id.as_str(), ItemId::tag(id.as_str())), ("tag:Quercus alba", Some("Quercus alba")));
        assert_eq!(ItemId::tag(ItemId::from_random([7; 10]).as_str()), None);
    }

    #[test]
    fn functions_keep_their_words() {
        assert_eq!(Function::ALL.map(Function::as_str), ["classify", "detect", "similar", "recognize", "readText"]);
        for function in Function::ALL {
            assert_eq!(Function::from_text(function.as_str()), Some(function));
        }
        assert_eq!(Function::from_text("recognise"), None);
    }

    #[test]
    fn sources_keep_their_names() {
        let dataset = DatasetId::from_random([7; 20]);
        let name = |name: &str| name.to_owned();
        for (function, source, text) in [
            (Function::Classify, Source::Model(name("general")), "general"),
            (Function::Classify, Source::Dataset(dataset.clone()), dataset.as_str()),
            (Function::Detect, Source::Model(name("coco")), "coco"),
            (Function::ReadText, Source::Model(name("text")), "text"),
            (Function::SimilarSearch, Source::Collection(name("birds")), "birds"),
            (Function::SimilarSearch, Source::Dataset(dataset.clone()), dataset.as_str()),
            (Function::RecogniseObject, Source::Catalogue(None), "product-all"),
            (Function::RecogniseObject, Source::Catalogue(Some(name("book"))), "book"),
        ] {
            assert_eq!(source.as_str(), text);
            assert_eq!(Source::from_text(function, text), source);
            assert_eq!(source.dataset().is_some(), text == dataset.as_str());
        }
    }

    #[test]
    fn a_comment_is_kept_and_counted_in_characters() {
        assert_eq!(Comment::new("not a cat").unwrap().as_str(), "not a cat");
        assert!(Comment::new(&"字".repeat(2000)).is_ok());
        assert!(Comment::new(&"字".repeat(2001)).is_err());
        assert!(Comment::new("a\0b").is_err());
    }
}
