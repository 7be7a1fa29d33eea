//! What people do with applications in the console: with their own, and operators with everybody's.
//!
//! For everybody else an application does not exist.

use std::{sync::Arc, time::Duration};

use kaisatsu_model::{AppId, ApplicationName, Clock, KeyId, KeyRecord, KeyScope, Role, Timestamp};
use kaisatsu_store::{
    Account, ApplicationChange, ApplicationContents, ApplicationUser, NewKey, OwnedApplication, Store, UsageTotal,
};

use crate::{
    AccessError, IssuedKey, KeyTerms, Usage,
    key_service::{new_key, random_bytes},
};

/// The lifetime of a console key.
const CONSOLE_KEY_LIFETIME: Duration = Duration::from_hours(1);

/// How many users of an application are listed.
const MAX_LISTED_USERS: i64 = 1_000;

/// How many applications a person may have, and how many keys an application: every replica holds all keys in memory.
const MAX_APPLICATIONS: usize = 100;
const MAX_KEYS: usize = 100;

/// How many valid console keys a person may have.
const MAX_CONSOLE_KEYS: i64 = 200;

/// The requests of some days, in equal intervals.
#[derive(Debug)]
pub struct UsageReport {
    /// When the first interval begins.
    pub from: Timestamp,
    /// When the last one ends.
    pub to: Timestamp,
    /// The length of an interval.
    pub step: Duration,
    /// The counted requests.
    pub totals: Vec<UsageTotal>,
}

/// Manages the applications of people who are signed in to the console.
#[derive(Clone)]
pub struct ConsoleService {
    store: Store,
    clock: Arc<dyn Clock>,
    usage: Arc<Usage>,
}

impl ConsoleService {
    /// A service on this store.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>, usage: Arc<Usage>) -> Self {
        Self { store, clock, usage }
    }

    /// The current time, by which the state of keys is decided.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The daily quota of an application whose own limit is `own`; `None` for no limit.
    #[must_use]
    pub fn quota(&self, own: Option<i64>) -> Option<u64> {
        self.usage.quota(own)
    }

    /// The person's applications by name; an operator may ask for everybody's.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn applications(&self, me: &Account, all: bool) -> Result<Vec<OwnedApplication>, AccessError> {
        let everybody = all && me.role == Role::Operator;
        Ok(self.store.owned_applications((!everybody).then_some(&me.id)).await?)
    }

    /// An application that the person may see.
    ///
    /// # Errors
    /// [`AccessError::NoSuchApplication`] when there is none, or it is somebody else's.
    pub async fn application(&self, me: &Account, id: &AppId) -> Result<OwnedApplication, AccessError> {
        let found = self.store.owned_application(id).await?;
        let own = |found: &OwnedApplication| found.owner.as_ref().is_some_and(|(owner, _)| *owner == me.id);
        found
            .filter(|found| me.role == Role::Operator || own(found))
            .ok_or_else(|| AccessError::NoSuchApplication(id.clone()))
    }

    /// Creates an application of the person's, with its first key.
    ///
    /// # Errors
    /// When the name is taken, or the person has too many applications.
    pub async fn create(
        &self,
        me: &Account,
        name: &ApplicationName,
    ) -> Result<(OwnedApplication, IssuedKey), AccessError> {
        if me.role != Role::Operator && self.store.owned_applications(Some(&me.id)).await?.len() >= MAX_APPLICATIONS {
            return Err(AccessError::TooMany("applications"));
        }
        let id = AppId::from_random(random_bytes());
        let (issued, row) = self.new_key(me, &KeyTerms::default());
        self.store.create_application_with_key(&id, name, Some(&me.id), &row).await?;
        Ok((self.application(me, &id).await?, issued))
    }

    /// Changes an application.
    ///
    /// # Errors
    /// When the person may not see it, the name is taken, or an operator disabled it.
    pub async fn change(&self, me: &Account, id: &AppId, change: &ApplicationChange) -> Result<(), AccessError> {
        self.application(me, id).await?;
        let operator = me.role == Role::Operator;
        let change = ApplicationChange { by_operator: operator && change.disabled_at.is_some(), ..change.clone() };
        Ok(self.store.change_application(id, &change).await?)
    }

    /// Makes an application that was made on the command line the operator's own.
    ///
    /// # Errors
    /// [`AccessError::NoSuchApplication`] when the person is no operator, there is none, or it has an owner; also when
    /// the operator has one of that name.
    pub async fn take_over(&self, me: &Account, id: &AppId) -> Result<OwnedApplication, AccessError> {
        let found = self.application(me, id).await?;
        if me.role != Role::Operator || found.owner.is_some() {
            return Err(AccessError::NoSuchApplication(id.clone()));
        }
        self.store.give_application(id, &me.id).await?;
        self.application(me, id).await
    }

    /// Deletes an application with everything it owns.
    ///
    /// # Errors
    /// When the person may not see it.
    pub async fn delete(&self, me: &Account, id: &AppId) -> Result<(), AccessError> {
        self.application(me, id).await?;
        Ok(self.store.delete_application(id, self.now()).await?)
    }

    /// What is deleted with an application.
    ///
    /// # Errors
    /// When the person may not see it.
    pub async fn contents(&self, me: &Account, id: &AppId) -> Result<ApplicationContents, AccessError> {
        self.application(me, id).await?;
        self.store.application_contents(id).await?.ok_or_else(|| AccessError::NoSuchApplication(id.clone()))
    }

    /// The keys of an application.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keys(&self, id: &AppId) -> Result<Vec<KeyRecord>, AccessError> {
        Ok(self.store.keys(Some(id)).await?)
    }

    /// How many of today's requests count against the quota of an application.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn used_today(&self, id: &AppId) -> Result<i64, AccessError> {
        let midnight = Usage::day_ends(self.now()).before(Duration::from_hours(24));
        let taken = self.store.requests_since(midnight, Some(id)).await?;
        Ok(taken.first().map_or(0, |(_, count)| *count))
    }

    /// Creates a key of an application.
    ///
    /// # Errors
    /// When the person may not see it, or it has too many keys; [`AccessError::OperatorsKey`] when the key could do
    /// more than the person.
    pub async fn create_key(&self, me: &Account, id: &AppId, terms: KeyTerms) -> Result<IssuedKey, AccessError> {
        self.application(me, id).await?;
        may_have(me, terms.scope)?;
        self.check_key_limit(id).await?;
        let (issued, row) = self.new_key(me, &terms);
        self.store.create_key(id, &row).await?;
        Ok(issued)
    }

    /// A new key that says who made it.
    fn new_key(&self, me: &Account, terms: &KeyTerms) -> (IssuedKey, NewKey) {
        let (issued, row) = new_key(self.now(), terms);
        (issued, NewKey { made_by: Some(me.id.clone()), ..row })
    }

    /// Expired and disabled keys do not count: they are kept for the record, and nobody can delete them.
    async fn check_key_limit(&self, id: &AppId) -> Result<(), AccessError> {
        let now = self.now();
        let works = |key: &&KeyRecord| key.disabled_at.is_none() && key.expires_at.is_none_or(|at| at > now);
        if self.store.keys(Some(id)).await?.iter().filter(works).count() >= MAX_KEYS {
            return Err(AccessError::TooMany("keys"));
        }
        Ok(())
    }

    /// Creates the successor of a key, which works for another `overlap`.
    ///
    /// # Errors
    /// When the person may not see it, or it is disabled or was rotated already; [`AccessError::OperatorsKey`] when the
    /// key can do more than the person, who would learn the secret of its successor.
    pub async fn rotate_key(
        &self,
        me: &Account,
        id: &AppId,
        key: &KeyId,
        overlap: Duration,
    ) -> Result<IssuedKey, AccessError> {
        may_have(me, self.own_key(me, id, key).await?.scope)?;
        self.check_key_limit(id).await?;
        let (issued, row) = self.new_key(me, &KeyTerms::default());
        self.store.rotate_key(key, &row, row.created_at.after(overlap)).await?;
        Ok(issued)
    }

    /// Enables or disables a key, and returns its new state.
    ///
    /// # Errors
    /// When the person may not see it, or an operator disabled it.
    pub async fn set_key_disabled(
        &self,
        me: &Account,
        id: &AppId,
        key: &KeyId,
        disabled: bool,
    ) -> Result<KeyRecord, AccessError> {
        self.own_key(me, id, key).await?;
        if !disabled {
            self.check_key_limit(id).await?;
        }
        let by_operator = me.role == Role::Operator;
        self.store.set_key_disabled(key, disabled.then(|| self.now()), by_operator).await?;
        self.own_key(me, id, key).await
    }

    async fn own_key(&self, me: &Account, id: &AppId, key: &KeyId) -> Result<KeyRecord, AccessError> {
        self.application(me, id).await?;
        let keys = self.store.keys(Some(id)).await?;
        keys.into_iter().find(|one| one.id == *key).ok_or_else(|| AccessError::NoSuchKey(key.clone()))
    }

    /// Creates a key with which the person's console calls the API as this application; also returns when it expires.
    /// An operator's may manage the catalogue and the collections; it ends when the person is no operator any more.
    ///
    /// # Errors
    /// When the person may not see the application, or has too many console keys.
    pub async fn create_console_key(&self, me: &Account, id: &AppId) -> Result<(IssuedKey, Timestamp), AccessError> {
        self.application(me, id).await?;
        if self.store.count_console_keys(&me.id, self.now()).await? >= MAX_CONSOLE_KEYS {
            return Err(AccessError::TooMany("passes of the console"));
        }
        let scope = if me.role == Role::Operator { KeyScope::Operator } else { KeyScope::default() };
        let (issued, mut row) = new_key(self.now(), &scope.into());
        let end = row.created_at.after(CONSOLE_KEY_LIFETIME);
        row.console = Some((end, me.id.clone()));
        self.store.create_key(id, &row).await?;
        Ok((issued, end))
    }

    /// The users of an application who have data here.
    ///
    /// # Errors
    /// When the person may not see it.
    pub async fn users(&self, me: &Account, id: &AppId) -> Result<Vec<ApplicationUser>, AccessError> {
        self.application(me, id).await?;
        Ok(self.store.application_users(id, MAX_LISTED_USERS).await?)
    }

    /// The requests of an application in the last `days`: by the hour up to a week, by the day beyond.
    ///
    /// # Errors
    /// When the person may not see it.
    pub async fn usage(&self, me: &Account, id: &AppId, days: u32) -> Result<UsageReport, AccessError> {
        self.application(me, id).await?;
        // Requests that this replica has just counted are included.
        self.usage.flush().await?;
        let step = if days <= 7 { Duration::from_hours(1) } else { Duration::from_hours(24) };
        let micros = i64::try_from(step.as_micros()).unwrap_or(i64::MAX);
        let now = self.now();
        let to = Timestamp(now.0 - now.0.rem_euclid(micros) + micros);
        let from = to.before(Duration::from_hours(24 * u64::from(days)));
        let totals = self.store.usage(id, from, to, micros).await?;
        Ok(UsageReport { from, to, step, totals })
    }
}

/// Whether a person may have the secret of a key of this scope.
fn may_have(me: &Account, scope: KeyScope) -> Result<(), AccessError> {
    if scope == KeyScope::Operator && me.role != Role::Operator {
        return Err(AccessError::OperatorsKey);
    }
    Ok(())
}
