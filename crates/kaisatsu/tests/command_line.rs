//! The command line of the binary, without a server.
//!
//! This file also makes `cargo test` build the binary, with the features that the tests are built with. The end-to-end
//! tests of `make test` run that one.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::process::{Command, Output};

fn kaisatsu(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kaisatsu")).args(arguments).env_clear().output().unwrap()
}

#[test]
fn version_is_that_of_the_package() {
    let output = kaisatsu(&["--version"]);
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), concat!("kaisatsu ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn an_unknown_command_is_an_error_of_usage() {
    let output = kaisatsu(&["no-such-command"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8(output.stderr).unwrap().contains("no-such-command"));
}
