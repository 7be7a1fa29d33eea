//! Who may pass: applications, their API keys, the gate that checks a key without asking the database, and the tokens of
//! applications' users.

mod gate;
mod issue;
mod rate;
mod tokens;

pub use gate::{Caller, Gate, Refusal};
pub use issue::{IssuedKey, Keyring};
use kaisatsu_model::KeyDigest;
pub use rate::RateLimit;
use sha2::{Digest, Sha256};
pub use tokens::{IssuedToken, Tokens};

/// What is kept, and looked up, of the text of a key.
fn digest(text: &str) -> KeyDigest {
    KeyDigest(Sha256::digest(text.as_bytes()).into())
}
