//! The revision of collections and the catalogue, which replicas follow.

use crate::{Store, StoreError, on_each};

/// Takes the next revision, and with it the right to change content until the transaction ends.
pub(crate) const RAISE_CONTENT: &str = "UPDATE content_revision SET value = value + 1 RETURNING value";

impl Store {
    /// The revision of the last change.
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
