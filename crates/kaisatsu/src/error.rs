//! Errors of commands and their exit codes. docs/operations.md lists them.

use std::process::ExitCode;

use kaisatsu_access::AccessError;
use kaisatsu_store::{CopyError, OpenError, StoreError};

/// A message for the operator; the variant decides the exit code.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// 1: the command failed.
    #[error("{0}")]
    Failed(String),
    /// 2: the command line, the environment or the configuration file is wrong.
    #[error("{0}")]
    Usage(String),
    /// 3: the database or the storage cannot be reached or written.
    #[error("{0}")]
    Store(String),
    /// 4: this version cannot work with the database.
    #[error("{0}")]
    Schema(String),
    /// 5: the server cannot listen on the address.
    #[error("{0}")]
    Address(String),
}

impl CliError {
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Failed(_) => 1,
            Self::Usage(_) => 2,
            Self::Store(_) => 3,
            Self::Schema(_) => 4,
            Self::Address(_) => 5,
        })
    }
}

impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Foreign { .. } | OpenError::Newer { .. } | OpenError::Altered { .. } => {
                Self::Schema(error.to_string())
            }
            _ => Self::Store(error.to_string()),
        }
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_)
            | StoreError::Full(_)
            | StoreError::ReadOnly(_)
            | StoreError::ShardAway { .. }
            | StoreError::TimedOut => Self::Store(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl From<CopyError> for CliError {
    fn from(error: CopyError) -> Self {
        match error {
            CopyError::Open(error) => error.into(),
            CopyError::Store(error) => error.into(),
        }
    }
}

impl From<AccessError> for CliError {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::Store(error) => error.into(),
            _ => Self::Failed(error.to_string()),
        }
    }
}
