//! The users of an application and their tokens.

use std::fmt;

use crate::{Invalid, base32::secret};

/// The id that an application gives to one of its users: 1 to 200 characters, no control characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UserId(String);

impl UserId {
    /// Checks the rule above.
    ///
    /// # Errors
    /// If `text` violates the rule.
    pub fn new(text: &str) -> Result<Self, Invalid> {
        let long = text.chars().count();
        if long == 0 || long > 200 || text.chars().any(char::is_control) {
            return Err(Invalid("must have 1 to 200 characters and no control characters"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Who owns bytes that belong to no user of an application.
    #[must_use]
    pub fn nobody() -> Self {
        Self("-".to_owned())
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

secret!(
    /// The secret token of a user.
    UserToken,
    "kut_"
);

/// The SHA-256 of a token, which is stored instead of the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenDigest(pub [u8; 32]);

#[cfg(test)]
mod tests {
    use super::{UserId, UserToken};

    #[test]
    fn user_ids_are_bounded() {
        for good in ["42", "alice@example.org", "山田 太郎", " x ", &"a".repeat(200)] {
            assert!(UserId::new(good).is_ok(), "{good}");
        }
        let user = UserId::new("42").unwrap();
        assert_eq!((user.as_str(), user.to_string().as_str()), ("42", "42"));
        for bad in ["", "a\nb", "\u{7f}", &"a".repeat(201)] {
            assert!(UserId::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_token_does_not_print_itself() {
        let token = UserToken::from_random([7; 20]);
        assert_eq!(format!("{token:?}"), "UserToken(…)");
        assert!(token.reveal().starts_with("kut_") && token.reveal().len() == 36);
    }
}
