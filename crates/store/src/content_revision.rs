//! The revision of collections and the catalogue, by which replicas notice changes.

use crate::{Store, StoreError, on_each};

/// Takes the next revision, and a lock on collections and catalogue until the transaction ends.
pub(crate) const NEXT_CONTENT_REVISION: &str = "UPDATE content_revision SET value = value + 1 RETURNING value";

impl Store {
    /// The revision of the latest change.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn content_revision(&self) -> Result<i64, StoreError> {
        let value = on_each!(self, pool => {
            sqlx::query_scalar("SELECT value FROM content_revision").fetch_one(pool).await
        });
        Ok(value?)
    }
}
