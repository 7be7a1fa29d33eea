//! What the map commands share: reading a network file, and writing a result without ever leaving half of one.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use kaisatsu_transit::{Network, file};

use crate::error::CliError;

/// Reads a network file; everything that is wrong is told with file and line.
pub(super) fn network(path: &Path) -> Result<Network, CliError> {
    let name = path.display();
    let failed = |error: std::io::Error| CliError::Failed(format!("{name}: {error}"));
    if fs::metadata(path).map_err(failed)?.len() > file::MAX_BYTES as u64 {
        return Err(CliError::Failed(format!("{name}: more than {} bytes are no network", file::MAX_BYTES)));
    }
    let text = fs::read_to_string(path).map_err(failed)?;
    file::read(&text).map_err(|unreadable| {
        let all: Vec<_> = unreadable.findings.iter().map(|f| format!("{name}:{}: {}", f.line, f.message)).collect();
        CliError::Failed(all.join("\n"))
    })
}

/// Writes beside the output and puts it in its place, so that nobody ever sees half a file; - is standard output.
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
        // What is left of it helps nobody; that it cannot be removed neither.
        let _ = fs::remove_file(&beside);
        failed(error)
    })
}
