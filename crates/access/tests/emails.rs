//! E-mails: links for confirming an address and choosing a new password, and what operators and people are told.

use std::time::Duration;

use kaisatsu_access::{AccessError, Account, RegistrationStep};
use kaisatsu_model::{AccountState, Language, Registration, Role};

use crate::common::{Fixture, PASSWORD, PLACE, token_in, visitor};

/// A fixture with an operator and open registration; no e-mail has been sent.
async fn fixture() -> Fixture {
    let fixture = Fixture::with_mail().await;
    assert_eq!(fixture.register("operator@example.org").await, RegistrationStep::SignIn);
    fixture.accounts.set_registration(Registration::Open).await.unwrap();
    fixture
}

#[tokio::test]
async fn a_confirmation_link_works_once_and_for_a_day() {
    let fixture = fixture().await;
    assert_eq!(fixture.register("a@example.org").await, RegistrationStep::Confirm);
    let token = fixture.outbox.token(1).await;
    let early = fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await;
    assert!(matches!(early, Err(AccessError::WrongCredentials)), "an unconfirmed account counts as none");
    fixture.clock.advance(Duration::from_hours(24) - Duration::from_micros(1));
    fixture.accounts.confirm_email(&token).await.unwrap();
    assert!(matches!(fixture.accounts.confirm_email(&token).await, Err(AccessError::InvalidLink)));
    assert!(fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await.is_ok());

    assert_eq!(fixture.register("b@example.org").await, RegistrationStep::Confirm);
    let token = fixture.outbox.token(2).await;
    fixture.clock.advance(Duration::from_hours(24));
    assert!(matches!(fixture.accounts.confirm_email(&token).await, Err(AccessError::InvalidLink)));
}

#[tokio::test]
async fn whoever_confirms_after_registration_was_closed_waits_for_approval() {
    let fixture = fixture().await;
    fixture.register("a@example.org").await;
    let token = fixture.outbox.token(1).await;
    fixture.accounts.set_registration(Registration::Closed).await.unwrap();
    fixture.accounts.confirm_email(&token).await.unwrap();
    assert_eq!(fixture.account("a@example.org").await.state, AccountState::Waiting);
}

#[tokio::test]
async fn a_reset_link_changes_the_password_once_and_ends_every_session() {
    let fixture = fixture().await;
    let session = fixture.accounts.sign_in("operator@example.org", PASSWORD, &visitor("test")).await.unwrap().session;
    fixture.accounts.request_password_reset("nobody@example.org", Language::English).unwrap();
    fixture.accounts.request_password_reset("operator@example.org", Language::Japanese).unwrap();
    let token = fixture.outbox.token(1).await;
    let short = fixture.accounts.reset_password(&token, "short", PLACE).await;
    assert!(matches!(short, Err(AccessError::InvalidPassword(_))), "and the link stays valid");
    fixture.accounts.reset_password(&token, "quite another password", PLACE).await.unwrap();
    let again = fixture.accounts.reset_password(&token, "a third long password", PLACE).await;
    assert!(matches!(again, Err(AccessError::InvalidLink)));
    assert!(fixture.accounts.session(session.reveal()).await.unwrap().is_none());
    assert!(fixture.accounts.sign_in("operator@example.org", PASSWORD, &visitor("test")).await.is_err());
    assert!(fixture.accounts.sign_in("operator@example.org", "quite another password", &visitor("test")).await.is_ok());
    assert_eq!(fixture.outbox.count(), 1, "an unknown address gets no e-mail");
}

#[tokio::test]
async fn a_reset_link_expires_after_an_hour_and_a_confirmation_link_is_no_reset_link() {
    let fixture = fixture().await;
    fixture.register("a@example.org").await;
    let confirmation = fixture.outbox.token(1).await;
    let wrong = fixture.accounts.reset_password(&confirmation, "quite another password", PLACE).await;
    assert!(matches!(wrong, Err(AccessError::InvalidLink)));
    fixture.accounts.request_password_reset("operator@example.org", Language::English).unwrap();
    let token = fixture.outbox.token(2).await;
    fixture.clock.advance(Duration::from_hours(1));
    let late = fixture.accounts.reset_password(&token, "quite another password", PLACE).await;
    assert!(matches!(late, Err(AccessError::InvalidLink)));
}

#[tokio::test]
async fn an_address_gets_at_most_five_e_mails_in_a_quarter_of_an_hour() {
    let fixture = fixture().await;
    for count in 1..=5 {
        fixture.accounts.request_password_reset("operator@example.org", Language::English).unwrap();
        fixture.outbox.token(count).await;
    }
    // The sixth is not sent; that of another person, requested later, is.
    fixture.accounts.request_password_reset("operator@example.org", Language::English).unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    fixture.register("a@example.org").await;
    assert_eq!(fixture.outbox.message(6).await.to.as_str(), "a@example.org");
    assert_eq!(fixture.outbox.count(), 6);
    fixture.clock.advance(Duration::from_mins(15) + Duration::from_micros(1));
    fixture.accounts.request_password_reset("operator@example.org", Language::English).unwrap();
    fixture.outbox.token(7).await;
}

#[tokio::test]
async fn registering_a_known_address_changes_nothing_and_tells_its_owner() {
    let fixture = fixture().await;
    let other = "quite another password";
    let answer = fixture.accounts.register("operator@example.org", other, Language::English, PLACE).await.unwrap();
    assert_eq!(answer, RegistrationStep::Confirm, "as for an unknown address");
    let message = fixture.outbox.message(1).await;
    assert_eq!((message.to.as_str(), message.subject), ("operator@example.org", "You have an account with Kaisatsu"));
    assert!(fixture.accounts.sign_in("operator@example.org", other, &visitor("test")).await.is_err());
    assert!(fixture.accounts.sign_in("operator@example.org", PASSWORD, &visitor("test")).await.is_ok());
}

#[tokio::test]
async fn of_an_unconfirmed_address_the_confirmed_registration_decides_the_password() {
    let fixture = fixture().await;
    fixture.register("a@example.org").await;
    fixture.outbox.token(1).await;
    let later = "quite another password";
    fixture.accounts.register("a@example.org", later, Language::English, PLACE).await.unwrap();
    let message = fixture.outbox.message(2).await;
    assert_eq!(message.subject, "Confirm your address for Kaisatsu");
    fixture.accounts.confirm_email(&token_in(&message.text)).await.unwrap();
    assert!(fixture.accounts.sign_in("a@example.org", PASSWORD, &visitor("test")).await.is_err());
    assert!(fixture.accounts.sign_in("a@example.org", later, &visitor("test")).await.is_ok());
}

#[tokio::test]
async fn a_reset_confirms_the_address_and_an_operator_approves_it_unless_registration_is_open() {
    for (registration, state) in
        [(Registration::Open, AccountState::Active), (Registration::Approval, AccountState::Waiting)]
    {
        let fixture = fixture().await;
        fixture.register("a@example.org").await;
        fixture.outbox.token(1).await;
        fixture.accounts.set_registration(registration).await.unwrap();
        fixture.accounts.request_password_reset("a@example.org", Language::English).unwrap();
        let token = fixture.outbox.token(2).await;
        fixture.accounts.reset_password(&token, "quite another password", PLACE).await.unwrap();
        assert_eq!(fixture.account("a@example.org").await.state, state);
    }
}

#[tokio::test]
async fn an_operator_can_hand_over_a_reset_link() {
    let fixture = fixture().await;
    let account = fixture.account("operator@example.org").await;
    let link = fixture.accounts.reset_link(&account.id).await.unwrap();
    assert!(link.starts_with("https://example.org/console/reset?token="), "{link}");
    fixture.accounts.reset_password(&token_in(&link), "quite another password", PLACE).await.unwrap();
    assert!(fixture.accounts.sign_in("operator@example.org", "quite another password", &visitor("test")).await.is_ok());
    assert_eq!(fixture.outbox.count(), 0);
}

#[tokio::test]
async fn an_account_that_is_not_confirmed_within_a_day_is_deleted() {
    let fixture = fixture().await;
    fixture.register("a@example.org").await;
    fixture.outbox.token(1).await;
    fixture.clock.advance(Duration::from_hours(24) + Duration::from_micros(1));
    let deleting = tokio::spawn(fixture.accounts.clone().delete_expired_periodically());
    let began = std::time::Instant::now();
    while fixture.accounts.list().await.unwrap().len() > 1 {
        assert!(began.elapsed() < Duration::from_mins(1), "it is still there");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    deleting.abort();
    assert_eq!(fixture.account("operator@example.org").await.email, "operator@example.org");
}

/// Registers somebody in a language and opens the link in e-mail number `count`.
async fn confirmed(fixture: &Fixture, email: &str, language: Language, count: usize) -> Account {
    fixture.accounts.register(email, PASSWORD, language, PLACE).await.unwrap();
    fixture.accounts.confirm_email(&fixture.outbox.token(count).await).await.unwrap();
    fixture.accounts.emails_sent().await;
    fixture.account(email).await
}

#[tokio::test]
async fn operators_learn_who_waits_and_people_what_was_decided() {
    let fixture = Fixture::with_mail().await;
    fixture.register("operator@example.org").await;
    let hana = confirmed(&fixture, "hana@example.org", Language::Japanese, 1).await;
    assert_eq!(hana.state, AccountState::Waiting);
    let waits = fixture.outbox.message(2).await;
    assert_eq!((waits.to.as_str(), waits.subject), ("operator@example.org", "An account is waiting for your approval"));
    assert!(waits.text.contains("hana@example.org") && waits.text.contains("https://example.org/console/operator\n"));
    fixture.accounts.change(&hana.id, Some(AccountState::Active), None).await.unwrap();
    let approved = fixture.outbox.message(3).await;
    let subject = "Kaisatsu: アカウントが承認されました";
    assert_eq!((approved.to.as_str(), approved.subject), ("hana@example.org", subject), "in her language");
    assert!(approved.text.contains("https://example.org/console/sign-in\n"));

    let kei = confirmed(&fixture, "kei@example.org", Language::English, 4).await;
    assert_eq!(fixture.outbox.message(5).await.to.as_str(), "operator@example.org", "and not hana, a member");
    fixture.accounts.delete_as_operator(&kei.id).await.unwrap();
    let refused = fixture.outbox.message(6).await;
    let subject = "Your Kaisatsu registration has been rejected";
    assert_eq!((refused.to.as_str(), refused.subject), ("kei@example.org", subject));

    // Whoever was let in before is told nothing.
    fixture.accounts.change(&hana.id, Some(AccountState::Disabled), None).await.unwrap();
    fixture.accounts.change(&hana.id, Some(AccountState::Active), Some(Role::Operator)).await.unwrap();
    fixture.accounts.delete_as_operator(&hana.id).await.unwrap();
    fixture.accounts.emails_sent().await;
    assert_eq!(fixture.outbox.count(), 6);
}

#[tokio::test]
async fn people_who_register_do_not_fill_the_mailbox_of_an_operator() {
    let fixture = Fixture::with_mail().await;
    fixture.register("operator@example.org").await;
    for person in 0..7 {
        // The first five come with a notice.
        let count = fixture.outbox.count() + 1;
        confirmed(&fixture, &format!("p{person}@example.org"), Language::English, count).await;
    }
    assert_eq!(fixture.outbox.count(), 7 + 5);
    fixture.accounts.request_password_reset("operator@example.org", Language::English).unwrap();
    assert_eq!(fixture.outbox.message(13).await.subject, "Choose a new password for Kaisatsu");
}

#[tokio::test]
async fn where_anybody_may_register_operators_are_not_told() {
    let fixture = fixture().await;
    confirmed(&fixture, "a@example.org", Language::English, 1).await;
    assert_eq!(fixture.outbox.count(), 1);
}
