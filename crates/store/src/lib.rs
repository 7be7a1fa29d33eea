//! What is kept: one [`Store`] on SQLite and on PostgreSQL, and [`Blobs`] in a folder or on an S3 server.
//!
//! Both backends take the same SQL wherever they can, so each query is written once and compiled for both (see
//! `on_each!`). Times are integers (microseconds), ids are text, digests are bytes: types that both databases
//! agree on. `sqlx` is named in no other crate, and neither is `object_store`.

mod accounts;
mod address;
mod applications;
mod blobs;
mod catalogue;
mod check;
mod claims;
mod collections;
mod content;
mod datasets;
mod error;
mod feedback;
mod fold;
mod keys;
mod open;
mod recognitions;
mod tokens;
mod usage;
mod user_images;

pub use accounts::{
    Account, AccountChange, Belongings, NewAccount, NewSession, Purpose, Registered, SessionRow, SignedIn,
};
pub use address::{Address, BadAddress};
pub use applications::{ApplicationChange, ApplicationUser, OwnedApplication};
pub use blobs::{BadBlobAddress, BlobAddress, BlobError, BlobKey, Blobs, Listed, hex, sha256};
pub use catalogue::{ChangedItem, ItemRecord, NewItem, ReferenceRow};
pub use check::BlobRow;
pub use claims::Claim;
pub use collections::{ChangedImage, Collection, ImageRecord, NewImage};
pub use datasets::{
    BuiltImage, CreateDataset, DatasetImageRow, DatasetLimits, DatasetRow, ImageSource, Lease, Looked, NewDataset,
    NewDatasetImage, Task,
};
pub use error::{OpenError, StoreError};
pub use feedback::{
    FeedbackChange, FeedbackCount, FeedbackFilter, FeedbackReport, FeedbackRow, KeptVerdict, NewReport, NewVerdict,
    Rated, Standing, Total,
};
pub use keys::{ChangedKeys, KeyGrant, NewKey};
pub use recognitions::{KeptItem, NewRecognition, Push, RecognitionRecord};
use sqlx::{PgPool, SqlitePool};
pub use tokens::{NewToken, TokenHolder};
pub use usage::{UsageOutcome, UsageRow, UsageSum};
pub use user_images::{NewUserImage, PutImage, UserImage};

/// The database, whichever it is. Cheap to clone: clones share one pool of connections.
#[derive(Debug, Clone)]
pub struct Store {
    pool: Pool,
}

#[derive(Debug, Clone)]
enum Pool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// Runs one piece of code on whichever pool the store has. The body is compiled once for each backend, so a query
/// that only one of them understands does not get past the conformance suite unnoticed.
macro_rules! on_each {
    ($store:expr, $pool:ident => $body:expr) => {
        match &$store.pool {
            $crate::Pool::Sqlite($pool) => $body,
            $crate::Pool::Postgres($pool) => $body,
        }
    };
}
pub(crate) use on_each;

impl Store {
    /// Asks the database for a sign of life.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it gives none.
    pub async fn ping(&self) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query("SELECT 1").execute(pool).await.map(drop))?;
        Ok(())
    }

    /// How a transaction begins that reads first and writes then. SQLite would let two of them read and refuse the
    /// second one's write, without waiting, because what it has read is out of date.
    fn begin_writing(&self) -> &'static str {
        match self.pool {
            Pool::Sqlite(_) => "BEGIN IMMEDIATE",
            Pool::Postgres(_) => "BEGIN",
        }
    }

    /// What a question for rows ends with that are to stay until the transaction ends. SQLite lets nobody else write
    /// meanwhile as it is.
    fn and_keep_them(&self) -> &'static str {
        match self.pool {
            Pool::Sqlite(_) => "",
            Pool::Postgres(_) => " FOR KEY SHARE",
        }
    }

    /// Which kind of database this is, for logs and listings.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.pool {
            Pool::Sqlite(_) => "sqlite",
            Pool::Postgres(_) => "postgres",
        }
    }

    /// Closes every connection after its last statement. SQLite folds its write-ahead log back into the file.
    pub async fn close(&self) {
        on_each!(self, pool => pool.close().await);
    }
}
