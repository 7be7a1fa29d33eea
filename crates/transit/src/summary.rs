//! Summarises an import: what was read, what was left out and why, and which readings are unresolved.

use std::fmt;

/// How many examples are shown for each reason.
const EXAMPLES: usize = 12;

/// The summary of one import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    read: Vec<(String, usize)>,
    omitted: Vec<Omission>,
    /// What was taken but may not be what was meant.
    notes: Vec<String>,
    /// Names whose reading a person must decide, with the candidates of the dictionaries.
    pub unresolved: Vec<UnresolvedReading>,
}

/// Items that were left out for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Omission {
    /// The reason.
    pub reason: String,
    /// The number of items.
    pub count: usize,
    /// The first few of them.
    pub examples: Vec<String>,
}

/// A name whose reading is unknown or ambiguous.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresolvedReading {
    /// The name, with its prefecture if known.
    pub name: String,
    /// The readings in the dictionaries; empty if they do not have the name.
    pub candidates: Vec<String>,
}

impl Summary {
    /// Adds to the count of items that were read.
    pub(crate) fn count(&mut self, what: &str, count: usize) {
        match self.read.iter_mut().find(|(known, _)| known == what) {
            Some((_, total)) => *total += count,
            None => self.read.push((what.to_owned(), count)),
        }
    }

    /// Records an item that was left out.
    pub(crate) fn omit(&mut self, reason: &str, example: impl Into<String>) {
        let example = example.into();
        let Some(omitted) = self.omitted.iter_mut().find(|omitted| omitted.reason == reason) else {
            self.omitted.push(Omission { reason: reason.to_owned(), count: 1, examples: vec![example] });
            return;
        };
        omitted.count += 1;
        if omitted.examples.len() < EXAMPLES && !omitted.examples.contains(&example) {
            omitted.examples.push(example);
        }
    }

    /// Notes something that was taken but may not be what was meant.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Notes items of one kind with their number and the first few of them, if there are any.
    pub(crate) fn note_all(&mut self, what: &str, mut items: Vec<String>) {
        let count = items.len();
        if count > 0 {
            items.truncate(EXAMPLES);
            let more = if count > EXAMPLES { ", …" } else { "" };
            self.note(format!("{count} {what}: {}{more}", items.join(", ")));
        }
    }

    /// Adds the contents of another summary.
    pub(crate) fn append(&mut self, other: Self) {
        for (what, count) in other.read {
            self.count(&what, count);
        }
        self.omitted.extend(other.omitted);
        self.notes.extend(other.notes);
        self.unresolved.extend(other.unresolved);
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, count) in &self.read {
            writeln!(f, "{count:>9} {what}")?;
        }
        for omitted in &self.omitted {
            let more = if omitted.count > omitted.examples.len() { ", …" } else { "" };
            writeln!(f, "{:>9} left out: {}: {}{more}", omitted.count, omitted.reason, omitted.examples.join(", "))?;
        }
        for note in &self.notes {
            writeln!(f, "    note: {note}")?;
        }
        if !self.unresolved.is_empty() {
            writeln!(f, "{:>9} names without a settled reading:", self.unresolved.len())?;
        }
        for unresolved in &self.unresolved {
            let known = if unresolved.candidates.is_empty() {
                "not known".to_owned()
            } else {
                unresolved.candidates.join(" or ")
            };
            writeln!(f, "          {}: {known}", unresolved.name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Summary, UnresolvedReading};

    #[test]
    fn counts_of_the_same_thing_are_added() {
        let mut summary = Summary::default();
        summary.count("rows", 2);
        summary.count("lines", 1);
        let mut more = Summary::default();
        more.count("rows", 3);
        more.omit("empty", "x");
        more.unresolved.push(UnresolvedReading { name: "乙".to_owned(), candidates: Vec::new() });
        summary.append(more);
        let expected = "        5 rows\n        1 lines\n        1 left out: empty: x\n        \
            1 names without a settled reading:\n          乙: not known\n";
        assert_eq!(summary.to_string(), expected);
    }

    #[test]
    fn each_reason_shows_its_first_twelve_examples_once_each() {
        let told = |examples: &[&str]| {
            let mut summary = Summary::default();
            for example in examples {
                summary.omit("r", *example);
            }
            summary.to_string()
        };
        assert_eq!(told(&["a", "b"]), "        2 left out: r: a, b\n");
        assert_eq!(told(&["a", "a", "b"]), "        3 left out: r: a, b, …\n");
        let thirteen = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"];
        assert_eq!(told(&thirteen[..12]), "       12 left out: r: a, b, c, d, e, f, g, h, i, j, k, l\n");
        assert_eq!(told(&thirteen), "       13 left out: r: a, b, c, d, e, f, g, h, i, j, k, l, …\n");
    }

    #[test]
    fn notes_show_their_number_and_the_first_twelve() {
        let mut summary = Summary::default();
        summary.note("look");
        summary.note_all("none", Vec::new());
        summary.note_all("letters", ('a'..='m').map(String::from).collect());
        let mut all = Summary::default();
        all.append(summary);
        let expected = "    note: look\n    note: 13 letters: a, b, c, d, e, f, g, h, i, j, k, l, …\n";
        assert_eq!(all.to_string(), expected);
    }

    #[test]
    fn unresolved_readings_are_listed_with_their_candidates() {
        let candidates = vec!["きのと".to_owned(), "おつ".to_owned()];
        let unresolved = vec![UnresolvedReading { name: "乙".to_owned(), candidates }];
        let summary = Summary { unresolved, ..Summary::default() };
        let expected = "        1 names without a settled reading:\n          乙: きのと or おつ\n";
        assert_eq!(summary.to_string(), expected);
        assert_eq!(Summary::default().to_string(), "");
    }
}
