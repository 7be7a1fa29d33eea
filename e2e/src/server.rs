//! A running server, on a free port of the loopback interface, with an empty home folder.

use std::{
    fs::File,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Stdio},
};

use tempfile::TempDir;

use crate::{Answer, Database, eventually, http, program};

/// A running server. It is stopped when this is dropped.
#[derive(Debug)]
pub struct Server {
    /// The address it listens on.
    pub address: SocketAddr,
    child: Child,
    home: TempDir,
}

impl Server {
    /// Starts a server on a database, with further arguments.
    #[must_use]
    pub fn start(database: &Database, args: &[&str]) -> Self {
        Self::start_with(database, args, &[])
    }

    /// Starts a server with environment variables too.
    #[must_use]
    pub fn start_with(database: &Database, args: &[&str], environment: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let out = File::create(home.path().join("out")).expect("out");
        let err = File::create(home.path().join("err")).expect("err");
        let mut child = program::command(home.path())
            .args(["serve", "--listen", "127.0.0.1:0", "--database", &database.address])
            // The story of several replicas is told on both databases.
            .env("KAISATSU_SHARE_SQLITE", "true")
            .args(args)
            .envs(environment.iter().copied())
            .stdout(Stdio::from(out))
            .stderr(Stdio::from(err))
            .spawn()
            .expect("start");
        let address = eventually("the server says where it listens", || {
            let out = std::fs::read_to_string(home.path().join("out")).unwrap_or_default();
            if let Some(status) = child.try_wait().expect("a status") {
                let err = std::fs::read_to_string(home.path().join("err")).unwrap_or_default();
                panic!("the server ended with {status}: {err}");
            }
            let line = out.lines().find_map(|line| line.trim().strip_prefix("address"));
            // The server prints the last line when it is ready.
            line.filter(|_| out.contains("curl"))?.trim().strip_prefix("http://")?.parse().ok()
        });
        Self { address, child, home }
    }

    /// Starts a server with the default models, and waits until it is ready.
    ///
    /// # Panics
    /// When `make test` has not installed the models.
    #[must_use]
    pub fn start_with_models(database: &Database, args: &[&str]) -> Self {
        let models = std::env::var("KAISATSU_TEST_MODELS");
        let models = models.expect("KAISATSU_TEST_MODELS is not set; `make test` installs the models and sets it");
        let server = Self::start(database, &[&["--models", &models], args].concat());
        eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
        server
    }

    /// One POST of a form: names and values.
    #[must_use]
    pub fn post_form(&self, target: &str, fields: &[(&str, &[u8])]) -> Answer {
        http::post(self.address, target, http::FORM, &http::form(fields))
    }

    /// Its standard output so far.
    #[must_use]
    pub fn out(&self) -> String {
        std::fs::read_to_string(self.home.path().join("out")).expect("out")
    }

    /// Its log so far.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.home.path().join("err")).expect("err")
    }

    /// The folder with its map files.
    #[must_use]
    pub fn maps(&self) -> PathBuf {
        self.home.path().join(".local/share/kaisatsu/maps")
    }

    /// Its home folder.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// One GET.
    #[must_use]
    pub fn get(&self, target: &str) -> Answer {
        http::get(self.address, target)
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: &str) {
        let sent = std::process::Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
    }

    /// Sends it a signal, unless it has ended.
    pub fn signal_if_running(&self, signal: &str) {
        let _ = std::process::Command::new("kill").args([signal, &self.child.id().to_string()]).output().expect("kill");
    }

    /// Its peak memory, in MB.
    #[must_use]
    pub fn peak_memory(&self) -> u64 {
        self.memory("VmHWM:")
    }

    /// The memory that it has now, in MB.
    #[must_use]
    pub fn resident_memory(&self) -> u64 {
        self.memory("VmRSS:")
    }

    fn memory(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("its status");
        let value = status.lines().find_map(|line| line.strip_prefix(field)).expect("its memory");
        let kilobytes: u64 = value.trim().trim_end_matches(" kB").parse().expect("a number");
        kilobytes / 1024
    }

    /// Waits until it ends; returns its exit code.
    pub fn wait(&mut self) -> Option<i32> {
        eventually("the server ends", || self.child.try_wait().expect("a status")).code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- the server's log\n{}", self.log());
        }
    }
}

/// A folder with only some of the default models: a server with it is ready sooner.
///
/// # Panics
/// When `make test` has not installed the models.
#[must_use]
pub fn models_with(names: &[&str]) -> TempDir {
    let models = std::env::var("KAISATSU_TEST_MODELS");
    let models = models.expect("KAISATSU_TEST_MODELS is not set; `make test` installs the models and sets it");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in names.iter().chain(&["runtime"]) {
        std::os::unix::fs::symlink(Path::new(&models).join(name), folder.path().join(name)).expect("a link");
    }
    folder
}

/// Creates a key of an application, as an operator would.
#[must_use]
pub fn make_key(database: &Database, application: &str) -> String {
    make_key_with_scope(database, application, "standard")
}

/// Creates a key with a scope: `restricted`, `standard` or `operator`.
#[must_use]
pub fn make_key_with_scope(database: &Database, application: &str, scope: &str) -> String {
    let home = tempfile::tempdir().expect("a temporary folder");
    let create = ["key", "create", "--app", application, "--scope", scope, "--database", &database.address];
    let made = program::run(home.path(), &create, &[]);
    assert_eq!(made.code, 0, "{}", made.err);
    made.out.trim().to_owned()
}
