//! The tools of the end-to-end tests: the real binary, and a client that sends exactly the bytes it is given.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::print_stderr,
    reason = "a test stops at the first surprise"
)]

mod browser;
pub mod http;
pub mod person;
pub mod pictures;
mod program;
mod seed;
mod server;
mod user;

pub use browser::{Browser, Screen};
pub use http::Answer;
pub use kaisatsu_testkit::{Backend, Database};
pub use person::Person;
pub use program::{Run, binary, run};
pub use seed::Seed;
pub use server::{Server, make_key, models_with};
pub use user::User;

/// Repeats a look until it sees what it waits for. The limit is generous: it only ends tests that would hang.
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = std::time::Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(began.elapsed() < std::time::Duration::from_mins(1), "waited in vain: {what}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Makes a test of each story on each backend.
#[macro_export]
macro_rules! on_every_backend {
    ($($story:ident),+ $(,)?) => {
        mod sqlite { $(#[test] fn $story() { super::$story($crate::Backend::Sqlite); })+ }
        mod postgres { $(#[test] fn $story() { super::$story($crate::Backend::Postgres); })+ }
    };
}
