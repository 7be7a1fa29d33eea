//! How long the texts of a map may be: they are drawn, sent and logged, and no real one comes near these limits.

use std::{borrow::Cow, ops::Range};

use super::Report;

/// The most characters of a name, a reading, a translation, a former name, a row of a label, and the edition.
pub const MAX_NAME: usize = 200;

/// The most characters of the credits.
pub const MAX_CREDITS: usize = 2_000;

/// The most rows of a label, large and small ones together.
pub const MAX_ROWS: usize = 8;

/// How much of a name that is too long is shown in a finding.
const SHOWN: usize = 40;

/// Refuses a text that is too long.
pub(super) fn check(text: &str, most: usize, what: &str, at: &Range<usize>, report: &mut Report) {
    let count = text.chars().count();
    if count > most {
        report.error(at, format!("{what} has {count} characters; at most {most} are taken"));
    }
}

/// A text as findings show it. One that is too long is cut: it would stand in every finding there is about its thing.
pub(super) fn brief(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_NAME) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.chars().take(SHOWN).chain(['…']).collect()),
    }
}
