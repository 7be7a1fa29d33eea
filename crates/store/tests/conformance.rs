//! Applications and keys: each test runs on SQLite and on PostgreSQL.

use kaisatsu_model::{AppId, ApplicationName, KeyDigest, KeyId, KeyScope, Timestamp};
use kaisatsu_store::{Conflict, Missing, NewKey, Store, StoreError};
use kaisatsu_testkit::{Backend, Database, test_on_every_backend};

test_on_every_backend![
    applications_are_listed_by_name_and_names_are_unique,
    an_application_and_its_first_key_come_together_or_not_at_all,
    a_key_is_stored_and_listed_with_its_application,
    a_key_of_no_application_is_refused,
    every_change_reaches_a_reader_of_changes_once,
    disabling_an_application_touches_all_of_its_keys,
    a_rotation_has_one_winner,
    a_disabled_key_is_not_rotated,
    concurrent_writers_leave_no_gap_for_readers,
    a_reader_ahead_of_a_restored_backup_starts_over,
    opening_again_keeps_the_keys,
    an_empty_database_can_be_opened_concurrently,
];

/// Runs a test on a fresh database.
async fn run_on<F: Future<Output = ()>>(backend: Backend, test: impl FnOnce(Database, Store) -> F) {
    let database = Database::fresh(backend);
    let store = open(&database).await;
    test(database, store).await;
}

async fn open(database: &Database) -> Store {
    Store::open(&database.address.parse().unwrap()).await.unwrap()
}

fn app(n: u8) -> AppId {
    AppId::from_random([n; 10])
}

fn key(n: u8) -> NewKey {
    NewKey {
        id: KeyId::from_random([n; 10]),
        digest: KeyDigest([n; 32]),
        hint: format!("h{n}"),
        scope: KeyScope::Standard,
        allowed_places: None,
        expires_at: None,
        created_at: Timestamp(i64::from(n)),
        made_by: None,
        console: None,
    }
}

async fn with_app(store: &Store, n: u8, name: &str) -> AppId {
    store.create_application(&app(n), &ApplicationName::new(name).unwrap(), Timestamp(1)).await.unwrap();
    app(n)
}

async fn applications_are_listed_by_name_and_names_are_unique(_: Database, store: Store) {
    with_app(&store, 2, "beta").await;
    with_app(&store, 1, "alpha").await;
    let names: Vec<_> = store.applications().await.unwrap().into_iter().map(|a| a.name).collect();
    assert_eq!(names, ["alpha", "beta"]);

    let name = ApplicationName::new("beta").unwrap();
    assert_eq!(store.application_named(&name).await.unwrap().unwrap().id, app(2));
    let again = store.create_application(&app(3), &name, Timestamp(2)).await;
    assert!(matches!(again, Err(StoreError::Conflict(Conflict::ApplicationName(taken))) if taken == name));
}

async fn an_application_and_its_first_key_come_together_or_not_at_all(_: Database, store: Store) {
    let name = ApplicationName::new("first").unwrap();
    store.create_application_with_key(&app(1), &name, None, &key(1)).await.unwrap();
    assert_eq!(store.keys(Some(&app(1))).await.unwrap().len(), 1);
    let again = store.create_application_with_key(&app(2), &name, None, &key(2)).await;
    assert!(matches!(again, Err(StoreError::Conflict(Conflict::ApplicationName(_)))));
    assert_eq!((store.applications().await.unwrap().len(), store.keys(None).await.unwrap().len()), (1, 1));
}

async fn a_key_is_stored_and_listed_with_its_application(_: Database, store: Store) {
    let (one, two) = (with_app(&store, 1, "one").await, with_app(&store, 2, "two").await);
    store.create_key(&two, &key(3)).await.unwrap();
    store.create_key(&one, &key(4)).await.unwrap();

    let all = store.keys(None).await.unwrap();
    let seen: Vec<_> = all.iter().map(|k| (k.application.name.as_str(), k.hint.as_str(), k.created_at.0)).collect();
    assert_eq!(seen, [("one", "h4", 4), ("two", "h3", 3)]);
    assert_eq!(store.keys(Some(&two)).await.unwrap(), all[1..]);
}

async fn a_key_of_no_application_is_refused(_: Database, store: Store) {
    let refused = store.create_key(&app(9), &key(1)).await;
    assert!(matches!(refused, Err(StoreError::NotFound(Missing::Application(id))) if id == app(9)));
    assert!(store.keys_changed_since(0).await.unwrap().is_none(), "the refused key left no trace");
}

async fn every_change_reaches_a_reader_of_changes_once(_: Database, store: Store) {
    let one = with_app(&store, 1, "one").await;
    assert!(store.keys_changed_since(0).await.unwrap().is_none());

    store.create_key(&one, &key(1)).await.unwrap();
    store.create_key(&one, &key(2)).await.unwrap();
    let first = store.keys_changed_since(0).await.unwrap().unwrap();
    assert_eq!(first.keys.len(), 2);
    assert!(store.keys_changed_since(first.revision).await.unwrap().is_none());

    store.set_key_disabled(&key(2).id, Some(Timestamp(5)), true).await.unwrap();
    let second = store.keys_changed_since(first.revision).await.unwrap().unwrap();
    let [(digest, grant)] = &second.keys[..] else { panic!("one change: {second:?}") };
    assert_eq!((*digest, grant.disabled), (KeyDigest([2; 32]), true));

    store.set_key_disabled(&key(2).id, None, true).await.unwrap();
    let third = store.keys_changed_since(second.revision).await.unwrap().unwrap();
    assert!(!third.keys[0].1.disabled && !third.complete);

    let missing = store.set_key_disabled(&key(7).id, None, true).await;
    assert!(matches!(missing, Err(StoreError::NotFound(Missing::Key(id))) if id == key(7).id));
    assert!(store.keys_changed_since(third.revision).await.unwrap().is_none());
}

async fn disabling_an_application_touches_all_of_its_keys(_: Database, store: Store) {
    let (one, two) = (with_app(&store, 1, "one").await, with_app(&store, 2, "two").await);
    for (owner, n) in [(&one, 1), (&one, 2), (&two, 3)] {
        store.create_key(owner, &key(n)).await.unwrap();
    }
    let known = store.keys_changed_since(0).await.unwrap().unwrap().revision;
    store.set_application_disabled(&one, Some(Timestamp(9))).await.unwrap();
    let changed = store.keys_changed_since(known).await.unwrap().unwrap();
    assert_eq!(changed.keys.len(), 2);
    assert!(changed.keys.iter().all(|(_, grant)| grant.disabled && grant.application == one));
    let missing = store.set_application_disabled(&app(8), None).await;
    assert!(matches!(missing, Err(StoreError::NotFound(Missing::Application(id))) if id == app(8)));
}

async fn a_rotation_has_one_winner(_: Database, store: Store) {
    let one = with_app(&store, 1, "one").await;
    store.create_key(&one, &key(1)).await.unwrap();
    let mut tries = Vec::new();
    for n in 10..16 {
        let store = store.clone();
        tries.push(tokio::spawn(async move { store.rotate_key(&key(1).id, &key(n), Timestamp(100)).await }));
    }
    let mut won = 0;
    for attempt in tries {
        match attempt.await.unwrap() {
            Ok(()) => won += 1,
            Err(StoreError::Conflict(Conflict::EndedKey(id))) => assert_eq!(id, key(1).id),
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(won, 1);
    let keys = store.keys(None).await.unwrap();
    assert_eq!(keys.iter().map(|k| k.expires_at).collect::<Vec<_>>(), [Some(Timestamp(100)), None]);
    let missing = store.rotate_key(&key(99).id, &key(20), Timestamp(1)).await;
    assert!(matches!(missing, Err(StoreError::NotFound(Missing::Key(_)))));
}

async fn a_disabled_key_is_not_rotated(_: Database, store: Store) {
    let one = with_app(&store, 1, "one").await;
    store.create_key(&one, &key(1)).await.unwrap();
    store.set_key_disabled(&key(1).id, Some(Timestamp(2)), true).await.unwrap();
    let refused = store.rotate_key(&key(1).id, &key(2), Timestamp(3)).await;
    assert!(matches!(refused, Err(StoreError::Conflict(Conflict::EndedKey(_)))));
    assert_eq!(store.keys(None).await.unwrap().len(), 1);
}

/// A reader that follows the revisions while eight writers create keys ends up with every key.
async fn concurrent_writers_leave_no_gap_for_readers(_: Database, store: Store) {
    let one = with_app(&store, 1, "one").await;
    let mut writers = Vec::new();
    for writer in 0..8_u8 {
        let (store, one) = (store.clone(), one.clone());
        writers.push(tokio::spawn(async move {
            for n in 0..10 {
                store.create_key(&one, &key(writer * 10 + n)).await.unwrap();
            }
        }));
    }
    let (mut known, mut seen) = (0, std::collections::HashSet::new());
    while seen.len() < 80 {
        let finished = writers.iter().all(tokio::task::JoinHandle::is_finished);
        match store.keys_changed_since(known).await.unwrap() {
            Some(changed) => {
                known = changed.revision;
                seen.extend(changed.keys.into_iter().map(|(digest, _)| digest));
            }
            None => assert!(!finished, "all is written, {} of 80 were seen", seen.len()),
        }
    }
}

async fn a_reader_ahead_of_a_restored_backup_starts_over(_: Database, store: Store) {
    let one = with_app(&store, 1, "one").await;
    store.create_key(&one, &key(1)).await.unwrap();
    let changed = store.keys_changed_since(1_000).await.unwrap().unwrap();
    assert!(changed.complete && changed.keys.len() == 1);
}

async fn opening_again_keeps_the_keys(database: Database, store: Store) {
    let one = with_app(&store, 1, "one").await;
    store.create_key(&one, &key(1)).await.unwrap();
    store.close().await;
    let again = open(&database).await;
    again.ping().await.unwrap();
    assert_eq!(again.keys(None).await.unwrap().len(), 1);
}

async fn an_empty_database_can_be_opened_concurrently(_: Database, store: Store) {
    let backend = if store.kind() == "sqlite" { Backend::Sqlite } else { Backend::Postgres };
    let database = Database::fresh(backend);
    let mut starts = Vec::new();
    for _ in 0..8 {
        let address = database.address.parse().unwrap();
        starts.push(tokio::spawn(async move { Store::open(&address).await }));
    }
    for start in starts {
        start.await.unwrap().unwrap().ping().await.unwrap();
    }
}
