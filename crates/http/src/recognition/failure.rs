//! The errors of the recognition services as errors of the API.

use std::time::Duration;

use kaisatsu_recognition::{BlobError, Missing, RecognitionError, StoreError};

use crate::{Failure, Kind};

/// `Retry-After` when the database or the image storage fails.
const DATABASE: Duration = Duration::from_secs(5);

/// `Retry-After` when a disk is full or read-only: an operator has to act, and callers must not wait in a loop.
const DISK: Duration = Duration::from_mins(5);

/// `Retry-After` when an operator has to act.
const OPERATOR: Duration = Duration::from_mins(1);

impl From<RecognitionError> for Failure {
    fn from(error: RecognitionError) -> Self {
        let message = error.to_string();
        match error {
            RecognitionError::Image(error) | RecognitionError::ItemImage(_, error) => {
                Self::new(if error.is_too_large() { Kind::TooLarge } else { Kind::BodyFormat }, message)
            }
            RecognitionError::NoSuchModel { .. } => Self::new(Kind::NoSuchModel, message),
            RecognitionError::NoSuchCollection(_)
            | RecognitionError::NoSuchImage
            | RecognitionError::NoSuchDataset
            | RecognitionError::NoStoredImage { .. }
            | RecognitionError::NotInDataset(_)
            | RecognitionError::NoSuchTag(_)
            | RecognitionError::NothingToUndo
            | RecognitionError::NotInCollection
            | RecognitionError::NoSuchItem
            | RecognitionError::NoThumbnail => Self::new(Kind::NotFound, message),
            RecognitionError::TooManyTags(_)
            | RecognitionError::DatasetTooLarge(_)
            | RecognitionError::TooManyStored(_) => Self::new(Kind::TooManyInputs, message),
            RecognitionError::NoTag { .. }
            | RecognitionError::RemovedAndKept(_)
            | RecognitionError::NoImageLeft
            | RecognitionError::AmbiguousName
            | RecognitionError::NameTaken
            | RecognitionError::NothingTagged
            | RecognitionError::BadAddress { .. }
            | RecognitionError::BuildFailed(_)
            | RecognitionError::OneTag
            | RecognitionError::NoTextEncoder(_)
            | RecognitionError::NoTokens(_)
            | RecognitionError::OtherModel { .. }
            | RecognitionError::BadItem(_)
            | RecognitionError::NoTagsHere
            | RecognitionError::UnknownTag { .. }
            | RecognitionError::UnknownDatasetTag(_)
            | RecognitionError::AmbiguousTag { .. }
            | RecognitionError::OtherTag { .. }
            | RecognitionError::NotAnswered(_)
            | RecognitionError::NothingToKnowItBy => Self::new(Kind::BodyField, message),
            RecognitionError::AllDenied { .. } => Self::new(Kind::Denied, message),
            RecognitionError::ImagesFull(_) | RecognitionError::BytesFull(_) | RecognitionError::DatasetsFull(_) => {
                Self::new(Kind::SpaceUsedUp, message)
            }
            RecognitionError::Busy | RecognitionError::Stopping => {
                Self::passing(Kind::Unavailable, message, Duration::from_secs(1))
            }
            RecognitionError::NotBuilt(_) => Self::passing(Kind::StillRunning, message, Duration::from_secs(2)),
            RecognitionError::Blobs(error @ BlobError::Full(_)) => {
                let message = "the server's disk for images is full, and nothing can be stored until its operator makes \
                            room; trying again soon does not help";
                Self::passing(Kind::Unavailable, message, DISK).because(error.to_string())
            }
            RecognitionError::Blobs(error @ BlobError::ReadOnly(_)) => {
                let message = "the server's storage for images can only be read, and nothing can be stored until its \
                            operator changes that; trying again soon does not help";
                Self::passing(Kind::Unavailable, message, DISK).because(error.to_string())
            }
            RecognitionError::Blobs(error) => {
                let message = "the storage for images does not answer; try again shortly";
                Self::passing(Kind::Unavailable, message, DATABASE).because(error.to_string())
            }
            RecognitionError::Unusable { reason, .. } => {
                Self::passing(Kind::Unavailable, message, OPERATOR).because(reason)
            }
            RecognitionError::Warming => Self::passing(Kind::Unavailable, message, Duration::from_secs(2)),
            RecognitionError::Overloaded { wait } => Self::passing(Kind::Unavailable, message, wait),
            RecognitionError::Store(error) => error.into(),
            RecognitionError::Failed(cause) => {
                Self::new(Kind::Internal, "the server failed; its log has this request's id").because(cause)
            }
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound(Missing::Recognition(_)) => Self::new(
                Kind::NotFound,
                "there is no such recognition of this application; recognitionId is what a recognition answered with, \
                 and is kept for a limited time",
            ),
            StoreError::NotFound(Missing::Candidate(_)) => Self::new(
                Kind::NotFound,
                "the recognition has no such candidate; itemId is what the same recognition answered with",
            ),
            StoreError::NotFound(Missing::Dataset(_)) => RecognitionError::NoSuchDataset.into(),
            StoreError::Full(_) => Self::passing(
                Kind::Unavailable,
                "the disk of the server's database is full, and nothing can be stored until its operator makes room; \
                 trying again soon does not help",
                DISK,
            )
            .because(error.to_string()),
            StoreError::ReadOnly(_) => Self::passing(
                Kind::Unavailable,
                "the server's database can only be read, and nothing can be stored until its operator changes that; \
                 trying again soon does not help",
                DISK,
            )
            .because(error.to_string()),
            StoreError::ShardAway { ref name, .. } => {
                let message = format!(
                    "vectors of this collection are on the database server {name}, which does not answer; try again \
                     shortly"
                );
                Self::passing(Kind::Unavailable, message, DATABASE).because(error.to_string())
            }
            StoreError::Unavailable(_) | StoreError::TimedOut => {
                let message = "the database does not answer, and this needs it; try again shortly";
                Self::passing(Kind::Unavailable, message, DATABASE).because(error.to_string())
            }
            // The database answers, but not what this server wrote. Waiting does not help.
            StoreError::NotFound(_) | StoreError::Conflict(_) | StoreError::Damaged(_) => {
                RecognitionError::Failed(error.to_string()).into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kaisatsu_recognition::{RecognitionError, StoreError};

    use crate::{Failure, Kind};

    #[test]
    fn every_503_says_when_to_try_again() {
        let wait = Duration::from_secs(3);
        for (error, seconds) in [
            (RecognitionError::Busy, 1),
            (RecognitionError::Warming, 2),
            (RecognitionError::Stopping, 1),
            (RecognitionError::Overloaded { wait }, 3),
            (RecognitionError::Store(StoreError::TimedOut), 5),
        ] {
            let failure = Failure::from(error);
            assert_eq!((failure.kind, failure.retry_seconds()), (Kind::Unavailable, Some(seconds)), "{failure:?}");
        }
    }

    #[test]
    fn a_row_that_cannot_be_read_is_not_a_database_that_does_not_answer() {
        let failure = Failure::from(StoreError::Damaged("the state 'open' of a blob".to_owned()));
        assert_eq!((failure.kind, failure.retry_seconds()), (Kind::Internal, None));
        assert!(failure.cause.is_some_and(|cause| cause.contains("the state 'open' of a blob")));
    }
}
