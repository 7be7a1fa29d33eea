//! Password hashes (Argon2id). Hashing is expensive on purpose, so few run at a time, on threads for blocking work.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use kaisatsu_admission::{Limits, Queue};
use kaisatsu_model::Password;
use unicode_normalization::UnicodeNormalization;

use crate::AccessError;

/// How many passwords of people who are known are hashed at once, and how many more may wait.
const KNOWN: Limits = Limits { running: 2, waiting: 62, retry_after: Duration::from_secs(2) };

/// The same for strangers: whatever they send, they keep one core busy at most, and nobody who is known waits for them.
const STRANGERS: Limits = Limits { running: 1, waiting: 31, retry_after: Duration::from_secs(2) };

/// The hash to compare with when there is no account, so that the answer takes as long.
static DUMMY_HASH: LazyLock<String> = LazyLock::new(|| hashed("nobody has this password").unwrap_or_default());

/// Hashes passwords, few at a time.
#[derive(Clone)]
pub(super) struct Hasher {
    known: Arc<Queue>,
    strangers: Arc<Queue>,
}

impl Hasher {
    pub(super) fn new() -> Self {
        Self { known: Arc::new(Queue::new(KNOWN)), strangers: Arc::new(Queue::new(STRANGERS)) }
    }

    /// The hash of a password, for storage. `is_known` says whether whoever asks is known.
    pub(super) async fn hash(&self, password: &Password, is_known: bool) -> Result<String, AccessError> {
        let text = password.reveal().to_owned();
        self.run(is_known, move || hashed(&text)).await?.ok_or(AccessError::Busy)
    }

    /// Whether a text is the hashed password; without a hash it takes as long and returns `false`.
    pub(super) async fn matches(&self, text: &str, hash: Option<String>, is_known: bool) -> Result<bool, AccessError> {
        let text = text.to_owned();
        self.run(is_known, move || {
            let known = hash.is_some();
            verifies(&text, hash.as_ref().unwrap_or(&DUMMY_HASH)) && known
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        is_known: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AccessError> {
        let queue = if is_known { &self.known } else { &self.strangers };
        let turn = queue.admit().await.map_err(|_| AccessError::Busy)?;
        turn.run_blocking(work).await.map_err(|_| AccessError::Busy)
    }
}

/// The same password typed on two keyboards may differ in Unicode form.
fn normalise(text: &str) -> String {
    text.nfc().collect()
}

fn hashed(text: &str) -> Option<String> {
    Argon2::default().hash_password(normalise(text).as_bytes()).ok().map(|hash| hash.to_string())
}

fn verifies(text: &str, hash: &str) -> bool {
    let Ok(hash) = PasswordHash::new(hash) else { return false };
    Argon2::default().verify_password(normalise(text).as_bytes(), &hash).is_ok()
}

#[cfg(test)]
mod tests {
    use std::{
        net::{IpAddr, Ipv4Addr},
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
            mpsc,
        },
    };

    use kaisatsu_model::{Language, Registration};
    use kaisatsu_store::Store;
    use kaisatsu_testkit::{Backend, Database, ManualClock};

    use super::{Hasher, STRANGERS, hashed, verifies};
    use crate::{AccessError, Accounts, LogMailer, RegistrationStep, Visitor};

    const PASSWORD: &str = "a long enough password";
    const PLACE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

    #[test]
    fn a_hash_is_argon2id_and_matches_only_its_password() {
        let hash = hashed("が ticket gate").unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(verifies("か\u{3099} ticket gate", &hash), "composed or not");
        assert!(!verifies("が ticket gates", &hash) && !verifies("", &hash) && !verifies("x", "no hash"));
        assert_ne!(hash, hashed("が ticket gate").unwrap(), "salted");
    }

    #[tokio::test]
    async fn without_a_hash_no_password_matches() {
        let hasher = Hasher::new();
        assert!(!hasher.matches("nobody has this password", None, false).await.unwrap());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn strangers_keep_one_core_busy_and_nobody_waits_for_them() {
        let database = Database::fresh(Backend::Sqlite);
        let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
        let accounts =
            Accounts::new(store, Arc::new(ManualClock::default()), Arc::new(LogMailer), "https://a.example/");
        for email in ["known@example.org", "other@example.org"] {
            let step = accounts.register(email, PASSWORD, Language::English, PLACE).await.unwrap();
            assert_eq!(step, RegistrationStep::SignIn);
            // The first account closes the door behind it.
            accounts.set_registration(Registration::Open).await.unwrap();
        }
        let stranger = Visitor { agent: "", place: PLACE, browser: None };
        let browser = accounts.sign_in("known@example.org", PASSWORD, &stranger).await.unwrap().browser;

        // As many strangers as are let in, whose hashes take as long as this test likes.
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (starts, started) = mpsc::channel();
        let mut ends = Vec::new();
        let mut inside = Vec::new();
        let room = STRANGERS.running + STRANGERS.waiting;
        for _ in 0..room {
            let (end, ended) = mpsc::channel::<()>();
            ends.push(end);
            let (hasher, starts) = (accounts.hasher.clone(), starts.clone());
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            inside.push(tokio::spawn(async move {
                let hash = move || {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let _ = starts.send(());
                    let _ = ended.recv();
                    running.fetch_sub(1, Ordering::SeqCst);
                };
                hasher.run(false, hash).await
            }));
        }
        tokio::task::block_in_place(|| started.recv()).unwrap();
        while accounts.hasher.strangers.free() > 0 {
            tokio::task::yield_now().await;
        }
        for (email, password) in
            [("other@example.org", PASSWORD), ("known@example.org", PASSWORD), ("nobody@example.org", "wrong")]
        {
            let refused = accounts.sign_in(email, password, &stranger).await;
            assert!(matches!(refused, Err(AccessError::Busy)), "{email}: {refused:?}");
        }
        let new = accounts.register("new@example.org", PASSWORD, Language::English, PLACE).await;
        assert!(matches!(new, Err(AccessError::Busy)), "a registration hashes too: {new:?}");
        // The browser that signed in before has its turn, with the right password and with a wrong one.
        let known = Visitor { browser: Some(&browser), ..stranger };
        accounts.sign_in("known@example.org", PASSWORD, &known).await.unwrap();
        let wrong = accounts.sign_in("known@example.org", "wrong", &known).await;
        assert!(matches!(wrong, Err(AccessError::WrongCredentials)), "{wrong:?}");

        drop(ends);
        for one in inside {
            one.await.unwrap().unwrap();
        }
        assert_eq!(most.load(Ordering::SeqCst), STRANGERS.running, "one after another");
        accounts.sign_in("other@example.org", PASSWORD, &stranger).await.unwrap();
    }
}
