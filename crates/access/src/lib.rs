//! Who may pass: applications, their API keys, the gate that checks a key without asking the database, the tokens of
//! applications' users, what is called, and the accounts of the people to whom applications belong.

mod accounts;
mod desk;
mod gate;
mod issue;
mod rate;
mod tokens;
mod usage;

pub use accounts::{AccountError, Accounts, Letter, Next, Post, ToTheLog, csrf_token};
pub use desk::{Desk, UsageOf};
pub use gate::{Caller, Gate, Refusal};
pub use issue::{IssuedKey, Keyring};
use kaisatsu_model::KeyDigest;
pub use kaisatsu_store::{
    Account, ApplicationChange, ApplicationUser, Belongings, OwnedApplication, SessionRow, SignedIn, StoreError,
    UsageOutcome, UsageSum,
};
pub use rate::RateLimit;
use sha2::{Digest, Sha256};
pub use tokens::{IssuedToken, Tokens};
pub use usage::{KeyMeter, TIME_BOUNDS, Usage};

/// What is kept, and looked up, of the text of a key.
fn digest(text: &str) -> KeyDigest {
    KeyDigest(Sha256::digest(text.as_bytes()).into())
}
