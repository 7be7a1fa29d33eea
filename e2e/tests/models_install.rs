//! Installing the default models with nothing but the binary.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use kaisatsu_e2e::{binary, run};
use tempfile::TempDir;

fn installed() -> PathBuf {
    std::env::var("KAISATSU_TEST_MODELS").expect("`make test` installs the models and sets KAISATSU_TEST_MODELS").into()
}

/// A folder with links to the installed models, but for one.
fn without(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(installed()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != name && entry.path().is_dir() {
            symlink(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    folder
}

/// The models of `make models` count as installed: the binary has the very same list of packages, hashes and labels.
#[test]
fn what_the_sources_install_is_in_place_for_the_binary() {
    let home = tempfile::tempdir().unwrap();
    let done = run(home.path(), &["models", "install", &installed().display().to_string()], &[]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("all in place"), "nothing is fetched: {}", done.err);
    assert!(done.out.contains("the models are in "), "{}", done.out);
}

#[test]
fn what_is_missing_is_installed_and_can_be_used() {
    let home = tempfile::tempdir().unwrap();
    let folder = without("animal");
    let path = folder.path().display().to_string();
    let done = run(home.path(), &["models", "install", &path], &[("TMPDIR", &home.path().display().to_string())]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("animal ready"), "{}", done.err);
    assert!(folder.path().join("animal/model.toml").is_file());
    let left: Vec<_> = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "the installer removes itself: {left:?}");
    let listed = run(home.path(), &["models", "list", "--models", &path], &[]);
    assert!(listed.out.lines().any(|line| line.starts_with("animal ")), "{}", listed.out);
}

/// A package that cannot be fetched leaves nothing behind, and is said with what pip said.
#[test]
fn a_model_that_cannot_be_fetched_is_named() {
    let home = tempfile::tempdir().unwrap();
    let folder = without("coco");
    let nowhere = [("PIP_INDEX_URL", "http://127.0.0.1:1/simple"), ("PIP_RETRIES", "0"), ("PIP_NO_CACHE_DIR", "1")];
    let done = run(home.path(), &["models", "install", &folder.path().display().to_string()], &nowhere);
    assert_eq!(done.code, 1, "{}", done.out);
    assert!(done.err.contains("coco FAILED") && done.err.contains("run the command again"), "{}", done.err);
    assert!(!folder.path().join("coco").exists());
}

#[test]
fn a_machine_without_python_is_told_what_to_install() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("models");
    let done = run(home.path(), &["models", "install", &folder.display().to_string()], &[("PATH", "/nonexistent")]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("needs Python 3.11 or later with pip"), "{}", done.err);
    assert!(!folder.exists());
}

/// Starts a server on a terminal, which `script` makes, with a Python that notes its arguments; returns what is shown.
fn serve_on_a_terminal(home: &Path, answer: &str) -> String {
    let bin = home.join("bin");
    fs::create_dir(&bin).unwrap();
    let python = bin.join("python3");
    // The first call tries it, the second counts, the third installs.
    let text = "#!/bin/sh\ncase $* in *install.py*) mkdir -p \"$2\"; echo models: tiny ready; echo ran >\"$HOME/ran\";; \
                *COUNT*|*missing*) echo 1;; esac\n";
    fs::write(&python, text).unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let serve = format!("timeout --foreground 20 {} serve --listen 127.0.0.1:0", binary().display());
    let mut child = Command::new("script")
        .args(["-qec", &serve, "/dev/null"])
        .env_clear()
        .envs([("HOME", home.display().to_string()), ("PATH", path), ("TERM", "dumb".to_owned())])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(answer.as_bytes()).unwrap();
    input.flush().unwrap();
    let mut output = child.stdout.take().unwrap();
    let mut shown = String::new();
    let mut buffer = [0; 4096];
    while !shown.contains("is open") {
        let read = std::io::Read::read(&mut output, &mut buffer).unwrap();
        assert!(read > 0, "it ended early: {shown}");
        shown.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    // Ctrl-C ends the server.
    let _ = input.write_all(b"\x03");
    let _ = child.wait();
    shown
}

#[test]
fn a_server_without_models_offers_them_on_a_terminal() {
    let home = tempfile::tempdir().unwrap();
    let shown = serve_on_a_terminal(home.path(), "n\n");
    assert!(shown.contains("There are no models in ") && shown.contains("[y/N]"), "{shown}");
    assert!(shown.contains("`kaisatsu models install` installs them later"), "{shown}");
    assert!(!home.path().join("ran").exists());

    let home = tempfile::tempdir().unwrap();
    let shown = serve_on_a_terminal(home.path(), "y\n");
    assert!(home.path().join("ran").exists(), "{shown}");
}
