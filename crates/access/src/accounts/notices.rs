//! E-mails about registrations, where the server sends any: operators learn that somebody waits for approval, and
//! people what an operator decided. They are sent in the background.

use std::{future::Future, sync::Arc};

use kaisatsu_model::{AccountState, Email, Language};
use kaisatsu_store::Account;
use tokio::sync::watch;

use super::{
    Accounts, digest,
    emails::{Notice, notice},
};
use crate::AccessError;

/// How many notices one address gets within fifteen minutes. They have a counter of their own: people who register must
/// not keep an operator from a link for a new password.
const MAX_NOTICES: i64 = 5;

/// The number of e-mails that are being sent.
#[derive(Clone)]
pub(super) struct InFlight(Arc<watch::Sender<usize>>);

/// Counts one e-mail less when it is dropped, also after a panic.
struct Sent(InFlight);

impl Drop for Sent {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

impl InFlight {
    pub(super) fn none() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }

    fn begin(&self) -> Sent {
        self.0.send_modify(|count| *count += 1);
        Sent(self.clone())
    }
}

impl Accounts {
    /// Composes and sends e-mails in the background.
    pub(super) fn in_background(&self, sending: impl Future<Output = Result<(), AccessError>> + Send + 'static) {
        let sent = self.in_flight.begin();
        tokio::spawn(async move {
            if let Err(error) = sending.await {
                tracing::error!(%error, "an e-mail could not be composed");
            }
            drop(sent);
        });
    }

    /// Waits until no e-mail is being sent: a program that ends must not take them with it.
    pub async fn emails_sent(&self) {
        // The sender is held here, so this cannot fail.
        let _ = self.in_flight.0.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Tells the operators of an account that has been confirmed and waits for them.
    pub(super) fn tell_operators(&self, confirmed: Option<Account>) {
        let Some(account) = confirmed.filter(|account| account.state == AccountState::Waiting) else { return };
        if !self.has_mailer() {
            return;
        }
        let me = self.clone();
        self.in_background(async move {
            for operator in me.store.active_operators().await? {
                me.notify(&operator, Notice::Waits(&account.email)).await?;
            }
            Ok(())
        });
    }

    /// Tells a person who waited what was decided: the account is `after` now, or deleted.
    pub(super) fn tell_decision(&self, account: &Account, before: AccountState, after: Option<AccountState>) {
        if !self.has_mailer() || before != AccountState::Waiting {
            return;
        }
        let decision = match after {
            Some(AccountState::Active) => Notice::Approved,
            Some(AccountState::Disabled) | None => Notice::Refused,
            Some(AccountState::Waiting | AccountState::Unconfirmed) => return,
        };
        let (me, account) = (self.clone(), account.clone());
        self.in_background(async move { me.notify(&account, decision).await });
    }

    async fn notify(&self, account: &Account, about: Notice<'_>) -> Result<(), AccessError> {
        let to = Email::new(&account.email).map_err(AccessError::InvalidEmail)?;
        let counter = digest(&format!("notices to {to}"));
        if self.may_send(&account.id, counter, MAX_NOTICES).await {
            self.deliver(&account.id, notice(about, to, account.language.unwrap_or(Language::English), &self.base))
                .await;
        }
        Ok(())
    }
}
