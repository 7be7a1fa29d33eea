//! What people may do with applications and keys in the console.

use std::time::Duration;

use kaisatsu_access::{
    AccessError, AllowedPlaces, ApplicationChange, IssuedKey, KeyTerms, OwnedApplication, UsageOutcome, UsageReport,
};
use kaisatsu_model::{Clock, KeyScope, KeyState, Role, Timestamp, UserId};
use kaisatsu_store::BlobKey;

use crate::common::{Fixture, name};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

#[tokio::test]
async fn an_application_exists_for_its_owner_and_for_operators_only() {
    let fixture = Fixture::new().await;
    let (operator, owner) = (fixture.person("o@example.org").await, fixture.person("a@example.org").await);
    let other = fixture.person("b@example.org").await;
    let console = &fixture.console;
    let (owned, key) = console.create(&owner, &name("app")).await.unwrap();
    let id = owned.application.id;
    for refused in [
        console.application(&other, &id).await.map(drop),
        console.contents(&other, &id).await.map(drop),
        console.create_key(&other, &id, KeyTerms::default()).await.map(drop),
        console.rotate_key(&other, &id, &key.id, Duration::ZERO).await.map(drop),
        console.set_key_disabled(&other, &id, &key.id, true).await.map(drop),
        console.create_console_key(&other, &id).await.map(drop),
        console.users(&other, &id).await.map(drop),
        console.usage(&other, &id, 1).await.map(drop),
        console.change(&other, &id, &ApplicationChange::default()).await,
        console.delete(&other, &id).await,
    ] {
        assert!(matches!(refused, Err(AccessError::NoSuchApplication(_))), "{refused:?}");
    }
    assert!(console.application(&operator, &id).await.is_ok());
    assert!(console.applications(&other, true).await.unwrap().is_empty(), "a member cannot ask for everybody's");
    assert_eq!(console.applications(&operator, true).await.unwrap().len(), 1);
    assert!(console.applications(&operator, false).await.unwrap().is_empty());
    console.delete(&owner, &id).await.unwrap();
    assert!(matches!(console.application(&owner, &id).await, Err(AccessError::NoSuchApplication(_))));
}

#[tokio::test]
async fn what_an_operator_disabled_only_an_operator_enables() {
    let fixture = Fixture::new().await;
    let (operator, owner) = (fixture.person("o@example.org").await, fixture.person("a@example.org").await);
    let (owned, _) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let id = owned.application.id;
    let disable = ApplicationChange { disabled_at: Some(Some(fixture.clock.now())), ..Default::default() };
    let enable = ApplicationChange { disabled_at: Some(None), ..Default::default() };
    fixture.console.change(&owner, &id, &disable).await.unwrap();
    fixture.console.change(&owner, &id, &enable).await.unwrap();
    fixture.console.change(&operator, &id, &disable).await.unwrap();
    let refused = fixture.console.change(&owner, &id, &enable).await;
    assert!(matches!(refused, Err(AccessError::DisabledByOperator)));
    fixture.console.change(&operator, &id, &enable).await.unwrap();
    assert_eq!(fixture.console.application(&owner, &id).await.unwrap().application.disabled_at, None);
}

#[tokio::test]
async fn a_name_is_taken_once_and_free_after_a_deletion() {
    let fixture = Fixture::new().await;
    let owner = fixture.person("a@example.org").await;
    let (owned, _) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let taken = fixture.console.create(&owner, &name("app")).await;
    assert!(matches!(taken, Err(AccessError::NameTaken(_))));
    fixture.console.delete(&owner, &owned.application.id).await.unwrap();
    assert!(fixture.console.create(&owner, &name("app")).await.is_ok());
}

#[tokio::test]
async fn nobody_learns_from_a_name_what_others_have() {
    let fixture = Fixture::new().await;
    let (one, two) = (fixture.person("a@example.org").await, fixture.person("b@example.org").await);
    let (first, _) = fixture.console.create(&one, &name("app")).await.unwrap();
    let (second, _) = fixture.console.create(&two, &name("app")).await.unwrap();
    let (other, _) = fixture.console.create(&two, &name("other")).await.unwrap();
    let rename = async |id, text: &str| {
        let change = ApplicationChange { name: Some(name(text)), ..ApplicationChange::default() };
        fixture.console.change(&two, id, &change).await
    };
    assert!(matches!(rename(&other.application.id, "app").await, Err(AccessError::NameTaken(_))), "one's own");
    let (third, _) = fixture.console.create(&one, &name("third")).await.unwrap();
    assert!(rename(&other.application.id, "third").await.is_ok(), "somebody else's");
    assert!(rename(&other.application.id, "third").await.is_ok(), "its own name");
    let names =
        |all: Vec<OwnedApplication>| -> Vec<String> { all.into_iter().map(|own| own.application.name).collect() };
    assert_eq!(names(fixture.console.applications(&two, false).await.unwrap()), ["app", "third"]);

    // On the command line a name means an application that was made there; others have ids.
    let named = async |text: &str| fixture.keys.application_named(&name(text)).await;
    assert!(named("app").await.unwrap_err().to_string().starts_with("several applications are named 'app';"));
    for own in [&first, &second, &third] {
        let id = own.application.id.clone();
        assert_eq!(named(id.as_str()).await.unwrap().unwrap().id, id);
    }
    let id = fixture.keys.create_application(&name("app")).await.unwrap();
    assert_eq!(named("app").await.unwrap().unwrap().id, id);
}

#[tokio::test]
async fn a_member_has_at_most_100_applications_and_an_operator_more() {
    let fixture = Fixture::new().await;
    let (operator, member) = (fixture.person("o@example.org").await, fixture.person("a@example.org").await);
    for number in 0..100 {
        fixture.console.create(&member, &name(&format!("app {number}"))).await.unwrap();
    }
    let refused = fixture.console.create(&member, &name("one more")).await;
    assert!(matches!(refused, Err(AccessError::TooMany("applications"))));
    for number in 0..101 {
        fixture.console.create(&operator, &name(&format!("operator {number}"))).await.unwrap();
    }
}

#[tokio::test]
async fn an_application_has_at_most_100_working_keys() {
    let fixture = Fixture::new().await;
    let owner = fixture.person("a@example.org").await;
    let (owned, first) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let id = owned.application.id;
    for _ in 1..100 {
        fixture.console.create_key(&owner, &id, KeyTerms::default()).await.unwrap();
    }
    let create = || fixture.console.create_key(&owner, &id, KeyTerms::default());
    assert!(matches!(create().await, Err(AccessError::TooMany("keys"))));
    let rotated = fixture.console.rotate_key(&owner, &id, &first.id, Duration::ZERO).await;
    assert!(matches!(rotated, Err(AccessError::TooMany("keys"))));
    let disabled = fixture.console.set_key_disabled(&owner, &id, &first.id, true).await.unwrap();
    assert_eq!(disabled.state(fixture.clock.now()), KeyState::Disabled);
    create().await.expect("a disabled key does not count");
    let enabled = fixture.console.set_key_disabled(&owner, &id, &first.id, false).await;
    assert!(matches!(enabled, Err(AccessError::TooMany("keys"))));
}

#[tokio::test]
async fn a_key_that_an_operator_disabled_is_enabled_by_operators_only() {
    let fixture = Fixture::new().await;
    let operator = fixture.person("operator@example.org").await;
    let owner = fixture.person("a@example.org").await;
    let (owned, key) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let id = owned.application.id;
    let switch = async |who, disabled| fixture.console.set_key_disabled(who, &id, &key.id, disabled).await;
    assert!(switch(&operator, true).await.is_ok());
    for disabled in [false, true] {
        let refused = switch(&owner, disabled).await;
        assert!(matches!(refused, Err(AccessError::DisabledByOperator)), "{refused:?}");
    }
    assert!(switch(&operator, false).await.is_ok());
    assert!(switch(&owner, true).await.is_ok() && switch(&owner, false).await.is_ok(), "what one disabled oneself");
    // The command line is an operator's.
    fixture.keys.set_key_enabled(&key.id, false).await.unwrap();
    assert!(matches!(switch(&owner, false).await, Err(AccessError::DisabledByOperator)));
}

#[tokio::test]
async fn a_key_is_rotated_once() {
    let fixture = Fixture::new().await;
    let owner = fixture.person("a@example.org").await;
    let (owned, first) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let id = owned.application.id;
    let second = fixture.console.rotate_key(&owner, &id, &first.id, Duration::from_hours(1)).await.unwrap();
    let again = fixture.console.rotate_key(&owner, &id, &first.id, Duration::from_hours(1)).await;
    assert!(matches!(again, Err(AccessError::KeyEnded(key)) if key == first.id));
    fixture.keys.set_key_enabled(&second.id, false).await.unwrap();
    let disabled = fixture.keys.rotate_key(&second.id, Duration::ZERO).await;
    assert!(matches!(disabled, Err(AccessError::KeyEnded(_))));
    let (other, _) = fixture.console.create(&owner, &name("other")).await.unwrap();
    let foreign = fixture.console.rotate_key(&owner, &other.application.id, &first.id, Duration::ZERO).await;
    assert!(matches!(foreign, Err(AccessError::NoSuchKey(_))), "a key of another application");
}

#[tokio::test]
async fn a_key_has_the_terms_that_it_was_created_with_and_so_has_its_successor() {
    let fixture = Fixture::new().await;
    let owner = fixture.person("a@example.org").await;
    let (owned, _) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let id = owned.application.id;
    let allowed = AllowedPlaces::of(["https://maps.example.org", "10.0.0.0/8"]).unwrap();
    let terms = KeyTerms { scope: KeyScope::Restricted, allowed: allowed.clone(), lifetime: Some(DAY) };
    let first = fixture.console.create_key(&owner, &id, terms).await.unwrap();
    fixture.clock.advance(HOUR);
    let second = fixture.console.rotate_key(&owner, &id, &first.id, HOUR).await.unwrap();
    let keys = fixture.console.keys(&id).await.unwrap();
    let key = |id| keys.iter().find(|key| key.id == id).unwrap();
    for (key, expires_at) in
        [(key(first.id), Timestamp(0).after(2 * HOUR)), (key(second.id), Timestamp(0).after(DAY + HOUR))]
    {
        assert_eq!((key.scope, key.expires_at), (KeyScope::Restricted, Some(expires_at)));
        assert_eq!(AllowedPlaces::read(key.allowed_places.as_deref()), allowed);
    }
    assert_eq!(allowed.names(), ["https://maps.example.org", "10.0.0.0/8"]);
}

#[tokio::test]
async fn the_secret_of_an_operators_key_is_for_operators() {
    let fixture = Fixture::new().await;
    let (operator, member) = (fixture.person("o@example.org").await, fixture.person("a@example.org").await);
    let (owned, _) = fixture.console.create(&member, &name("app")).await.unwrap();
    let id = owned.application.id;
    let create = async |who| fixture.console.create_key(who, &id, KeyScope::Operator.into()).await;
    assert!(matches!(create(&member).await, Err(AccessError::OperatorsKey)));
    let key = create(&operator).await.unwrap();
    let refused = fixture.console.rotate_key(&member, &id, &key.id, HOUR).await;
    assert!(matches!(refused, Err(AccessError::OperatorsKey)), "the owner of the application would learn a secret");
    assert!(fixture.console.set_key_disabled(&member, &id, &key.id, true).await.is_ok());
    assert!(fixture.console.set_key_disabled(&member, &id, &key.id, false).await.is_ok());
    fixture.console.rotate_key(&operator, &id, &key.id, HOUR).await.unwrap();
}

#[tokio::test]
async fn an_operators_key_becomes_a_standard_one_when_its_maker_is_no_operator_any_more() {
    let fixture = Fixture::new().await;
    let (former, member) = (fixture.person("o@example.org").await, fixture.person("a@example.org").await);
    fixture.accounts.change(&member.id, None, Some(Role::Operator)).await.unwrap();
    let other = fixture.account("a@example.org").await;
    let (owned, _) = fixture.console.create(&other, &name("app")).await.unwrap();
    let id = owned.application.id;
    let create = async |who| fixture.console.create_key(who, &id, KeyScope::Operator.into()).await;
    let (replaced, kept) = (create(&former).await.unwrap(), create(&former).await.unwrap());
    let (others, made_outside) =
        (create(&other).await.unwrap(), fixture.keys.create_key_with(&id, KeyScope::Operator.into()).await.unwrap());
    // Whoever replaces a key has its successor.
    let theirs = fixture.console.rotate_key(&other, &id, &replaced.id, HOUR).await.unwrap();
    let scope = async |key: &IssuedKey| {
        let keys = fixture.console.keys(&id).await.unwrap();
        keys.into_iter().find(|one| one.id == key.id).unwrap().scope
    };
    fixture.accounts.change(&former.id, None, Some(Role::Member)).await.unwrap();
    for (key, expected) in [
        (&replaced, KeyScope::Standard),
        (&kept, KeyScope::Standard),
        (&theirs, KeyScope::Operator),
        (&others, KeyScope::Operator),
        (&made_outside, KeyScope::Operator),
    ] {
        assert_eq!(scope(key).await, expected);
    }
    // `former` is what the account was when the request began.
    assert!(matches!(create(&former).await, Err(AccessError::OperatorsKey)));
    let refused = fixture.console.rotate_key(&former, &id, &others.id, HOUR).await;
    assert!(matches!(refused, Err(AccessError::OperatorsKey)));
    assert!(matches!(fixture.console.create_console_key(&former, &id).await, Err(AccessError::OperatorsKey)));
}

#[tokio::test]
async fn calls_of_the_console_count_against_no_quota() {
    let fixture = Fixture::new().await;
    let owner = fixture.person("a@example.org").await;
    let (owned, key) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let id = owned.application.id;
    let limit = ApplicationChange { requests_per_day: Some(Some(1)), ..ApplicationChange::default() };
    fixture.console.change(&owner, &id, &limit).await.unwrap();
    let (pass, _) = fixture.console.create_console_key(&owner, &id).await.unwrap();
    let (key, pass) = (fixture.meter(key.secret.reveal()).await, fixture.meter(pass.secret.reveal()).await);
    for _ in 0..9 {
        assert_eq!(pass.take().await, Ok(()));
        pass.count(0, UsageOutcome::Answered, Duration::ZERO);
    }
    fixture.usage.flush().await.unwrap();
    assert_eq!(fixture.console.used_today(&id).await.unwrap(), 0);
    assert_eq!((key.day(), pass.day()), (Some((1, 1)), None));
    assert_eq!((key.take().await, key.take().await), (Ok(()), Err(1)));
    key.count(0, UsageOutcome::Answered, Duration::ZERO);
    fixture.usage.flush().await.unwrap();
    assert_eq!((fixture.console.used_today(&id).await.unwrap(), pass.take().await), (1, Ok(())));
    let requests = |report: UsageReport| report.totals.iter().map(|total| total.requests).sum::<i64>();
    assert_eq!(requests(fixture.console.usage(&owner, &id, 1).await.unwrap()), 10, "usage shows both");
}

#[tokio::test]
async fn console_keys_last_an_hour_are_not_listed_and_are_limited() {
    let fixture = Fixture::new().await;
    let owner = fixture.person("a@example.org").await;
    let (owned, _) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let id = owned.application.id;
    let (_, expires_at) = fixture.console.create_console_key(&owner, &id).await.unwrap();
    assert_eq!(expires_at, fixture.clock.now().after(Duration::from_hours(1)));
    assert_eq!(fixture.console.keys(&id).await.unwrap().len(), 1);
    for _ in 1..200 {
        fixture.console.create_console_key(&owner, &id).await.unwrap();
    }
    let refused = fixture.console.create_console_key(&owner, &id).await;
    assert!(matches!(refused, Err(AccessError::TooMany("passes of the console"))));
    fixture.clock.advance(Duration::from_hours(1));
    assert!(fixture.console.create_console_key(&owner, &id).await.is_ok(), "the others have expired");
}

#[tokio::test]
async fn a_rotated_key_counts_against_the_limit_until_it_expires() {
    let fixture = Fixture::new().await;
    let owner = fixture.person("a@example.org").await;
    let (owned, first) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let id = owned.application.id;
    for _ in 1..99 {
        fixture.console.create_key(&owner, &id, KeyTerms::default()).await.unwrap();
    }
    fixture.console.rotate_key(&owner, &id, &first.id, HOUR).await.unwrap();
    let create = || fixture.console.create_key(&owner, &id, KeyTerms::default());
    fixture.clock.advance(HOUR.saturating_sub(Duration::from_micros(1)));
    assert!(matches!(create().await, Err(AccessError::TooMany("keys"))));
    fixture.clock.advance(Duration::from_micros(1));
    create().await.expect("one has expired");
    assert!(matches!(create().await, Err(AccessError::TooMany("keys"))));
}

#[tokio::test]
async fn usage_is_reported_by_the_hour_up_to_a_week_and_by_the_day_beyond() {
    let fixture = Fixture::new().await;
    fixture.clock.advance(20 * DAY + HOUR * 11 / 2);
    let owner = fixture.person("a@example.org").await;
    let (owned, key) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let id = owned.application.id;
    fixture.meter(key.secret.reveal()).await.count(0, UsageOutcome::Answered, Duration::from_millis(2));
    let at = |span| Timestamp(0).after(span);
    for (days, step, from, to, begins) in [
        (7, HOUR, at(13 * DAY + 6 * HOUR), at(20 * DAY + 6 * HOUR), at(20 * DAY + 5 * HOUR)),
        (8, DAY, at(13 * DAY), at(21 * DAY), at(20 * DAY)),
    ] {
        let report = fixture.console.usage(&owner, &id, days).await.unwrap();
        assert_eq!((report.step, report.from, report.to), (step, from, to), "{days} days");
        let UsageReport { totals, .. } = report;
        let totals: Vec<_> = totals.iter().map(|total| (total.begins, total.requests, total.micros)).collect();
        assert_eq!(totals, [(begins.0, 1, 2_000)], "what was just counted is included");
    }
}

#[tokio::test]
async fn only_the_requests_since_midnight_count_against_the_quota() {
    let fixture = Fixture::new().await;
    fixture.clock.advance(20 * DAY + 23 * HOUR);
    let owner = fixture.person("a@example.org").await;
    let (owned, key) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let id = owned.application.id;
    let meter = fixture.meter(key.secret.reveal()).await;
    let used = async |more: usize| {
        (0..more).for_each(|_| meter.count(0, UsageOutcome::Answered, Duration::ZERO));
        fixture.usage.flush().await.unwrap();
        fixture.console.used_today(&id).await.unwrap()
    };
    assert_eq!(used(3).await, 3);
    fixture.clock.advance(HOUR);
    assert_eq!((used(0).await, used(2).await), (0, 2));
    assert_eq!((fixture.console.quota(None), fixture.console.quota(Some(5))), (None, Some(5)));
}

#[tokio::test]
async fn a_key_was_last_used_when_its_requests_were_stored() {
    let fixture = Fixture::new().await;
    let owner = fixture.person("a@example.org").await;
    let (owned, used) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let id = owned.application.id;
    let idle = fixture.console.create_key(&owner, &id, KeyTerms::default()).await.unwrap();
    fixture.clock.advance(HOUR);
    let meters = (fixture.meter(used.secret.reveal()).await, fixture.meter(idle.secret.reveal()).await);
    meters.0.count(0, UsageOutcome::Answered, Duration::ZERO);
    fixture.usage.flush().await.unwrap();
    let keys = fixture.console.keys(&id).await.unwrap();
    let last_used = |id| keys.iter().find(|key| key.id == id).unwrap().last_used_at;
    assert_eq!((last_used(used.id), last_used(idle.id)), (Some(fixture.clock.now()), None));
}

#[tokio::test]
async fn the_users_with_data_are_listed() {
    let fixture = Fixture::new().await;
    let owner = fixture.person("a@example.org").await;
    let (owned, _) = fixture.console.create(&owner, &name("app")).await.unwrap();
    let application = owned.application.id;
    assert!(fixture.console.users(&owner, &application).await.unwrap().is_empty());
    let key = BlobKey { application: application.clone(), user: UserId::new("u").unwrap(), sha256: [7; 32] };
    fixture.store.claim_blob(&key, 1, 10, fixture.clock.now()).await.unwrap();
    let users = fixture.console.users(&owner, &application).await.unwrap();
    assert_eq!(users.iter().map(|user| user.user_id.as_str()).collect::<Vec<_>>(), ["u"]);
}
