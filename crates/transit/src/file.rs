//! The network file, TOML as described in docs/formats/network.md.
//!
//! Reading deserialises the text and then validates the contents. Every finding has a line number.

mod check;
mod error;
mod schema;
mod write;

use kaisatsu_model::LineIndex;

pub use error::{Finding, ParseError};
pub use schema::FORMAT;
use schema::NetworkFile;
pub use write::write;

use crate::Network;

/// The largest network file that is read, in bytes.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The text of a network file. It is read back first, so that an invalid file never replaces a valid one.
///
/// # Errors
/// All reasons why the text would be invalid.
pub fn write_checked(network: &Network) -> Result<String, ParseError> {
    let text = write(network);
    read(&text).map(|_| text)
}

/// Reads and checks the text of a network file.
///
/// # Errors
/// All problems, with their lines.
pub fn read(text: &str) -> Result<Network, ParseError> {
    let single = |line, message| ParseError { findings: vec![Finding { line, message }] };
    if text.len() > MAX_BYTES {
        return Err(single(1, format!("it has {} bytes; a network file has at most {MAX_BYTES}", text.len())));
    }
    let lines = LineIndex::new(text);
    let file: NetworkFile = toml::from_str(text)
        .map_err(|error| single(lines.number(&error.span().unwrap_or(0..0)), error.message().replace('\n', "; ")))?;
    if *file.format.get_ref() != FORMAT {
        let message = format!("format {} is not known; this Kaisatsu reads format {FORMAT}", file.format.get_ref());
        return Err(single(lines.number(&file.format.span()), message));
    }
    check::check(file, &lines)
}
