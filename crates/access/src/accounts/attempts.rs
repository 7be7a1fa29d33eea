//! How often passwords may be guessed, and by whom.
//!
//! Failures are counted by address and place together: whoever knows an address cannot keep its owner out, who is at
//! another place. A place is counted by itself too, so that it cannot try one password at many addresses; and so is an
//! address, so that many places together cannot try many passwords at it. A browser that signed in before holds a
//! secret that proves it. It is not held up by what others do, and has a counter of its own.

use std::{net::IpAddr, time::Duration};

use hmac::{Hmac, KeyInit, Mac};
use kaisatsu_model::{Email, SecretDigest};
use kaisatsu_store::{from_hex, hex};
use sha2::Sha256;

use super::{Accounts, digest};
use crate::AccessError;

/// How long failures count.
pub(super) const WINDOW: Duration = Duration::from_mins(15);

/// How often one browser, or one place, may fail with one address.
pub(super) const MAX_FAILURES: i64 = 10;

/// How often one place may fail, whatever the addresses. Several people may share a place.
const MAX_FAILURES_OF_PLACE: i64 = 30;

/// How often browsers that never signed in may fail with one address, from all places together.
const MAX_FAILURES_OF_ADDRESS: i64 = 100;

/// How many registrations one place may send.
const MAX_REGISTRATIONS_OF_PLACE: i64 = 100;

/// Who signs in or registers: a browser at a place.
#[derive(Debug, Clone, Copy)]
pub struct Visitor<'a> {
    /// What the browser says it is.
    pub agent: &'a str,
    /// The network address that it comes from.
    pub place: IpAddr,
    /// The secret that it got when it last signed in here.
    pub browser: Option<&'a str>,
}

/// The counters of an attempt to sign in.
pub(super) struct Attempt {
    /// The counter that a success clears.
    own: SecretDigest,
    /// The counters that it shares with others: a success takes back only itself.
    shared: Vec<SecretDigest>,
    /// Whether the browser signed in to this account before.
    pub(super) is_known: bool,
}

impl Accounts {
    /// Counts an attempt to sign in, which is a failure until it succeeds, so that concurrent attempts count like
    /// successive ones. `hash` is that of the account's password, if there is an account.
    pub(super) async fn begin_attempt(
        &self,
        email: &Email,
        visitor: &Visitor<'_>,
        hash: Option<&str>,
    ) -> Result<Attempt, AccessError> {
        let known = visitor.browser.filter(|secret| hash.is_some_and(|hash| proves(secret, email, hash)));
        if let Some(secret) = known {
            let own = digest(&format!("browser {secret}"));
            self.count_attempt(own, MAX_FAILURES).await?;
            return Ok(Attempt { own, shared: Vec::new(), is_known: true });
        }
        let place = network(visitor.place);
        let (own, of_place, of_address) = (pair(email, visitor.place), digest(&format!("place {place}")), of(email));
        // The first counter that is full ends it: one place must not fill the counter of an address.
        self.count_attempt(of_place, MAX_FAILURES_OF_PLACE).await?;
        self.count_attempt(own, MAX_FAILURES).await?;
        self.count_attempt(of_address, MAX_FAILURES_OF_ADDRESS).await?;
        Ok(Attempt { own, shared: vec![of_place, of_address], is_known: false })
    }

    /// Takes back an attempt that succeeded.
    pub(super) async fn take_back(&self, attempt: &Attempt) -> Result<(), AccessError> {
        self.store.clear_sign_in_attempts(attempt.own).await?;
        for subject in &attempt.shared {
            self.store.take_back_sign_in_attempt(*subject).await?;
        }
        Ok(())
    }

    /// Counts a registration: each costs a password hash.
    pub(super) async fn count_registration(&self, place: IpAddr) -> Result<(), AccessError> {
        self.count_attempt(digest(&format!("registrations from {}", network(place))), MAX_REGISTRATIONS_OF_PLACE).await
    }

    /// Clears the failures of somebody who has proved the address.
    pub(super) async fn clear_attempts(&self, email: &Email, place: IpAddr) -> Result<(), AccessError> {
        self.store.clear_sign_in_attempts(pair(email, place)).await?;
        Ok(self.store.clear_sign_in_attempts(of(email)).await?)
    }

    /// Counts an attempt and refuses it when there were too many.
    pub(super) async fn count_attempt(&self, subject: SecretDigest, limit: i64) -> Result<(), AccessError> {
        let now = self.clock.now();
        let (count, first) = self.store.count_sign_in_attempt(subject, now, now.before(WINDOW)).await?;
        if count <= limit {
            return Ok(());
        }
        let wait = u64::try_from(first.after(WINDOW).0 - now.0).unwrap_or_default();
        Err(AccessError::TooManyAttempts(Duration::from_micros(wait)))
    }
}

/// The secret of a browser that has signed in: random, with a code that only the account's password hash can make. It
/// needs no row, every replica can check it, and a new password ends it.
pub(super) fn browser_secret(random: [u8; 20], email: &Email, hash: &str) -> String {
    let random = hex(&random);
    let code = code(&random, email, hash).finalize().into_bytes();
    format!("{random}-{}", hex(&code))
}

fn proves(secret: &str, email: &Email, hash: &str) -> bool {
    let Some((random, digits)) = secret.split_once('-') else { return false };
    let Some(given) = from_hex(digits) else { return false };
    code(random, email, hash).verify_slice(&given).is_ok()
}

fn code(random: &str, email: &Email, hash: &str) -> Hmac<Sha256> {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
    let mut code = Hmac::<Sha256>::new_from_slice(hash.as_bytes()).expect("a key");
    code.update(format!("browser {random} {email}").as_bytes());
    code
}

fn pair(email: &Email, place: IpAddr) -> SecretDigest {
    digest(&format!("{email} from {}", network(place)))
}

fn of(email: &Email) -> SecretDigest {
    digest(email.as_str())
}

/// A place: an IPv4 address, or the /64 of an IPv6 address, which is what one subscriber gets.
fn network(place: IpAddr) -> IpAddr {
    match place.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & !u128::from(u64::MAX)).into()),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::Email;

    use super::{browser_secret, network, proves};

    #[test]
    fn a_browser_s_secret_holds_for_one_account_and_one_password() {
        let (one, two) = (Email::new("one@example.org").unwrap(), Email::new("two@example.org").unwrap());
        let secret = browser_secret([1; 20], &one, "$argon2id$1");
        assert!(proves(&secret, &one, "$argon2id$1"));
        assert!(!proves(&secret, &two, "$argon2id$1") && !proves(&secret, &one, "$argon2id$2"));
        assert_ne!(secret, browser_secret([2; 20], &one, "$argon2id$1"));
        for forged in ["", "-", "a-b", &secret[..secret.len() - 1], &secret.replace('-', "-0")] {
            assert!(!proves(forged, &one, "$argon2id$1"), "{forged}");
        }
    }

    #[test]
    fn a_place_is_an_address_or_a_subscriber_s_network() {
        let place = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(place("192.0.2.7"), "192.0.2.7");
        assert_eq!(place("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(place("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }
}
