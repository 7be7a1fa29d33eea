//! People who use the console: their accounts, and what they come with.

use std::fmt;

use crate::{
    Invalid,
    code::{id, secret},
};

id!(
    /// The id of a person's account.
    AccountId,
    "acc_",
    10
);

secret!(
    /// What a browser comes with while its person is signed in.
    SessionSecret,
    "kss_"
);

secret!(
    /// What a link in a letter carries: it works once.
    LinkSecret,
    "ksl_"
);

/// What is kept of a secret of the console: its SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretDigest(pub [u8; 32]);

/// An e-mail address, in small letters: two spellings of one address are one account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Email(String);

impl Email {
    /// Checks that it can be one. Whether it is, only a letter can tell.
    ///
    /// # Errors
    /// The rule, when `text` breaks it.
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

/// A password that is good enough to be kept: 10 to 200 characters, and not the person's address. It does not print itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Checks the rule above.
    ///
    /// # Errors
    /// The rule, when `text` breaks it.
    pub fn new(text: &str, email: &Email) -> Result<Self, Invalid> {
        let long = text.chars().count();
        if !(10..=200).contains(&long) || text.to_lowercase() == email.0 {
            return Err(Invalid("must have 10 to 200 characters and not be the e-mail address"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Gives the password away, for hashing.
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

/// Makes an enum of words as they are kept and written.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$case_doc:meta])* $case:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$case_doc])* $case,)+ }

        impl $name {
            /// Each of them.
            pub const ALL: &'static [Self] = &[$(Self::$case,)+];

            /// As it is kept and written.
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
    /// What a person may do.
    Role {
        /// Runs the server: sees everything, lets people in.
        Operator = "operator",
        /// Has applications of their own.
        Member = "member",
    }
);

words!(
    /// Where an account stands.
    AccountState {
        /// The letter that proves the address is not answered yet.
        Unconfirmed = "unconfirmed",
        /// An operator has to let the person in.
        Waiting = "waiting",
        /// Good.
        Active = "active",
        /// Switched off by an operator, with all of its applications.
        Disabled = "disabled",
    }
);

words!(
    /// Who may register.
    Registration {
        /// Everybody.
        Open = "open",
        /// Everybody whom an operator then lets in.
        Approval = "approval",
        /// Nobody.
        Closed = "closed",
    }
);

words!(
    /// The language of a letter.
    Language {
        /// English.
        English = "en",
        /// Japanese.
        Japanese = "ja",
    }
);

#[cfg(test)]
mod tests {
    use super::{AccountState, Email, Password, Registration};

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
    fn a_password_is_long_enough_and_not_the_address() {
        let email = Email::new("hanako@example.org").unwrap();
        assert!(Password::new("改札を通る列車は十両編成", &email).is_ok());
        for bad in ["", "123456789", "Hanako@example.org", &"a".repeat(201)] {
            assert!(Password::new(bad, &email).is_err(), "{bad:?}");
        }
        let secret = Password::new("correct horse", &email).unwrap();
        assert_eq!(format!("{secret:?}"), "Password(…)");
    }

    #[test]
    fn words_are_read_back() {
        for state in AccountState::ALL {
            assert_eq!(AccountState::from_text(state.as_str()), Some(*state));
        }
        assert_eq!(Registration::from_text("ajar"), None);
    }
}
