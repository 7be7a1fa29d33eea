//! Applications and the API keys they call with.

use std::fmt;

use crate::{
    Invalid, Timestamp,
    code::{id, secret},
};

id!(
    /// The id of an application.
    AppId,
    "app_",
    10
);
id!(
    /// The id of an API key. It names the key in listings and logs and opens nothing.
    KeyId,
    "key_",
    10
);

/// The name of an application: 1 to 100 characters, no control characters, no space at either end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationName(String);

impl ApplicationName {
    /// Checks the rule above.
    ///
    /// # Errors
    /// The rule, when `text` breaks it.
    pub fn new(text: &str) -> Result<Self, Invalid> {
        let long = text.chars().count();
        if long == 0 || long > 100 || text.trim() != text || text.chars().any(char::is_control) {
            return Err(Invalid(
                "an application's name has 1 to 100 characters, no control characters, and no space at either end",
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ApplicationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A caller of the API, the owner of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its id.
    pub id: AppId,
    /// Its name, unique among applications.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Since when all of its keys are refused, if they are.
    pub disabled_at: Option<Timestamp>,
}

secret!(
    /// The secret of an API key.
    ApiKey,
    "kst_"
);

impl ApiKey {
    /// The last four characters: enough to tell one's keys apart, too few to help a guess.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }
}

/// What is kept of a key: its SHA-256. A key has 160 random bits, so a slow hash would add nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyDigest(pub [u8; 32]);

/// A key as it is kept and listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its id.
    pub id: KeyId,
    /// The application it belongs to.
    pub application: Application,
    /// The last four characters of the secret.
    pub hint: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops working by itself: set on the old key by a rotation.
    pub expires_at: Option<Timestamp>,
    /// When a person switched it off.
    pub disabled_at: Option<Timestamp>,
    /// When it was last called with, within a few seconds.
    pub last_used_at: Option<Timestamp>,
}

impl KeyRecord {
    /// What the key is worth at `now`.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> KeyState {
        KeyState::of(self.disabled_at.is_some() || self.application.disabled_at.is_some(), self.expires_at, now)
    }
}

/// What a key is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// It opens the gate.
    Active,
    /// It, or its application, was switched off.
    Disabled,
    /// A rotation replaced it and its overlap is over.
    Expired,
}

impl KeyState {
    /// The one rule of what a key is worth, for listings and for the gate.
    #[must_use]
    pub fn of(disabled: bool, expires_at: Option<Timestamp>, now: Timestamp) -> Self {
        match expires_at {
            _ if disabled => Self::Disabled,
            Some(end) if end <= now => Self::Expired,
            _ => Self::Active,
        }
    }
}

impl fmt::Display for KeyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Active => "active",
            Self::Disabled => "disabled",
            Self::Expired => "expired",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ApiKey, ApplicationName, KeyState};
    use crate::Timestamp;

    #[test]
    fn a_key_never_prints_itself() {
        let key = ApiKey::from_random([7; 20]);
        assert_eq!(format!("{key:?}"), "ApiKey(…)");
        assert_eq!(key.reveal().len(), 36);
        assert!(key.reveal().ends_with(key.hint()));
    }

    #[test]
    fn a_key_ends_at_its_expiry_and_not_before() {
        let end = Some(Timestamp(10));
        assert_eq!(KeyState::of(false, end, Timestamp(9)), KeyState::Active);
        assert_eq!(KeyState::of(false, end, Timestamp(10)), KeyState::Expired);
        assert_eq!(KeyState::of(true, end, Timestamp(10)), KeyState::Disabled);
    }

    #[test]
    fn application_names_are_bounded() {
        assert!(ApplicationName::new("時刻表アプリ").is_ok());
        for bad in ["", " a", "a ", "a\nb", &"a".repeat(101)] {
            assert!(ApplicationName::new(bad).is_err(), "{bad:?}");
        }
    }
}
