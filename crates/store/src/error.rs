//! Errors of opening and using a database, in words that an operator can act on.

use kaisatsu_model::{AccountId, AppId, ApplicationName, DatasetId, ItemId, KeyId, RecognitionId};
use sqlx::sqlite::SqliteError;

/// Why a database could not be opened. Operators read these messages, so they are whole sentences.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file or its folder cannot be written.
    #[error("{address}: {reason}. Check that the folder exists and that this user may write to it")]
    NotWritable {
        /// The address, password hidden.
        address: String,
        /// The message of the system.
        reason: String,
    },
    /// Another process holds a lock on the file.
    #[error("{address}: another process holds a lock on it. Stop that process, or wait for it, and start again")]
    Locked {
        /// The address.
        address: String,
    },
    /// The file is not a SQLite database, or it is damaged.
    #[error(
        "{address}: this file is not a SQLite database, or it is damaged. Nothing was changed; move it away or name \
         another file"
    )]
    NotADatabase {
        /// The address.
        address: String,
    },
    /// The tables belong to another application.
    #[error(
        "{address}: it holds tables of another application. Nothing was changed; name a database of Kaisatsu's own"
    )]
    Foreign {
        /// The address.
        address: String,
    },
    /// The schema was written by a newer Kaisatsu.
    #[error(
        "{address}: its schema is version {found}, written by a newer Kaisatsu; this one knows versions up to {known}. \
         Nothing was changed; run the newer Kaisatsu"
    )]
    Newer {
        /// The address.
        address: String,
        /// The version of the database.
        found: i64,
        /// The latest version that this binary knows.
        known: i64,
    },
    /// The schema has a known version with other contents.
    #[error(
        "{address}: its schema version {version} is not the one Kaisatsu made. Nothing was changed; restore a backup \
         or name another database"
    )]
    Altered {
        /// The address.
        address: String,
        /// The version that differs.
        version: i64,
    },
    /// The server does not answer or refuses the login.
    #[error("{address}: {reason}")]
    Unreachable {
        /// The address, password hidden.
        address: String,
        /// The message of the system or the server.
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

/// Why an operation on an open store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database failed or cannot be reached.
    #[error("the database failed: {0}")]
    Unavailable(#[source] sqlx::Error),
    /// The disk of the database is full.
    #[error("the disk of the database is full: {0}")]
    Full(#[source] sqlx::Error),
    /// The database can only be read.
    #[error("the database can only be read: {0}")]
    ReadOnly(#[source] sqlx::Error),
    /// Another server of the database, on which vectors lie, cannot be reached.
    #[error("the shard {name} cannot be reached: {source}")]
    ShardAway {
        /// Its name, or the names of those that it may be.
        name: String,
        /// The cause.
        source: sqlx::Error,
    },
    /// The database did not answer in time.
    #[error("the database did not answer in time")]
    TimedOut,
    /// A row that the operation needs does not exist.
    #[error("{0}")]
    NotFound(Missing),
    /// The stored data does not allow the change.
    #[error("{0}")]
    Conflict(Conflict),
    /// A row does not hold what this code writes.
    #[error("a row of the database cannot be read: {0}")]
    Damaged(String),
}

/// What does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// The application, or it has been deleted.
    #[error("there is no application {0}")]
    Application(AppId),
    /// The key.
    #[error("there is no key {0}")]
    Key(KeyId),
    /// The recognition, or it has expired, or it is another application's.
    #[error("there is no recognition {0}")]
    Recognition(RecognitionId),
    /// The candidate of a recognition.
    #[error("the recognition has no candidate {}", .0.as_str())]
    Candidate(ItemId),
    /// The dataset.
    #[error("there is no dataset {0}")]
    Dataset(DatasetId),
    /// The account.
    #[error("there is no account {0}")]
    Account(AccountId),
}

/// What a change conflicts with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// Another application has the name.
    #[error("there is an application named '{0}' already")]
    ApplicationName(ApplicationName),
    /// Several people have an application of the name.
    #[error("several applications are named '{0}'; give the id of one, `kaisatsu app list` lists them")]
    SeveralApplications(ApplicationName),
    /// The key is disabled or has a successor, so it cannot get another one.
    #[error("key {0} is disabled or was rotated already")]
    EndedKey(KeyId),
    /// No active operator would remain.
    #[error("this is the last operator; make somebody else one first")]
    LastOperator,
    /// There is no active operator, and the account would be a member.
    #[error("there is no operator yet, and somebody must be one: create an operator first")]
    NoOperator,
    /// The key can do what operators do, and whoever makes it is none.
    #[error("only an operator may create or replace a key of the scope 'operator'")]
    NotOperator,
    /// An operator disabled the application or the key, and the change is not an operator's.
    #[error("an operator switched this off; ask the operator")]
    DisabledByOperator,
}

impl From<Missing> for StoreError {
    fn from(missing: Missing) -> Self {
        Self::NotFound(missing)
    }
}

impl From<Conflict> for StoreError {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let Some(cause) = error.as_database_error() else {
            return match error {
                // The database answers, but not what this code reads.
                sqlx::Error::Decode(_)
                | sqlx::Error::ColumnDecode { .. }
                | sqlx::Error::ColumnNotFound(_)
                | sqlx::Error::ColumnIndexOutOfBounds { .. }
                | sqlx::Error::TypeNotFound { .. } => Self::Damaged(error.to_string()),
                _ => Self::Unavailable(error),
            };
        };
        let code = cause.code().unwrap_or_default();
        if cause.try_downcast_ref::<SqliteError>().is_some() {
            let code: u32 = code.parse().unwrap_or_default();
            return match (code & 0xff, code) {
                // SQLITE_FULL; SQLITE_IOERR_SHMSIZE is the same for the index of the write-ahead log.
                (13, _) | (_, 4874) => Self::Full(error),
                // SQLITE_READONLY.
                (8, _) => Self::ReadOnly(error),
                // SQLITE_CORRUPT and SQLITE_NOTADB.
                (11 | 26, _) => Self::Damaged(error.to_string()),
                _ => Self::Unavailable(error),
            };
        }
        match code.as_ref() {
            // PostgreSQL: lock_timeout and statement_timeout.
            "55P03" | "57014" => Self::TimedOut,
            // disk_full.
            "53100" => Self::Full(error),
            // read_only_sql_transaction: a standby, or a server that was switched over.
            "25006" => Self::ReadOnly(error),
            _ => Self::Unavailable(error),
        }
    }
}
