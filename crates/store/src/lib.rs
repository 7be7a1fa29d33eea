//! Storage: one [`Store`] on SQLite or PostgreSQL, and [`Blobs`] in a folder or on an S3 server.
//!
//! Both databases accept the same SQL almost everywhere, so each query is written once and compiled for both (see
//! `on_each!`). Times are integers (microseconds), ids are text, digests are bytes: types that both databases have. No
//! other crate names `sqlx` or `object_store`.

mod accounts;
mod address;
mod applications;
mod blob_claims;
mod blobs;
mod catalogue;
mod catalogue_segments;
mod check;
mod clock;
mod collections;
mod content_revision;
mod copy;
mod counts;
mod datasets;
mod disk;
mod error;
mod failed_requests;
mod feedback;
mod idempotency;
#[cfg(target_os = "linux")]
mod keepalive;
mod keys;
mod limits;
mod open;
mod recognitions;
mod replicas;
mod thumbnails;
mod tokens;
mod transactions;
mod usage;
mod user_images;
mod vectors;
mod wal_checkpoint;

use std::sync::Arc;

pub use accounts::{
    Account, AccountChange, AccountSession, ApplicationContents, LinkPurpose, NewAccount, NewSession, RegisterOutcome,
    SessionRow,
};
pub use address::{DatabaseAddress, InvalidDatabaseAddress};
pub use applications::{ApplicationChange, ApplicationUser, OwnedApplication};
pub use blob_claims::{BlobClaim, from_hex};
pub use blobs::{BlobAddress, BlobError, BlobKey, Blobs, InvalidBlobAddress, StoredBlob, hex, sha256};
pub use catalogue::{ChangedItem, ItemFilter, ItemRecord, ListedItem, NewItem, ReferenceRow};
pub use catalogue_segments::{CatalogueSegment, ItemRevision, NewSegment, SegmentRange};
pub use check::BlobRow;
pub use collections::{ChangedImage, Collection, CollectionRecord, ImageRecord, NewImage};
pub use copy::{CopyError, OnRows};
pub use datasets::{
    BuiltImage, CreateDatasetOutcome, DatasetImageRow, DatasetLimits, DatasetRow, DatasetUpdate, ImageChanges,
    ImageResult, ImageSource, Lease, NewDataset, NewDatasetImage, NewVectors, OutdatedDataset, PendingImage,
    UndoOutcome, UpdateDatasetOutcome, VersionLimits,
};
pub use disk::{DiskSpace, Unwritable, try_writing};
pub use error::{Conflict, Missing, OpenError, StoreError};
pub use failed_requests::FailedRequest;
pub use feedback::{
    FeedbackChange, FeedbackCount, FeedbackFilter, FeedbackReport, FeedbackRow, FeedbackTotal, NewReport, NewVerdict,
    RatedSubject, Standing, VerdictRecord,
};
pub use idempotency::{ClaimOutcome, NewClaim, SEED_BYTES, StoredAnswer};
pub use keys::{ChangedKeys, KeyGrant, NewKey};
pub use limits::{DayShare, LimitLease, RateShare};
pub use recognitions::{NewRecognition, Rated, RecognitionRecord, ScoreAdjustment, StoredCandidate};
pub use replicas::ReplicaRow;
use sqlx::{PgPool, SqlitePool};
pub use tokens::{NewToken, TokenHolder};
use tokio::sync::Semaphore;
pub use usage::{UsageOutcome, UsageRow, UsageTotal};
pub use user_images::{KeptImage, NewUserImage, PutImageOutcome, UserImage};
pub use vectors::{
    Followed, NearImages, PartState, SearchConnection, Shard, ShardAddress, ShardError, ShardName, ShardState,
    VectorPart, VectorSupport,
};

/// The database. Cheap to clone: clones share one connection pool.
#[derive(Debug, Clone)]
pub struct Store {
    pool: Pool,
    /// The turns of searches on shards. One that is away takes seconds and a connection of each search: others need
    /// connections too.
    shard_searches: Arc<Semaphore>,
}

impl Store {
    fn over(pool: Pool) -> Self {
        Self { pool, shard_searches: Arc::new(Semaphore::new(vectors::SHARD_SEARCHES)) }
    }
}

#[derive(Debug, Clone)]
enum Pool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// Runs the same code on either pool. The body is compiled once for each backend, and the conformance suite runs it on
/// both, so a query that only one of them accepts fails the tests.
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
    /// Checks that the database answers.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when it does not.
    pub async fn ping(&self) -> Result<(), StoreError> {
        on_each!(self, pool => sqlx::query("SELECT 1").execute(pool).await.map(drop))?;
        Ok(())
    }

    /// The statement that begins a transaction which reads before it writes. With a plain `BEGIN`, SQLite lets two
    /// such transactions read and then fails the second one's write at once, because its snapshot is out of date.
    fn begin_immediate(&self) -> &'static str {
        match self.pool {
            Pool::Sqlite(_) => "BEGIN IMMEDIATE",
            Pool::Postgres(_) => "BEGIN",
        }
    }

    /// The clause that locks the selected rows against deletion until the transaction ends. SQLite needs none: it
    /// allows one writer at a time.
    fn for_key_share(&self) -> &'static str {
        match self.pool {
            Pool::Sqlite(_) => "",
            Pool::Postgres(_) => " FOR KEY SHARE",
        }
    }

    /// The kind of database, for logs and listings.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.pool {
            Pool::Sqlite(_) => "sqlite",
            Pool::Postgres(_) => "postgres",
        }
    }

    /// Closes every connection after its last statement. SQLite checkpoints its write-ahead log into the file. A
    /// PostgreSQL that says nothing is not waited for long.
    pub async fn close(&self) {
        match &self.pool {
            Pool::Sqlite(pool) => pool.close().await,
            Pool::Postgres(pool) => drop(tokio::time::timeout(open::TIMEOUT, pool.close()).await),
        }
    }
}
