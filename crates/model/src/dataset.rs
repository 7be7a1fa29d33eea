//! Users' own images and the datasets made of them.

use crate::{IllegalStep, Invalid, base32::id};

id!(
    /// The id of a user's image. Nobody guesses one.
    ImageId,
    "img_",
    20
);
id!(
    /// The id of a user's dataset. Nobody guesses one.
    DatasetId,
    "dts_",
    20
);

macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $longest:literal, $rule:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// Checks the rule above.
            ///
            /// # Errors
            /// The rule, when `text` breaks it.
            pub fn new(text: &str) -> Result<Self, Invalid> {
                let long = text.chars().count();
                if long == 0 || long > $longest || text.trim() != text || text.chars().any(char::is_control) {
                    return Err(Invalid($rule));
                }
                Ok(Self(text.to_owned()))
            }

            /// It as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    };
}

text!(
    /// What an image shows, in the user's words: 1 to 100 characters, no control characters, no space at either end.
    Tag,
    100,
    "must have 1 to 100 characters, no control characters, and no space at either end"
);
text!(
    /// What a user calls a dataset or an image: 1 to 200 characters, no control characters, no space at either end.
    DatasetName,
    200,
    "must have 1 to 200 characters, no control characters, and no space at either end"
);

/// How far a dataset is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Nobody has begun with it.
    Queued,
    /// Its images are being fetched and looked at.
    Building,
    /// It can be used.
    Ready,
    /// It cannot, and says why.
    Failed,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Self; 4] = [Self::Queued, Self::Building, Self::Ready, Self::Failed];

    /// The word for it, on the wire and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Building => "building",
            Self::Ready => "ready",
            Self::Failed => "failed",
        }
    }

    /// The phase of a word.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == text)
    }

    /// A replica takes the dataset's job. One that takes over from another finds it being built.
    ///
    /// # Errors
    /// When it is ready or has failed: then it has no job.
    pub fn begin(self) -> Result<Self, IllegalStep> {
        match self {
            Self::Queued | Self::Building => Ok(Self::Building),
            Self::Ready | Self::Failed => Err(self.illegal("built")),
        }
    }

    /// The build succeeds.
    ///
    /// # Errors
    /// When it is not being built.
    pub fn finish(self) -> Result<Self, IllegalStep> {
        match self {
            Self::Building => Ok(Self::Ready),
            Self::Queued | Self::Ready | Self::Failed => Err(self.illegal("finished")),
        }
    }

    /// The build fails for good.
    ///
    /// # Errors
    /// When it is not being built.
    pub fn fail(self) -> Result<Self, IllegalStep> {
        match self {
            Self::Building => Ok(Self::Failed),
            Self::Queued | Self::Ready | Self::Failed => Err(self.illegal("given up")),
        }
    }

    /// The model has other weights: the dataset has to be built again.
    ///
    /// # Errors
    /// When it has failed: other weights do not bring back its images.
    pub fn rebuild(self) -> Result<Self, IllegalStep> {
        match self {
            Self::Queued | Self::Building | Self::Ready => Ok(Self::Queued),
            Self::Failed => Err(self.illegal("rebuilt")),
        }
    }

    fn illegal(self, step: &'static str) -> IllegalStep {
        IllegalStep { state: self.as_str(), step }
    }
}

/// What became of one image of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Nothing yet.
    Pending,
    /// It is in.
    Fetched,
    /// It has too many bytes or pixels.
    TooLarge,
    /// It is not an image that can be read.
    NotAnImage,
    /// There is nothing at its address, or it is in the storage area no longer.
    NotFound,
    /// It did not come in time.
    TimedOut,
    /// Its address is not one that may be fetched.
    Denied,
    /// The user's storage is full.
    OverQuota,
    /// Its server answered something else, or nothing.
    Failed,
}

impl Outcome {
    /// Every outcome, in the order in which they are counted.
    pub const ALL: [Self; 9] = [
        Self::Pending,
        Self::Fetched,
        Self::TooLarge,
        Self::NotAnImage,
        Self::NotFound,
        Self::TimedOut,
        Self::Denied,
        Self::OverQuota,
        Self::Failed,
    ];

    /// The word for it, on the wire and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Fetched => "fetched",
            Self::TooLarge => "tooLarge",
            Self::NotAnImage => "notAnImage",
            Self::NotFound => "notFound",
            Self::TimedOut => "timedOut",
            Self::Denied => "denied",
            Self::OverQuota => "overQuota",
            Self::Failed => "failed",
        }
    }

    /// The outcome of a word.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::{DatasetId, Outcome, Phase, Tag};

    #[test]
    fn ids_carry_enough_chance() {
        let id = DatasetId::from_random([7; 20]);
        assert!(id.as_str().starts_with("dts_") && id.as_str().len() == 36);
    }

    #[test]
    fn words_come_back() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::from_text(outcome.as_str()), Some(outcome));
        }
        for phase in Phase::ALL {
            assert_eq!(Phase::from_text(phase.as_str()), Some(phase));
        }
        assert_eq!(Outcome::from_text("lost"), None);
    }

    #[test]
    fn a_dataset_goes_from_queued_to_building_to_ready_or_failed() {
        let (queued, building) = (Phase::Queued, Phase::Building);
        assert_eq!((queued.begin(), building.begin()), (Ok(building), Ok(building)));
        assert_eq!((building.finish(), building.fail()), (Ok(Phase::Ready), Ok(Phase::Failed)));
    }

    #[test]
    fn what_is_not_being_built_neither_succeeds_nor_fails() {
        for phase in [Phase::Queued, Phase::Ready, Phase::Failed] {
            assert!(phase.finish().is_err() && phase.fail().is_err(), "{phase:?}");
        }
        let refused = Phase::Ready.begin().unwrap_err();
        assert_eq!(refused.to_string(), "what is ready cannot be built");
        assert!(Phase::Failed.begin().is_err());
    }

    #[test]
    fn other_weights_queue_every_dataset_but_a_failed_one() {
        for phase in [Phase::Queued, Phase::Building, Phase::Ready] {
            assert_eq!(phase.rebuild(), Ok(Phase::Queued));
        }
        assert!(Phase::Failed.rebuild().is_err());
    }

    #[test]
    fn a_tag_is_what_people_write() {
        for good in ["cat", "三毛猫", "a b", &"字".repeat(100)] {
            assert!(Tag::new(good).is_ok(), "{good}");
        }
        for bad in ["", " cat", "cat\n", "a\0b", &"字".repeat(101)] {
            assert!(Tag::new(bad).is_err(), "{bad:?}");
        }
    }
}
