//! The real binary, run as a person would run it.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
};

/// The path of the binary: the one that `KAISATSU_BINARY` names, or else one built from the sources as they are.
///
/// `make test` sets the variable, because the build of the tests has made the binary too. A build of the package alone
/// resolves other features and would compile half of the dependencies again.
#[must_use]
pub fn binary() -> &'static Path {
    static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
        let path = env::var_os("KAISATSU_BINARY").map_or_else(build, PathBuf::from);
        assert!(path.is_absolute() && path.exists(), "{} is not the absolute path of a file", path.display());
        path
    });
    &BINARY
}

/// Builds the binary beside the tests and returns its path.
fn build() -> PathBuf {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--package", "kaisatsu"]).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    // Cargo describes the package of a test in these variables. Some build scripts watch them, and would run again.
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            build.env_remove(name);
        }
    }
    let status = build.status().expect("cargo");
    assert!(status.success(), "the binary does not build");
    // A test is TARGET/debug/deps/NAME, the binary TARGET/debug/kaisatsu.
    let own = env::current_exe().expect("a path");
    own.parent().and_then(Path::parent).expect("a target folder").join("kaisatsu")
}

/// The binary with a clean environment: no variable of the person who runs the tests reaches it.
pub(crate) fn command(home: &Path) -> Command {
    let mut command = Command::new(binary());
    command.env_clear().env("HOME", home).env("PATH", env::var_os("PATH").unwrap_or_default()).stdin(Stdio::null());
    command
}

/// Starts the binary with pipes to its standard input and output.
#[must_use]
pub fn spawn(home: &Path, args: &[&str], environment: &[(&str, &str)]) -> Child {
    let mut command = command(home);
    command.args(args).envs(environment.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
    command.spawn().expect("start")
}

/// The result of a run of the binary.
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
