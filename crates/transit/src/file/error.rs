//! The findings that make a network file invalid.

use std::fmt;

/// A problem at one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The line number, counted from 1.
    pub line: usize,
    /// The description of the problem.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// All reasons why a text is not a valid network file, ordered by line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct ParseError {
    /// At least one.
    pub findings: Vec<Finding>,
}
