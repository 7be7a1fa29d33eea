//! How much there is of what is stored, for those who run the server.

use crate::{Store, StoreError, on_each};

/// A dataset is ready, or has failed, as the version is that answers; a change that failed counts beside it. What is
/// queued or being built is every build, also of a version.
const DATASET_COUNTS: &str = "SELECT phase, COUNT(*) FROM (\
     SELECT phase FROM dataset WHERE phase IN ('queued', 'building') \
     UNION ALL SELECT v.phase FROM dataset d JOIN dataset v ON v.id IN (COALESCE(d.current_version, d.id), \
     d.next_version) WHERE d.version_of IS NULL AND v.phase IN ('ready', 'failed')) AS counted \
     GROUP BY phase ORDER BY phase";

impl Store {
    /// How many datasets are usable or have failed, and how many builds wait or run, by the word for the phase.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset_counts(&self) -> Result<Vec<(String, i64)>, StoreError> {
        Ok(on_each!(self, pool => sqlx::query_as(DATASET_COUNTS).fetch_all(pool).await)?)
    }
}
