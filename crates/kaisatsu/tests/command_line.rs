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

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    for shell in ["bash", "fish", "zsh"] {
        let output = kaisatsu(&["completions", shell]);
        assert!(output.status.success(), "{shell}");
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("serve") && script.contains("rotate"), "{shell}: {script}");
    }
    assert_eq!(kaisatsu(&["completions", "no-such-shell"]).status.code(), Some(2));
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let output = kaisatsu(&["man", folder.path().join("man1").to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for name in ["kaisatsu", "kaisatsu-serve", "kaisatsu-key-create"] {
        let page = std::fs::read_to_string(folder.path().join("man1").join(format!("{name}.1"))).unwrap();
        assert!(page.contains(".TH"), "{name}: {page}");
    }
    // Of use to those who make packages only.
    assert!(!folder.path().join("man1/kaisatsu-man.1").exists());
}
