//! What the command line lists: applications, keys and the users with tokens.

use std::time::Duration;

use kaisatsu_access::Tokens;
use kaisatsu_model::{Clock, KeyScope, UserId};

use crate::common::{Fixture, name};

#[tokio::test]
async fn applications_are_listed_and_found_by_name() {
    let fixture = Fixture::new().await;
    fixture.clock.advance(Duration::from_hours(1));
    let two = fixture.keys.create_application(&name("two")).await.unwrap();
    fixture.keys.create_application(&name("one")).await.unwrap();
    let listed = fixture.keys.applications().await.unwrap();
    assert_eq!(listed.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    assert!(listed.iter().all(|one| one.created_at == fixture.keys.now() && one.disabled_at.is_none()));
    assert_eq!(fixture.keys.application_named(&name("two")).await.unwrap().map(|found| found.id), Some(two));
    assert!(fixture.keys.application_named(&name("three")).await.unwrap().is_none());
}

#[tokio::test]
async fn keys_are_listed_for_all_applications_or_for_one() {
    let fixture = Fixture::new().await;
    let one = fixture.keys.create_application(&name("one")).await.unwrap();
    let key = fixture.keys.create_key(&one).await.unwrap();
    let other = fixture.keys.create_application_with_key(&name("two"), KeyScope::Standard).await.unwrap();
    let listed = async |application| {
        let keys = fixture.keys.keys(application).await.unwrap();
        keys.into_iter().map(|key| key.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(Some(&one)).await, std::slice::from_ref(&key.id));
    assert_eq!(listed(None).await, [key.id, other.id]);
}

#[tokio::test]
async fn users_are_listed_while_they_have_valid_tokens() {
    let fixture = Fixture::new().await;
    let application = fixture.keys.create_application(&name("app")).await.unwrap();
    let tokens = Tokens::new(fixture.store.clone(), fixture.clock.clone(), Duration::from_hours(1));
    let user = |name| UserId::new(name).unwrap();
    for name in ["a", "a", "b"] {
        tokens.issue(&application, user(name)).await.unwrap();
    }
    let holders = async || {
        let holders = fixture.keys.token_holders(&application).await.unwrap();
        holders.into_iter().map(|holder| (holder.user, holder.live)).collect::<Vec<_>>()
    };
    assert_eq!(holders().await, [("a".to_owned(), 2), ("b".to_owned(), 1)]);
    assert_eq!(fixture.keys.revoke_tokens(&application, Some(&user("a"))).await.unwrap(), 2);
    assert_eq!(holders().await, [("b".to_owned(), 1)]);
    let end = fixture.keys.token_holders(&application).await.unwrap()[0].expires_at;
    assert_eq!(end, fixture.clock.now().after(Duration::from_hours(1)));
    fixture.clock.advance(Duration::from_hours(1));
    assert!(holders().await.is_empty());
}
