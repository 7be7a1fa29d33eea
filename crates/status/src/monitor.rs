//! Tries the database and the disks every few seconds, and tells the other servers that this one lives.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use kaisatsu_model::{Clock, Part, PartState, Timestamp};
use kaisatsu_store::{ReplicaRow, Store, StoreError};

use crate::{DiskStatus, WatchedDisk};

/// How often everything is tried.
const INTERVAL: Duration = Duration::from_secs(5);

/// How long a server counts as alive that has not said so again.
const ALIVE: Duration = Duration::from_secs(20);

/// How long the rows of servers are kept that ended without a word.
const FORGOTTEN: Duration = Duration::from_hours(24);

/// A database that takes longer than this to write one row is slow.
const SLOW: Duration = Duration::from_millis(500);

/// A database that takes longer than this does not answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What this server says of itself.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The address that it listens on.
    pub address: String,
    /// Its version.
    pub version: &'static str,
}

/// How the database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseStatus {
    /// `sqlite` or `postgres`.
    pub kind: &'static str,
    /// How long the last write took; nothing when it failed.
    pub took: Option<Duration>,
    /// What failed, for the operator.
    pub error: Option<String>,
    /// How it is, for everybody.
    pub part: Part,
}

/// A server on the same database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    /// Names the process.
    pub id: String,
    /// The address that it listens on.
    pub address: String,
    /// Its version.
    pub version: String,
    /// When it started.
    pub started_at: Timestamp,
    /// When it last said that it lives.
    pub seen_at: Timestamp,
    /// Whether it did so just now.
    pub alive: bool,
    /// What it said of its parts.
    pub parts: Vec<Part>,
}

/// What the last trial found.
#[derive(Debug, Clone)]
struct Found {
    database: DatabaseStatus,
    disks: Vec<DiskStatus>,
}

/// Watches the database and the disks.
pub struct Monitor {
    store: Store,
    clock: Arc<dyn Clock>,
    disks: Vec<WatchedDisk>,
    identity: Identity,
    /// Names this process among the servers on the database.
    id: String,
    started_at: Timestamp,
    found: Mutex<Found>,
}

impl Monitor {
    /// A monitor that has tried nothing yet; until [`Self::run`] has, everything counts as working.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>, disks: Vec<WatchedDisk>, identity: Identity) -> Self {
        let database = DatabaseStatus { kind: store.kind(), took: None, error: None, part: Part::ok(DATABASE) };
        let id = format!("{}{:016x}", machine(), getrandom::u64().unwrap_or_default());
        let started_at = clock.now();
        let found = Mutex::new(Found { database, disks: Vec::new() });
        Self { store, clock, disks, identity, id, started_at, found }
    }

    /// The name of this process.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// When this process started.
    #[must_use]
    pub fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// How the database was when it was last tried.
    #[must_use]
    pub fn database(&self) -> DatabaseStatus {
        self.found().database
    }

    /// How the disks were when they were last tried.
    #[must_use]
    pub fn disks(&self) -> Vec<DiskStatus> {
        self.found().disks
    }

    /// The parts of the server that this watches.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let Found { database, disks } = self.found();
        std::iter::once(database.part).chain(disks.into_iter().map(|disk| disk.part)).collect()
    }

    fn found(&self) -> Found {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tries everything every few seconds, for as long as it is polled. `parts` are those of the whole server, which
    /// other servers show.
    pub async fn run(&self, parts: impl Fn() -> Vec<Part>) {
        let mut cleaned = false;
        loop {
            self.look(&parts()).await;
            if !cleaned {
                cleaned = self.clean().await.is_ok();
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Removes the rows of servers that ended long ago without a word, and those of the one in whose place this one
    /// listens: it has ended too.
    async fn clean(&self) -> Result<(), StoreError> {
        self.store.remove_replicas_before(self.clock.now().before(FORGOTTEN)).await?;
        let (machine, listens) = (machine(), self.identity.address.parse::<SocketAddr>().is_ok());
        // Workers do not listen; there may be several on a machine.
        if machine.is_empty() || !listens {
            Ok(())
        } else {
            self.store.remove_former(&self.identity.address, &machine, &self.id).await
        }
    }

    /// Tries everything once.
    pub async fn look(&self, parts: &[Part]) {
        let watched = self.disks.clone();
        let disks = tokio::task::spawn_blocking(move || watched.iter().map(WatchedDisk::look).collect::<Vec<_>>());
        let database = self.try_database(parts).await;
        let disks = disks.await.unwrap_or_default();
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for (was, is) in changes(&found, &database, &disks) {
            match &is.message {
                Some(message) if is.state.needs_attention() => tracing::error!(part = is.name, "{message}"),
                _ if was.needs_attention() => tracing::info!(part = is.name, "works again"),
                _ => {}
            }
        }
        *found = Found { database, disks };
    }

    /// Writes this server's own row: that tells the others that it lives, and says whether the database can be
    /// written to, and how quickly.
    async fn try_database(&self, parts: &[Part]) -> DatabaseStatus {
        let row = ReplicaRow {
            id: self.id.clone(),
            address: self.identity.address.clone(),
            version: self.identity.version.to_owned(),
            started_at: self.started_at.0,
            seen_at: self.clock.now().0,
            parts: serde_json::to_string(parts).unwrap_or_else(|_| "[]".to_owned()),
        };
        let began = self.clock.ticks();
        let written = tokio::time::timeout(TIMEOUT, self.store.put_replica(&row)).await;
        let took = self.clock.ticks().saturating_sub(began);
        let outcome = written.unwrap_or(Err(StoreError::TimedOut));
        let part = database_part(&outcome, took);
        let error = outcome.as_ref().err().map(ToString::to_string);
        DatabaseStatus { kind: self.store.kind(), took: outcome.is_ok().then_some(took), error, part }
    }

    /// The servers on this database, the oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn replicas(&self) -> Result<Vec<Replica>, StoreError> {
        Replica::of(&self.store, self.clock.now()).await
    }

    /// Removes this server from those that live: it ends.
    pub async fn leave(&self) {
        // A database that does not answer must not keep the process from ending.
        let _ = tokio::time::timeout(Duration::from_secs(1), self.store.remove_replica(&self.id)).await;
    }
}

impl Replica {
    /// The servers on a database that were seen in the last day, the oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn of(store: &Store, now: Timestamp) -> Result<Vec<Self>, StoreError> {
        let replica = |row: ReplicaRow| Self {
            alive: Timestamp(row.seen_at) >= now.before(ALIVE),
            id: row.id,
            address: row.address,
            version: row.version,
            started_at: Timestamp(row.started_at),
            seen_at: Timestamp(row.seen_at),
            parts: serde_json::from_str(&row.parts).unwrap_or_default(),
        };
        Ok(store.replicas(now.before(FORGOTTEN)).await?.into_iter().map(replica).collect())
    }
}

/// What distinguishes this machine from others, as the beginning of the names of processes on it; empty where that is
/// not known.
fn machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { String::new() } else { format!("{}-", name.trim()) }
}

/// The name of the database among the parts.
const DATABASE: &str = "database";

fn database_part(written: &Result<(), StoreError>, took: Duration) -> Part {
    let failing = |message: &str| Part::new(DATABASE, PartState::Failing, message);
    match written {
        Ok(()) if took > SLOW => {
            let message = format!("the database is slow: writing one row took {} ms", took.as_millis());
            Part::new(DATABASE, PartState::Degraded, message)
        }
        Ok(()) => Part::ok(DATABASE),
        Err(StoreError::Full(_)) => failing("the disk of the database is full: nothing can be stored"),
        Err(StoreError::ReadOnly(_)) => failing("the database can only be read: nothing can be stored"),
        Err(StoreError::TimedOut) => failing("the database does not answer in time"),
        Err(_) => failing("the database cannot be written to; the server's log says why"),
    }
}

/// The parts whose state has changed, with the state before.
fn changes(found: &Found, database: &DatabaseStatus, disks: &[DiskStatus]) -> Vec<(PartState, Part)> {
    let before = |part: &Part| {
        let parts = std::iter::once(&found.database.part).chain(found.disks.iter().map(|disk| &disk.part));
        parts.into_iter().find(|one| one.name == part.name).map_or(PartState::Ok, |one| one.state)
    };
    let now = std::iter::once(&database.part).chain(disks.iter().map(|disk| &disk.part));
    now.map(|part| (before(part), part.clone())).filter(|(was, is)| *was != is.state).collect()
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use kaisatsu_model::{Part, PartState};
    use kaisatsu_store::{Store, StoreError};
    use kaisatsu_testkit::{Backend, Database, ManualClock};

    use super::{Identity, Monitor, database_part};

    async fn monitor(database: &Database, clock: &Arc<ManualClock>) -> Monitor {
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let identity = Identity { address: "127.0.0.1:1".to_owned(), version: "1" };
        Monitor::new(store, Arc::clone(clock) as Arc<dyn kaisatsu_model::Clock>, Vec::new(), identity)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn servers_see_each_other_with_their_parts_until_they_are_silent() {
        let database = Database::fresh(Backend::Sqlite);
        let clock = Arc::new(ManualClock::default());
        let (one, other) = (monitor(&database, &clock).await, monitor(&database, &clock).await);
        one.look(&[Part::new("models", PartState::Degraded, "coco is missing")]).await;
        other.look(&[]).await;
        let seen = one.replicas().await.unwrap();
        assert_eq!(seen.iter().filter(|replica| replica.alive).count(), 2);
        let first = seen.iter().find(|replica| replica.id == one.id()).unwrap();
        assert_eq!(first.parts[0].message.as_deref(), Some("coco is missing"));

        clock.advance(Duration::from_secs(21));
        other.look(&[]).await;
        let alive: Vec<_> = one.replicas().await.unwrap().into_iter().filter(|replica| replica.alive).collect();
        assert_eq!(alive.iter().map(|replica| replica.id.as_str()).collect::<Vec<_>>(), [other.id()]);
        other.leave().await;
        assert!(one.replicas().await.unwrap().iter().all(|replica| replica.id != other.id()));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_database_without_its_table_is_said_to_fail() {
        let database = Database::fresh(Backend::Sqlite);
        let monitor = monitor(&database, &Arc::new(ManualClock::default())).await;
        monitor.look(&[]).await;
        assert_eq!(monitor.parts(), [Part::ok("database")]);
        database.run("DROP TABLE replica");
        monitor.look(&[]).await;
        assert_eq!(monitor.database().part.state, PartState::Failing);
        assert!(monitor.database().error.unwrap().contains("no such table"));
    }

    #[test]
    fn a_write_that_takes_long_is_said_with_its_time() {
        let slow = database_part(&Ok(()), Duration::from_millis(1200));
        assert_eq!((slow.state, slow.message.unwrap().contains("1200 ms")), (PartState::Degraded, true));
        assert_eq!(database_part(&Ok(()), Duration::from_millis(100)).state, PartState::Ok);
        assert_eq!(database_part(&Err(StoreError::TimedOut), Duration::ZERO).state, PartState::Failing);
    }
}
