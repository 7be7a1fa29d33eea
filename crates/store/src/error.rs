//! What can go wrong with the database, in words an operator can act on.

use kaisatsu_model::{AccountId, AppId, ApplicationName, DatasetId, ItemId, KeyId, RecognitionId};
use sqlx::error::DatabaseError;

/// Why a database could not be opened. The messages are whole sentences: they are what the operator reads.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file or its folder cannot be written.
    #[error("{address}: {reason}. Check that the folder exists and that this user may write to it")]
    NotWritable {
        /// The address, password hidden.
        address: String,
        /// What the system said.
        reason: String,
    },
    /// Somebody else holds a lock on the file.
    #[error("{address}: another process holds a lock on it. Stop that process, or wait for it, and start again")]
    Locked {
        /// The address.
        address: String,
    },
    /// The file is there and is no SQLite database, or a damaged one.
    #[error(
        "{address}: this file is not a SQLite database, or it is damaged. Nothing was changed; move it away or name another file"
    )]
    NotADatabase {
        /// The address.
        address: String,
    },
    /// The tables are not ours.
    #[error(
        "{address}: it holds tables of another application. Nothing was changed; name a database of Kaisatsu's own"
    )]
    Foreign {
        /// The address.
        address: String,
    },
    /// The schema is of a later version of Kaisatsu.
    #[error(
        "{address}: its schema is version {found}, written by a newer Kaisatsu; this one knows versions up to {known}. \
         Nothing was changed; run the newer Kaisatsu"
    )]
    Newer {
        /// The address.
        address: String,
        /// The version in the database.
        found: i64,
        /// The latest version this binary knows.
        known: i64,
    },
    /// The schema claims a version that we know, with other contents.
    #[error(
        "{address}: its schema version {version} is not the one Kaisatsu made. Nothing was changed; restore a backup or name another database"
    )]
    Altered {
        /// The address.
        address: String,
        /// The version that differs.
        version: i64,
    },
    /// The server does not answer or refuses the log-in.
    #[error("{address}: {reason}")]
    Unreachable {
        /// The address, password hidden.
        address: String,
        /// What the system or the server said.
        reason: String,
    },
    /// Anything else.
    #[error("{address}: the database failed: {source}")]
    Failed {
        /// The address, password hidden.
        address: String,
        /// The cause.
        source: sqlx::Error,
    },
}

/// Why an operation on an open store did not happen.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database failed or cannot be reached.
    #[error("the database failed: {0}")]
    Unavailable(#[source] sqlx::Error),
    /// The database did not answer in time.
    #[error("the database did not answer in time")]
    TimedOut,
    /// There is another application of that name.
    #[error("there is an application named '{0}' already")]
    NameTaken(ApplicationName),
    /// There is no such application.
    #[error("there is no application {0}")]
    NoApplication(AppId),
    /// There is no such key.
    #[error("there is no key {0}")]
    NoKey(KeyId),
    /// The key was replaced or switched off before, so it cannot be rotated.
    #[error("key {0} is disabled or was rotated already")]
    KeyEnded(KeyId),
    /// The application has no such recognition, or its time is over.
    #[error("there is no recognition {0}")]
    NoRecognition(RecognitionId),
    /// The recognition has no such candidate.
    #[error("the recognition has no candidate {}", .0.as_str())]
    NoItem(ItemId),
    /// The user has no such dataset.
    #[error("there is no dataset {0}")]
    NoDataset(DatasetId),
    /// There is no such account.
    #[error("there is no account {0}")]
    NoAccount(AccountId),
    /// Nobody would be left to run the server.
    #[error("this is the last operator; make somebody else one first")]
    LastOperator,
    /// There are as many as there may be.
    #[error("there are as many {0} as one may have; remove some or switch some off first")]
    TooMany(&'static str),
    /// Only an operator switches on what an operator switched off.
    #[error("an operator switched this off; ask the operator")]
    SwitchedOffByOperator,
    /// What is in the database is not what we wrote.
    #[error("a row of the database cannot be read: {0}")]
    Damaged(String),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match error.as_database_error().and_then(DatabaseError::code).as_deref() {
            // PostgreSQL: a lock was not to be had, or the statement took longer than it may.
            Some("55P03" | "57014") => Self::TimedOut,
            _ => Self::Unavailable(error),
        }
    }
}
