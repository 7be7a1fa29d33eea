//! A running worker, which does jobs and answers nobody.

use std::process::{Child, Stdio};

use tempfile::TempDir;

use crate::{Database, eventually, program};

/// A running worker. It is stopped when this is dropped.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    _home: TempDir,
}

impl Worker {
    /// Starts a worker on a database, with further arguments.
    #[must_use]
    pub fn start(database: &Database, args: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let mut command = program::command(home.path());
        command.args(["worker", "--database", &database.address]).args(args).stdout(Stdio::null());
        Self { child: command.spawn().expect("start"), _home: home }
    }

    /// Asks it to end, and waits until it has, without an error.
    pub fn stop(&mut self) {
        let sent = std::process::Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(sent.expect("kill").success());
        let ended = eventually("the worker ends", || self.child.try_wait().expect("a status"));
        assert!(ended.success(), "{ended}");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
