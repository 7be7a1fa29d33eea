//! Accounts: their state, their role, and the rule that an operator remains.
//!
//! Every change of who is an operator locks the single row of `console` first, which serialises such changes.

mod erasure;
mod links;
mod sessions;

pub use erasure::ApplicationContents;
use kaisatsu_model::{AccountId, AccountState, Email, Language, Registration, Role, SecretDigest, Timestamp};
pub use links::LinkPurpose;
pub use sessions::{AccountSession, NewSession, SessionRow};

use crate::{Conflict, Missing, Store, StoreError, keys::NEXT_KEY_REVISION, on_each, transactions::Transactions as _};

/// A new account.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// Its id.
    pub id: AccountId,
    /// The e-mail address.
    pub email: Email,
    /// The password's hash, as a PHC string.
    pub password: String,
    /// Its state where anybody may register. Where an operator must approve, an active one waits instead.
    pub state: AccountState,
    /// The language of e-mails to the person, if known.
    pub language: Option<Language>,
    /// When it is created.
    pub created_at: Timestamp,
}

/// The result of registering an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegisterOutcome {
    /// It was created as the first account: it is an operator.
    First,
    /// It was created.
    Created,
    /// There is an account of that address; nothing changed.
    EmailTaken,
}

/// A stored account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// The e-mail address.
    pub email: String,
    /// Its role.
    pub role: Role,
    /// Its state.
    pub state: AccountState,
    /// The language of e-mails to the person, if known.
    pub language: Option<Language>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When the person last signed in.
    pub signed_in_at: Option<Timestamp>,
}

/// A change of an account by an operator.
#[derive(Debug, Clone, Copy, Default)]
pub struct AccountChange {
    /// The new state.
    pub state: Option<AccountState>,
    /// The new role.
    pub role: Option<Role>,
}

/// Locks changes of accounts until the transaction ends.
const LOCK: &str = "UPDATE console SET only_row = 1 RETURNING registration";

const SET_REGISTRATION: &str = "UPDATE console SET registration = $1";

const ANY: &str = "SELECT 1 FROM account LIMIT 1";

const INSERT: &str = "INSERT INTO account (id, email, password, role, state, created_at, language) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (email) DO NOTHING";

const COLUMNS: &str = "SELECT a.id, a.email, a.role, a.state, a.language, a.created_at, a.signed_in_at FROM account a";

/// The same columns of a row that was changed or deleted.
const RETURNED: &str = "RETURNING id, email, role, state, language, created_at, signed_in_at";

/// How many operators can sign in.
const OPERATORS: &str = "SELECT COUNT(*) FROM account WHERE role = 'operator' AND state = 'active'";

/// Makes the key caches read the keys of a person's applications again.
const TOUCH_KEYS: &str = "UPDATE api_key SET revision = $2 \
     WHERE application_id IN (SELECT id FROM application WHERE account_id = $1)";

pub(crate) const END_CONSOLE_KEYS: &str = "UPDATE api_key SET expires_at = $2, revision = $3 \
     WHERE pass_of = $1 AND expires_at > $2";

/// What somebody who is no operator any more made for operators is of use for applications alone from then on.
const DEMOTE_KEYS: &str =
    "UPDATE api_key SET scope = 'standard', revision = $2 WHERE made_by = $1 AND scope = 'operator'";

impl Store {
    /// Registers a person, unless there is an account of the address, and returns who might register until now. The
    /// first account is an active operator, and from then on an operator must approve the others.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn register(&self, new: &NewAccount) -> Result<(RegisterOutcome, Registration), StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            let registration: String = sqlx::query_scalar(LOCK).fetch_one(&mut *tx).await?;
            let registration = registration_of(&registration)?;
            let any: Option<i32> = sqlx::query_scalar(ANY).fetch_optional(&mut *tx).await?;
            // Where registration was restricted there has been an operator. When the last account is deleted, the
            // server must not fall to whoever comes next.
            let first = any.is_none() && registration == Registration::Open;
            let (role, state) = match (new.state, registration) {
                _ if first => (Role::Operator, AccountState::Active),
                (AccountState::Active, Registration::Approval | Registration::Closed) => {
                    (Role::Member, AccountState::Waiting)
                }
                (state, _) => (Role::Member, state),
            };
            let kept = sqlx::query(INSERT)
                .bind(new.id.as_str()).bind(new.email.as_str()).bind(&new.password)
                .bind(role.as_str()).bind(state.as_str()).bind(new.created_at.0).bind(new.language.map(Language::as_str))
                .execute(&mut *tx).await?;
            if first {
                sqlx::query(SET_REGISTRATION).bind(Registration::Approval.as_str()).execute(&mut *tx).await?;
            }
            tx.commit().await?;
            Ok((match (kept.rows_affected(), first) {
                (0, _) => RegisterOutcome::EmailTaken,
                (_, true) => RegisterOutcome::First,
                _ => RegisterOutcome::Created,
            }, registration))
        })
    }

    /// Creates an account with its state and role, whoever may register. Returns whether it did: there may be one of
    /// the address. Without a role, it is an operator where there is none, and a member elsewhere.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when it would be a member on a server without an active operator.
    pub async fn create_account(&self, new: &NewAccount, role: Option<Role>) -> Result<bool, StoreError> {
        on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            let registration: String = sqlx::query_scalar(LOCK).fetch_one(&mut *tx).await?;
            let any: Option<i32> = sqlx::query_scalar(ANY).fetch_optional(&mut *tx).await?;
            let operators: i64 = sqlx::query_scalar(OPERATORS).fetch_one(&mut *tx).await?;
            let role = role.unwrap_or(if operators == 0 { Role::Operator } else { Role::Member });
            if operators == 0 && role == Role::Member {
                return Err(Conflict::NoOperator.into());
            }
            let kept = sqlx::query(INSERT)
                .bind(new.id.as_str()).bind(new.email.as_str()).bind(&new.password)
                .bind(role.as_str()).bind(new.state.as_str()).bind(new.created_at.0)
                .bind(new.language.map(Language::as_str))
                .execute(&mut *tx).await?;
            if any.is_none() && registration == Registration::Open.as_str() {
                sqlx::query(SET_REGISTRATION).bind(Registration::Approval.as_str()).execute(&mut *tx).await?;
            }
            tx.commit().await?;
            Ok(kept.rows_affected() > 0)
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
        type Row = (String, String, String, String, Option<String>, i64, Option<i64>, i64);
        let rows: Vec<Row> = on_each!(self, pool => sqlx::query_as(
            "SELECT a.id, a.email, a.role, a.state, a.language, a.created_at, a.signed_in_at, \
             (SELECT COUNT(*) FROM application p WHERE p.account_id = a.id AND p.deleted_at IS NULL) \
             FROM account a ORDER BY a.created_at, a.id",
        ).fetch_all(pool).await)?;
        let listed = |(id, email, role, state, language, created_at, signed_in_at, applications): Row| {
            let row = AccountRow { id, email, role, state, language, created_at, signed_in_at };
            Ok((row.into_account()?, applications))
        };
        rows.into_iter().map(listed).collect()
    }

    /// The operators that can sign in, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn active_operators(&self) -> Result<Vec<Account>, StoreError> {
        let sql = format!("{COLUMNS} WHERE a.role = 'operator' AND a.state = 'active' ORDER BY a.created_at, a.id");
        let rows: Vec<AccountRow> =
            on_each!(self, pool => sqlx::query_as(sqlx::AssertSqlSafe(sql)).fetch_all(pool).await)?;
        rows.into_iter().map(AccountRow::into_account).collect()
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
    pub async fn account_by_email(&self, email: &Email) -> Result<Option<Account>, StoreError> {
        let sql = sqlx::AssertSqlSafe(format!("{COLUMNS} WHERE a.email = $1"));
        let row: Option<AccountRow> =
            on_each!(self, pool => sqlx::query_as(sql).bind(email.as_str()).fetch_optional(pool).await)?;
        row.map(AccountRow::into_account).transpose()
    }

    /// The hash of an account's password.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none of that id.
    pub async fn password_hash(&self, id: &AccountId) -> Result<String, StoreError> {
        let found: Option<String> = on_each!(self, pool => {
            sqlx::query_scalar("SELECT password FROM account WHERE id = $1").bind(id.as_str()).fetch_optional(pool)
                .await
        })?;
        found.ok_or_else(|| Missing::Account(id.clone()).into())
    }

    /// Changes a password, and ends all that was begun with the old one: sessions (except `except`), links, console
    /// keys.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_password(
        &self,
        id: &AccountId,
        password: &str,
        except: Option<SecretDigest>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let except = except.map(|digest| digest.0.to_vec()).unwrap_or_default();
        on_each!(self, pool => {
            let mut tx = pool.transaction().await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            sqlx::query("UPDATE account SET password = $2 WHERE id = $1")
                .bind(id.as_str()).bind(password).execute(&mut *tx).await?;
            sqlx::query("DELETE FROM session WHERE account_id = $1 AND digest <> $2")
                .bind(id.as_str()).bind(&except).execute(&mut *tx).await?;
            sqlx::query("DELETE FROM account_link WHERE account_id = $1").bind(id.as_str()).execute(&mut *tx).await?;
            sqlx::query(END_CONSOLE_KEYS).bind(id.as_str()).bind(now.0).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
        });
        Ok(())
    }

    /// Changes the role and the state of an account, and returns the account with the state that it had. A disabled
    /// account is signed out everywhere, and the keys of its applications are refused. Keys of the scope `operator`
    /// that it made become standard ones when it is no active operator any more.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Conflict`] when no active operator would remain.
    pub async fn change_account(
        &self,
        id: &AccountId,
        change: AccountChange,
        now: Timestamp,
    ) -> Result<(Account, AccountState), StoreError> {
        let read = format!("{COLUMNS} WHERE a.id = $1");
        let (row, was): (AccountRow, String) = on_each!(self, pool => {
            let mut tx = pool.transaction_with(self.begin_immediate()).await?;
            sqlx::query(LOCK).execute(&mut *tx).await?;
            let revision: i64 = sqlx::query_scalar(NEXT_KEY_REVISION).fetch_one(&mut *tx).await?;
            let before: i64 = sqlx::query_scalar(OPERATORS).fetch_one(&mut *tx).await?;
            let was: Option<String> = sqlx::query_scalar("SELECT state FROM account WHERE id = $1")
                .bind(id.as_str()).fetch_optional(&mut *tx).await?;
            let was = was.ok_or_else(|| Missing::Account(id.clone()))?;
            sqlx::query("UPDATE account SET state = COALESCE($2, state), role = COALESCE($3, role) WHERE id = $1")
                .bind(id.as_str()).bind(change.state.map(AccountState::as_str)).bind(change.role.map(Role::as_str))
                .execute(&mut *tx).await?;
            let after: i64 = sqlx::query_scalar(OPERATORS).fetch_one(&mut *tx).await?;
            if before > 0 && after == 0 {
                return Err(Conflict::LastOperator.into());
            }
            let row: AccountRow = sqlx::query_as(sqlx::AssertSqlSafe(read))
                .bind(id.as_str()).fetch_one(&mut *tx).await?;
            sqlx::query(TOUCH_KEYS).bind(id.as_str()).bind(revision).execute(&mut *tx).await?;
            if change.state == Some(AccountState::Disabled) {
                sqlx::query("DELETE FROM session WHERE account_id = $1").bind(id.as_str()).execute(&mut *tx).await?;
            }
            // A former operator may have keys for other people's applications, and console keys.
            if (row.role.as_str(), row.state.as_str()) != (Role::Operator.as_str(), AccountState::Active.as_str()) {
                sqlx::query(DEMOTE_KEYS).bind(id.as_str()).bind(revision).execute(&mut *tx).await?;
            }
            sqlx::query(END_CONSOLE_KEYS).bind(id.as_str()).bind(now.0).bind(revision).execute(&mut *tx).await?;
            tx.commit().await?;
            (row, was)
        });
        Ok((row.into_account()?, state_of(&was)?))
    }

    /// Confirms an account whose e-mail address has been proved, with the password that was chosen with the link. The
    /// new state is active, or waiting where an operator must approve. Returns the account if it was not confirmed
    /// before.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn confirm_account(
        &self,
        id: &AccountId,
        state: AccountState,
        password: Option<&str>,
    ) -> Result<Option<Account>, StoreError> {
        let sql = format!(
            "UPDATE account SET state = $2, password = COALESCE($3, password) \
             WHERE id = $1 AND state = 'unconfirmed' {RETURNED}"
        );
        let row: Option<AccountRow> = on_each!(self, pool => {
            sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(id.as_str()).bind(state.as_str()).bind(password).fetch_optional(pool).await
        })?;
        row.map(AccountRow::into_account).transpose()
    }

    /// Who may register.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn registration(&self) -> Result<Registration, StoreError> {
        let word: String =
            on_each!(self, pool => sqlx::query_scalar("SELECT registration FROM console").fetch_one(pool).await)?;
        registration_of(&word)
    }

    /// Changes who may register.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_registration(&self, registration: Registration) -> Result<(), StoreError> {
        on_each!(self, pool => {
            sqlx::query(SET_REGISTRATION).bind(registration.as_str()).execute(pool).await.map(drop)
        })?;
        Ok(())
    }
}

fn registration_of(word: &str) -> Result<Registration, StoreError> {
    Registration::from_text(word).ok_or_else(|| StoreError::Damaged("who may register".to_owned()))
}

fn state_of(word: &str) -> Result<AccountState, StoreError> {
    AccountState::from_text(word).ok_or_else(|| StoreError::Damaged("the state of an account".to_owned()))
}

#[derive(sqlx_macros::FromRow)]
pub(crate) struct AccountRow {
    id: String,
    email: String,
    role: String,
    state: String,
    language: Option<String>,
    created_at: i64,
    signed_in_at: Option<i64>,
}

impl AccountRow {
    pub(crate) fn into_account(self) -> Result<Account, StoreError> {
        let role = Role::from_text(&self.role);
        Ok(Account {
            role: role.ok_or_else(|| StoreError::Damaged("the role of an account".to_owned()))?,
            state: state_of(&self.state)?,
            language: self.language.as_deref().and_then(Language::from_text),
            id: AccountId::from_text(self.id),
            email: self.email,
            created_at: Timestamp(self.created_at),
            signed_in_at: self.signed_in_at.map(Timestamp),
        })
    }
}
