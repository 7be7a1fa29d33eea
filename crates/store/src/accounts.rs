//! People's accounts: who they are, what they may do, and whether there is still an operator.
//!
//! Whatever changes who is an operator takes the one row of `console` first, so that such changes stand in a line.

mod erasure;
mod links;
mod sessions;

pub use erasure::Belongings;
use kaisatsu_model::{AccountId, AccountState, Email, Registration, Role, SecretDigest, Timestamp};
pub use links::Purpose;
pub use sessions::{NewSession, SessionRow, SignedIn};

use crate::{Store, StoreError, keys::RAISE_REVISION, on_each};

/// An account about to be kept.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// Its id.
    pub id: AccountId,
    /// The person's address.
    pub email: Email,
    /// The password's hash, as a PHC string.
    pub password: String,
    /// Where it stands, if it is not the first: the first account is active, and an operator's.
    pub state: AccountState,
    /// When it is made.
    pub created_at: Timestamp,
}

/// What became of an account that was to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registered {
    /// It is there, and the first: its person runs the server.
    First,
    /// It is there.
    Kept,
    /// There was one of that address already; nothing changed.
    Known,
}

/// An account as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// The person's address.
    pub email: String,
    /// What the person may do.
    pub role: Role,
    /// Where it stands.
    pub state: AccountState,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the person last signed in.
    pub signed_in_at: Option<Timestamp>,
}

/// A change of an account by an operator.
#[derive(Debug, Clone, Copy, Default)]
pub struct AccountChange {
    /// Where it shall stand.
    pub state: Option<AccountState>,
    /// What the person shall be allowed to do.
    pub role: Option<Role>,
}

/// Takes the right to change accounts until the transaction ends.
const LOCK: &str = "UPDATE console SET only_row = 1 RETURNING registration";

const ANY: &str = "SELECT 1 FROM account LIMIT 1";

const INSERT: &str = "INSERT INTO account (id, email, password, role, state, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (email) DO NOTHING";

pub(crate) const COLUMNS: &str = "SELECT a.id, a.email, a.role, a.state, a.created_at, a.signed_in_at FROM account a";

/// How many operators there are who can do something about it.
const OPERATORS: &str = "SELECT COUNT(*) FROM account WHERE role = 'operator' AND state = 'active'";

/// The gate learns anew what the keys of a person's applications are worth.
const TOUCH_KEYS: &str = "UPDATE api_key SET revision = $2 \
     WHERE application_id IN (SELECT id FROM application WHERE account_id = $1)";

pub(crate) const END_PASSES: &str = "UPDATE api_key SET expires_at = $2, revision = $3 \
     WHERE pass_of = $1 AND expires_at > $2";

impl Store {
    /// Keeps an account, unless there is one of its address.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn register(&self, new: &NewAccount) -> Result<Registered, StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.begin_with(self.begin_writing()).await?;
            sqlx::query(LOCK).execute(&mut *tx).await?;
            let any: Option<i32> = sqlx::query_scalar(ANY).fetch_optional(&mut *tx).await?;
            let (role, state) = match any {
                None => (Role::Operator, AccountState::Active),
                Some(_) => (Role::Member, new.state),
            };
            let kept = sqlx::query(INSERT)
                .bind(new.id.as_str()).bind(new.email.as_str()).bind(&new.password)
                .bind(role.as_str()).bind(state.as_str()).bind(new.created_at.0)
                .execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(match (kept.rows_affected(), any) {
                (0, _) => Registered::Known,
                (_, None) => Registered::First,
                _ => Registered::Kept,
            })
        })
    }

    /// Whether there is any account.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_accounts(&self) -> Result<bool, StoreError> {
        let any: Option<i32> = on_each!(self, pool => sqlx::query_scalar(ANY).fetch_optional(pool).await)?;
        Ok(any.is_some())
    }

    /// All accounts, oldest first, each with the number of its applications.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn accounts(&self) -> Result<Vec<(Account, i64)>, StoreError> {
        type Row = (String, String, String, String, i64, Option<i64>, i64);
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(
            "SELECT a.id, a.email, a.role, a.state, a.created_at, a.signed_in_at, \
             (SELECT COUNT(*) FROM application p WHERE p.account_id = a.id AND p.deleted_at IS NULL) \
             FROM account a ORDER BY a.created_at, a.id",
        ).fetch_all(pool).await)?;
        let listed = |(id, email, role, state, created_at, signed_in_at, applications): Row| {
            let row = AccountRow { id, email, role, state, created_at, signed_in_at };
            Ok((row.into_account()?, applications))
        };
        rows.into_iter().map(listed).collect()
    }

    /// The account of that id, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn account(&self, id: &AccountId) -> Result<Option<Account>, StoreError> {
        let sql = sqlx::AssertSqlSafe(format!("{COLUMNS} WHERE a.id = $1"));
        let row: Option<AccountRow> =
            on_each!(self, pool => sqlx::query_as(sql).bind(id.as_str()).fetch_optional(pool).await)?;
        row.map(AccountRow::into_account).transpose()
    }

    /// The account of that address, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn account_of(&self, email: &Email) -> Result<Option<Account>, StoreError> {
        let sql = sqlx::AssertSqlSafe(format!("{COLUMNS} WHERE a.email = $1"));
        let row: Option<AccountRow> =
            on_each!(self, pool => sqlx::query_as(sql).bind(email.as_str()).fetch_optional(pool).await)?;
        row.map(AccountRow::into_account).transpose()
    }

    /// The hash of an account's password.
    ///
    /// # Errors
    /// [`StoreError::NoAccount`] when there is none of that id.
    pub async fn password_of(&self, id: &AccountId) -> Result<String, StoreError> {
        let found: Option<String> = on_each!(self, pool => {
            sqlx::query_scalar("SELECT password FROM account WHERE id = $1").bind(id.as_str()).fetch_optional(pool).await
        })?;
        found.ok_or_else(|| StoreError::NoAccount(id.clone()))
    }

    /// Keeps another password, and ends everything that was begun with the old one: sessions (but `but`), links, passes.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_password(
        &self,
        id: &AccountId,
        password: &str,
        but: Option<SecretDigest>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let but = but.map(|digest| digest.0.to_vec()).unwrap_or_default();
        on_each!(self, pool => {
            let mut tx = pool.begin().await?;
            let revision: i64 = sqlx::query_scalar(RAISE_REVISION).fetch_one(&mut *tx).await?;
            sqlx::query("UPDATE account SET password = $2 WHERE id = $1")
                .bind(id.as_str()).bind(password).execute(&mut *tx).await?;
            sqlx::query("DELETE FROM session WHERE account_id = $1 AND digest <> $2")
                .bind(id.as_str()).bind(&but).execute(&mut *tx).await?;
            sqlx::query("DELETE FROM account_link WHERE account_id = $1").bind(id.as_str()).execute(&mut *tx).await?;
            sqlx::query(END_PASSES).bind(id.as_str()).bind(now.0).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// Changes what a person may do and where the account stands. Whoever is switched off is signed out everywhere, and
    /// the keys of their applications are refused.
    ///
    /// # Errors
    /// [`StoreError::NoAccount`]; [`StoreError::LastOperator`] when nobody would be left to run the server.
    pub async fn change_account(
        &self,
        id: &AccountId,
        change: AccountChange,
        now: Timestamp,
    ) -> Result<Account, StoreError> {
        let read = format!("{COLUMNS} WHERE a.id = $1");
        let row: AccountRow = on_each!(self, pool => {
            let mut tx = pool.begin_with(self.begin_writing()).await?;
            sqlx::query(LOCK).execute(&mut *tx).await?;
            let revision: i64 = sqlx::query_scalar(RAISE_REVISION).fetch_one(&mut *tx).await?;
            let before: i64 = sqlx::query_scalar(OPERATORS).fetch_one(&mut *tx).await?;
            sqlx::query("UPDATE account SET state = COALESCE($2, state), role = COALESCE($3, role) WHERE id = $1")
                .bind(id.as_str()).bind(change.state.map(AccountState::as_str)).bind(change.role.map(Role::as_str))
                .execute(&mut *tx).await?;
            let after: i64 = sqlx::query_scalar(OPERATORS).fetch_one(&mut *tx).await?;
            if before > 0 && after == 0 {
                return Err(StoreError::LastOperator);
            }
            let row: Option<AccountRow> = sqlx::query_as(sqlx::AssertSqlSafe(read))
                .bind(id.as_str()).fetch_optional(&mut *tx).await?;
            let row = row.ok_or_else(|| StoreError::NoAccount(id.clone()))?;
            sqlx::query(TOUCH_KEYS).bind(id.as_str()).bind(revision).execute(&mut *tx).await?;
            if change.state == Some(AccountState::Disabled) {
                sqlx::query("DELETE FROM session WHERE account_id = $1").bind(id.as_str()).execute(&mut *tx).await?;
            }
            // Whoever is no operator any more had passes to everybody's applications.
            sqlx::query(END_PASSES).bind(id.as_str()).bind(now.0).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
            row
        });
        row.into_account()
    }

    /// Lets a person in whose address a letter has proved, with the password that was chosen with it: active, or waiting
    /// where an operator has to agree.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn confirm_account(
        &self,
        id: &AccountId,
        state: AccountState,
        password: Option<&str>,
    ) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("UPDATE account SET state = $2, password = COALESCE($3, password) \
                 WHERE id = $1 AND state = 'unconfirmed'")
                .bind(id.as_str()).bind(state.as_str()).bind(password).execute(pool).await.map(drop)
        })?;
        Ok(())
    }

    /// Who may register.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn registration(&self) -> Result<Registration, StoreError> {
        let word: String =
            on_each!(self, pool => sqlx::query_scalar("SELECT registration FROM console").fetch_one(pool).await)?;
        Registration::from_text(&word).ok_or_else(|| StoreError::Damaged("who may register".to_owned()))
    }

    /// Changes who may register.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_registration(&self, registration: Registration) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query("UPDATE console SET registration = $1").bind(registration.as_str()).execute(pool).await.map(drop)
        })?;
        Ok(())
    }
}

#[derive(sqlx::FromRow)]
pub(crate) struct AccountRow {
    id: String,
    email: String,
    role: String,
    state: String,
    created_at: i64,
    signed_in_at: Option<i64>,
}

impl AccountRow {
    pub(crate) fn into_account(self) -> Result<Account, StoreError> {
        let damaged = |what: &str| StoreError::Damaged(format!("the {what} of an account"));
        Ok(Account {
            role: Role::from_text(&self.role).ok_or_else(|| damaged("role"))?,
            state: AccountState::from_text(&self.state).ok_or_else(|| damaged("state"))?,
            id: AccountId::from_text(self.id),
            email: self.email,
            created_at: Timestamp(self.created_at),
            signed_in_at: self.signed_in_at.map(Timestamp),
        })
    }
}
