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
    use super::{Hasher, hashed, verifies};

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
}
