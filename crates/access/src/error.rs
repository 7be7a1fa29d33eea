//! Why something with applications, keys or accounts is refused or fails.

use std::time::Duration;

use kaisatsu_model::{AccountId, AppId, ApplicationName, Invalid, KeyId};
use kaisatsu_store::{Conflict, Missing, StoreError};

/// Why an operation on applications, keys or accounts failed.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// There is no such application, or the person may not see it.
    #[error("there is no application {0}")]
    NoSuchApplication(AppId),
    /// There is no such key.
    #[error("there is no key {0}")]
    NoSuchKey(KeyId),
    /// There is no such account.
    #[error("there is no account {0}")]
    NoSuchAccount(AccountId),
    /// Another application has the name.
    #[error("there is an application named '{0}' already")]
    NameTaken(ApplicationName),
    /// The key is disabled or was rotated, so it cannot be rotated.
    #[error("key {0} is disabled or was rotated already")]
    KeyEnded(KeyId),
    /// No active operator would remain.
    #[error("this is the last operator; make somebody else one first")]
    LastOperator,
    /// There is no active operator, and the account would be a member.
    #[error("there is no operator yet, and somebody must be one: create an operator first")]
    NoOperator,
    /// The limit of such things is reached.
    #[error("there are as many {0} as one may have; remove some or switch some off first")]
    TooMany(&'static str),
    /// An operator disabled the application, so only an operator may enable it.
    #[error("an operator switched this off; ask the operator")]
    DisabledByOperator,
    /// A key of the scope `operator` is made and replaced by operators.
    #[error("only an operator may create or replace a key of the scope 'operator'")]
    OperatorsKey,
    /// The e-mail address is not valid.
    #[error("the e-mail address {0}")]
    InvalidEmail(Invalid),
    /// The address has an account. Operators alone are told so.
    #[error("there is an account of this address already")]
    EmailTaken,
    /// The password breaks a rule.
    #[error("the password {0}")]
    InvalidPassword(Invalid),
    /// The link is unknown, used or expired.
    #[error("this link is no longer valid; request another one")]
    InvalidLink,
    /// There is no such account, or it has another password.
    #[error("the address or the password is not right")]
    WrongCredentials,
    /// An operator has to approve the account.
    #[error("an operator has to approve this account first")]
    AwaitingApproval,
    /// An operator disabled the account.
    #[error("this account was disabled by an operator")]
    AccountDisabled,
    /// Signing in failed too often; how long to wait.
    #[error("signing in failed too often; try again later, or choose a new password")]
    TooManyAttempts(Duration),
    /// Registration is closed.
    #[error("registration is closed on this server; ask its operator")]
    RegistrationClosed,
    /// Too many passwords are being hashed.
    #[error("the server is busy; try again shortly")]
    Busy,
    /// The database failed.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for AccessError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound(Missing::Application(id)) => Self::NoSuchApplication(id),
            StoreError::NotFound(Missing::Key(id)) => Self::NoSuchKey(id),
            StoreError::NotFound(Missing::Account(id)) => Self::NoSuchAccount(id),
            StoreError::Conflict(Conflict::ApplicationName(name)) => Self::NameTaken(name),
            StoreError::Conflict(Conflict::EndedKey(id)) => Self::KeyEnded(id),
            StoreError::Conflict(Conflict::LastOperator) => Self::LastOperator,
            StoreError::Conflict(Conflict::NoOperator) => Self::NoOperator,
            StoreError::Conflict(Conflict::DisabledByOperator) => Self::DisabledByOperator,
            StoreError::Conflict(Conflict::NotOperator) => Self::OperatorsKey,
            other => Self::Store(other),
        }
    }
}
