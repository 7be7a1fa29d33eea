//! Shared by the map commands: reads network files, and writes output files atomically.

use std::{
    fs::{self, File},
    io::{Read, Write},
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

/// What a command writes, and what it may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Network,
    Map,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Map => "map",
        }
    }

    /// Whether a text may be an earlier output of the same command. A file with mistakes may be: it is replaced for
    /// that reason.
    fn may_replace(self, text: &str) -> bool {
        let top = text.trim_start_matches('\u{feff}').lines().take_while(|line| !line.trim_start().starts_with('['));
        let keys: Vec<&str> = top.filter_map(|line| Some(line.split_once('=')?.0.trim())).collect();
        // Both formats begin alike, but only a map has a size.
        let is_map = keys.contains(&"width") || keys.contains(&"height");
        text.trim().is_empty() || keys.contains(&"format") && is_map == (self == Self::Map)
    }
}

/// How much of a file is read to see what it is: the keys of both formats that are not in tables are at its beginning.
const HEAD_BYTES: u64 = 1 << 16;

/// Refuses an output that is one of the inputs, or a file that the command did not write: a mistyped name must not cost
/// the data.
pub(super) fn check_output<'a>(
    output: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
    kind: Kind,
) -> Result<(), CliError> {
    // What does not exist is no input, and a device, such as /dev/stdout, has nothing to lose.
    if output == Path::new("-") || !output.is_file() {
        return Ok(());
    }
    let name = output.display();
    let failed = |error: std::io::Error| CliError::Failed(format!("{name}: {error}"));
    let place = fs::canonicalize(output).map_err(failed)?;
    for input in inputs {
        if fs::canonicalize(input).is_ok_and(|input| input == place) {
            let message = format!("{name}: the output is the input {}; choose another file", input.display());
            return Err(CliError::Failed(message));
        }
    }
    let mut head = Vec::new();
    File::open(output).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head)).map_err(failed)?;
    if !kind.may_replace(&String::from_utf8_lossy(&head)) {
        let message = format!("{name}: this file exists and is no {}; choose another file, or remove it", kind.word());
        return Err(CliError::Failed(message));
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn only_what_the_same_command_wrote_is_replaced() {
        let network = "format = 1\nid = \"town\"\nname = \"Town\"\n\n[[line]]\ncode = 1\nwidth = 3\n";
        let map = "format = 1\nid = \"town\"\nwidth=900\nheight = 700\ncentre = 1\n\n[[line]]\n";
        assert!(Kind::Network.may_replace(network) && !Kind::Map.may_replace(network));
        assert!(Kind::Map.may_replace(map) && !Kind::Network.may_replace(map));
        let broken = "\u{feff}format = 1\nname = \"Town\n";
        assert!(Kind::Network.may_replace(broken), "--forget starts over");
        for kind in [Kind::Network, Kind::Map] {
            assert!(kind.may_replace("") && kind.may_replace("\n"), "nothing is lost");
            assert!(!kind.may_replace("stop_id,stop_name\na,A\n"), "a file of a feed");
            assert!(!kind.may_replace("PK\u{3}\u{4}format = 1"), "a feed in a zip file");
        }
    }
}
