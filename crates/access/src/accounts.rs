//! People's accounts: registering, signing in and out, passwords, and the end of an account.
//!
//! Nobody learns from an answer whether an address is registered: what is different goes into a letter, and looking for an
//! account that is not there takes as long as checking a password.

mod letters;
mod manage;
mod password;

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use kaisatsu_model::{
    AccountId, AccountState, Clock, Email, Invalid, Language, LinkSecret, Password, Registration, SecretDigest,
    SessionSecret, Timestamp,
};
use kaisatsu_store::{Account, NewAccount, NewSession, Purpose, Registered, SignedIn, Store, StoreError, hex};
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

/// So many letters may this replica write in a minute, whoever asks for them.
const LETTERS_A_MINUTE: NonZeroU32 = NonZeroU32::new(60).unwrap();

/// How long what ended stays in the database: every replica has seen its end by then.
const SEEN_BY_ALL: Duration = Duration::from_mins(10);

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
    letters: Arc<DefaultDirectRateLimiter>,
}

impl Accounts {
    /// The accounts of a store; links in letters begin with `base`.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>, post: Arc<dyn Post>, base: &str) -> Self {
        let letters = Arc::new(RateLimiter::direct(Quota::per_minute(LETTERS_A_MINUTE)));
        Self { store, clock, post, base: base.trim_end_matches('/').into(), hashing: Hashing::new(), letters }
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
        let (next, state) = match mode {
            _ if self.has_post() => (Next::Confirm, AccountState::Unconfirmed),
            Registration::Open => (Next::SignIn, AccountState::Active),
            Registration::Approval | Registration::Closed => (Next::Approval, AccountState::Waiting),
        };
        let (id, created_at) = (AccountId::from_random(random()), self.clock.now());
        let password = self.hashing.hash(&password).await?;
        let new = NewAccount { id: id.clone(), email: email.clone(), password, state, created_at };
        let registered = self.store.register(&new).await?;
        if registered == Registered::First {
            return Ok(Next::SignIn);
        }
        if next == Next::Confirm {
            let me = self.clone();
            // In its own time: how long a letter takes must not tell whether the address is known.
            tokio::spawn(async move {
                let chosen = Some(new.password.as_str());
                note(match registered {
                    Registered::Known => me.write_to_known(email, language, chosen).await,
                    _ => me.write(&id, email, Occasion::Confirm, language, chosen).await,
                });
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
        let (account, password) = taken.ok_or(AccountError::Link)?;
        // Who registered while everybody might, and confirms when nobody may any more, waits for an operator too.
        let waits = self.store.registration().await? != Registration::Open;
        let state = if waits { AccountState::Waiting } else { AccountState::Active };
        Ok(self.store.confirm_account(&account, state, password.as_deref()).await?)
    }

    /// Signs a person in; the secret goes to the browser.
    ///
    /// # Errors
    /// When the address or password is wrong, it was tried too often, or the account is not active.
    pub async fn sign_in(&self, email: &str, password: &str, agent: &str) -> Result<SessionSecret, AccountError> {
        // Whatever is wrong with an address, there is no such account.
        let email = Email::new(email).map_err(|_| AccountError::Wrong)?;
        let subject = digest(email.as_str());
        self.count(subject, FAILURES).await?;
        // An account whose address nobody has confirmed is none: else registering and signing in would tell whether there was one.
        let account = self.store.account_of(&email).await?.filter(|found| found.state != AccountState::Unconfirmed);
        // The same questions are asked for an address that is not known.
        let id = account.as_ref().map_or_else(|| AccountId::from_text(""), |account| account.id.clone());
        let hash = self.store.password_of(&id).await.ok();
        let right = self.hashing.matches(password, hash.clone()).await?;
        let (Some(account), Some(hash)) = (account.filter(|_| right), hash) else { return Err(AccountError::Wrong) };
        self.store.forgive_sign_in(subject).await?;
        match account.state {
            AccountState::Active => {}
            AccountState::Disabled => return Err(AccountError::Disabled),
            AccountState::Waiting | AccountState::Unconfirmed => return Err(AccountError::Waiting),
        }
        let secret = SessionSecret::from_random(random());
        let now = self.clock.now();
        let session = NewSession {
            digest: digest(secret.reveal()),
            account: account.id,
            created_at: now,
            expires_at: now.after(SESSION),
            agent: agent.chars().filter(|c| !c.is_control()).take(200).collect(),
            password: hash,
        };
        if !self.store.begin_session(&session).await? {
            return Err(AccountError::Wrong);
        }
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
        let waits = self.store.registration().await? != Registration::Open;
        let state = if waits { AccountState::Waiting } else { AccountState::Active };
        self.store.confirm_account(&account.id, state, None).await?;
        self.store.forgive_sign_in(digest(email.as_str())).await?;
        Ok(())
    }

    /// A link with which a person chooses another password, for whoever sits at the server.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn reset_link(&self, id: &AccountId) -> Result<String, StoreError> {
        self.link(id, Purpose::Reset, None).await
    }

    async fn link(&self, id: &AccountId, purpose: Purpose, chosen: Option<&str>) -> Result<String, StoreError> {
        let (page, good) = match purpose {
            Purpose::Confirm => ("confirm", CONFIRM_LINK),
            Purpose::Reset => ("reset", RESET_LINK),
        };
        let secret = LinkSecret::from_random(random());
        self.store.put_link(digest(secret.reveal()), id, purpose, chosen, self.clock.now().after(good)).await?;
        Ok(format!("{}/console/{page}?token={}", self.base, secret.reveal()))
    }

    async fn write_reset(&self, email: Email, language: Language) -> Result<(), AccountError> {
        let Some(account) = self.store.account_of(&email).await? else { return Ok(()) };
        if account.state == AccountState::Disabled {
            return Ok(());
        }
        self.write(&account.id, email, Occasion::Reset, language, None).await
    }

    /// Somebody registered with an address that has an account. One that nobody has confirmed gets the password that was
    /// chosen now, if this letter is answered: who registered it before may have been anybody.
    async fn write_to_known(&self, email: Email, language: Language, chosen: Option<&str>) -> Result<(), AccountError> {
        let Some(Account { id, state, .. }) = self.store.account_of(&email).await? else { return Ok(()) };
        match state {
            AccountState::Unconfirmed => self.write(&id, email, Occasion::Confirm, language, chosen).await,
            _ => self.write(&id, email, Occasion::KnownAlready, language, None).await,
        }
    }

    /// Writes a letter with a fresh link, unless there were too many lately.
    async fn write(
        &self,
        id: &AccountId,
        to: Email,
        occasion: Occasion,
        language: Language,
        chosen: Option<&str>,
    ) -> Result<(), AccountError> {
        let all = self.letters.check().is_err();
        if all || self.count(digest(&format!("letters to {to}")), LETTERS).await.is_err() {
            tracing::warn!(account = %id, "too many letters were asked for; this one is not sent");
            return Ok(());
        }
        let purpose = match occasion {
            Occasion::Confirm => Purpose::Confirm,
            Occasion::Reset | Occasion::KnownAlready => Purpose::Reset,
        };
        let link = self.link(id, purpose, chosen).await?;
        let letter = letters::write(occasion, to, language, &link);
        if let Err(cause) = self.post.send(letter).await {
            tracing::error!(account = %id, cause, "a letter could not be sent");
        }
        Ok(())
    }

    /// Counts a try, and refuses what was tried too often. It is counted first and forgiven when it succeeds, so that
    /// many at once are no more than one after the other.
    async fn count(&self, subject: SecretDigest, most: i64) -> Result<(), AccountError> {
        let now = self.clock.now();
        let (count, first) = self.store.try_to_sign_in(subject, now, now.before(WITHIN)).await?;
        if count <= most {
            return Ok(());
        }
        let wait = u64::try_from(first.after(WITHIN).0 - now.0).unwrap_or_default();
        Err(AccountError::TooOften(Duration::from_micros(wait)))
    }

    /// Forgets what is over, now and then, for as long as it is polled.
    pub async fn forget_in_time(self) {
        loop {
            let now: Timestamp = self.clock.now();
            let (unconfirmed, passes) = (now.before(CONFIRM_LINK), now.before(SEEN_BY_ALL));
            if let Err(error) = self.store.forget_sign_ins(now, now.before(WITHIN), unconfirmed, passes).await {
                tracing::warn!(%error, "sessions that are over could not be forgotten");
            }
            tokio::time::sleep(Duration::from_mins(10)).await;
        }
    }
}

/// What a page proves with that it is ours and not another one that makes the browser send its cookie.
#[must_use]
pub fn csrf_token(session_secret: &str) -> String {
    hex(&Sha256::digest(format!("csrf {session_secret}"))[..20])
}

fn digest(text: &str) -> SecretDigest {
    SecretDigest(Sha256::digest(text.as_bytes()).into())
}

fn note(sent: Result<(), AccountError>) {
    if let Err(error) = sent {
        tracing::error!(%error, "a letter could not be written");
    }
}
