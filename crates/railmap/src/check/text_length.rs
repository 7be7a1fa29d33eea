//! Length limits for the texts of a map, which are drawn, sent and logged.

use std::{borrow::Cow, ops::Range};

use super::report::Report;

/// The most characters in a name, a reading, a translation, a former name, a row of a label, or the edition.
pub const MAX_NAME: usize = 200;

/// The most characters in the credits.
pub const MAX_CREDITS: usize = 2_000;

/// The most rows of a label, `rows` and `small` together.
pub const MAX_ROWS: usize = 8;

/// The most characters in the symbol of a line, or in the number of a station.
pub const MAX_SYMBOL: usize = 12;

/// The most numbers of a station.
pub const MAX_NUMBERS: usize = 32;

/// How many characters of an overlong name a finding shows.
const ABBREVIATED: usize = 40;

/// Reports a text that is too long.
pub(super) fn check(text: &str, most: usize, what: &str, at: &Range<usize>, report: &mut Report) {
    let count = text.chars().count();
    if count > most {
        report.error(at, format!("{what} has {count} characters; at most {most} are taken"));
    }
}

/// A text as findings show it. An overlong text is abbreviated, because every finding about its station or line repeats
/// it.
pub(super) fn abbreviate(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_NAME) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.chars().take(ABBREVIATED).chain(['…']).collect()),
    }
}
