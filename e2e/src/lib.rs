//! Tools of the end-to-end tests: the real binary, and a client that sends exactly the bytes it is given.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::print_stderr,
    reason = "a test stops at the first surprise"
)]

pub mod console_client;
mod database_proxy;
pub mod http;
mod mail_server;
pub mod onnx;
pub mod operator;
pub mod pictures;
mod program;
mod route_maps;
mod seed;
mod server;
mod small_disk;
mod user;
mod worker;

pub use console_client::ConsoleClient;
pub use database_proxy::DatabaseProxy;
pub use http::Answer;
pub use kaisatsu_testkit::{Backend, Database};
pub use mail_server::{Letter, MailServer};
pub use program::{Run, binary, run, spawn};
pub use route_maps::RouteMaps;
pub use seed::Seed;
pub use server::{Server, make_key, make_key_with_scope, models_with};
pub use small_disk::SmallDisk;
pub use user::User;
pub use worker::Worker;

/// Polls until a condition holds. The limit is generous: it only ends tests that would hang.
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

/// Generates a test of each function for each backend.
#[macro_export]
macro_rules! on_every_backend {
    ($($test:ident),+ $(,)?) => {
        mod sqlite { $(#[test] fn $test() { super::$test($crate::Backend::Sqlite); })+ }
        mod postgres { $(#[test] fn $test() { super::$test($crate::Backend::Postgres); })+ }
    };
}
