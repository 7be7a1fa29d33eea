//! Random numbers that can be repeated: their seed is printed, and can be set.

use std::{
    hash::{BuildHasher, RandomState},
    io::Write,
};

use kaisatsu_testkit::{INCREMENT, splitmix64};

/// The environment variable that sets the seed.
const VARIABLE: &str = "KAISATSU_TEST_SEED";

/// Random numbers from a seed. It is printed at the start, and once more when the test fails.
#[derive(Debug)]
pub struct Seed {
    seed: u64,
    state: u64,
}

impl Seed {
    /// Takes the seed from `KAISATSU_TEST_SEED`, or a random one.
    ///
    /// # Panics
    /// When the variable is not a whole number.
    #[must_use]
    pub fn new() -> Self {
        let seed = match std::env::var(VARIABLE) {
            Ok(text) => text.parse().unwrap_or_else(|_| panic!("{VARIABLE} must be a whole number, not '{text}'")),
            Err(_) => RandomState::new().hash_one(std::process::id()),
        };
        print(seed);
        Self { seed, state: seed }
    }

    /// The next random number below a bound (`SplitMix64`).
    pub fn below(&mut self, bound: u64) -> u64 {
        let number = splitmix64(self.state);
        self.state = self.state.wrapping_add(INCREMENT);
        number % bound
    }
}

impl Default for Seed {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            print(self.seed);
        }
    }
}

/// Past the test harness, which hides what a passing test prints.
fn print(seed: u64) {
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(std::io::stderr(), "{name}: {VARIABLE}={seed} repeats this run");
}
