//! Why a command ends badly, and the exit code it ends with. docs/operations.md lists them.

use std::process::ExitCode;

use kaisatsu_store::{OpenError, StoreError};

/// A sentence for the operator, and the kind of trouble for scripts.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// 1: the command could not do what it was asked for.
    #[error("{0}")]
    Failed(String),
    /// 2: the command line, the environment or the configuration file is wrong.
    #[error("{0}")]
    Usage(String),
    /// 3: the database cannot be reached or written.
    #[error("{0}")]
    Store(String),
    /// 4: the database is not one that this version can work with.
    #[error("{0}")]
    Schema(String),
    /// 5: the address to listen on cannot be had.
    #[error("{0}")]
    Address(String),
}

impl Trouble {
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

impl From<OpenError> for Trouble {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Foreign { .. } | OpenError::Newer { .. } | OpenError::Altered { .. } => {
                Self::Schema(error.to_string())
            }
            _ => Self::Store(error.to_string()),
        }
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) | StoreError::TimedOut => Self::Store(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}
