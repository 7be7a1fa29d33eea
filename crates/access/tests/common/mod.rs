//! The services on a fresh SQLite database, with a manual clock and a mailer that records what it sends.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::{Arc, Mutex},
};

use futures_util::future::BoxFuture;
use kaisatsu_access::{
    Account, Accounts, ConsoleService, EmailMessage, KeyCache, KeyMeter, KeyService, LogMailer, Mailer,
    RegistrationStep, Usage, Visitor,
};
use kaisatsu_model::{ApplicationName, Language, Registration};
use kaisatsu_store::Store;
use kaisatsu_testkit::{Backend, Database, ManualClock};

pub(crate) const PASSWORD: &str = "a long enough password";

/// Where people are.
pub(crate) const PLACE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// Somebody there, with a browser that has not signed in before.
pub(crate) fn visitor(agent: &str) -> Visitor<'_> {
    Visitor { agent, place: PLACE, browser: None }
}

pub(crate) struct Fixture {
    _database: Database,
    pub(crate) store: Store,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) accounts: Accounts,
    pub(crate) console: ConsoleService,
    pub(crate) keys: KeyService,
    pub(crate) usage: Arc<Usage>,
}

/// A mailer that keeps its e-mails.
#[derive(Default)]
pub(crate) struct Outbox(Mutex<Vec<EmailMessage>>);

impl Mailer for Outbox {
    fn send(&self, message: EmailMessage) -> BoxFuture<'static, Result<(), String>> {
        self.0.lock().unwrap().push(message);
        Box::pin(async { Ok(()) })
    }

    fn delivers(&self) -> bool {
        true
    }
}

impl Outbox {
    pub(crate) fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// Waits for e-mail number `count`, which is sent in the background.
    pub(crate) async fn message(&self, count: usize) -> EmailMessage {
        let waited = std::time::Instant::now();
        while self.count() < count {
            assert!(waited.elapsed().as_secs() < 60, "no e-mail was sent");
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        self.0.lock().unwrap()[count - 1].clone()
    }

    /// The token of the link in e-mail number `count`.
    pub(crate) async fn token(&self, count: usize) -> String {
        token_in(&self.message(count).await.text)
    }
}

/// The token of the link in a text.
pub(crate) fn token_in(text: &str) -> String {
    let (_, rest) = text.split_once("token=").expect("a link");
    rest.split_whitespace().next().expect("a token").to_owned()
}

impl Fixture {
    /// Without a mail server: accounts need no confirmation.
    pub(crate) async fn new() -> Self {
        Self::with(false).await
    }

    /// With a mail server.
    pub(crate) async fn with_mail() -> Self {
        Self::with(true).await
    }

    async fn with(mail: bool) -> Self {
        let database = Database::fresh(Backend::Sqlite);
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let (clock, outbox) = (Arc::new(ManualClock::default()), Arc::new(Outbox::default()));
        let mailer: Arc<dyn Mailer> = if mail { outbox.clone() } else { Arc::new(LogMailer) };
        let usage = Usage::new(store.clone(), clock.clone(), vec!["one".to_owned()], 0);
        Self {
            accounts: Accounts::new(store.clone(), clock.clone(), mailer, "https://example.org/"),
            console: ConsoleService::new(store.clone(), clock.clone(), Arc::clone(&usage)),
            keys: KeyService::new(store.clone(), clock.clone()),
            _database: database,
            store,
            clock,
            outbox,
            usage,
        }
    }

    /// Registers a person who can sign in at once; the first one is an operator.
    pub(crate) async fn person(&self, email: &str) -> Account {
        self.accounts.set_registration(Registration::Open).await.unwrap();
        assert_eq!(self.register(email).await, RegistrationStep::SignIn);
        self.account(email).await
    }

    pub(crate) async fn register(&self, email: &str) -> RegistrationStep {
        self.accounts.register(email, PASSWORD, Language::English, PLACE).await.unwrap()
    }

    /// What counts the requests of a key.
    pub(crate) async fn meter(&self, key: &str) -> Arc<KeyMeter> {
        let (store, usage) = (self.store.clone(), Arc::clone(&self.usage));
        let cache = KeyCache::load(store, self.clock.clone(), usage, std::time::Duration::from_mins(10)).await.unwrap();
        Arc::clone(&cache.authenticate(key).await.unwrap().meter)
    }

    pub(crate) async fn account(&self, email: &str) -> Account {
        let all = self.accounts.list().await.unwrap();
        all.into_iter().map(|(account, _)| account).find(|account| account.email == email).expect("an account")
    }
}

pub(crate) fn name(text: &str) -> ApplicationName {
    ApplicationName::new(text).unwrap()
}
