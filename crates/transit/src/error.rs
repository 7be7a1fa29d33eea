//! Errors of imports, with the file and, where known, the line.

use std::io;

/// Why an import failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A problem at a line of a file.
    #[error("{file}:{line}: {message}")]
    Line {
        /// The file, as the caller named it.
        file: String,
        /// The line number, counted from 1.
        line: u64,
        /// The description of the problem.
        message: String,
    },
    /// A problem with a whole file.
    #[error("{file}: {message}")]
    File {
        /// The file, as the caller named it.
        file: String,
        /// The description of the problem.
        message: String,
    },
    /// A file cannot be read.
    #[error("{file}: {source}")]
    Io {
        /// The file, as the caller named it.
        file: String,
        /// The cause.
        source: io::Error,
    },
    /// Several problems, so that the user can fix all of them at once.
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

    /// No error, one error, or all of them together.
    pub(crate) fn from_all(mut errors: Vec<Self>) -> Result<(), Self> {
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.swap_remove(0)),
            _ => Err(Self::Several(errors)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn one_error_is_no_list_of_errors() {
        let error = |message: &str| Error::file("f", message);
        assert!(Error::from_all(Vec::new()).is_ok());
        assert!(matches!(Error::from_all(vec![error("a")]), Err(Error::File { .. })));
        let several = Error::from_all(vec![error("a"), error("b")]).unwrap_err();
        assert!(matches!(several, Error::Several(_)) && several.to_string() == "f: a\nf: b", "{several}");
    }
}
