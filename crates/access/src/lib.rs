//! Who may pass: applications, their API keys, and the gate that checks a key without asking the database.

mod gate;
mod issue;
mod rate;

pub use gate::{Caller, Gate, Refusal};
pub use issue::{IssuedKey, Keyring};
use kaisatsu_model::KeyDigest;
pub use rate::RateLimit;
use sha2::{Digest, Sha256};

/// What is kept, and looked up, of the text of a key.
fn digest(text: &str) -> KeyDigest {
    KeyDigest(Sha256::digest(text.as_bytes()).into())
}
