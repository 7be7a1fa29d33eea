//! The parts of a running server, and how each of them is.

use serde::{Deserialize, Serialize};

/// How a part of the server is. From best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartState {
    /// It works.
    Ok,
    /// It is not set up here, and nothing else waits for it.
    Off,
    /// It is being loaded.
    Starting,
    /// It works in part, or is about to stop working.
    Degraded,
    /// It does not work.
    Failing,
}

impl PartState {
    /// Whether somebody has to do something about it.
    #[must_use]
    pub fn needs_attention(self) -> bool {
        self >= Self::Degraded
    }

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Off => "off",
            Self::Starting => "starting",
            Self::Degraded => "degraded",
            Self::Failing => "failing",
        }
    }
}

/// A part of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// How it is.
    pub state: PartState,
    /// Why, and what to do about it; nothing when it works. Everybody may read it, so it has no path and no address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Part {
    /// A part that works.
    #[must_use]
    pub fn ok(name: &str) -> Self {
        Self { name: name.to_owned(), state: PartState::Ok, message: None }
    }

    /// A part that does not work as it should.
    #[must_use]
    pub fn new(name: &str, state: PartState, message: impl Into<String>) -> Self {
        Self { name: name.to_owned(), state, message: Some(message.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::PartState;

    #[test]
    fn what_is_off_or_starting_needs_nobody() {
        let states = [PartState::Ok, PartState::Off, PartState::Starting, PartState::Degraded, PartState::Failing];
        assert_eq!(states.map(PartState::needs_attention), [false, false, false, true, true]);
        assert_eq!(states.map(PartState::as_str), ["ok", "off", "starting", "degraded", "failing"]);
    }
}
