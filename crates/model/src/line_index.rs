//! Line numbers for error messages about files.

use std::ops::Range;

/// Finds the line number of a byte offset in a text.
#[derive(Debug)]
pub struct LineIndex {
    ends: Vec<usize>,
}

impl LineIndex {
    /// Indexes the line ends of a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { ends: text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect() }
    }

    /// The line in which a span of bytes begins, from 1.
    #[must_use]
    pub fn number(&self, span: &Range<usize>) -> usize {
        self.ends.partition_point(|end| *end < span.start) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::LineIndex;

    #[test]
    fn a_line_end_belongs_to_its_line() {
        let lines = LineIndex::new("a\nbc\n\nd");
        let numbers: Vec<usize> = (0..8).map(|at| lines.number(&(at..at))).collect();
        assert_eq!(numbers, [1, 1, 2, 2, 2, 3, 4, 4]);
    }
}
