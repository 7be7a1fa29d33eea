//! The real binary, built from the sources as they are, and run as a person would.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

/// The path of the binary. The first call in a process makes sure that it is up to date.
#[must_use]
pub fn binary() -> &'static Path {
    static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build
            .args(["build", "--quiet", "--package", "kaisatsu"])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        // What cargo tells a test about its package is not for another cargo: some build scripts watch these names, and
        // their crates would be built anew each time.
        for (name, _) in env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
                build.env_remove(name);
            }
        }
        let built = build.status().expect("cargo");
        assert!(built.success(), "the binary does not build");
        // This test lies in TARGET/debug/deps, the binary two levels above it.
        let own = env::current_exe().expect("a path");
        let path = own.parent().and_then(Path::parent).expect("a target folder").join("kaisatsu");
        assert!(path.exists(), "{} is not there", path.display());
        path
    });
    &BINARY
}

/// The binary with a clean environment: nothing of the person who runs the tests gets in.
pub(crate) fn command(home: &Path) -> Command {
    let mut command = Command::new(binary());
    command.env_clear().env("HOME", home).env("PATH", env::var_os("PATH").unwrap_or_default()).stdin(Stdio::null());
    command
}

/// What a run of the binary came to.
#[derive(Debug)]
pub struct Run {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Runs the binary to its end.
#[must_use]
pub fn run(home: &Path, args: &[&str], environment: &[(&str, &str)]) -> Run {
    let output = command(home).args(args).envs(environment.iter().copied()).output().expect("run");
    Run {
        code: output.status.code().expect("an exit code"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}
