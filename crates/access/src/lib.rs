//! Access control: applications, API keys and the cache that checks them without the database, user tokens, requests
//! that are sent again, usage and quotas, and the accounts of the people who own applications.

mod accounts;
mod allowed_places;
mod console_service;
mod error;
mod failed_requests;
mod idempotency;
mod key_cache;
mod key_service;
mod limits;
mod rate;
mod tokens;
mod usage;

pub use accounts::{Accounts, EmailMessage, LogMailer, Mailer, RegistrationStep, SignedIn, Visitor, csrf_token};
pub use allowed_places::AllowedPlaces;
pub use console_service::{ConsoleService, UsageReport};
pub use error::AccessError;
pub use failed_requests::{FAILED_REQUEST_RETENTION, FailedRequests};
pub use idempotency::{Attempt, Claim, Idempotency};
use kaisatsu_model::KeyDigest;
pub use kaisatsu_store::{
    Account, AccountSession, ApplicationChange, ApplicationContents, ApplicationUser, FailedRequest, OwnedApplication,
    SessionRow, StoreError, StoredAnswer, UsageOutcome, UsageTotal,
};
pub use key_cache::{Caller, KeyCache, KeyRejection};
pub use key_service::{IssuedKey, KeyService, KeyTerms};
pub use limits::SharedLimits;
pub use rate::RateLimit;
use sha2::{Digest, Sha256};
pub use tokens::{IssuedToken, Tokens};
pub use usage::{KeyMeter, TIME_BOUNDS, Usage};

/// The digest of a key, which is stored and looked up instead of the key.
fn digest(text: &str) -> KeyDigest {
    KeyDigest(Sha256::digest(text.as_bytes()).into())
}
