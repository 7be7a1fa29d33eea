//! How much there is of what is stored, for those who run the server.

use crate::{Store, StoreError, on_each};

impl Store {
    /// How many datasets are in each phase, by the word for it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset_counts(&self) -> Result<Vec<(String, i64)>, StoreError> {
        Ok(on_each!(self, pool => {
            sqlx::query_as("SELECT phase, COUNT(*) FROM dataset GROUP BY phase ORDER BY phase").fetch_all(pool).await
        })?)
    }
}
