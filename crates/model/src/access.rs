//! Applications and the API keys they call with.

use std::fmt;

use crate::{
    Invalid, Timestamp,
    base32::{id, secret},
};

id!(
    /// The id of an application.
    AppId,
    "app_",
    10
);
id!(
    /// The id of an API key. It identifies the key in listings and logs, and does not grant access.
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
    /// If `text` violates the rule.
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

/// An application that calls the API. It owns keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its id.
    pub id: AppId,
    /// Its name, unique among those of its owner.
    pub name: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was disabled. All keys of a disabled application are refused.
    pub disabled_at: Option<Timestamp>,
}

secret!(
    /// The secret of an API key.
    ApiKey,
    "kst_"
);

impl ApiKey {
    /// The last four characters: enough to distinguish one's keys, too few to help guessing.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }
}

/// The SHA-256 of a key, which is stored instead of the key. A key has 160 random bits, so a slow hash is not needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyDigest(pub [u8; 32]);

/// What a key may do. Each scope includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum KeyScope {
    /// Recognise, search maps, give feedback, and use a user's token: a key that may stand in an app on a telephone.
    Restricted,
    /// Also issue tokens of users: a key of an application's server.
    #[default]
    Standard,
    /// Also what an operator does: manage the catalogue and the collections.
    Operator,
}

impl KeyScope {
    /// Every scope.
    pub const ALL: [Self; 3] = [Self::Restricted, Self::Standard, Self::Operator];

    /// Its name, in the database and for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Restricted => "restricted",
            Self::Standard => "standard",
            Self::Operator => "operator",
        }
    }

    /// The scope of that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn new(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|scope| scope.as_str() == text);
        found.ok_or(Invalid("a key's scope is restricted, standard or operator"))
    }
}

impl fmt::Display for KeyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A key as it is stored and listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its id.
    pub id: KeyId,
    /// The application it belongs to.
    pub application: Application,
    /// The last four characters of the secret.
    pub hint: String,
    /// What it may do.
    pub scope: KeyScope,
    /// The places that it may be used from, as a list; from everywhere without it.
    pub allowed_places: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires. A rotation sets this on the old key, or brings it forward.
    pub expires_at: Option<Timestamp>,
    /// When it was disabled.
    pub disabled_at: Option<Timestamp>,
    /// When it was last used, within a few seconds.
    pub last_used_at: Option<Timestamp>,
}

impl KeyRecord {
    /// The state of the key at `now`.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> KeyState {
        KeyState::of(self.disabled_at.is_some() || self.application.disabled_at.is_some(), self.expires_at, now)
    }
}

/// Whether a key is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// It is accepted.
    Active,
    /// It or its application was disabled.
    Disabled,
    /// Its time is over: it was made for some time, or a rotation replaced it and the overlap is over.
    Expired,
}

impl KeyState {
    /// The state that follows from these facts. Listings and the key check both use this rule.
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
    use super::{ApiKey, AppId, Application, ApplicationName, KeyId, KeyRecord, KeyScope, KeyState};
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
    fn a_key_is_disabled_with_its_application() {
        let disabled_at = [None, Some(Timestamp(5))];
        for (application, own) in disabled_at.into_iter().flat_map(|one| disabled_at.map(|other| (one, other))) {
            let record = KeyRecord {
                id: KeyId::from_random([1; 10]),
                application: Application {
                    id: AppId::from_random([1; 10]),
                    name: "timetable".to_owned(),
                    created_at: Timestamp(0),
                    disabled_at: application,
                },
                hint: "abcd".to_owned(),
                scope: KeyScope::Standard,
                allowed_places: None,
                created_at: Timestamp(0),
                expires_at: Some(Timestamp(20)),
                disabled_at: own,
                last_used_at: None,
            };
            let enabled = application.is_none() && own.is_none();
            let expected = if enabled { KeyState::Active } else { KeyState::Disabled };
            assert_eq!(record.state(Timestamp(10)), expected);
            let later = if enabled { KeyState::Expired } else { KeyState::Disabled };
            assert_eq!(record.state(Timestamp(20)), later);
        }
    }

    #[test]
    fn a_key_without_an_expiry_does_not_end() {
        assert_eq!(KeyState::of(false, None, Timestamp(i64::MAX)), KeyState::Active);
    }

    #[test]
    fn states_are_written_in_columns() {
        let written = [KeyState::Active, KeyState::Disabled, KeyState::Expired].map(|state| format!("{state:9}|"));
        assert_eq!(written, ["active   |", "disabled |", "expired  |"]);
    }

    #[test]
    fn scopes_have_names_and_each_includes_those_before_it() {
        for scope in KeyScope::ALL {
            assert_eq!(KeyScope::new(scope.as_str()), Ok(scope));
        }
        assert!(KeyScope::ALL.is_sorted() && KeyScope::default() == KeyScope::Standard);
        assert!(KeyScope::new("Operator").is_err());
        assert_eq!(format!("{:10}|", KeyScope::Operator), "operator  |");
    }

    #[test]
    fn a_hint_is_the_last_four_characters() {
        let key = ApiKey::from_random([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(key.hint(), "0001");
    }

    #[test]
    fn ids_are_their_text() {
        let id = AppId::from_random([0; 10]);
        assert_eq!((id.as_str(), id.to_string().as_str()), ("app_0000000000000000", "app_0000000000000000"));
        assert_eq!(AppId::from_text(id.as_str()), id);
    }

    #[test]
    fn application_names_are_bounded() {
        let name = ApplicationName::new("時刻表アプリ").unwrap();
        assert_eq!((name.as_str(), name.to_string().as_str()), ("時刻表アプリ", "時刻表アプリ"));
        assert!(ApplicationName::new(&"字".repeat(100)).is_ok());
        for bad in ["", " a", "a ", "a\nb", &"a".repeat(101)] {
            assert!(ApplicationName::new(bad).is_err(), "{bad:?}");
        }
    }
}
