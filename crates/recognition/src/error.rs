//! What can go wrong with a recognition, in words for the caller; causes of ours are for the log.

use std::time::Duration;

use kaisatsu_store::StoreError;
use kaisatsu_vision::DecodeError;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum RecognitionError {
    /// The image cannot be decoded.
    #[error("{0}")]
    Image(#[from] DecodeError),
    /// There is no model of that name for this task.
    #[error("there is no model '{asked}' for this operation; there is {}", listed(known))]
    NoSuchModel {
        /// What was asked for.
        asked: String,
        /// What there is.
        known: Vec<String>,
    },
    /// There is no collection of that name.
    #[error("there is no collection '{0}'")]
    NoSuchCollection(String),
    /// The model is there and cannot be used; the reason is for the operator.
    #[error("model '{model}' is not usable on this server at the moment; its operator finds the reason in the log")]
    Unusable {
        /// The model.
        model: String,
        /// Why.
        reason: String,
    },
    /// The models are still being loaded.
    #[error("the models are being loaded; try again shortly")]
    Warming,
    /// More work is waiting than the server takes on.
    #[error("the server has all the pictures it can look at; try again shortly")]
    Overloaded {
        /// When it is worth trying again.
        wait: Duration,
    },
    /// The database failed, or there is no such thing in it.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A fault of ours.
    #[error("the recognition failed: {0}")]
    Failed(String),
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
