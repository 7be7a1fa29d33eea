//! People's accounts: registering, signing in and out, passwords, and the end of an account.
//!
//! Nobody learns from an answer whether an address is registered: what is different goes into a letter, and looking for an
//! account that is not there takes as long as checking a password.

mod letters;
mod manage;
mod password;

use std::{sync::Arc, time::Duration};

use kaisatsu_model::{
    AccountId, AccountState, Clock, Email, Invalid, Language, LinkSecret, Password, Registration, SecretDigest,
    SessionSecret, Timestamp,
};
use kaisatsu_store::{Account, NewAccount, NewSession, Purpose, Registered, SignedIn, Store, StoreError};
use letters::Occasion;
pub use letters::{Letter, Post, ToTheLog};
use password::Hashing;
use sha2::{Digest, Sha256};

use crate::issue::random;

/// How long a session lasts at most.
const SESSION: Duration = Duration::from_hours(24 * 14);

/// How long the links of letters are good.
const CONFIRM_LINK: Duration = Duration::from_hours(24);
const RESET_LINK: Duration = Duration::from_hours(1);

/// So often may signing in fail within that time, and so many letters may be asked for, for one address.
const FAILURES: i64 = 10;
const LETTERS: i64 = 5;
const WITHIN: Duration = Duration::from_mins(15);

/// Why something with an account did not happen.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The address cannot be one.
    #[error("the e-mail address {0}")]
    Email(Invalid),
    /// The password is not good enough.
    #[error("the password {0}")]
    Password(Invalid),
    /// The link is unknown, used or too old.
    #[error("this link is not good any more; ask for another one")]
    Link,
    /// There is no such account, or it has another password.
    #[error("the address or the password is not right")]
    Wrong,
    /// An operator has to let the person in.
    #[error("an operator has to approve this account first")]
    Waiting,
    /// An operator switched the account off.
    #[error("this account was disabled by an operator")]
    Disabled,
    /// The letter was not answered yet.
    #[error("the address is not confirmed yet; open the link in the letter")]
    Unconfirmed,
    /// Signing in failed too often.
    #[error("signing in failed too often for this address; try again later, or choose a new password")]
    TooOften(Duration),
    /// Nobody may register.
    #[error("registration is closed on this server; ask its operator")]
    Closed,
    /// Too many passwords are being hashed.
    #[error("the server is busy; try again shortly")]
    Busy,
    /// The database refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a person has to do after registering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Sign in.
    SignIn,
    /// Open the link in the letter.
    Confirm,
    /// Wait for an operator.
    Approval,
}

/// The accounts of one store.
#[derive(Clone)]
pub struct Accounts {
    store: Store,
    clock: Arc<dyn Clock>,
    post: Arc<dyn Post>,
    /// What the address of every page begins with, without a slash at its end.
    base: Arc<str>,
    hashing: Hashing,
}

impl Accounts {
    /// The accounts of a store; links in letters begin with `base`.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>, post: Arc<dyn Post>, base: &str) -> Self {
        Self { store, clock, post, base: base.trim_end_matches('/').into(), hashing: Hashing::new() }
    }

    /// Whether letters reach people.
    #[must_use]
    pub fn has_post(&self) -> bool {
        self.post.reaches_people()
    }

    /// Whether the console is reached through TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.base.starts_with("https:")
    }

    /// Registers a person. The answer does not tell whether the address had an account.
    ///
    /// # Errors
    /// When nobody may register, or the address or the password breaks its rule.
    pub async fn register(&self, email: &str, password: &str, language: Language) -> Result<Next, AccountError> {
        let email = Email::new(email).map_err(AccountError::Email)?;
        let password = Password::new(password, &email).map_err(AccountError::Password)?;
        let empty = !self.store.has_accounts().await?;
        let mode = self.store.registration().await?;
        if mode == Registration::Closed && !empty {
            return Err(AccountError::Closed);
        }
        let next = match mode {
            _ if empty => Next::SignIn,
            _ if self.has_post() => Next::Confirm,
            Registration::Approval => Next::Approval,
            Registration::Open | Registration::Closed => Next::SignIn,
        };
        let state = match next {
            Next::SignIn => AccountState::Active,
            Next::Confirm => AccountState::Unconfirmed,
            Next::Approval => AccountState::Waiting,
        };
        let (id, created_at) = (AccountId::from_random(random()), self.clock.now());
        let password = self.hashing.hash(&password).await?;
        let new = NewAccount { id: id.clone(), email: email.clone(), password, state, created_at };
        let registered = self.store.register(&new).await?;
        if next == Next::Confirm {
            let me = self.clone();
            // In its own time: how long a letter takes must not tell whether the address is known.
            tokio::spawn(async move {
                let sent = match registered {
                    Registered::Kept => me.write(&id, email, Occasion::Confirm, language).await,
                    Registered::Known => me.write_to_known(email, language).await,
                    Registered::First => Ok(()),
                };
                note(sent);
            });
        }
        Ok(next)
    }

    /// Takes the link of a confirmation.
    ///
    /// # Errors
    /// When it is not good.
    pub async fn confirm(&self, link: &str) -> Result<(), AccountError> {
        let taken = self.store.take_link(digest(link), Purpose::Confirm, self.clock.now()).await?;
        let account = taken.ok_or(AccountError::Link)?;
        let waits = self.store.registration().await? == Registration::Approval;
        let state = if waits { AccountState::Waiting } else { AccountState::Active };
        Ok(self.store.confirm_account(&account, state).await?)
    }

    /// Signs a person in; the secret goes to the browser.
    ///
    /// # Errors
    /// When the address or password is wrong, it was tried too often, or the account is not active.
    pub async fn sign_in(&self, email: &str, password: &str, agent: &str) -> Result<SessionSecret, AccountError> {
        // Whatever is wrong with an address, there is no such account.
        let email = Email::new(email).map_err(|_| AccountError::Wrong)?;
        let subject = digest(email.as_str());
        self.bear(subject, FAILURES).await?;
        let account = self.store.account_of(&email).await?;
        let hash = match &account {
            Some(account) => Some(self.store.password_of(&account.id).await?),
            None => None,
        };
        let right = self.hashing.matches(password, hash).await?;
        let Some(account) = account.filter(|_| right) else {
            self.failed(subject).await?;
            return Err(AccountError::Wrong);
        };
        self.store.forgive_sign_in(subject).await?;
        match account.state {
            AccountState::Active => {}
            AccountState::Waiting => return Err(AccountError::Waiting),
            AccountState::Disabled => return Err(AccountError::Disabled),
            AccountState::Unconfirmed => return Err(AccountError::Unconfirmed),
        }
        let secret = SessionSecret::from_random(random());
        let now = self.clock.now();
        let session = NewSession {
            digest: digest(secret.reveal()),
            account: account.id,
            created_at: now,
            expires_at: now.after(SESSION),
            agent: agent.chars().filter(|c| !c.is_control()).take(200).collect(),
        };
        self.store.begin_session(&session).await?;
        Ok(secret)
    }

    /// Who is signed in by a session's secret.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn who(&self, secret: &str) -> Result<Option<SignedIn>, StoreError> {
        self.store.signed_in(digest(secret), self.clock.now()).await
    }

    /// Sends a link to choose another password to whoever has an account of that address; nobody is told whether.
    ///
    /// # Errors
    /// When the address cannot be one.
    pub fn forgot(&self, email: &str, language: Language) -> Result<(), AccountError> {
        let email = Email::new(email).map_err(AccountError::Email)?;
        let me = self.clone();
        tokio::spawn(async move { note(me.write_reset(email, language).await) });
        Ok(())
    }

    /// Takes the link of a reset and keeps the new password; every session ends.
    ///
    /// # Errors
    /// When the link is not good, or the password is not; the link is good for another try then.
    pub async fn reset(&self, link: &str, password: &str) -> Result<(), AccountError> {
        let (link, now) = (digest(link), self.clock.now());
        let account = self.store.look_at_link(link, Purpose::Reset, now).await?.ok_or(AccountError::Link)?;
        let account = self.store.account(&account).await?.ok_or(AccountError::Link)?;
        let email = Email::new(&account.email).map_err(AccountError::Email)?;
        let password = Password::new(password, &email).map_err(AccountError::Password)?;
        let hash = self.hashing.hash(&password).await?;
        self.store.take_link(link, Purpose::Reset, now).await?.ok_or(AccountError::Link)?;
        self.store.set_password(&account.id, &hash, None, now).await?;
        // The letter has reached the person: the address is confirmed, and what failed is forgiven.
        self.store.forgive_sign_in(digest(email.as_str())).await?;
        Ok(())
    }

    /// A link with which a person chooses another password, for whoever sits at the server.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn reset_link(&self, id: &AccountId) -> Result<String, StoreError> {
        self.link(id, Purpose::Reset, "reset", RESET_LINK).await
    }

    async fn link(&self, id: &AccountId, purpose: Purpose, page: &str, good: Duration) -> Result<String, StoreError> {
        let secret = LinkSecret::from_random(random());
        self.store.put_link(digest(secret.reveal()), id, purpose, self.clock.now().after(good)).await?;
        Ok(format!("{}/console/{page}?token={}", self.base, secret.reveal()))
    }

    async fn write_reset(&self, email: Email, language: Language) -> Result<(), AccountError> {
        let Some(account) = self.store.account_of(&email).await? else { return Ok(()) };
        if account.state == AccountState::Disabled {
            return Ok(());
        }
        self.write(&account.id, email, Occasion::Reset, language).await
    }

    async fn write_to_known(&self, email: Email, language: Language) -> Result<(), AccountError> {
        let Some(Account { id, state, .. }) = self.store.account_of(&email).await? else { return Ok(()) };
        let occasion = if state == AccountState::Unconfirmed { Occasion::Confirm } else { Occasion::KnownAlready };
        self.write(&id, email, occasion, language).await
    }

    /// Writes a letter with a fresh link, unless there were too many lately.
    async fn write(
        &self,
        id: &AccountId,
        to: Email,
        occasion: Occasion,
        language: Language,
    ) -> Result<(), AccountError> {
        let subject = digest(&format!("letters to {to}"));
        if self.bear(subject, LETTERS).await.is_err() {
            tracing::warn!(account = %id, "too many letters were asked for; this one is not sent");
            return Ok(());
        }
        self.failed(subject).await?;
        let (purpose, page, good) = match occasion {
            Occasion::Confirm => (Purpose::Confirm, "confirm", CONFIRM_LINK),
            Occasion::Reset | Occasion::KnownAlready => (Purpose::Reset, "reset", RESET_LINK),
        };
        let link = self.link(id, purpose, page, good).await?;
        let letter = letters::write(occasion, to, language, &link);
        if let Err(cause) = self.post.send(letter).await {
            tracing::error!(account = %id, cause, "a letter could not be sent");
        }
        Ok(())
    }

    /// Refuses what failed too often.
    async fn bear(&self, subject: SecretDigest, most: i64) -> Result<(), AccountError> {
        let since = self.clock.now().before(WITHIN);
        match self.store.sign_in_failures(subject, since).await? {
            Some((count, first)) if count >= most => {
                let wait = first.after(WITHIN).0 - self.clock.now().0;
                Err(AccountError::TooOften(Duration::from_micros(u64::try_from(wait).unwrap_or_default())))
            }
            _ => Ok(()),
        }
    }

    async fn failed(&self, subject: SecretDigest) -> Result<(), StoreError> {
        let now = self.clock.now();
        self.store.sign_in_failed(subject, now, now.before(WITHIN)).await
    }

    /// Forgets what is over, now and then, for as long as it is polled.
    pub async fn forget_in_time(self) {
        loop {
            let now: Timestamp = self.clock.now();
            if let Err(error) = self.store.forget_sign_ins(now, now.before(WITHIN)).await {
                tracing::warn!(%error, "sessions that are over could not be forgotten");
            }
            tokio::time::sleep(Duration::from_mins(10)).await;
        }
    }
}

/// What a page proves with that it is ours and not another one that makes the browser send its cookie.
#[must_use]
pub fn csrf_token(session_secret: &str) -> String {
    let digest = Sha256::digest(format!("csrf {session_secret}"));
    digest.iter().take(20).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn digest(text: &str) -> SecretDigest {
    SecretDigest(Sha256::digest(text.as_bytes()).into())
}

fn note(sent: Result<(), AccountError>) {
    if let Err(error) = sent {
        tracing::error!(%error, "a letter could not be written");
    }
}
