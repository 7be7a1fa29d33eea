//! The domain types of Kaisatsu: ids, codes, ranges and states.
//!
//! This crate does no I/O, has no async code, and does not depend on HTTP. Randomness and time are passed in as values,
//! so every rule is a pure function.

mod access;
mod account;
mod base32;
mod blob;
mod collection;
mod dataset;
mod geo;
mod idempotency;
mod job;
mod language;
mod line_index;
mod map;
mod part;
mod position;
mod prefecture;
mod recognition;
pub mod splitmix;
mod station;
pub mod text;
mod time;
mod user;
mod window;

pub use access::{ApiKey, AppId, Application, ApplicationName, KeyDigest, KeyId, KeyRecord, KeyScope, KeyState};
pub use account::{
    AccountId, AccountState, Email, Language, LinkSecret, Password, Registration, Role, SecretDigest, SessionSecret,
};
pub use blob::BlobState;
pub use collection::CollectionName;
pub use dataset::{DatasetId, DatasetName, ImageId, Outcome, Phase, Tag};
pub use geo::{Degrees, Gcs, GeoPoint};
pub use idempotency::{ANSWERS_KEPT, IdempotencyKey};
pub use job::Job;
pub use language::MapLanguage;
pub use line_index::LineIndex;
pub use map::MapId;
pub use part::{Part, PartState};
pub use position::Position;
pub use prefecture::Prefecture;
pub use recognition::{Comment, Function, ItemId, MOST_PER_CANDIDATE, RecognitionId, Source, Verdict};
pub use station::{StationCode, StationName, TransportKind};
pub use time::{Clock, SystemClock, Timestamp};
pub use user::{TokenDigest, UserId, UserToken};
pub use window::{Circle, Coordinate, Rect, Shape, Side, Window};

/// A value that violates the rule of its type. The message states the rule and never contains the value, which may be a
/// secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub &'static str);

/// A step that the state of something does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("what is {state} cannot be {step}")]
pub struct IllegalStep {
    /// The state.
    pub state: &'static str,
    /// What was to be done.
    pub step: &'static str,
}
