//! A small disk in memory, for tests of what happens when it is full or read-only.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

/// A file system of its own, which is unmounted when this is dropped.
#[derive(Debug)]
pub struct SmallDisk {
    folder: TempDir,
}

impl SmallDisk {
    /// Mounts a disk of some megabytes.
    ///
    /// # Panics
    /// When the tests may not mount: run them as root, or with `sudo` that asks for no password.
    #[must_use]
    pub fn mount(megabytes: u32) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let size = format!("size={megabytes}m,mode=777");
        assert!(
            privileged(&["mount", "-t", "tmpfs", "-o", &size, "none", &folder.path().display().to_string()]),
            "this test mounts a small disk: run it as root, or allow `sudo -n mount`"
        );
        Self { folder }
    }

    /// Where it is mounted.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file until there is no room left.
    ///
    /// # Panics
    /// When the disk does not get full.
    pub fn fill(&self) {
        let mut file = File::create(self.filler()).expect("a file");
        let block = vec![0; 4096];
        let full = (0..1 << 20).any(|_| file.write_all(&block).is_err());
        assert!(full, "the disk is larger than it should be");
    }

    /// Removes that file again.
    ///
    /// # Panics
    /// When there is none.
    pub fn make_room(&self) {
        fs::remove_file(self.filler()).expect("a file");
    }

    /// Makes the disk read-only, or writable again.
    ///
    /// # Panics
    /// When a file on it is open for writing.
    pub fn set_read_only(&self, read_only: bool) {
        let options = if read_only { "remount,ro" } else { "remount,rw" };
        assert!(privileged(&["mount", "-o", options, &self.path().display().to_string()]), "{options}");
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a server that a failing test leaves behind may still use it.
        let _ = privileged(&["umount", "--lazy", &self.path().display().to_string()]);
    }
}

/// Runs a command as it is, or with `sudo` where that is not allowed.
fn privileged(command: &[&str]) -> bool {
    let runs = |program: &str, args: &[&str]| {
        Command::new(program).args(args).output().is_ok_and(|output| output.status.success())
    };
    runs(command[0], &command[1..]) || runs("sudo", &[&["-n"], command].concat())
}
