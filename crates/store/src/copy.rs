//! A copy of a SQLite database, made while it is used.

use std::path::Path;

use crate::{Pool, Store, StoreError};

impl Store {
    /// Writes a copy of the database as it is at this moment into a new file. On PostgreSQL nothing is copied.
    ///
    /// # Errors
    /// When the database fails, or the file exists or cannot be written.
    pub async fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        if let Pool::Sqlite(pool) = &self.pool {
            sqlx::query("VACUUM INTO $1").bind(file.to_string_lossy().into_owned()).execute(pool).await?;
        }
        Ok(())
    }
}
