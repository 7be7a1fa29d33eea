//! Signing in and out, wrong passwords, registration and the last operator.

use std::{sync::Arc, time::Duration};

use kaisatsu_access::{AccessError, Accounts, LogMailer, RegistrationStep, Visitor, csrf_token};
use kaisatsu_model::{AccountId, AccountState, Language, Registration, Role};

use crate::common::{Fixture, PASSWORD, PLACE, name, visitor};

const WINDOW: Duration = Duration::from_mins(15);

#[tokio::test]
async fn the_first_account_is_an_operator_and_later_ones_are_members() {
    let fixture = Fixture::new().await;
    assert!(fixture.accounts.is_unclaimed().await.unwrap());
    assert_eq!(fixture.register("first@example.org").await, RegistrationStep::SignIn);
    assert!(!fixture.accounts.is_unclaimed().await.unwrap());
    assert_eq!(fixture.account("first@example.org").await.role, Role::Operator);
    assert_eq!(fixture.register("waits@example.org").await, RegistrationStep::Approval, "once there is an operator");
    assert_eq!(fixture.account("waits@example.org").await.state, AccountState::Waiting);
    assert_eq!(fixture.person("second@example.org").await.role, Role::Member);
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_address_get_the_same_answer() {
    let fixture = Fixture::new().await;
    fixture.person("a@example.org").await;
    for (email, password) in [
        ("a@example.org", "another long password"),
        ("nobody@example.org", PASSWORD),
        ("not an address", PASSWORD),
        ("a@example.org", ""),
    ] {
        let refused = fixture.accounts.sign_in(email, password, &visitor("test")).await;
        assert!(matches!(refused, Err(AccessError::WrongCredentials)), "{email}: {refused:?}");
    }
    assert!(
        fixture.accounts.sign_in(" A@Example.org ", PASSWORD, &visitor("test")).await.is_ok(),
        "case does not matter"
    );
}

#[tokio::test]
async fn ten_failed_sign_ins_block_the_right_password_until_the_window_is_over() {
    let fixture = Fixture::new().await;
    fixture.person("a@example.org").await;
    fixture.person("b@example.org").await;
    for _ in 0..10 {
        let refused = fixture.accounts.sign_in("a@example.org", "wrong", &visitor("test")).await;
        assert!(matches!(refused, Err(AccessError::WrongCredentials)));
    }
    fixture.clock.advance(Duration::from_mins(5));
    match fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await {
        Err(AccessError::TooManyAttempts(wait)) => assert_eq!(wait, Duration::from_mins(10), "from the first failure"),
        other => panic!("{other:?}"),
    }
    assert!(
        fixture.accounts.sign_in("b@example.org", PASSWORD, &visitor("test")).await.is_ok(),
        "others are not blocked"
    );
    fixture.clock.advance(Duration::from_mins(10) + Duration::from_micros(1));
    assert!(fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await.is_ok());
}

#[tokio::test]
async fn a_successful_sign_in_clears_the_failures() {
    let fixture = Fixture::new().await;
    fixture.person("a@example.org").await;
    for _ in 0..2 {
        for _ in 0..9 {
            assert!(fixture.accounts.sign_in("a@example.org", "wrong", &visitor("test")).await.is_err());
        }
        assert!(fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await.is_ok());
    }
}

#[tokio::test]
async fn a_session_lasts_two_weeks_and_ends_when_signed_out() {
    let fixture = Fixture::new().await;
    fixture.person("a@example.org").await;
    let first = fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("first")).await.unwrap().session;
    let second = fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("second")).await.unwrap().session;
    let session = fixture.accounts.session(first.reveal()).await.unwrap().expect("signed in");
    assert_eq!(fixture.accounts.sessions(&session).await.unwrap().len(), 2);
    fixture.accounts.sign_out(&session).await.unwrap();
    assert!(fixture.accounts.session(first.reveal()).await.unwrap().is_none());
    assert!(fixture.accounts.session("kss_unknown").await.unwrap().is_none());
    fixture.clock.advance(Duration::from_hours(24 * 14) - Duration::from_micros(1));
    assert!(fixture.accounts.session(second.reveal()).await.unwrap().is_some());
    fixture.clock.advance(Duration::from_micros(1));
    assert!(fixture.accounts.session(second.reveal()).await.unwrap().is_none());
}

#[tokio::test]
async fn changing_the_password_needs_the_present_one_and_ends_other_sessions() {
    let fixture = Fixture::new().await;
    fixture.person("a@example.org").await;
    let here = fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("here")).await.unwrap().session;
    let elsewhere = fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("elsewhere")).await.unwrap().session;
    let session = fixture.accounts.session(here.reveal()).await.unwrap().unwrap();
    let new = "quite another password";
    let wrong = fixture.accounts.change_password(&session, "wrong", new).await;
    assert!(matches!(wrong, Err(AccessError::WrongCredentials)));
    let short = fixture.accounts.change_password(&session, PASSWORD, "short").await;
    assert!(matches!(short, Err(AccessError::InvalidPassword(_))));
    assert!(fixture.accounts.session(elsewhere.reveal()).await.unwrap().is_some(), "nothing has changed yet");
    fixture.accounts.change_password(&session, PASSWORD, new).await.unwrap();
    assert!(fixture.accounts.session(here.reveal()).await.unwrap().is_some());
    assert!(fixture.accounts.session(elsewhere.reveal()).await.unwrap().is_none());
    assert!(fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await.is_err());
    assert!(fixture.accounts.sign_in("a@example.org", new, &visitor("test")).await.is_ok());
}

#[tokio::test]
async fn wrong_passwords_of_somebody_signed_in_count_as_failed_sign_ins() {
    let fixture = Fixture::new().await;
    fixture.person("a@example.org").await;
    let secret = fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await.unwrap().session;
    let session = fixture.accounts.session(secret.reveal()).await.unwrap().unwrap();
    for _ in 0..10 {
        assert!(matches!(fixture.accounts.delete(&session, "wrong").await, Err(AccessError::WrongCredentials)));
    }
    let blocked = fixture.accounts.delete(&session, PASSWORD).await;
    assert!(matches!(blocked, Err(AccessError::TooManyAttempts(_))));
    fixture.clock.advance(WINDOW + Duration::from_micros(1));
    fixture.accounts.delete(&session, PASSWORD).await.unwrap();
    assert!(fixture.accounts.list().await.unwrap().is_empty());
    assert!(!fixture.accounts.is_unclaimed().await.unwrap(), "it falls to nobody");
}

#[tokio::test]
async fn the_last_active_operator_cannot_be_demoted_disabled_or_deleted() {
    let fixture = Fixture::new().await;
    let (operator, member) = (fixture.person("a@example.org").await, fixture.person("b@example.org").await);
    let secret = fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await.unwrap().session;
    let session = fixture.accounts.session(secret.reveal()).await.unwrap().unwrap();
    let accounts = &fixture.accounts;
    for refused in [
        accounts.change(&operator.id, None, Some(Role::Member)).await.map(drop),
        accounts.change(&operator.id, Some(AccountState::Disabled), None).await.map(drop),
        accounts.delete_as_operator(&operator.id).await,
        accounts.delete(&session, PASSWORD).await,
    ] {
        assert!(matches!(refused, Err(AccessError::LastOperator)), "{refused:?}");
    }
    accounts.change(&member.id, None, Some(Role::Operator)).await.unwrap();
    accounts.change(&operator.id, None, Some(Role::Member)).await.unwrap();
    let refused = accounts.change(&member.id, Some(AccountState::Disabled), None).await;
    assert!(matches!(refused, Err(AccessError::LastOperator)), "now the other one is the last");
    let gone = accounts.delete_as_operator(&operator.id).await;
    assert!(gone.is_ok());
    assert!(matches!(accounts.delete_as_operator(&operator.id).await, Err(AccessError::NoSuchAccount(_))));
}

#[tokio::test]
async fn waiting_and_disabled_accounts_cannot_sign_in_and_closed_registration_refuses() {
    let fixture = Fixture::new().await;
    fixture.person("operator@example.org").await;
    assert_eq!(fixture.register("a@example.org").await, RegistrationStep::Approval);
    let sign_in = async || fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await;
    assert!(matches!(sign_in().await, Err(AccessError::AwaitingApproval)));
    let id = fixture.account("a@example.org").await.id;
    fixture.accounts.change(&id, Some(AccountState::Active), None).await.unwrap();
    let secret = sign_in().await.unwrap().session;
    fixture.accounts.change(&id, Some(AccountState::Disabled), None).await.unwrap();
    assert!(matches!(sign_in().await, Err(AccessError::AccountDisabled)));
    assert!(fixture.accounts.session(secret.reveal()).await.unwrap().is_none(), "signed out everywhere");
    fixture.accounts.set_registration(Registration::Closed).await.unwrap();
    let closed = fixture.accounts.register("b@example.org", PASSWORD, Language::English, PLACE).await;
    assert!(matches!(closed, Err(AccessError::RegistrationClosed)));
}

#[tokio::test]
async fn a_server_whose_last_account_is_gone_falls_to_nobody_unless_anybody_may_register() {
    let fixture = Fixture::new().await;
    let accounts = &fixture.accounts;
    let delete = async |email| accounts.delete_as_operator(&fixture.account(email).await.id).await.unwrap();
    fixture.register("first@example.org").await;
    accounts.set_registration(Registration::Closed).await.unwrap();
    delete("first@example.org").await;
    let refused = accounts.register("next@example.org", PASSWORD, Language::English, PLACE).await;
    assert!(matches!(refused, Err(AccessError::RegistrationClosed)), "{refused:?}");
    assert!(!accounts.is_unclaimed().await.unwrap());

    accounts.set_registration(Registration::Approval).await.unwrap();
    assert_eq!(fixture.register("next@example.org").await, RegistrationStep::Approval);
    let next = fixture.account("next@example.org").await;
    assert_eq!((next.role, next.state), (Role::Member, AccountState::Waiting));
    delete("next@example.org").await;

    accounts.set_registration(Registration::Open).await.unwrap();
    assert_eq!(fixture.register("owner@example.org").await, RegistrationStep::SignIn);
    assert_eq!(fixture.account("owner@example.org").await.role, Role::Operator);
}

/// A visitor from another place.
fn from(place: [u8; 4]) -> Visitor<'static> {
    Visitor { place: place.into(), ..visitor("test") }
}

#[tokio::test]
async fn whoever_guesses_at_one_place_keeps_nobody_out_at_another() {
    let fixture = Fixture::new().await;
    fixture.person("a@example.org").await;
    for _ in 0..10 {
        let wrong = fixture.accounts.sign_in("a@example.org", "wrong", &from([198, 51, 100, 1])).await;
        assert!(matches!(wrong, Err(AccessError::WrongCredentials)));
    }
    let guesser = fixture.accounts.sign_in("a@example.org", PASSWORD, &from([198, 51, 100, 1])).await;
    assert!(matches!(guesser, Err(AccessError::TooManyAttempts(_))), "{guesser:?}");
    assert!(fixture.accounts.sign_in("a@example.org", PASSWORD, &from([203, 0, 113, 1])).await.is_ok());
}

#[tokio::test]
async fn a_browser_that_signed_in_before_passes_whatever_others_do() {
    let fixture = Fixture::new().await;
    fixture.person("a@example.org").await;
    let known = fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await.unwrap().browser;
    // Ten places with ten guesses each: now every browser that is not known is refused.
    for place in 1..=10 {
        for _ in 0..10 {
            assert!(fixture.accounts.sign_in("a@example.org", "wrong", &from([198, 51, 100, place])).await.is_err());
        }
    }
    let new = fixture.accounts.sign_in("a@example.org", PASSWORD, &from([203, 0, 113, 1])).await;
    assert!(matches!(new, Err(AccessError::TooManyAttempts(_))), "{new:?}");
    let own = Visitor { browser: Some(&known), ..from([198, 51, 100, 1]) };
    for _ in 0..2 {
        for _ in 0..9 {
            let wrong = fixture.accounts.sign_in("a@example.org", "wrong", &own).await;
            assert!(matches!(wrong, Err(AccessError::WrongCredentials)), "{wrong:?}");
        }
        assert!(fixture.accounts.sign_in("a@example.org", PASSWORD, &own).await.is_ok());
    }
    for _ in 0..10 {
        let _ = fixture.accounts.sign_in("a@example.org", "wrong", &own).await;
    }
    let guesses = fixture.accounts.sign_in("a@example.org", PASSWORD, &own).await;
    assert!(matches!(guesses, Err(AccessError::TooManyAttempts(_))), "a stolen browser does not guess for ever either");
    let forged = Visitor { browser: Some("0123-4567"), ..from([203, 0, 113, 2]) };
    assert!(fixture.accounts.sign_in("a@example.org", PASSWORD, &forged).await.is_err());
}

#[tokio::test]
async fn one_password_is_not_tried_at_many_addresses() {
    let fixture = Fixture::new().await;
    fixture.person("a@example.org").await;
    let mut slowed = 0;
    for number in 0..60 {
        let tried = fixture.accounts.sign_in(&format!("{number}@example.org"), PASSWORD, &visitor("test")).await;
        slowed += usize::from(matches!(tried, Err(AccessError::TooManyAttempts(_))));
    }
    assert_eq!(slowed, 30, "thirty failures of one place, whatever the addresses");
    assert!(fixture.accounts.sign_in("a@example.org", PASSWORD, &from([203, 0, 113, 1])).await.is_ok());
    fixture.clock.advance(WINDOW + Duration::from_micros(1));
    assert!(fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await.is_ok());
}

#[tokio::test]
async fn people_who_share_a_place_and_know_their_passwords_are_not_slowed() {
    let fixture = Fixture::new().await;
    fixture.person("a@example.org").await;
    for _ in 0..40 {
        assert!(fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await.is_ok());
    }
}

#[tokio::test]
async fn one_place_registers_only_so_often() {
    let fixture = Fixture::new().await;
    for number in 0..100 {
        fixture.register(&format!("{number}@example.org")).await;
    }
    let more = fixture.accounts.register("more@example.org", PASSWORD, Language::English, PLACE).await;
    assert!(matches!(more, Err(AccessError::TooManyAttempts(_))), "{more:?}");
    let elsewhere = [203, 0, 113, 1].into();
    assert!(fixture.accounts.register("more@example.org", PASSWORD, Language::English, elsewhere).await.is_ok());
}

#[tokio::test]
async fn a_session_is_listed_with_its_user_agent_without_control_characters() {
    let fixture = Fixture::new().await;
    fixture.person("a@example.org").await;
    let secret =
        fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("Fire\u{1b}fox\r\n")).await.unwrap().session;
    let session = fixture.accounts.session(secret.reveal()).await.unwrap().unwrap();
    assert_eq!(fixture.accounts.sessions(&session).await.unwrap()[0].agent, "Firefox");
}

#[tokio::test]
async fn signing_out_elsewhere_keeps_this_session_only() {
    let fixture = Fixture::new().await;
    for email in ["a@example.org", "b@example.org"] {
        fixture.person(email).await;
    }
    let sign_in = async |email| fixture.accounts.sign_in(email, PASSWORD, &visitor("test")).await;
    let (here, elsewhere) =
        (sign_in("a@example.org").await.unwrap().session, sign_in("a@example.org").await.unwrap().session);
    let of_another = sign_in("b@example.org").await.unwrap().session;
    let session = fixture.accounts.session(here.reveal()).await.unwrap().unwrap();
    fixture.accounts.sign_out_elsewhere(&session).await.unwrap();
    for (secret, is_valid) in [(here, true), (elsewhere, false), (of_another, true)] {
        assert_eq!(fixture.accounts.session(secret.reveal()).await.unwrap().is_some(), is_valid);
    }
}

#[tokio::test]
async fn an_account_is_found_by_its_id_with_what_it_owns() {
    let fixture = Fixture::new().await;
    let person = fixture.person("a@example.org").await;
    let found = fixture.accounts.account(&person.id).await.unwrap().expect("an account");
    assert_eq!(found.email, "a@example.org");
    assert!(fixture.accounts.account(&AccountId::from_text("acc_unknown")).await.unwrap().is_none());
    assert!(fixture.accounts.contents(&person.id).await.unwrap().is_empty());
    for application in ["one", "two"] {
        fixture.console.create(&person, &name(application)).await.unwrap();
    }
    let contents = fixture.accounts.contents(&person.id).await.unwrap();
    let owned: Vec<_> = contents.iter().map(|one| (one.name.as_str(), one.keys)).collect();
    assert_eq!(owned, [("one", 1), ("two", 1)]);
}

#[tokio::test]
async fn cookies_are_secure_if_the_console_is_reached_over_tls() {
    let fixture = Fixture::new().await;
    let at = |base| Accounts::new(fixture.store.clone(), fixture.clock.clone(), Arc::new(LogMailer), base).is_secure();
    assert!(at("https://example.org") && !at("http://localhost:8080"));
}

#[test]
fn every_session_has_its_own_csrf_token() {
    let token = csrf_token("kss_one");
    assert_eq!(token, csrf_token("kss_one"));
    assert_ne!(token, csrf_token("kss_two"));
    assert!(token.len() == 40 && token.chars().all(|c| c.is_ascii_hexdigit()), "{token}");
}
