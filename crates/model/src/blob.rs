//! The states of stored bytes, from the claim before they are written to their removal.

use crate::IllegalStep;

/// How far stored bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobState {
    /// Claimed; the bytes are being written.
    Writing,
    /// Written, and referred to by an image or a dataset.
    Stored,
    /// Written or claimed, and perhaps referred to by nothing any more.
    Released,
    /// Being removed. Nothing may refer to the bytes again until their row is gone.
    Deleting,
}

impl BlobState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Writing, Self::Stored, Self::Released, Self::Deleting];

    /// The word for it in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Writing => "writing",
            Self::Stored => "there",
            Self::Released => "loose",
            Self::Deleting => "doomed",
        }
    }

    /// The state of a word.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Whether all bytes should be in the storage.
    #[must_use]
    pub fn is_complete(self) -> bool {
        matches!(self, Self::Stored | Self::Released)
    }

    /// Somebody is about to use the same bytes. The state stays; only the claimant of unfinished bytes writes them.
    ///
    /// # Errors
    /// When the bytes are being removed: the claimant has to wait for that.
    pub fn claim(self) -> Result<Self, IllegalStep> {
        match self {
            Self::Writing | Self::Stored | Self::Released => Ok(self),
            Self::Deleting => Err(self.illegal("claimed")),
        }
    }

    /// An image or a dataset comes to refer to the bytes.
    ///
    /// # Errors
    /// When the bytes are being removed.
    pub fn refer(self) -> Result<Self, IllegalStep> {
        match self {
            Self::Writing | Self::Stored | Self::Released => Ok(Self::Stored),
            Self::Deleting => Err(self.illegal("referred to")),
        }
    }

    /// Something that referred to the bytes is deleted, or a claim was not made use of.
    ///
    /// # Errors
    /// When the bytes are being removed already.
    pub fn release(self) -> Result<Self, IllegalStep> {
        match self {
            Self::Writing | Self::Stored | Self::Released => Ok(Self::Released),
            Self::Deleting => Err(self.illegal("released")),
        }
    }

    /// The sweeper decides on the bytes: what something refers to stays, all else is removed.
    ///
    /// # Errors
    /// When the bytes are stored: the sweeper leaves those alone.
    pub fn sweep(self, referenced: bool) -> Result<Self, IllegalStep> {
        match self {
            Self::Writing | Self::Released | Self::Deleting if referenced => Ok(Self::Stored),
            Self::Writing | Self::Released | Self::Deleting => Ok(Self::Deleting),
            Self::Stored => Err(self.illegal("swept")),
        }
    }

    fn illegal(self, step: &'static str) -> IllegalStep {
        IllegalStep { state: self.as_str(), step }
    }
}

#[cfg(test)]
mod tests {
    use super::BlobState::{self, Deleting, Released, Stored, Writing};

    #[test]
    fn every_state_survives_the_database() {
        for state in BlobState::ALL {
            assert_eq!(BlobState::from_text(state.as_str()), Some(state));
        }
        assert_eq!(BlobState::ALL.map(BlobState::as_str), ["writing", "there", "loose", "doomed"]);
        assert_eq!(BlobState::from_text("deleting"), None);
    }

    #[test]
    fn bytes_being_removed_take_no_step_but_the_sweepers() {
        for step in [BlobState::claim, BlobState::refer, BlobState::release] {
            let refused = step(Deleting).unwrap_err();
            assert!(refused.to_string().starts_with("what is doomed cannot be "), "{refused}");
        }
        assert_eq!(Deleting.sweep(false), Ok(Deleting), "another sweeper takes over");
    }

    #[test]
    fn legal_steps() {
        for state in [Writing, Stored, Released] {
            assert_eq!(state.claim(), Ok(state));
            assert_eq!(state.refer(), Ok(Stored));
            assert_eq!(state.release(), Ok(Released));
        }
    }

    #[test]
    fn the_sweeper_removes_only_what_nothing_refers_to() {
        for state in [Writing, Released] {
            assert_eq!(state.sweep(true), Ok(Stored));
            assert_eq!(state.sweep(false), Ok(Deleting));
        }
        assert!(Stored.sweep(false).is_err() && Stored.sweep(true).is_err());
    }

    #[test]
    fn only_written_bytes_are_complete() {
        assert_eq!(BlobState::ALL.map(BlobState::is_complete), [false, true, true, false]);
    }
}
