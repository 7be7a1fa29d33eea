//! Accounts, their applications, and their deletion, on every backend.

use std::time::Duration;

use kaisatsu_model::{
    AccountId, AccountState, AppId, ApplicationName, Email, KeyDigest, KeyId, KeyScope, Registration, Role,
    SecretDigest, Timestamp, UserId,
};
use kaisatsu_store::{
    AccountChange, ApplicationChange, BlobClaim, BlobKey, Conflict, LinkPurpose, Missing, NewAccount, NewKey,
    NewSession, NewToken, NewUserImage, PutImageOutcome, RegisterOutcome, Store, StoreError, UsageOutcome, UsageRow,
};
use kaisatsu_testkit::{Backend, Database, test_on_every_backend};

test_on_every_backend![
    the_first_account_is_an_operator_and_an_address_has_one_account,
    an_account_that_is_created_has_the_role_that_was_asked_for,
    of_concurrent_registrations_one_becomes_the_operator,
    the_last_operator_cannot_be_disabled_demoted_or_deleted,
    a_session_ends_when_it_expires_and_with_its_password_or_account,
    a_link_works_once_and_for_its_purpose_only,
    sign_in_attempts_are_counted_within_the_window,
    applications_belong_to_their_owner,
    the_keys_of_a_disabled_account_are_disabled,
    a_key_for_operators_is_one_as_long_as_its_maker_is_an_operator,
    usage_is_added_up,
    a_deleted_application_disappears_at_once_and_is_erased_later,
    deleting_an_account_deletes_its_applications,
];

async fn run_on<F: Future<Output = ()>>(backend: Backend, test: impl FnOnce(Store) -> F) {
    let database = Database::fresh(backend);
    test(Store::open(&database.address.parse().unwrap()).await.unwrap()).await;
}

const NOW: Timestamp = Timestamp(1_000_000);

fn id(n: u8) -> AccountId {
    AccountId::from_random([n; 10])
}

fn app(n: u8) -> AppId {
    AppId::from_random([n; 10])
}

fn secret(n: u8) -> SecretDigest {
    SecretDigest([n; 32])
}

fn person(n: u8) -> NewAccount {
    NewAccount {
        id: id(n),
        email: Email::new(&format!("p{n}@example.org")).unwrap(),
        password: format!("hash {n}"),
        state: AccountState::Active,
        language: None,
        created_at: Timestamp(i64::from(n)),
    }
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

async fn own(store: &Store, n: u8, owner: u8) {
    let name = ApplicationName::new(&format!("app {n}")).unwrap();
    store.create_application_with_key(&app(n), &name, Some(&id(owner)), &key(n)).await.unwrap();
}

async fn sign_in(store: &Store, n: u8, who: u8) {
    let session = NewSession {
        digest: secret(n),
        account: id(who),
        created_at: NOW,
        expires_at: NOW.after(Duration::from_secs(100)),
        agent: format!("browser {n}"),
        password: store.password_hash(&id(who)).await.unwrap(),
    };
    assert!(store.begin_session(&session).await.unwrap());
    let old = NewSession { digest: secret(n + 100), password: "another one".to_owned(), ..session };
    assert!(!store.begin_session(&old).await.unwrap(), "not with a password of before");
}

async fn the_first_account_is_an_operator_and_an_address_has_one_account(store: Store) {
    assert!(!store.has_accounts().await.unwrap());
    let waiting = |n| NewAccount { state: AccountState::Waiting, ..person(n) };
    assert_eq!(store.register(&waiting(1)).await.unwrap(), (RegisterOutcome::First, Registration::Open));
    assert_eq!(store.register(&waiting(2)).await.unwrap(), (RegisterOutcome::Created, Registration::Approval));
    let again = NewAccount { id: id(3), ..waiting(2) };
    assert_eq!(store.register(&again).await.unwrap().0, RegisterOutcome::EmailTaken);
    let listed: Vec<_> = store.accounts().await.unwrap().into_iter().map(|(a, _)| (a.id, a.role, a.state)).collect();
    assert_eq!(listed, [(id(1), Role::Operator, AccountState::Active), (id(2), Role::Member, AccountState::Waiting)]);
    assert_eq!(store.account_by_email(&person(2).email).await.unwrap().unwrap().id, id(2));
    assert_eq!(store.password_hash(&id(2)).await.unwrap(), "hash 2", "as it was");
    assert_eq!(store.registration().await.unwrap(), Registration::Approval, "once there is an operator");
    store.set_registration(Registration::Closed).await.unwrap();
    assert_eq!(store.registration().await.unwrap(), Registration::Closed);
}

async fn an_account_that_is_created_has_the_role_that_was_asked_for(store: Store) {
    let refused = store.create_account(&person(1), Some(Role::Member)).await;
    assert!(matches!(refused, Err(StoreError::Conflict(Conflict::NoOperator))), "{refused:?}");
    assert!(store.create_account(&person(1), None).await.unwrap());
    assert_eq!(store.registration().await.unwrap(), Registration::Approval, "once there is an operator");
    assert!(store.create_account(&person(2), None).await.unwrap());
    assert!(!store.create_account(&NewAccount { id: id(3), ..person(2) }, None).await.unwrap(), "the address is taken");
    store.set_registration(Registration::Open).await.unwrap();
    assert!(store.create_account(&person(4), Some(Role::Operator)).await.unwrap());
    assert_eq!(store.registration().await.unwrap(), Registration::Open, "as an operator has chosen");
    let roles: Vec<_> = store.accounts().await.unwrap().into_iter().map(|(a, _)| (a.role, a.state)).collect();
    let active = |role| (role, AccountState::Active);
    assert_eq!(roles, [active(Role::Operator), active(Role::Member), active(Role::Operator)]);
}

async fn of_concurrent_registrations_one_becomes_the_operator(store: Store) {
    let register = |n| {
        let store = store.clone();
        async move { store.register(&person(n)).await.unwrap() }
    };
    let became: Vec<_> = (1..=8).map(|n| tokio::spawn(register(n))).collect();
    let mut firsts = 0;
    for one in became {
        firsts += i32::from(one.await.unwrap().0 == RegisterOutcome::First);
    }
    let accounts = store.accounts().await.unwrap();
    let count = |role, state| accounts.iter().filter(|(a, _)| (a.role, a.state) == (role, state)).count();
    let operators = count(Role::Operator, AccountState::Active);
    assert_eq!((firsts, operators, count(Role::Member, AccountState::Waiting)), (1, 1, 7), "nobody slips in");
}

async fn the_last_operator_cannot_be_disabled_demoted_or_deleted(store: Store) {
    store.register(&person(1)).await.unwrap();
    assert!(store.create_account(&person(2), None).await.unwrap());
    let change = |state, role| AccountChange { state, role };
    for bad in [change(Some(AccountState::Disabled), None), change(None, Some(Role::Member))] {
        assert!(matches!(
            store.change_account(&id(1), bad, NOW).await,
            Err(StoreError::Conflict(Conflict::LastOperator))
        ));
    }
    assert!(matches!(store.delete_account(&id(1), NOW).await, Err(StoreError::Conflict(Conflict::LastOperator))));
    assert_eq!(store.account(&id(1)).await.unwrap().unwrap().role, Role::Operator, "nothing changed");
    store.change_account(&id(2), change(None, Some(Role::Operator)), NOW).await.unwrap();
    store.change_account(&id(1), change(None, Some(Role::Member)), NOW).await.unwrap();
    store.delete_account(&id(1), NOW).await.unwrap();
    store.delete_account(&id(2), NOW).await.unwrap();
    assert!(!store.has_accounts().await.unwrap(), "the last one may go, and the server begins anew");
    let nobody = store.change_account(&id(9), AccountChange::default(), NOW).await;
    assert!(matches!(nobody, Err(StoreError::NotFound(Missing::Account(_)))));
}

async fn a_session_ends_when_it_expires_and_with_its_password_or_account(store: Store) {
    store.register(&person(1)).await.unwrap();
    assert!(store.create_account(&person(2), None).await.unwrap());
    for n in 1..=3 {
        sign_in(&store, n, 2).await;
    }
    let who = async |n, at| store.session(secret(n), at).await.unwrap().map(|me| me.account.id);
    assert_eq!(who(1, NOW).await, Some(id(2)));
    assert_eq!(who(9, NOW).await, None);
    assert_eq!(who(1, NOW.after(Duration::from_secs(100))).await, None, "its time is over");
    let listed = store.sessions(&id(2), NOW).await.unwrap();
    assert_eq!(listed.len(), 3);
    store.end_session(&id(2), secret(3), NOW).await.unwrap();
    store.put_link(secret(50), &id(2), LinkPurpose::Reset, None, NOW.after(Duration::from_secs(9))).await.unwrap();
    store.set_password(&id(2), "another", Some(secret(1)), NOW).await.unwrap();
    assert_eq!((who(1, NOW).await, who(2, NOW).await, who(3, NOW).await), (Some(id(2)), None, None));
    assert_eq!(store.take_link(secret(50), LinkPurpose::Reset, NOW).await.unwrap(), None, "an older link is none");
    sign_in(&store, 4, 2).await;
    store.end_other_sessions(&id(2), secret(4), NOW).await.unwrap();
    assert_eq!((who(1, NOW).await, who(4, NOW).await), (None, Some(id(2))));
    let off = AccountChange { state: Some(AccountState::Disabled), role: None };
    store.change_account(&id(2), off, NOW).await.unwrap();
    assert_eq!(who(4, NOW).await, None);
    let on = AccountChange { state: Some(AccountState::Active), role: None };
    store.change_account(&id(2), on, NOW).await.unwrap();
    assert_eq!(who(4, NOW).await, None, "it stays ended");
    store.delete_expired_sign_ins(NOW.after(Duration::from_hours(1)), NOW, Timestamp(0), Timestamp(0)).await.unwrap();
    assert!(store.sessions(&id(2), Timestamp(0)).await.unwrap().is_empty());
}

async fn a_link_works_once_and_for_its_purpose_only(store: Store) {
    store.register(&person(1)).await.unwrap();
    let end = NOW.after(Duration::from_secs(10));
    store.put_link(secret(1), &id(1), LinkPurpose::Confirm, Some("chosen"), end).await.unwrap();
    assert_eq!(store.take_link(secret(1), LinkPurpose::Reset, NOW).await.unwrap(), None);
    assert_eq!(store.take_link(secret(1), LinkPurpose::Confirm, end).await.unwrap(), None, "too late");
    assert_eq!(store.peek_link(secret(1), LinkPurpose::Confirm, NOW).await.unwrap(), Some(id(1)));
    let taken = store.take_link(secret(1), LinkPurpose::Confirm, NOW).await.unwrap();
    assert_eq!(taken, Some((id(1), Some("chosen".to_owned()))));
    assert_eq!(store.take_link(secret(1), LinkPurpose::Confirm, NOW).await.unwrap(), None, "once");
    store.put_link(secret(2), &id(1), LinkPurpose::Reset, None, end).await.unwrap();
    store.put_link(secret(3), &id(1), LinkPurpose::Reset, None, end).await.unwrap();
    assert_eq!(store.take_link(secret(2), LinkPurpose::Reset, NOW).await.unwrap(), None, "the newest counts");
    assert_eq!(store.take_link(secret(3), LinkPurpose::Reset, NOW).await.unwrap(), Some((id(1), None)));
}

async fn sign_in_attempts_are_counted_within_the_window(store: Store) {
    let at = |micros| NOW.after(Duration::from_micros(micros));
    let tried = async |n, time| {
        store.count_sign_in_attempt(secret(n), at(time), at(time).before(Duration::from_micros(10))).await.unwrap()
    };
    assert_eq!(tried(1, 5).await, (1, at(5)));
    assert_eq!(tried(1, 6).await, (2, at(5)));
    assert_eq!(tried(2, 7).await, (1, at(7)), "another address");
    assert_eq!(tried(1, 50).await, (1, at(50)), "it began anew");
    store.clear_sign_in_attempts(secret(1)).await.unwrap();
    assert_eq!(tried(1, 51).await, (1, at(51)));
}

async fn applications_belong_to_their_owner(store: Store) {
    store.register(&person(1)).await.unwrap();
    assert!(store.create_account(&person(2), None).await.unwrap());
    own(&store, 1, 1).await;
    own(&store, 2, 2).await;
    store.create_application(&app(3), &ApplicationName::new("nobody's").unwrap(), NOW).await.unwrap();
    let names = async |owner: Option<&AccountId>| {
        let all = store.owned_applications(owner).await.unwrap();
        all.into_iter().map(|one| one.application.name).collect::<Vec<_>>()
    };
    assert_eq!(names(Some(&id(2))).await, ["app 2"]);
    assert_eq!(names(None).await, ["app 1", "app 2", "nobody's"]);
    let owned = store.owned_application(&app(2)).await.unwrap().unwrap();
    assert_eq!((owned.owner, owned.requests_per_day), (Some((id(2), "p2@example.org".to_owned())), None));
    let change = ApplicationChange {
        name: Some(ApplicationName::new("another").unwrap()),
        requests_per_day: Some(Some(7)),
        ..ApplicationChange::default()
    };
    store.change_application(&app(2), &change).await.unwrap();
    let owned = store.owned_application(&app(2)).await.unwrap().unwrap();
    assert_eq!((owned.application.name.as_str(), owned.requests_per_day), ("another", Some(7)));
    let others = ApplicationChange { name: Some(ApplicationName::new("app 1").unwrap()), ..change.clone() };
    // Nobody learns that another has the name.
    store.change_application(&app(2), &others).await.unwrap();
    own(&store, 4, 2).await;
    let taken = ApplicationChange { name: Some(ApplicationName::new("app 4").unwrap()), ..change };
    assert!(matches!(
        store.change_application(&app(2), &taken).await,
        Err(StoreError::Conflict(Conflict::ApplicationName(_)))
    ));
    assert!(matches!(
        store.change_application(&app(9), &taken).await,
        Err(StoreError::NotFound(Missing::Application(_)))
    ));
    let mut console_key = key(9);
    console_key.console = Some((NOW.after(Duration::from_secs(5)), id(2)));
    store.create_key(&app(2), &console_key).await.unwrap();
    assert_eq!(store.keys(Some(&app(2))).await.unwrap().len(), 1, "a console key is not listed");
    store.end_session(&id(2), secret(1), NOW).await.unwrap();
    let grants = store.keys_changed_since(0).await.unwrap().unwrap().keys;
    let console_key = grants.into_iter().find(|(digest, _)| *digest == KeyDigest([9; 32])).unwrap().1;
    assert_eq!(
        (console_key.console, console_key.expires_at, console_key.requests_per_day),
        (true, Some(NOW), Some(7)),
        "it ends with the session"
    );
}

async fn the_keys_of_a_disabled_account_are_disabled(store: Store) {
    store.register(&person(1)).await.unwrap();
    assert!(store.create_account(&person(2), None).await.unwrap());
    own(&store, 2, 2).await;
    let revision = store.keys_changed_since(0).await.unwrap().unwrap().revision;
    let change = |state| AccountChange { state: Some(state), role: None };
    store.change_account(&id(2), change(AccountState::Disabled), NOW).await.unwrap();
    let told = store.keys_changed_since(revision).await.unwrap().unwrap();
    assert!(told.keys[0].1.disabled);
    store.change_account(&id(2), change(AccountState::Active), NOW).await.unwrap();
    assert!(!store.keys_changed_since(told.revision).await.unwrap().unwrap().keys[0].1.disabled);
}

async fn a_key_for_operators_is_one_as_long_as_its_maker_is_an_operator(store: Store) {
    for n in 1..=3 {
        assert!(store.create_account(&person(n), Some(Role::Operator)).await.unwrap());
    }
    own(&store, 1, 1).await;
    let made = |n: u8, by: Option<u8>| NewKey { scope: KeyScope::Operator, made_by: by.map(id), ..key(n) };
    // In the console by two operators, and on the command line.
    for key in [made(12, Some(2)), made(13, Some(3)), made(14, None), made(15, Some(2))] {
        store.create_key(&app(1), &key).await.unwrap();
    }
    let scopes = async || -> Vec<(u8, KeyScope)> {
        let keys = store.keys_changed_since(0).await.unwrap().unwrap().keys;
        let mut scopes: Vec<_> = keys.into_iter().map(|(digest, grant)| (digest.0[0], grant.scope)).collect();
        scopes.sort_unstable_by_key(|(n, _)| *n);
        scopes
    };
    let (standard, operator) = (KeyScope::Standard, KeyScope::Operator);
    let first = (1, standard);
    let before = store.keys_changed_since(0).await.unwrap().unwrap().revision;
    let role = |role| AccountChange { role: Some(role), state: None };
    store.change_account(&id(2), role(Role::Member), NOW).await.unwrap();
    assert_eq!(scopes().await, [first, (12, standard), (13, operator), (14, operator), (15, standard)]);
    let told = store.keys_changed_since(before).await.unwrap().unwrap().keys;
    assert!(told.iter().any(|(digest, _)| digest.0[0] == 12), "key caches hear of it");
    // A successor of it is none either, and the role that comes back does not bring it back.
    store.rotate_key(&KeyId::from_random([12; 10]), &made(22, Some(1)), NOW).await.unwrap();
    store.change_account(&id(2), role(Role::Operator), NOW).await.unwrap();
    let disabled = AccountChange { state: Some(AccountState::Disabled), role: None };
    store.change_account(&id(3), disabled, NOW).await.unwrap();
    assert_eq!(
        scopes().await,
        [first, (12, standard), (13, standard), (14, operator), (15, standard), (22, standard)],
        "nor may whoever is disabled"
    );
    // Whoever read the role before it was lost comes too late.
    let pass = NewKey { console: Some((NOW, id(3))), made_by: None, ..made(16, None) };
    let (of_command_line, by_former) = (KeyId::from_random([14; 10]), made(24, Some(3)));
    for refused in [
        store.create_key(&app(1), &made(16, Some(3))).await,
        store.create_key(&app(1), &pass).await,
        store.rotate_key(&of_command_line, &by_former, NOW).await,
    ] {
        assert!(matches!(refused, Err(StoreError::Conflict(Conflict::NotOperator))), "{refused:?}");
    }
    store.rotate_key(&of_command_line, &made(24, Some(2)), NOW).await.unwrap();
    assert_eq!(scopes().await.last(), Some(&(24, operator)));
    store.delete_account(&id(2), NOW).await.unwrap();
    assert_eq!(scopes().await.last(), Some(&(24, standard)), "its maker is gone");
}

fn called(application: u8, key: &str, hour: i64, outcome: UsageOutcome, requests: i64) -> UsageRow {
    let (application, key, operation) = (app(application), key.to_owned(), "classify".to_owned());
    UsageRow { application, key, operation, hour: Timestamp(hour), outcome, class: 3, requests, micros: requests * 10 }
}

async fn usage_is_added_up(store: Store) {
    store.register(&person(1)).await.unwrap();
    own(&store, 1, 1).await;
    let key_id = KeyId::from_random([1; 10]);
    let rows = [
        called(1, key_id.as_str(), 0, UsageOutcome::Answered, 5),
        called(1, key_id.as_str(), 10, UsageOutcome::Answered, 7),
        called(1, "", 10, UsageOutcome::Refused, 2),
        called(1, key_id.as_str(), 20, UsageOutcome::TurnedAway, 50),
        called(1, "", 20, UsageOutcome::TurnedAway, 100),
        called(9, "", 20, UsageOutcome::Answered, 1),
    ];
    store.add_usage(&rows).await.unwrap();
    store.add_usage(&rows[..1]).await.unwrap();
    let used = |at| [(key_id.as_str().to_owned(), at)];
    store.record_key_use(&used(NOW)).await.unwrap();
    store.record_key_use(&used(Timestamp(1))).await.unwrap();
    let sums = store.usage(&app(1), Timestamp(0), Timestamp(20), 10).await.unwrap();
    let short: Vec<_> = sums.iter().map(|s| (s.begins, s.key_id.as_str(), s.requests, s.micros, s.class)).collect();
    assert_eq!(short, [(0, key_id.as_str(), 10, 100, 3), (10, "", 2, 20, 3), (10, key_id.as_str(), 7, 70, 3)]);
    assert_eq!(store.usage(&app(1), Timestamp(0), Timestamp(40), 20).await.unwrap()[1].requests, 17);
    assert_eq!(
        store.requests_since(Timestamp(10), None).await.unwrap(),
        [(app(1), 7)],
        "who was turned away has taken nothing, and the console's calls do not count"
    );
    assert!(store.usage(&app(9), Timestamp(0), Timestamp(99), 1).await.unwrap().is_empty(), "no such application");
    assert_eq!(store.keys(None).await.unwrap()[0].last_used_at, Some(NOW));
    store.delete_old_usage(Timestamp(10)).await.unwrap();
    assert_eq!(store.usage(&app(1), Timestamp(0), Timestamp(99), 99).await.unwrap().len(), 4);
}

/// Creates an application with a token, an image and some usage.
async fn fill(store: &Store, n: u8) {
    let user = UserId::new("u").unwrap();
    let token = NewToken {
        digest: kaisatsu_model::TokenDigest([n; 32]),
        application: app(n),
        user: user.clone(),
        created_at: NOW,
        expires_at: NOW.after(Duration::from_hours(1)),
    };
    store.put_token(&token, 9).await.unwrap();
    let blob = BlobKey { application: app(n), user: user.clone(), sha256: [n; 32] };
    assert_eq!(store.claim_blob(&blob, 10, 100, NOW).await.unwrap(), BlobClaim::Write);
    let image = NewUserImage {
        id: kaisatsu_model::ImageId::from_random([n; 20]),
        key: blob,
        width: 1,
        height: 1,
        tag: None,
        name: None,
        created_at: NOW,
    };
    assert!(matches!(store.put_user_image(&image, 9).await.unwrap(), PutImageOutcome::Stored(_)));
    store.add_usage(&[called(n, "", 0, UsageOutcome::Answered, 1)]).await.unwrap();
}

/// Erases a deleted application, as the janitor of the server does.
async fn sweep(store: &Store, n: u8) {
    store.release_images(&app(n), NOW).await.unwrap();
    assert!(!store.erase_application(&app(n)).await.unwrap(), "its bytes are still there");
    let doomed = store.mark_blobs_deleting(NOW, NOW, NOW, 100).await.unwrap();
    let theirs: Vec<_> = doomed.into_iter().filter(|blob| blob.application == app(n)).collect();
    store.delete_blob_rows(&theirs, NOW).await.unwrap();
    assert!(store.erase_application(&app(n)).await.unwrap());
}

async fn a_deleted_application_disappears_at_once_and_is_erased_later(store: Store) {
    store.register(&person(1)).await.unwrap();
    own(&store, 1, 1).await;
    own(&store, 2, 1).await;
    fill(&store, 1).await;
    fill(&store, 2).await;
    let all = store.application_contents(&app(1)).await.unwrap().unwrap();
    assert_eq!((all.keys, all.users, all.images, all.datasets), (1, 1, 1, 0));
    store.delete_application(&app(1), NOW).await.unwrap();
    assert!(matches!(store.delete_application(&app(1), NOW).await, Err(StoreError::NotFound(Missing::Application(_)))));
    assert_eq!(store.application_contents(&app(1)).await.unwrap(), None);
    assert!(store.owned_application(&app(1)).await.unwrap().is_none());
    assert_eq!(store.applications().await.unwrap().len(), 1);
    assert_eq!(store.keys(None).await.unwrap().len(), 1);
    let grants = store.keys_changed_since(0).await.unwrap().unwrap().keys;
    assert!(grants.iter().any(|(_, grant)| grant.application == app(1) && grant.disabled));
    let name = ApplicationName::new("app 1").unwrap();
    store.create_application(&app(4), &name, NOW).await.unwrap();
    assert_eq!(store.deleted_applications().await.unwrap(), [(app(1), NOW)]);
    sweep(&store, 1).await;
    assert!(store.deleted_applications().await.unwrap().is_empty());
    assert_eq!(store.application_contents(&app(2)).await.unwrap().unwrap().images, 1, "the other one's is untouched");
}

async fn deleting_an_account_deletes_its_applications(store: Store) {
    store.register(&person(1)).await.unwrap();
    assert!(store.create_account(&person(2), None).await.unwrap());
    own(&store, 1, 1).await;
    own(&store, 2, 2).await;
    fill(&store, 2).await;
    sign_in(&store, 1, 2).await;
    store.delete_account(&id(2), NOW).await.unwrap();
    assert_eq!(store.account(&id(2)).await.unwrap(), None);
    assert_eq!(store.session(secret(1), NOW).await.unwrap(), None);
    assert_eq!(store.deleted_applications().await.unwrap(), [(app(2), NOW)]);
    sweep(&store, 2).await;
    let left = store.owned_applications(None).await.unwrap();
    assert_eq!(left.iter().map(|one| one.application.id.clone()).collect::<Vec<_>>(), [app(1)]);
    assert_eq!(
        store.register(&NewAccount { id: id(3), ..person(2) }).await.unwrap().0,
        RegisterOutcome::Created,
        "the address is free"
    );
}
