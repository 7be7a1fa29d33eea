//! Accounts: registration, sign-in, passwords and deletion.
//!
//! No answer tells whether an address is registered: the difference goes into an e-mail, and a sign-in to an account
//! that does not exist takes as long as checking a password.

mod attempts;
mod emails;
mod manage;
mod notices;
mod password;

use std::{net::IpAddr, num::NonZeroU32, sync::Arc, time::Duration};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

pub use attempts::Visitor;
use attempts::{WINDOW, browser_secret};
use emails::EmailKind;
pub use emails::{EmailMessage, LogMailer, Mailer};
use kaisatsu_model::{
    AccountId, AccountState, Clock, Email, Language, LinkSecret, Password, Registration, SecretDigest, SessionSecret,
    Timestamp,
};
use kaisatsu_store::{Account, AccountSession, LinkPurpose, NewAccount, NewSession, RegisterOutcome, Store, hex};
use notices::InFlight;
use password::Hasher;
use sha2::{Digest, Sha256};
use tokio::task::JoinError;

use crate::{AccessError, key_service::random_bytes};

/// The lifetime of a session.
const SESSION_LIFETIME: Duration = Duration::from_hours(24 * 14);

/// How long the links in e-mails are valid.
const CONFIRM_LINK: Duration = Duration::from_hours(24);
const RESET_LINK: Duration = Duration::from_hours(1);

/// How many e-mails may be requested for one address within fifteen minutes.
const MAX_EMAILS: i64 = 5;

/// How many e-mails this replica sends a minute in total.
const EMAILS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(60).unwrap();

/// How long expired rows stay in the database: by then every replica has noticed.
const NOTICED_BY_ALL: Duration = Duration::from_mins(10);

/// What a person does next after registering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegistrationStep {
    /// Sign in.
    SignIn,
    /// Open the link in the e-mail.
    Confirm,
    /// Wait for an operator.
    Approval,
}

/// What a browser gets that has signed in.
#[derive(Debug)]
pub struct SignedIn {
    /// The secret of the session.
    pub session: SessionSecret,
    /// The secret by which the browser is known when it signs in again.
    pub browser: String,
}

/// Manages the accounts of a store.
#[derive(Clone)]
pub struct Accounts {
    store: Store,
    clock: Arc<dyn Clock>,
    mailer: Arc<dyn Mailer>,
    /// The beginning of every page's address, without a slash at its end.
    base: Arc<str>,
    hasher: Hasher,
    email_limit: Arc<DefaultDirectRateLimiter>,
    in_flight: InFlight,
}

impl Accounts {
    /// The accounts of a store; links in e-mails begin with `base`.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>, mailer: Arc<dyn Mailer>, base: &str) -> Self {
        let email_limit = Arc::new(RateLimiter::direct(Quota::per_minute(EMAILS_PER_MINUTE)));
        let (base, hasher) = (base.trim_end_matches('/').into(), Hasher::new());
        Self { store, clock, mailer, base, hasher, email_limit, in_flight: InFlight::none() }
    }

    /// Whether e-mails are delivered to people.
    #[must_use]
    pub fn has_mailer(&self) -> bool {
        self.mailer.delivers()
    }

    /// Whether the console is reached over TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.base.starts_with("https:")
    }

    /// Registers a person. The answer does not tell whether the address has an account.
    ///
    /// # Errors
    /// When registration is closed, the address or the password breaks a rule, or the place registers too often.
    pub async fn register(
        &self,
        email: &str,
        password: &str,
        language: Language,
        place: IpAddr,
    ) -> Result<RegistrationStep, AccessError> {
        let email = Email::new(email).map_err(AccessError::InvalidEmail)?;
        let password = Password::new(password, &email).map_err(AccessError::InvalidPassword)?;
        if self.store.registration().await? == Registration::Closed {
            return Err(AccessError::RegistrationClosed);
        }
        self.count_registration(place).await?;
        let state = if self.has_mailer() { AccountState::Unconfirmed } else { AccountState::Active };
        let (id, created_at) = (AccountId::from_random(random_bytes()), self.clock.now());
        let password = self.hasher.hash(&password, false).await?;
        let known = Some(language);
        let new = NewAccount { id: id.clone(), email: email.clone(), password, state, language: known, created_at };
        let (registered, mode) = self.store.register(&new).await?;
        let next = match mode {
            _ if registered == RegisterOutcome::First => RegistrationStep::SignIn,
            _ if self.has_mailer() => RegistrationStep::Confirm,
            Registration::Open => RegistrationStep::SignIn,
            Registration::Approval | Registration::Closed => RegistrationStep::Approval,
        };
        if next == RegistrationStep::Confirm {
            let me = self.clone();
            // In the background: how long the e-mail takes must not tell whether the address is known.
            self.in_background(async move {
                let chosen = Some(new.password.as_str());
                match registered {
                    RegisterOutcome::EmailTaken => me.send_to_registered(email, language, chosen).await,
                    _ => me.send(&id, email, EmailKind::Confirm, language, chosen).await,
                }
            });
        }
        Ok(next)
    }

    /// Uses up a confirmation link. Where the account then waits for approval, operators are told.
    ///
    /// # Errors
    /// When the link is not valid.
    pub async fn confirm_email(&self, link: &str) -> Result<(), AccessError> {
        let (me, link) = (self.clone(), digest(link));
        to_the_end(async move {
            let taken = me.store.take_link(link, LinkPurpose::Confirm, me.clock.now()).await?;
            let (account, password) = taken.ok_or(AccessError::InvalidLink)?;
            // Whoever registered while registration was open, and confirms when it is not, waits for an operator too.
            let waits = me.store.registration().await? != Registration::Open;
            let state = if waits { AccountState::Waiting } else { AccountState::Active };
            me.tell_operators(me.store.confirm_account(&account, state, password.as_deref()).await?);
            Ok(())
        })
        .await
    }

    /// Signs a person in; the secrets go to the browser.
    ///
    /// # Errors
    /// When the address or password is wrong, there were too many attempts, or the account is not active.
    pub async fn sign_in(&self, email: &str, password: &str, visitor: &Visitor<'_>) -> Result<SignedIn, AccessError> {
        // An address that is not valid has no account.
        let email = Email::new(email).map_err(|_| AccessError::WrongCredentials)?;
        // An unconfirmed account counts as none: otherwise registering and signing in would tell whether the address
        // had one.
        let account =
            self.store.account_by_email(&email).await?.filter(|found| found.state != AccountState::Unconfirmed);
        // An unknown address takes the same queries.
        let id = account.as_ref().map_or_else(|| AccountId::from_text(""), |account| account.id.clone());
        let hash = self.store.password_hash(&id).await.ok();
        let attempt = self.begin_attempt(&email, visitor, hash.as_deref()).await?;
        let right = self.hasher.matches(password, hash.clone(), attempt.is_known).await?;
        let (Some(account), Some(hash)) = (account.filter(|_| right), hash) else {
            return Err(AccessError::WrongCredentials);
        };
        self.take_back(&attempt).await?;
        match account.state {
            AccountState::Active => {}
            AccountState::Disabled => return Err(AccessError::AccountDisabled),
            AccountState::Waiting | AccountState::Unconfirmed => return Err(AccessError::AwaitingApproval),
        }
        let secret = SessionSecret::from_random(random_bytes());
        let now = self.clock.now();
        let browser = browser_secret(random_bytes(), &email, &hash);
        let session = NewSession {
            digest: digest(secret.reveal()),
            account: account.id,
            created_at: now,
            expires_at: now.after(SESSION_LIFETIME),
            agent: visitor.agent.chars().filter(|c| !c.is_control()).take(200).collect(),
            password: hash,
        };
        if !self.store.begin_session(&session).await? {
            return Err(AccessError::WrongCredentials);
        }
        Ok(SignedIn { session: secret, browser })
    }

    /// The session and account of a session's secret.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn session(&self, secret: &str) -> Result<Option<AccountSession>, AccessError> {
        Ok(self.store.session(digest(secret), self.clock.now()).await?)
    }

    /// Sends a link for choosing a new password to the address, if it has an account. The answer does not tell whether
    /// it has.
    ///
    /// # Errors
    /// When the address is not valid.
    pub fn request_password_reset(&self, email: &str, language: Language) -> Result<(), AccessError> {
        let email = Email::new(email).map_err(AccessError::InvalidEmail)?;
        let me = self.clone();
        self.in_background(async move { me.send_reset(email, language).await });
        Ok(())
    }

    /// Uses up a reset link and changes the password; every session ends.
    ///
    /// # Errors
    /// When the link is not valid, or the password breaks a rule; then the link stays valid.
    pub async fn reset_password(&self, link: &str, password: &str, place: IpAddr) -> Result<(), AccessError> {
        let (link, now) = (digest(link), self.clock.now());
        let account = self.store.peek_link(link, LinkPurpose::Reset, now).await?.ok_or(AccessError::InvalidLink)?;
        let account = self.store.account(&account).await?.ok_or(AccessError::InvalidLink)?;
        let email = Email::new(&account.email).map_err(AccessError::InvalidEmail)?;
        let password = Password::new(password, &email).map_err(AccessError::InvalidPassword)?;
        let hash = self.hasher.hash(&password, true).await?;
        let me = self.clone();
        to_the_end(async move {
            me.store.take_link(link, LinkPurpose::Reset, now).await?.ok_or(AccessError::InvalidLink)?;
            me.store.set_password(&account.id, &hash, None, now).await?;
            // The link proves the address, so the account is confirmed and its failed sign-ins are cleared.
            let waits = me.store.registration().await? != Registration::Open;
            let state = if waits { AccountState::Waiting } else { AccountState::Active };
            me.tell_operators(me.store.confirm_account(&account.id, state, None).await?);
            me.clear_attempts(&email, place).await
        })
        .await
    }

    /// A link for choosing a new password, for an operator to hand over.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn reset_link(&self, id: &AccountId) -> Result<String, AccessError> {
        self.link(id, LinkPurpose::Reset, None).await
    }

    async fn link(&self, id: &AccountId, purpose: LinkPurpose, chosen: Option<&str>) -> Result<String, AccessError> {
        let (page, good) = match purpose {
            LinkPurpose::Confirm => ("confirm", CONFIRM_LINK),
            LinkPurpose::Reset => ("reset", RESET_LINK),
        };
        let secret = LinkSecret::from_random(random_bytes());
        self.store.put_link(digest(secret.reveal()), id, purpose, chosen, self.clock.now().after(good)).await?;
        Ok(format!("{}/console/{page}?token={}", self.base, secret.reveal()))
    }

    async fn send_reset(&self, email: Email, language: Language) -> Result<(), AccessError> {
        let Some(account) = self.store.account_by_email(&email).await? else { return Ok(()) };
        if account.state == AccountState::Disabled {
            return Ok(());
        }
        self.send(&account.id, email, EmailKind::Reset, language, None).await
    }

    /// Somebody registered with an address that has an account. If that is unconfirmed, the link of this e-mail sets
    /// the password that was chosen now: anybody may have registered the address before.
    async fn send_to_registered(
        &self,
        email: Email,
        language: Language,
        chosen: Option<&str>,
    ) -> Result<(), AccessError> {
        let Some(Account { id, state, .. }) = self.store.account_by_email(&email).await? else { return Ok(()) };
        match state {
            AccountState::Unconfirmed => self.send(&id, email, EmailKind::Confirm, language, chosen).await,
            _ => self.send(&id, email, EmailKind::AlreadyRegistered, language, None).await,
        }
    }

    /// Sends an e-mail with a new link, unless there were too many lately.
    async fn send(
        &self,
        id: &AccountId,
        to: Email,
        kind: EmailKind,
        language: Language,
        chosen: Option<&str>,
    ) -> Result<(), AccessError> {
        // Rows of `sign_in_failure` hold digests of this text, so it stays as it is.
        if !self.may_send(id, digest(&format!("letters to {to}")), MAX_EMAILS).await {
            return Ok(());
        }
        let purpose = match kind {
            EmailKind::Confirm => LinkPurpose::Confirm,
            EmailKind::Reset | EmailKind::AlreadyRegistered => LinkPurpose::Reset,
        };
        let link = self.link(id, purpose, chosen).await?;
        self.deliver(id, emails::compose(kind, to, language, &link)).await;
        Ok(())
    }

    /// Whether one more e-mail may be sent, which is counted.
    async fn may_send(&self, id: &AccountId, counter: SecretDigest, limit: i64) -> bool {
        let may = self.email_limit.check().is_ok() && self.count_attempt(counter, limit).await.is_ok();
        if !may {
            tracing::warn!(account = %id, "too many e-mails were requested; this one is not sent");
        }
        may
    }

    async fn deliver(&self, id: &AccountId, message: EmailMessage) {
        if let Err(cause) = self.mailer.send(message).await {
            tracing::error!(account = %id, cause, "an e-mail could not be sent");
        }
    }

    /// Deletes expired sessions, links and console keys every ten minutes, for as long as it is polled.
    pub async fn delete_expired_periodically(self) {
        loop {
            let now: Timestamp = self.clock.now();
            let (unconfirmed, console_keys) = (now.before(CONFIRM_LINK), now.before(NOTICED_BY_ALL));
            if let Err(error) =
                self.store.delete_expired_sign_ins(now, now.before(WINDOW), unconfirmed, console_keys).await
            {
                tracing::warn!(%error, "expired sessions could not be deleted");
            }
            tokio::time::sleep(Duration::from_mins(10)).await;
        }
    }
}

/// The token with which a page proves that it is ours, and not another site's that makes the browser send its cookie.
#[must_use]
pub fn csrf_token(session_secret: &str) -> String {
    hex(&Sha256::digest(format!("csrf {session_secret}"))[..20])
}

/// Does to its end what must not stop half way, also when the caller hangs up.
async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, AccessError>> + Send + 'static,
) -> Result<T, AccessError> {
    match tokio::spawn(work).await.map_err(JoinError::try_into_panic) {
        Ok(done) => done,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        // The server ends, and nobody waits any more.
        Err(Err(_)) => std::future::pending().await,
    }
}

fn digest(text: &str) -> SecretDigest {
    SecretDigest(Sha256::digest(text.as_bytes()).into())
}
