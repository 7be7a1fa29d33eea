//! Passwords as Argon2id hashes. Hashing is heavy on purpose: few at a time, and off the threads that answer requests.

use std::sync::{Arc, LazyLock};

use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use kaisatsu_model::Password;
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization;

use super::AccountError;

/// How many may be hashed at once, and how many may wait for it.
const AT_ONCE: usize = 2;
const WAITING: usize = 64;

/// Something to compare with when there is no such account, so that it takes as long as if there were.
static NOBODY: LazyLock<String> = LazyLock::new(|| hashed("nobody has this password").unwrap_or_default());

/// Where passwords are hashed.
#[derive(Clone)]
pub(super) struct Hashing {
    places: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl Hashing {
    pub(super) fn new() -> Self {
        Self { places: Arc::new(Semaphore::new(AT_ONCE)), waiting: Arc::new(Semaphore::new(WAITING)) }
    }

    /// The hash of a password, as it is kept.
    pub(super) async fn hash(&self, password: &Password) -> Result<String, AccountError> {
        let text = password.reveal().to_owned();
        self.run(move || hashed(&text)).await?.ok_or(AccountError::Busy)
    }

    /// Whether a text is the password that was hashed; with no hash it takes as long and is not.
    pub(super) async fn matches(&self, text: &str, hash: Option<String>) -> Result<bool, AccountError> {
        let text = text.to_owned();
        self.run(move || {
            let known = hash.is_some();
            verifies(&text, hash.as_ref().unwrap_or(&NOBODY)) && known
        })
        .await
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, AccountError> {
        let _waiting = self.waiting.try_acquire().map_err(|_| AccountError::Busy)?;
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| AccountError::Busy)?;
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(place);
            done
        });
        done.await.map_err(|_| AccountError::Busy)
    }
}

/// The same password typed on two keyboards is the same password.
fn normal(text: &str) -> String {
    text.nfc().collect()
}

fn hashed(text: &str) -> Option<String> {
    Argon2::default().hash_password(normal(text).as_bytes()).ok().map(|hash| hash.to_string())
}

fn verifies(text: &str, hash: &str) -> bool {
    let Ok(hash) = PasswordHash::new(hash) else { return false };
    Argon2::default().verify_password(normal(text).as_bytes(), &hash).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{Hashing, hashed, verifies};

    #[test]
    fn a_hash_is_argon2id_and_fits_its_password_alone() {
        let hash = hashed("が ticket gate").unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(verifies("か\u{3099} ticket gate", &hash), "composed or not");
        assert!(!verifies("が ticket gates", &hash) && !verifies("", &hash) && !verifies("x", "no hash"));
        assert_ne!(hash, hashed("が ticket gate").unwrap(), "salted");
    }

    #[tokio::test]
    async fn nobody_has_no_password() {
        let hashing = Hashing::new();
        assert!(!hashing.matches("nobody has this password", None).await.unwrap());
    }
}
