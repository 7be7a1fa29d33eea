//! Applications, with their owners and quotas.

use kaisatsu_model::{AccountId, AppId, Application, ApplicationName, Timestamp};

use crate::{
    Conflict, Missing, NewKey, Store, StoreError,
    keys::{NEXT_KEY_REVISION, insert_key},
    on_each,
    transactions::Transactions as _,
};

/// An application with its owner and its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedApplication {
    /// The application.
    pub application: Application,
    /// The owner with the e-mail address; `None` for an application made on the command line.
    pub owner: Option<(AccountId, String)>,
    /// Its own limit of requests a day, if it has one.
    pub requests_per_day: Option<i64>,
    /// Whether it is disabled, and an operator disabled it.
    pub disabled_by_operator: bool,
}

/// A change of an application. Fields that are `None` stay as they are.
#[derive(Debug, Clone, Default)]
pub struct ApplicationChange {
    /// The new name.
    pub name: Option<ApplicationName>,
    /// Since when it is disabled; `Some(None)` enables it.
    pub disabled_at: Option<Option<Timestamp>>,
    /// Whether an operator makes the change.
    pub by_operator: bool,
    /// The limit of requests a day; `Some(None)` restores the server's default.
    pub requests_per_day: Option<Option<i64>>,
}

/// A user of an application who has data here.
#[derive(Debug, Clone, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct ApplicationUser {
    /// The application's own name for the user.
    pub user_id: String,
    /// Images in the storage area.
    pub images: i64,
    /// Datasets.
    pub datasets: i64,
}

const INSERT_APPLICATION: &str =
    "INSERT INTO application (id, name, created_at, account_id, title) VALUES ($1, $2, $3, $4, $5)";

/// The applications that a name may mean, the likeliest first.
const NAMED: &str = "SELECT a.id, COALESCE(a.title, a.name), a.created_at, a.disabled_at, \
     CAST(CASE WHEN a.id = $1 THEN 0 WHEN a.name = $1 THEN 1 ELSE 2 END AS BIGINT) AS distance \
     FROM application a WHERE (a.name = $1 OR a.title = $1 OR a.id = $1) AND a.deleted_at IS NULL \
     ORDER BY distance, a.id LIMIT 3";

/// Whether an owner has another application of a name.
const HAS_OTHER: &str = "SELECT 1 FROM application WHERE account_id = $1 AND COALESCE(title, name) = $2 \
     AND id <> $3 AND deleted_at IS NULL LIMIT 1";

/// What is in the unique column `name` for an application with an owner, and nobody sees.
fn handle(id: &AppId) -> String {
    format!("\u{1f}{id}")
}

/// What an operator disabled can be enabled, or disabled again, by operators only.
const SWITCH: &str = "UPDATE application SET disabled_at = $2, disabled_by_operator = $3 \
     WHERE id = $1 AND ($3 = 1 OR disabled_by_operator = 0 OR disabled_at IS NULL)";

const OWNED: &str = "SELECT a.id, COALESCE(a.title, a.name) AS name, a.created_at, a.disabled_at, a.requests_per_day, a.disabled_by_operator, \
     o.id AS owner_id, o.email AS owner_email FROM application a LEFT JOIN account o ON o.id = a.account_id \
     WHERE a.deleted_at IS NULL";

const USERS: &str = "SELECT u.user_id, \
     (SELECT COUNT(*) FROM user_image i WHERE i.application_id = u.application_id AND i.user_id = u.user_id) AS \
     images, \
     (SELECT COUNT(*) FROM dataset d WHERE d.application_id = u.application_id AND d.user_id = u.user_id \
     AND d.version_of IS NULL) AS datasets \
     FROM user_account u WHERE u.application_id = $1 ORDER BY u.user_id LIMIT $2";

impl Store {
    /// Creates an application.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when there is one of that name.
    pub async fn create_application(
        &self,
        id: &AppId,
        name: &ApplicationName,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let made = on_each!(self, pool => {
            sqlx::query(INSERT_APPLICATION)
                .bind(id.as_str()).bind(name.as_str()).bind(now.0).bind(None::<&str>).bind(None::<&str>)
                .execute(pool).await.map(drop)
        });
        made.map_err(|e| taken(e, name))
    }

    /// Creates an application with its first key in one transaction. Applications made on the command line have no
    /// owner.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the owner has one of that name; without an owner, when there is any.
    pub async fn create_application_with_key(
        &self,
        id: &AppId,
        name: &ApplicationName,
        owner: Option<&AccountId>,
        key: &NewKey,
    ) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            if let Some(owner) = owner {
                let other: Option<i32> = sqlx::query_scalar(HAS_OTHER)
                    .bind(owner.as_str()).bind(name.as_str()).bind(id.as_str()).fetch_optional(&mut *tx).await?;
                if other.is_some() {
                    return Err(Conflict::ApplicationName(name.clone()).into());
                }
            }
            let unique = owner.map_or_else(|| name.as_str().to_owned(), |_| handle(id));
            sqlx::query(INSERT_APPLICATION)
                .bind(id.as_str()).bind(unique).bind(key.created_at.0).bind(owner.map(AccountId::as_str))
                .bind(owner.map(|_| name.as_str())).execute(&mut *tx).await.map_err(|e| taken(e, name))?;
            insert_key!(key, id.as_str(), revision).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// All applications by name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn applications(&self) -> Result<Vec<Application>, StoreError> {
        let rows: Vec<ApplicationRow> = on_each!(self, pool => {
            sqlx::query_as("SELECT id, COALESCE(title, name) AS name, created_at, disabled_at FROM application \
                 WHERE deleted_at IS NULL ORDER BY COALESCE(title, name), id")
                .fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(ApplicationRow::into_application).collect())
    }

    /// The application of that name or id, if there is one. A name means the application that was made on the command
    /// line rather than one that somebody owns: nobody who may register can change what a script refers to.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when several people have an application of that name.
    pub async fn application_named(&self, name: &ApplicationName) -> Result<Option<Application>, StoreError> {
        let rows: Vec<(String, String, i64, Option<i64>, i64)> = on_each!(self, pool => {
            sqlx::query_as(NAMED).bind(name.as_str()).fetch_all(pool).await
        })?;
        let best = rows.first().map_or(0, |row| row.4);
        if rows.iter().filter(|row| row.4 == best).count() > 1 {
            return Err(Conflict::SeveralApplications(name.clone()).into());
        }
        let named = rows.into_iter().next();
        let row =
            named.map(|(id, name, created_at, disabled_at, _)| ApplicationRow { id, name, created_at, disabled_at });
        Ok(row.map(ApplicationRow::into_application))
    }

    /// Disables (`Some`) or enables (`None`) an application, and with it all of its keys.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none of that id.
    pub async fn set_application_disabled(&self, id: &AppId, since: Option<Timestamp>) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            let found: Option<i64> =
                sqlx::query_scalar("UPDATE application SET disabled_at = $2, disabled_by_operator = 1 \
                     WHERE id = $1 AND deleted_at IS NULL RETURNING created_at")
                    .bind(id.as_str()).bind(since.map(|t| t.0)).fetch_optional(&mut *tx).await?;
            if found.is_none() {
                return Err(Missing::Application(id.clone()).into());
            }
            sqlx::query("UPDATE api_key SET revision = $2 WHERE application_id = $1")
                .bind(id.as_str()).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// The applications of an account, or all of them, by name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn owned_applications(&self, owner: Option<&AccountId>) -> Result<Vec<OwnedApplication>, StoreError> {
        let sql = sqlx::AssertSqlSafe(format!("{OWNED} AND ($1 IS NULL OR a.account_id = $1) ORDER BY name, a.id"));
        let rows: Vec<OwnedRow> = on_each!(self, pool => {
            sqlx::query_as(sql).bind(owner.map(AccountId::as_str)).fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(OwnedRow::into_owned).collect())
    }

    /// The application of that id, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn owned_application(&self, id: &AppId) -> Result<Option<OwnedApplication>, StoreError> {
        let sql = sqlx::AssertSqlSafe(format!("{OWNED} AND a.id = $1"));
        let row: Option<OwnedRow> =
            on_each!(self, pool => sqlx::query_as(sql).bind(id.as_str()).fetch_optional(pool).await)?;
        Ok(row.map(OwnedRow::into_owned))
    }

    /// Gives an application that nobody owns to an account.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none, or it has an owner; [`StoreError::Conflict`] when the account has
    /// one of that name.
    pub async fn give_application(&self, id: &AppId, to: &AccountId) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            let name: Option<String> = sqlx::query_scalar(
                "SELECT name FROM application WHERE id = $1 AND account_id IS NULL AND deleted_at IS NULL",
            )
            .bind(id.as_str()).fetch_optional(&mut *tx).await?;
            let name = name.ok_or_else(|| Missing::Application(id.clone()))?;
            let other: Option<i32> = sqlx::query_scalar(HAS_OTHER)
                .bind(to.as_str()).bind(&name).bind(id.as_str()).fetch_optional(&mut *tx).await?;
            if let (Some(_), Ok(name)) = (other, ApplicationName::new(&name)) {
                return Err(Conflict::ApplicationName(name).into());
            }
            sqlx::query("UPDATE application SET account_id = $2, name = $3, title = $4 WHERE id = $1")
                .bind(id.as_str()).bind(to.as_str()).bind(handle(id)).bind(&name).execute(&mut *tx).await?;
            // Key caches notice it by the revision of its keys: they follow the account from now on.
            sqlx::query("UPDATE api_key SET revision = $2 WHERE application_id = $1")
                .bind(id.as_str()).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// Changes an application. Key caches notice it by the revision of its keys.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Conflict`] when the name is taken or an operator disabled it.
    pub async fn change_application(&self, id: &AppId, change: &ApplicationChange) -> Result<(), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            let found: Option<String> =
                sqlx::query_scalar("SELECT id FROM application WHERE id = $1 AND deleted_at IS NULL")
                    .bind(id.as_str()).fetch_optional(&mut *tx).await?;
            found.ok_or_else(|| Missing::Application(id.clone()))?;
            if let Some(name) = &change.name {
                let owner: Option<String> = sqlx::query_scalar("SELECT account_id FROM application WHERE id = $1")
                    .bind(id.as_str()).fetch_one(&mut *tx).await?;
                let other: Option<i32> = sqlx::query_scalar(HAS_OTHER)
                    .bind(&owner).bind(name.as_str()).bind(id.as_str()).fetch_optional(&mut *tx).await?;
                if other.is_some() {
                    return Err(Conflict::ApplicationName(name.clone()).into());
                }
                let unique = owner.as_ref().map_or_else(|| name.as_str().to_owned(), |_| handle(id));
                sqlx::query("UPDATE application SET name = $2, title = $3 WHERE id = $1")
                    .bind(id.as_str()).bind(unique).bind(owner.map(|_| name.as_str()))
                    .execute(&mut *tx).await.map_err(|e| taken(e, name))?;
            }
            if let Some(disabled_at) = change.disabled_at {
                let done = sqlx::query(SWITCH)
                    .bind(id.as_str()).bind(disabled_at.map(|at| at.0)).bind(i64::from(change.by_operator))
                    .execute(&mut *tx).await?;
                if done.rows_affected() == 0 {
                    return Err(Conflict::DisabledByOperator.into());
                }
            }
            if let Some(requests_per_day) = change.requests_per_day {
                sqlx::query("UPDATE application SET requests_per_day = $2 WHERE id = $1")
                    .bind(id.as_str()).bind(requests_per_day).execute(&mut *tx).await?;
            }
            sqlx::query("UPDATE api_key SET revision = $2 WHERE application_id = $1")
                .bind(id.as_str()).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// The users of an application who have data here, at most `limit`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn application_users(&self, id: &AppId, limit: i64) -> Result<Vec<ApplicationUser>, StoreError> {
        Ok(on_each!(self, pool => sqlx::query_as(USERS).bind(id.as_str()).bind(limit).fetch_all(pool).await)?)
    }
}

/// Why an application could not be stored.
fn taken(error: sqlx::Error, name: &ApplicationName) -> StoreError {
    match error.as_database_error() {
        Some(cause) if cause.is_unique_violation() => Conflict::ApplicationName(name.clone()).into(),
        _ => error.into(),
    }
}

#[derive(sqlx_macros::FromRow)]
struct ApplicationRow {
    id: String,
    name: String,
    created_at: i64,
    disabled_at: Option<i64>,
}

impl ApplicationRow {
    fn into_application(self) -> Application {
        Application {
            id: AppId::from_text(self.id),
            name: self.name,
            created_at: Timestamp(self.created_at),
            disabled_at: self.disabled_at.map(Timestamp),
        }
    }
}

#[derive(sqlx_macros::FromRow)]
struct OwnedRow {
    id: String,
    name: String,
    created_at: i64,
    disabled_at: Option<i64>,
    requests_per_day: Option<i64>,
    disabled_by_operator: i64,
    owner_id: Option<String>,
    owner_email: Option<String>,
}

impl OwnedRow {
    fn into_owned(self) -> OwnedApplication {
        OwnedApplication {
            application: Application {
                id: AppId::from_text(self.id),
                name: self.name,
                created_at: Timestamp(self.created_at),
                disabled_at: self.disabled_at.map(Timestamp),
            },
            owner: self.owner_id.map(AccountId::from_text).zip(self.owner_email),
            requests_per_day: self.requests_per_day,
            disabled_by_operator: self.disabled_by_operator != 0 && self.disabled_at.is_some(),
        }
    }
}
