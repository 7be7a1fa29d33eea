//! Collects the findings of a check, with their line numbers.

use std::{fmt, ops::Range};

use kaisatsu_model::LineIndex;

/// Whether a finding prevents the use of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The map cannot be used.
    Error,
    /// The map can be used, but it has a flaw.
    Warning,
}

/// A problem at one line of a map file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether it prevents the use of the map.
    pub severity: Severity,
    /// The line number, counted from 1.
    pub line: usize,
    /// The description of the problem.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{}: {severity}: {}", self.line, self.message)
    }
}

/// Collects findings.
pub(super) struct Report {
    pub(super) lines: LineIndex,
    pub(super) findings: Vec<Finding>,
}

impl Report {
    pub(super) fn new(lines: LineIndex) -> Self {
        Self { lines, findings: Vec::new() }
    }

    pub(super) fn error(&mut self, at: &Range<usize>, message: impl Into<String>) {
        self.add(Severity::Error, at, message.into());
    }

    pub(super) fn warning(&mut self, at: &Range<usize>, message: impl Into<String>) {
        self.add(Severity::Warning, at, message.into());
    }

    fn add(&mut self, severity: Severity, at: &Range<usize>, message: String) {
        self.findings.push(Finding { severity, line: self.lines.number(at), message });
    }
}
