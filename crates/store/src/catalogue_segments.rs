//! The segments of the catalogue: which blobs they are, and which changes of items each of them has.

use kaisatsu_model::Timestamp;

use crate::{BlobKey, Store, StoreError, on_each, thumbnails::REFER, transactions::Transactions as _};

/// A range of changes, each a revision and the number of an item: those after the first, up to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentRange {
    /// The change before the first of the range.
    pub from: (i64, i64),
    /// The last change of the range.
    pub to: (i64, i64),
}

impl SegmentRange {
    /// Whether the range has the change that follows this one, whichever that is.
    #[must_use]
    pub fn follows(&self, change: (i64, i64)) -> bool {
        self.from <= change && change < self.to
    }
}

/// A segment that was written and not yet recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSegment {
    /// The hash of its bytes, which are stored already.
    pub sha256: [u8; 32],
    /// Its size in bytes.
    pub size: i64,
    /// The changes that it has.
    pub range: SegmentRange,
    /// Its items.
    pub entries: i64,
    /// Those of them that can be found: without removed ones, and with a picture.
    pub items: i64,
}

/// A segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueSegment {
    /// Its number.
    pub number: i64,
    /// What was recorded.
    pub segment: NewSegment,
}

impl CatalogueSegment {
    /// The key of its bytes.
    #[must_use]
    pub fn key(&self) -> BlobKey {
        BlobKey::public(self.segment.sha256)
    }
}

/// The latest change of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct ItemRevision {
    /// The number of the item.
    pub number: i64,
    /// The revision of the change.
    pub revision: i64,
    /// 1 if it is removed.
    pub removed: i64,
}

#[derive(sqlx_macros::FromRow)]
struct SegmentRow {
    number: i64,
    sha256: Vec<u8>,
    size: i64,
    from_revision: i64,
    from_item: i64,
    to_revision: i64,
    to_item: i64,
    entries: i64,
    items: i64,
}

const SEGMENTS: &str = "SELECT number, sha256, size, from_revision, from_item, to_revision, to_item, entries, items \
     FROM catalogue_segment ORDER BY from_revision, from_item";

const REVISIONS: &str = "SELECT number, revision, removed FROM catalogue_item \
     WHERE (revision, number) > ($1, $2) AND (revision, number) <= ($3, $4) ORDER BY revision, number LIMIT $5";

const COUNT: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM (SELECT 1 AS one FROM catalogue_item \
     WHERE (revision, number) > ($1, $2) AND (revision, number) <= ($3, $4) LIMIT $5) counted";

const OVERLAPPING: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM catalogue_segment \
     WHERE (from_revision, from_item) < ($3, $4) AND (to_revision, to_item) > ($1, $2)";

const INSERT: &str = "INSERT INTO catalogue_segment \
     (sha256, size, from_revision, from_item, to_revision, to_item, entries, items, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

const RELEASE: &str = "UPDATE blob SET state = 'loose' \
     WHERE application_id = 'public' AND user_id = '-' AND sha256 = $1 AND state <> 'doomed'";

const LEASE: &str = "UPDATE catalogue_segment_lease SET holder = $1, expires_at = $3 \
     WHERE holder = $1 OR expires_at <= $2";

/// Locks the lease until the transaction ends, if it is still this holder's.
const HOLD: &str = "UPDATE catalogue_segment_lease SET holder = holder WHERE holder = $1";

impl Store {
    /// The segments, in the order of their ranges, which do not overlap.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn catalogue_segments(&self) -> Result<Vec<CatalogueSegment>, StoreError> {
        let rows: Vec<SegmentRow> = on_each!(self, pool => sqlx::query_as(SEGMENTS).fetch_all(pool).await)?;
        let segment = |row: SegmentRow| {
            let damaged = |_| StoreError::Damaged("the hash of a segment".to_owned());
            let range = SegmentRange { from: (row.from_revision, row.from_item), to: (row.to_revision, row.to_item) };
            let sha256 = row.sha256.try_into().map_err(damaged)?;
            let segment = NewSegment { sha256, size: row.size, range, entries: row.entries, items: row.items };
            Ok(CatalogueSegment { number: row.number, segment })
        };
        rows.into_iter().map(segment).collect()
    }

    /// The items whose latest change is in a range, in the order of these changes, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn item_revisions(&self, range: SegmentRange, limit: i64) -> Result<Vec<ItemRevision>, StoreError> {
        let SegmentRange { from, to } = range;
        Ok(on_each!(self, pool => sqlx::query_as(REVISIONS)
            .bind(from.0).bind(from.1).bind(to.0).bind(to.1).bind(limit)
            .fetch_all(pool).await)?)
    }

    /// How many items have their latest change in a range; no more than `most` are counted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_changed_items(&self, range: SegmentRange, most: i64) -> Result<i64, StoreError> {
        let SegmentRange { from, to } = range;
        Ok(on_each!(self, pool => sqlx::query_scalar(COUNT)
            .bind(from.0).bind(from.1).bind(to.0).bind(to.1).bind(most)
            .fetch_one(pool).await)?)
    }

    /// Takes or renews the lease of writing segments. Returns whether this holder has it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn lease_segments(&self, holder: &str, now: Timestamp, until: Timestamp) -> Result<bool, StoreError> {
        let taken = on_each!(self, pool => sqlx::query(LEASE).bind(holder).bind(now.0).bind(until.0)
            .execute(pool).await.map(|done| done.rows_affected()))?;
        Ok(taken == 1)
    }

    /// Records a segment in place of others, or removes others, all or nothing; their bytes are released. Returns
    /// `false`, and changes nothing, when the lease is another's, one of the others is gone, the range is not free, or
    /// the bytes of the new one are being deleted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn replace_segments(
        &self,
        holder: &str,
        former: &[CatalogueSegment],
        new: Option<&NewSegment>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            if sqlx::query(HOLD).bind(holder).execute(&mut *tx).await?.rows_affected() == 0 {
                return Ok(false);
            }
            for former in former {
                let gone = sqlx::query("DELETE FROM catalogue_segment WHERE number = $1").bind(former.number);
                if gone.execute(&mut *tx).await?.rows_affected() == 0 {
                    return Ok(false);
                }
                sqlx::query(RELEASE).bind(&former.segment.sha256[..]).execute(&mut *tx).await?;
            }
            if let Some(NewSegment { sha256, size, range: SegmentRange { from, to }, entries, items }) = new {
                let overlapping: i64 = sqlx::query_scalar(OVERLAPPING)
                    .bind(from.0).bind(from.1).bind(to.0).bind(to.1).fetch_one(&mut *tx).await?;
                // After the release: a segment whose items are those of a former one has its bytes.
                let referred = sqlx::query(REFER).bind(&sha256[..]).execute(&mut *tx).await?.rows_affected();
                if overlapping > 0 || referred == 0 {
                    return Ok(false);
                }
                sqlx::query(INSERT).bind(&sha256[..]).bind(size)
                    .bind(from.0).bind(from.1).bind(to.0).bind(to.1).bind(entries).bind(items).bind(now.0)
                    .execute(&mut *tx).await?;
            }
            tx.commit().await?;
        });
        Ok(true)
    }
}
