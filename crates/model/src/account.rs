//! Accounts of the people who use the console, and their secrets.

use std::fmt;

use crate::{
    Invalid,
    base32::{id, secret},
};

id!(
    /// The id of a person's account.
    AccountId,
    "acc_",
    10
);

secret!(
    /// The secret in the cookie of a browser that is signed in.
    SessionSecret,
    "kss_"
);

secret!(
    /// The secret of a link in an e-mail. It works once.
    LinkSecret,
    "ksl_"
);

/// The SHA-256 of a secret of the console, which is stored instead of the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretDigest(pub [u8; 32]);

/// An e-mail address in lower case, so that two spellings of one address are one account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Email(String);

impl Email {
    /// Checks the syntax. Only sending a message shows whether the address exists.
    ///
    /// # Errors
    /// If `text` violates the rule.
    pub fn new(text: &str) -> Result<Self, Invalid> {
        let text = text.trim().to_lowercase();
        let rule = || Invalid("must be an e-mail address such as name@example.org");
        let (name, place) = text.rsplit_once('@').ok_or_else(rule)?;
        let plain =
            !text.chars().any(|c| c.is_control() || c.is_whitespace() || matches!(c, '<' | '>' | ',' | ';' | '"'));
        let labels =
            place.split('.').all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'));
        if name.is_empty() || name.len() > 64 || name.contains('@') || text.len() > 254 || !plain || !labels {
            return Err(rule());
        }
        Ok(Self(text))
    }

    /// The address as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An acceptable password: 10 to 200 characters, and not the e-mail address. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Checks the rule above.
    ///
    /// # Errors
    /// If `text` violates the rule.
    pub fn new(text: &str, email: &Email) -> Result<Self, Invalid> {
        let long = text.chars().count();
        if !(10..=200).contains(&long) || text.to_lowercase() == email.0 {
            return Err(Invalid("must have 10 to 200 characters and not be the e-mail address"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The password, for hashing.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// Defines an enum whose values are stored and displayed as words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$case_doc:meta])* $case:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$case_doc])* $case,)+ }

        impl $name {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$case,)+];

            /// The word that is stored and displayed.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$case => $word,)+ }
            }

            /// Undoes [`Self::as_str`].
            #[must_use]
            pub fn from_text(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

words!(
    /// The role of an account.
    Role {
        /// Runs the server: sees everything and approves registrations.
        Operator = "operator",
        /// Has their own applications.
        Member = "member",
    }
);

words!(
    /// The state of an account.
    AccountState {
        /// The e-mail address is not confirmed yet.
        Unconfirmed = "unconfirmed",
        /// An operator has to approve the registration.
        Waiting = "waiting",
        /// The account can be used.
        Active = "active",
        /// An operator disabled the account and all of its applications.
        Disabled = "disabled",
    }
);

words!(
    /// Who may register.
    Registration {
        /// Everybody.
        Open = "open",
        /// Everybody, after approval by an operator.
        Approval = "approval",
        /// Nobody.
        Closed = "closed",
    }
);

words!(
    /// The language of e-mails.
    Language {
        /// English.
        English = "en",
        /// Japanese.
        Japanese = "ja",
    }
);

#[cfg(test)]
mod tests {
    use super::{AccountState, Email, Language, LinkSecret, Password, Registration, Role, SessionSecret};

    #[test]
    fn an_address_is_kept_in_small_letters() {
        assert_eq!(Email::new(" Hanako@Example.ORG ").unwrap().as_str(), "hanako@example.org");
        assert!(Email::new("root@localhost").is_ok());
        let long = format!("{}@example.org", "a".repeat(65));
        for bad in
            ["", "a", "@b", "a@", "a@b@c", "a b@c", "a@b..c", "a@-b", "<a@b>", "a@b,c@d", "a@b\r\nBcc: c@d", &long]
        {
            assert!(Email::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_address_is_bounded() {
        assert!(Email::new(&format!("{}@example.org", "a".repeat(64))).is_ok());
        let of_length = |length: usize| {
            let host = format!("{}.", "b".repeat(20)).repeat(13);
            format!("a@{}c", &host[..length - 3])
        };
        assert_eq!(Email::new(&of_length(254)).map(|email| email.as_str().len()), Ok(254));
        assert!(Email::new(&of_length(255)).is_err());
        for bad in ["a@b-", "a@b.-c", "a@b.", "a\u{7}@b", "a\"@b", "a;@b", "a>@b", "a@b@"] {
            assert!(Email::new(bad).is_err(), "{bad:?}");
        }
        assert_eq!(Email::new("a.b+c@example.org").unwrap().to_string(), "a.b+c@example.org");
    }

    #[test]
    fn secrets_do_not_print_themselves() {
        assert_eq!(format!("{:?}", SessionSecret::from_random([7; 20])), "SessionSecret(…)");
        assert_eq!(format!("{:?}", LinkSecret::from_random([7; 20])), "LinkSecret(…)");
    }

    #[test]
    fn a_password_is_long_enough_and_not_the_address() {
        let email = Email::new("hanako@example.org").unwrap();
        assert!(Password::new("改札を通る列車は十両編成", &email).is_ok());
        for bad in ["", "123456789", "Hanako@example.org", &"a".repeat(201)] {
            assert!(Password::new(bad, &email).is_err(), "{bad:?}");
        }
        assert!(Password::new("1234567890", &email).is_ok() && Password::new(&"a".repeat(200), &email).is_ok());
        let secret = Password::new("correct horse", &email).unwrap();
        assert_eq!(secret.reveal(), "correct horse");
        assert_eq!(format!("{secret:?}"), "Password(…)");
    }

    #[test]
    fn words_are_read_back() {
        for state in AccountState::ALL {
            assert_eq!(AccountState::from_text(state.as_str()), Some(*state));
        }
        assert_eq!(Registration::from_text("ajar"), None);
        assert_eq!(Role::from_text("operator"), Some(Role::Operator));
        assert_eq!(Language::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>(), ["en", "ja"]);
        assert_eq!(format!("{:8}|", Role::Member), "member  |");
    }
}
