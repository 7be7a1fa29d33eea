//! The nouns of Kaisatsu: ids, codes, ranges and states.
//!
//! Nothing here does I/O, awaits, or knows of HTTP. Randomness and time are handed in as values, so that every
//! rule in this crate is a pure function.

mod access;
mod account;
mod code;
mod dataset;
mod geo;
mod lines;
mod map;
pub mod mix;
mod prefecture;
mod recognition;
mod station;
mod time;
mod user;
mod window;

pub use access::{ApiKey, AppId, Application, ApplicationName, KeyDigest, KeyId, KeyRecord, KeyState};
pub use account::{
    AccountId, AccountState, Email, Language, LinkSecret, Password, Registration, Role, SecretDigest, SessionSecret,
};
pub use dataset::{DataSetId, DataSetName, ImageId, Outcome, Phase, Tag};
pub use geo::{Degrees, Gcs, GeoPoint};
pub use lines::Lines;
pub use map::MapId;
pub use prefecture::Prefecture;
pub use recognition::{Comment, ItemId, MOST_PER_CANDIDATE, RecognitionId, Verdict};
pub use station::{StationCode, StationName, TransportKind};
pub use time::{Clock, SystemClock, Timestamp};
pub use user::{TokenDigest, UserId, UserToken};
pub use window::{Circle, Coordinate, Rect, Shape, Side, Window};

/// A value that breaks the rule of its type. The message says the rule, never the value when that could be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub &'static str);
