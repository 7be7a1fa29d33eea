//! What can go wrong while a network is read, always with the file and, where there is one, the line.

use std::io;

/// Why there is no network.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something is wrong at a line of a file.
    #[error("{file}:{line}: {message}")]
    Line {
        /// The file, as the caller named it.
        file: String,
        /// Where, from 1.
        line: u64,
        /// What.
        message: String,
    },
    /// Something is wrong with a file as a whole.
    #[error("{file}: {message}")]
    File {
        /// The file, as the caller named it.
        file: String,
        /// What.
        message: String,
    },
    /// A file cannot be read.
    #[error("{file}: {source}")]
    Io {
        /// The file, as the caller named it.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// Several things at once: whoever mends them wants to see all of them.
    #[error("{}", join(.0))]
    Several(Vec<Error>),
}

fn join(errors: &[Error]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl Error {
    pub(crate) fn line(file: &str, line: u64, message: impl Into<String>) -> Self {
        Self::Line { file: file.to_owned(), line, message: message.into() }
    }

    pub(crate) fn file(file: &str, message: impl Into<String>) -> Self {
        Self::File { file: file.to_owned(), message: message.into() }
    }

    pub(crate) fn io(file: &str, source: io::Error) -> Self {
        Self::Io { file: file.to_owned(), source }
    }

    /// Nothing, the one error, or all of them.
    pub(crate) fn from_all(mut errors: Vec<Self>) -> Result<(), Self> {
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.swap_remove(0)),
            _ => Err(Self::Several(errors)),
        }
    }
}
