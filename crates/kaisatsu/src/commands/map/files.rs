//! Shared by the map commands: reads network files, and writes output files atomically.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use kaisatsu_transit::{Network, file};

use crate::error::CliError;

/// Reads a network file; an error lists all findings with file and line.
pub(super) fn network(path: &Path) -> Result<Network, CliError> {
    let name = path.display();
    let failed = |error: std::io::Error| CliError::Failed(format!("{name}: {error}"));
    if fs::metadata(path).map_err(failed)?.len() > file::MAX_BYTES as u64 {
        return Err(CliError::Failed(format!("{name}: more than {} bytes are no network", file::MAX_BYTES)));
    }
    let text = fs::read_to_string(path).map_err(failed)?;
    file::read(&text).map_err(|error| {
        let all: Vec<_> = error.findings.iter().map(|f| format!("{name}:{}: {}", f.line, f.message)).collect();
        CliError::Failed(all.join("\n"))
    })
}

/// Writes a temporary file and renames it, so that the output is never incomplete; - is standard output.
pub(super) fn write(output: &Path, content: impl AsRef<[u8]>) -> Result<(), CliError> {
    let name = output.display();
    let failed = |error: std::io::Error| CliError::Failed(format!("{name}: {error}"));
    if output == Path::new("-") {
        return std::io::stdout().lock().write_all(content.as_ref()).map_err(failed);
    }
    let mut beside = output.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    fs::write(&beside, content).and_then(|()| fs::rename(&beside, output)).map_err(|error| {
        // Best effort: the error that matters is the first one.
        let _ = fs::remove_file(&beside);
        failed(error)
    })
}
