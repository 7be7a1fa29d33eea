//! What an import read, what it left out and why, and what a person should look at.

use std::fmt;

/// How many examples of one reason are shown.
const EXAMPLES: usize = 12;

/// The account of one import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    read: Vec<(String, usize)>,
    dropped: Vec<Dropped>,
    /// Names whose reading somebody must settle, with what the dictionaries say.
    pub unsettled: Vec<Unsettled>,
}

/// Things left out for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Why.
    pub reason: String,
    /// How many.
    pub count: usize,
    /// The first of them.
    pub examples: Vec<String>,
}

/// A name whose reading is not known for sure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsettled {
    /// The name, with its prefecture where that is known.
    pub name: String,
    /// What the dictionaries offer; nothing when they do not know the name.
    pub candidates: Vec<String>,
}

impl Summary {
    /// Counts what was read.
    pub(crate) fn read(&mut self, what: &str, count: usize) {
        match self.read.iter_mut().find(|(known, _)| known == what) {
            Some((_, total)) => *total += count,
            None => self.read.push((what.to_owned(), count)),
        }
    }

    /// Notes something left out. Reasons with nothing dropped are not mentioned.
    pub(crate) fn drop(&mut self, reason: &str, example: impl Into<String>) {
        let example = example.into();
        let Some(dropped) = self.dropped.iter_mut().find(|dropped| dropped.reason == reason) else {
            self.dropped.push(Dropped { reason: reason.to_owned(), count: 1, examples: vec![example] });
            return;
        };
        dropped.count += 1;
        if dropped.examples.len() < EXAMPLES && !dropped.examples.contains(&example) {
            dropped.examples.push(example);
        }
    }

    /// Adds another account to this one.
    pub(crate) fn append(&mut self, other: Self) {
        for (what, count) in other.read {
            self.read(&what, count);
        }
        self.dropped.extend(other.dropped);
        self.unsettled.extend(other.unsettled);
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, count) in &self.read {
            writeln!(f, "{count:>9} {what}")?;
        }
        for dropped in &self.dropped {
            let more = if dropped.count > dropped.examples.len() { ", …" } else { "" };
            writeln!(f, "{:>9} left out: {}: {}{more}", dropped.count, dropped.reason, dropped.examples.join(", "))?;
        }
        if !self.unsettled.is_empty() {
            writeln!(f, "{:>9} names without a settled reading:", self.unsettled.len())?;
        }
        for unsettled in &self.unsettled {
            let known = if unsettled.candidates.is_empty() {
                "not known".to_owned()
            } else {
                unsettled.candidates.join(" or ")
            };
            writeln!(f, "          {}: {known}", unsettled.name)?;
        }
        Ok(())
    }
}
