//! What a person does with applications at the console: their own, or anybody's for an operator.
//!
//! Whatever is asked about an application that is not theirs to see, there is no such application.

use std::{sync::Arc, time::Duration};

use kaisatsu_model::{AppId, ApplicationName, Clock, KeyId, KeyRecord, Role, Timestamp};
use kaisatsu_store::{
    Account, ApplicationChange, ApplicationUser, Belongings, OwnedApplication, Store, StoreError, UsageSum,
};

use crate::{
    IssuedKey, Usage,
    issue::{fresh_key, random},
};

/// How long a console's pass is good.
const PASS: Duration = Duration::from_hours(1);

/// The most users of an application that are listed.
const USERS: i64 = 1_000;

/// The most applications of a person, and the most keys of an application: every replica has all of them in memory.
const APPLICATIONS: usize = 100;
const KEYS: usize = 100;

/// The most passes that a person may have at a time.
const PASSES: i64 = 200;

/// What was called in some days, in equal steps.
#[derive(Debug)]
pub struct UsageOf {
    /// When the first step begins.
    pub from: Timestamp,
    /// When the last one ends.
    pub to: Timestamp,
    /// How long each is.
    pub step: Duration,
    /// What was called.
    pub sums: Vec<UsageSum>,
}

/// The desk at which applications are handed out.
#[derive(Clone)]
pub struct Desk {
    store: Store,
    clock: Arc<dyn Clock>,
    usage: Arc<Usage>,
}

impl Desk {
    /// The desk of a store.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>, usage: Arc<Usage>) -> Self {
        Self { store, clock, usage }
    }

    /// The current time, as this desk judges the state of keys.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// How many requests a day an application may make of which `own` was said; `None` is no limit.
    #[must_use]
    pub fn quota(&self, own: Option<i64>) -> Option<u64> {
        self.usage.quota(own)
    }

    /// The person's applications, or everybody's, by name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn applications(&self, me: &Account, all: bool) -> Result<Vec<OwnedApplication>, StoreError> {
        let everybody = all && me.role == Role::Operator;
        self.store.owned_applications((!everybody).then_some(&me.id)).await
    }

    /// An application that is the person's to see.
    ///
    /// # Errors
    /// [`StoreError::NoApplication`] when there is none, or it is somebody else's.
    pub async fn application(&self, me: &Account, id: &AppId) -> Result<OwnedApplication, StoreError> {
        let found = self.store.owned_application(id).await?;
        let own = |found: &OwnedApplication| found.owner.as_ref().is_some_and(|(owner, _)| *owner == me.id);
        found
            .filter(|found| me.role == Role::Operator || own(found))
            .ok_or_else(|| StoreError::NoApplication(id.clone()))
    }

    /// Makes an application of the person's, with its first key.
    ///
    /// # Errors
    /// When the name is taken.
    pub async fn create(
        &self,
        me: &Account,
        name: &ApplicationName,
    ) -> Result<(OwnedApplication, IssuedKey), StoreError> {
        if me.role != Role::Operator && self.store.owned_applications(Some(&me.id)).await?.len() >= APPLICATIONS {
            return Err(StoreError::TooMany("applications"));
        }
        let id = AppId::from_random(random());
        let (issued, kept) = fresh_key(self.now());
        self.store.create_application_with_key(&id, name, Some(&me.id), &kept).await?;
        Ok((self.application(me, &id).await?, issued))
    }

    /// Changes an application.
    ///
    /// # Errors
    /// When it is not the person's, or the name is taken.
    pub async fn change(&self, me: &Account, id: &AppId, change: &ApplicationChange) -> Result<(), StoreError> {
        self.application(me, id).await?;
        let operator = me.role == Role::Operator;
        let change = ApplicationChange { by_operator: operator && change.disabled_at.is_some(), ..change.clone() };
        self.store.change_application(id, &change).await
    }

    /// Deletes an application with everything it owns.
    ///
    /// # Errors
    /// When it is not the person's.
    pub async fn delete(&self, me: &Account, id: &AppId) -> Result<(), StoreError> {
        self.application(me, id).await?;
        self.store.delete_application(id, self.now()).await
    }

    /// What goes with an application when it is deleted.
    ///
    /// # Errors
    /// When it is not the person's.
    pub async fn belongings(&self, me: &Account, id: &AppId) -> Result<Belongings, StoreError> {
        self.application(me, id).await?;
        self.store.belongings(id).await?.ok_or_else(|| StoreError::NoApplication(id.clone()))
    }

    /// The keys of an application.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keys(&self, id: &AppId) -> Result<Vec<KeyRecord>, StoreError> {
        self.store.keys(Some(id)).await
    }

    /// How many requests of today count against the quota of an application.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn used_today(&self, id: &AppId) -> Result<i64, StoreError> {
        let midnight = Usage::day_ends(self.now()).before(Duration::from_hours(24));
        let taken = self.store.taken_since(midnight, Some(id)).await?;
        Ok(taken.first().map_or(0, |(_, count)| *count))
    }

    /// Makes a key of an application.
    ///
    /// # Errors
    /// When it is not the person's.
    pub async fn create_key(&self, me: &Account, id: &AppId) -> Result<IssuedKey, StoreError> {
        self.application(me, id).await?;
        self.room_for_a_key(id).await?;
        let (issued, kept) = fresh_key(self.now());
        self.store.create_key(id, &kept).await?;
        Ok(issued)
    }

    /// Keys that have ended or are switched off do not count: they stay for the record, and nobody can remove them.
    async fn room_for_a_key(&self, id: &AppId) -> Result<(), StoreError> {
        let now = self.now();
        let works = |key: &&KeyRecord| key.disabled_at.is_none() && key.expires_at.is_none_or(|at| at > now);
        if self.store.keys(Some(id)).await?.iter().filter(works).count() >= KEYS {
            return Err(StoreError::TooMany("keys"));
        }
        Ok(())
    }

    /// Makes a successor of a key, which goes on working for `overlap`.
    ///
    /// # Errors
    /// When it is not the person's, or has ended already.
    pub async fn rotate_key(
        &self,
        me: &Account,
        id: &AppId,
        key: &KeyId,
        overlap: Duration,
    ) -> Result<IssuedKey, StoreError> {
        self.own_key(me, id, key).await?;
        self.room_for_a_key(id).await?;
        let (issued, kept) = fresh_key(self.now());
        self.store.rotate_key(key, &kept, kept.created_at.after(overlap)).await?;
        Ok(issued)
    }

    /// Switches a key on or off, and gives it as it is then.
    ///
    /// # Errors
    /// When it is not the person's.
    pub async fn switch_key(
        &self,
        me: &Account,
        id: &AppId,
        key: &KeyId,
        disabled: bool,
    ) -> Result<KeyRecord, StoreError> {
        self.own_key(me, id, key).await?;
        if !disabled {
            self.room_for_a_key(id).await?;
        }
        self.store.set_key_disabled(key, disabled.then(|| self.now())).await?;
        self.own_key(me, id, key).await
    }

    async fn own_key(&self, me: &Account, id: &AppId, key: &KeyId) -> Result<KeyRecord, StoreError> {
        self.application(me, id).await?;
        let keys = self.store.keys(Some(id)).await?;
        keys.into_iter().find(|one| one.id == *key).ok_or_else(|| StoreError::NoKey(key.clone()))
    }

    /// Makes a key for the person's console, to call the API as this application for a while; until when it is good.
    ///
    /// # Errors
    /// When it is not the person's.
    pub async fn pass(&self, me: &Account, id: &AppId) -> Result<(IssuedKey, Timestamp), StoreError> {
        self.application(me, id).await?;
        if self.store.live_passes(&me.id, self.now()).await? >= PASSES {
            return Err(StoreError::TooMany("passes of the console"));
        }
        let (issued, mut kept) = fresh_key(self.now());
        let end = kept.created_at.after(PASS);
        kept.pass = Some((end, me.id.clone()));
        self.store.create_key(id, &kept).await?;
        Ok((issued, end))
    }

    /// The users of an application who have something here.
    ///
    /// # Errors
    /// When it is not the person's.
    pub async fn users(&self, me: &Account, id: &AppId) -> Result<Vec<ApplicationUser>, StoreError> {
        self.application(me, id).await?;
        self.store.application_users(id, USERS).await
    }

    /// What an application called in the last `days`: by the hour up to a week, by the day beyond.
    ///
    /// # Errors
    /// When it is not the person's.
    pub async fn usage(&self, me: &Account, id: &AppId, days: u32) -> Result<UsageOf, StoreError> {
        self.application(me, id).await?;
        // What this replica has just counted is to be seen at once.
        self.usage.keep().await?;
        let step = if days <= 7 { Duration::from_hours(1) } else { Duration::from_hours(24) };
        let micros = i64::try_from(step.as_micros()).unwrap_or(i64::MAX);
        let now = self.now();
        let to = Timestamp(now.0 - now.0.rem_euclid(micros) + micros);
        let from = to.before(Duration::from_hours(24 * u64::from(days)));
        let sums = self.store.usage(id, from, to, micros).await?;
        Ok(UsageOf { from, to, step, sums })
    }
}
