//! The catalogue of object recognition: items, their barcodes, and their reference pictures as local features.

use std::collections::HashMap;

use crate::{
    Pool, Store, StoreError,
    content_revision::NEXT_CONTENT_REVISION,
    on_each,
    thumbnails::{REFER, RELEASE_OF_ITEM},
    transactions::Transactions as _,
};

/// A new item.
#[derive(Debug, Clone)]
pub struct NewItem {
    /// The operator's own id.
    pub id: String,
    /// Its category, such as `book` or `food`.
    pub category: String,
    /// Its name.
    pub name: String,
    /// JSON: an object of texts.
    pub detail: String,
    /// The address of its picture; may be empty.
    pub image_url: String,
    /// JSON: a list of objects with url, title and imageUrl.
    pub sites: String,
    /// Its barcodes, with thirteen digits each.
    pub codes: Vec<String>,
    /// Its reference pictures: sketch and features.
    pub pictures: Vec<(Vec<u8>, Vec<u8>)>,
    /// The digest of the row and the pictures that it was imported from.
    pub digest: Vec<u8>,
    /// The hash of its thumbnail, whose bytes are stored already.
    pub thumbnail: Option<[u8; 32]>,
}

/// A stored item.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct ItemRecord {
    /// Its number.
    pub number: i64,
    /// The operator's own id.
    pub id: String,
    /// Its category.
    pub category: String,
    /// Its name.
    pub name: String,
    /// JSON: an object of texts.
    pub detail: String,
    /// The address of its picture.
    pub image_url: String,
    /// JSON: a list of objects.
    pub sites: String,
    /// The hash of its thumbnail, if it has one.
    pub thumbnail: Option<Vec<u8>>,
}

/// A reference picture, and the item that it shows.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct ReferenceRow {
    /// Its number.
    pub picture: i64,
    /// Its local features.
    pub features: Vec<u8>,
    /// The item.
    #[sqlx(flatten)]
    pub item: ItemRecord,
}

/// Which items are listed.
#[derive(Debug, Clone, Copy, Default)]
pub struct ItemFilter<'a> {
    /// Those of this category.
    pub category: Option<&'a str>,
    /// The one of this id.
    pub id: Option<&'a str>,
    /// Those with this barcode of thirteen digits.
    pub code: Option<&'a str>,
}

/// An item as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct ListedItem {
    /// The item.
    #[sqlx(flatten)]
    pub item: ItemRecord,
    /// How many reference pictures it has.
    pub pictures: i64,
    /// Its barcodes, with thirteen digits each.
    #[sqlx(skip)]
    pub codes: Vec<String>,
}

#[derive(sqlx_macros::FromRow)]
struct CodeRow {
    code: String,
    #[sqlx(flatten)]
    item: ItemRecord,
}

/// An item that changed.
#[derive(Debug, Clone)]
pub struct ChangedItem {
    /// Its number.
    pub number: i64,
    /// Its category.
    pub category: String,
    /// The numbers and sketches of its pictures; empty when it was removed.
    pub sketches: Vec<(i64, Vec<u8>)>,
    /// The revision of its latest change.
    pub revision: i64,
}

const PUT_ITEM: &str = "INSERT INTO catalogue_item (id, category, name, detail, image_url, sites, digest, revision, \
     thumbnail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
     ON CONFLICT (id) DO UPDATE SET category = excluded.category, name = excluded.name, detail = excluded.detail, \
     image_url = excluded.image_url, sites = excluded.sites, digest = excluded.digest, \
     revision = excluded.revision, thumbnail = excluded.thumbnail, removed = 0 RETURNING number";

const CHANGED: &str = "SELECT number, category, revision, removed FROM catalogue_item \
     WHERE revision > $1 OR (revision = $1 AND number > $2) ORDER BY revision, number LIMIT $3";

const SKETCHES: &str = "SELECT p.item, p.number, p.sketch FROM catalogue_picture p JOIN \
     (SELECT number FROM catalogue_item WHERE revision > $1 OR (revision = $1 AND number > $2) \
     ORDER BY revision, number LIMIT $3) i ON i.number = p.item ORDER BY p.number";

const LISTED: &str = "SELECT i.number, i.id, i.category, i.name, i.detail, i.image_url, i.sites, i.thumbnail, \
     (SELECT COUNT(*) FROM catalogue_picture p WHERE p.item = i.number) AS pictures FROM catalogue_item i \
     WHERE i.removed = 0 AND i.number > $1 AND ($2 IS NULL OR i.category = $2) AND ($3 IS NULL OR i.id = $3) \
     AND ($4 IS NULL OR EXISTS (SELECT 1 FROM catalogue_code c WHERE c.item = i.number AND c.code = $4)) \
     ORDER BY i.number LIMIT $5";

/// The barcodes of a list of items.
macro_rules! codes_of {
    ($listed:literal) => {
        concat!("SELECT item, code FROM catalogue_code WHERE item ", $listed, " ORDER BY item, code")
    };
}

/// Items by a list of barcodes.
macro_rules! with_codes {
    ($listed:literal) => {
        concat!(
            "SELECT c.code, i.number, i.id, i.category, i.name, i.detail, i.image_url, i.sites, i.thumbnail FROM catalogue_item i \
             JOIN catalogue_code c ON c.item = i.number WHERE i.removed = 0 AND c.code ",
            $listed,
            " ORDER BY i.number, c.code"
        )
    };
}

/// Reference pictures by a list of numbers, with their items.
macro_rules! references {
    ($listed:literal) => {
        concat!(
            "SELECT p.number AS picture, p.features, \
             i.number, i.id, i.category, i.name, i.detail, i.image_url, i.sites, i.thumbnail FROM catalogue_picture p \
             JOIN catalogue_item i ON i.number = p.item WHERE i.removed = 0 AND p.number ",
            $listed
        )
    };
}

impl Store {
    /// Stores items, all or none. An item of the same id is replaced, with its barcodes and pictures. Returns `false`,
    /// and stores none, when a thumbnail has been deleted meanwhile: its bytes must be written again.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn put_items(&self, items: &[NewItem]) -> Result<bool, StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_CONTENT_REVISION).fetch_one(&mut *tx).await?;
            for item in items {
                sqlx::query(RELEASE_OF_ITEM).bind(&item.id).execute(&mut *tx).await?;
                if let Some(thumbnail) = &item.thumbnail {
                    let referred = sqlx::query(REFER).bind(&thumbnail[..]).execute(&mut *tx).await?;
                    if referred.rows_affected() == 0 {
                        return Ok(false);
                    }
                }
                let number: i64 = sqlx::query_scalar(PUT_ITEM)
                    .bind(&item.id).bind(&item.category).bind(&item.name).bind(&item.detail).bind(&item.image_url)
                    .bind(&item.sites).bind(&item.digest).bind(revision)
                    .bind(item.thumbnail.as_ref().map(|hash| &hash[..]))
                    .fetch_one(&mut *tx).await?;
                sqlx::query("DELETE FROM catalogue_code WHERE item = $1").bind(number).execute(&mut *tx).await?;
                sqlx::query("DELETE FROM catalogue_picture WHERE item = $1").bind(number).execute(&mut *tx).await?;
                for code in &item.codes {
                    sqlx::query("INSERT INTO catalogue_code (code, item) VALUES ($1, $2) ON CONFLICT DO NOTHING")
                        .bind(code).bind(number).execute(&mut *tx).await?;
                }
                for (sketch, features) in &item.pictures {
                    sqlx::query("INSERT INTO catalogue_picture (item, sketch, features) VALUES ($1, $2, $3)")
                        .bind(number).bind(sketch).bind(features).execute(&mut *tx).await?;
                }
            }
            tx.commit().await?;
        });
        Ok(true)
    }

    /// Removes an item. Returns whether there was one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn remove_item(&self, id: &str) -> Result<bool, StoreError> {
        let gone = on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_CONTENT_REVISION).fetch_one(&mut *tx).await?;
            sqlx::query(RELEASE_OF_ITEM).bind(id).execute(&mut *tx).await?;
            let number: Option<i64> = sqlx::query_scalar(
                "UPDATE catalogue_item SET removed = 1, revision = $2, thumbnail = NULL WHERE id = $1 AND removed = 0 RETURNING number",
            )
            .bind(id).bind(revision).fetch_optional(&mut *tx).await?;
            sqlx::query("DELETE FROM catalogue_code WHERE item = $1").bind(number).execute(&mut *tx).await?;
            sqlx::query("DELETE FROM catalogue_picture WHERE item = $1").bind(number).execute(&mut *tx).await?;
            tx.commit().await?;
            number.is_some()
        });
        Ok(gone)
    }

    /// The items after a number, in the order of their numbers, at most `limit`; only those of a category, of an id, or
    /// with a barcode, where these are given.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn catalogue_items(
        &self,
        filter: &ItemFilter<'_>,
        after: i64,
        limit: i64,
    ) -> Result<Vec<ListedItem>, StoreError> {
        let mut items: Vec<ListedItem> = on_each!(self, pool => {
            sqlx::query_as(LISTED)
                .bind(after).bind(filter.category).bind(filter.id).bind(filter.code).bind(limit)
                .fetch_all(pool).await
        })?;
        let numbers: Vec<i64> = items.iter().map(|item| item.item.number).collect();
        let codes: Vec<(i64, String)> = match &self.pool {
            Pool::Sqlite(pool) => {
                let list = serde_json::to_string(&numbers).map_err(|error| StoreError::Damaged(error.to_string()))?;
                sqlx::query_as(codes_of!("IN (SELECT value FROM json_each($1))")).bind(list).fetch_all(pool).await?
            }
            Pool::Postgres(pool) => sqlx::query_as(codes_of!("= ANY($1)")).bind(&numbers).fetch_all(pool).await?,
        };
        let mut of_item: HashMap<i64, Vec<String>> = HashMap::new();
        for (item, code) in codes {
            of_item.entry(item).or_default().push(code);
        }
        for item in &mut items {
            item.codes = of_item.remove(&item.item.number).unwrap_or_default();
        }
        Ok(items)
    }

    /// The digest of what an item was imported from, if there is one of that id.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn item_digest(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let digest = on_each!(self, pool => {
            sqlx::query_scalar("SELECT digest FROM catalogue_item WHERE id = $1 AND removed = 0")
                .bind(id).fetch_optional(pool).await
        });
        Ok(digest?)
    }

    /// The number of items in each category.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn catalogue_counts(&self) -> Result<Vec<(String, i64)>, StoreError> {
        let counts = on_each!(self, pool => {
            sqlx::query_as(
                "SELECT category, COUNT(*) FROM catalogue_item WHERE removed = 0 GROUP BY category ORDER BY category",
            )
            .fetch_all(pool).await
        });
        Ok(counts?)
    }

    /// Whether there are more items than this. It reads no more rows than that, however many there are.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_more_items_than(&self, count: i64) -> Result<bool, StoreError> {
        let next: Option<i64> = on_each!(self, pool => {
            sqlx::query_scalar("SELECT number FROM catalogue_item WHERE removed = 0 LIMIT 1 OFFSET $1")
                .bind(count).fetch_optional(pool).await
        })?;
        Ok(next.is_some())
    }

    /// The items that changed after a cursor (revision, number), in that order, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn changed_items(&self, after: (i64, i64), limit: i64) -> Result<Vec<ChangedItem>, StoreError> {
        type Rows = Vec<(i64, String, i64, i64)>;
        type Sketches = Vec<(i64, i64, Vec<u8>)>;
        let (rows, sketches): (Rows, Sketches) = on_each!(self, pool => {
            let rows = sqlx::query_as(CHANGED).bind(after.0).bind(after.1).bind(limit).fetch_all(pool).await?;
            // An item that changes between the two queries is read again with its newer revision.
            let sketches = sqlx::query_as(SKETCHES).bind(after.0).bind(after.1).bind(limit).fetch_all(pool).await?;
            (rows, sketches)
        });
        let mut of_item: HashMap<i64, Vec<(i64, Vec<u8>)>> = HashMap::new();
        for (item, number, sketch) in sketches {
            of_item.entry(item).or_default().push((number, sketch));
        }
        let changed = |(number, category, revision, removed): (i64, String, i64, i64)| {
            let sketches = of_item.remove(&number).filter(|_| removed == 0).unwrap_or_default();
            ChangedItem { number, category, sketches, revision }
        };
        Ok(rows.into_iter().map(changed).collect())
    }

    /// The items that have any of these barcodes, each with its barcode, by the number of the item; in one statement.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn items_with_codes(&self, codes: &[&str]) -> Result<Vec<(String, ItemRecord)>, StoreError> {
        let rows: Vec<CodeRow> = match &self.pool {
            Pool::Sqlite(pool) => {
                let list = serde_json::to_string(codes).map_err(|error| StoreError::Damaged(error.to_string()))?;
                sqlx::query_as(with_codes!("IN (SELECT value FROM json_each($1))")).bind(list).fetch_all(pool).await?
            }
            Pool::Postgres(pool) => sqlx::query_as(with_codes!("= ANY($1)")).bind(codes).fetch_all(pool).await?,
        };
        Ok(rows.into_iter().map(|row| (row.code, row.item)).collect())
    }

    /// The existing ones of these items, by their numbers, in any order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn existing_items(&self, numbers: &[i64]) -> Result<Vec<i64>, StoreError> {
        Ok(match &self.pool {
            Pool::Sqlite(pool) => {
                let list = serde_json::to_string(numbers).map_err(|error| StoreError::Damaged(error.to_string()))?;
                sqlx::query_scalar(
                    "SELECT number FROM catalogue_item \
                     WHERE removed = 0 AND number IN (SELECT value FROM json_each($1))",
                )
                .bind(list)
                .fetch_all(pool)
                .await?
            }
            Pool::Postgres(pool) => {
                sqlx::query_scalar("SELECT number FROM catalogue_item WHERE removed = 0 AND number = ANY($1)")
                    .bind(numbers)
                    .fetch_all(pool)
                    .await?
            }
        })
    }

    /// The existing ones of these reference pictures, each with its item, in any order; in one statement.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn references(&self, pictures: &[i64]) -> Result<Vec<ReferenceRow>, StoreError> {
        Ok(match &self.pool {
            Pool::Sqlite(pool) => {
                let list = serde_json::to_string(pictures).map_err(|error| StoreError::Damaged(error.to_string()))?;
                sqlx::query_as(references!("IN (SELECT value FROM json_each($1))")).bind(list).fetch_all(pool).await?
            }
            Pool::Postgres(pool) => sqlx::query_as(references!("= ANY($1)")).bind(pictures).fetch_all(pool).await?,
        })
    }
}
