//! Whether the database can search vectors.

use crate::{Pool, Store, StoreError};

/// The earliest version of pgvector with iterative index scans.
const EARLIEST: (u32, u32) = (0, 8);

/// Whether the database can search vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VectorSupport {
    /// It can.
    Ready,
    /// The server has the extension, but this database does not have it yet.
    Available,
    /// It cannot; this is why, and what would help.
    Missing(String),
}

impl Store {
    /// Whether the database can search vectors.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn vector_support(&self) -> Result<VectorSupport, StoreError> {
        let Pool::Postgres(pool) = &self.pool else {
            return Ok(missing("SQLite does not search vectors; use PostgreSQL with the extension pgvector"));
        };
        let row: Option<(Option<String>, Option<String>)> = sqlx::query_as(
            "SELECT installed_version, default_version FROM pg_available_extensions WHERE name = 'vector'",
        )
        .fetch_optional(pool)
        .await?;
        Ok(match row {
            None => missing("this PostgreSQL server has no extension pgvector; install it there"),
            Some((Some(version), _)) if is_recent(&version) => VectorSupport::Ready,
            Some((Some(version), _)) => missing(&format!(
                "this database has version {version} of the extension pgvector, 0.8 or later is needed; update it \
                 with ALTER EXTENSION vector UPDATE"
            )),
            Some((None, Some(version))) if is_recent(&version) => VectorSupport::Available,
            Some((None, _)) => missing("the extension pgvector of this PostgreSQL server is older than 0.8"),
        })
    }

    /// Adds the extension to the database where the server has it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn enable_vectors(&self) -> Result<VectorSupport, StoreError> {
        let support = self.vector_support().await?;
        let (VectorSupport::Available, Pool::Postgres(pool)) = (&support, &self.pool) else { return Ok(support) };
        let created = sqlx::query("CREATE EXTENSION IF NOT EXISTS vector").execute(pool).await;
        // Another replica may have done so at the same time, which is an error for one of them.
        let now = self.vector_support().await?;
        match created {
            Err(error) if now != VectorSupport::Ready => Ok(missing(&format!(
                "the extension pgvector cannot be added to this database ({error}); let its owner run CREATE \
                 EXTENSION vector"
            ))),
            _ => Ok(now),
        }
    }
}

fn missing(reason: &str) -> VectorSupport {
    VectorSupport::Missing(reason.to_owned())
}

pub(super) fn is_recent(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= EARLIEST
}

#[cfg(test)]
mod tests {
    use super::is_recent;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(is_recent("0.8.0") && is_recent("0.10.1") && is_recent("1.0"));
        assert!(!is_recent("0.7.4") && !is_recent("0.5") && !is_recent("?"));
    }
}
