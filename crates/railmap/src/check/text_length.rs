//! Length limits for the texts of a map, and warnings of what cannot be seen in them.

use std::ops::Range;

pub(super) use kaisatsu_model::text::abbreviate;
pub use kaisatsu_model::text::{MAX_CREDITS, MAX_NAME, MAX_NUMBERS, MAX_SYMBOL};
use kaisatsu_model::text::{check_length, is_hidden};

use super::report::Report;

/// The most rows of a label, `rows` and `small` together.
pub const MAX_ROWS: usize = 8;

/// Reports a text that is too long.
pub(super) fn check(text: &str, most: usize, what: &str, at: &Range<usize>, report: &mut Report) {
    if let Err(message) = check_length(text, most, what) {
        report.error(at, message);
    }
}

/// Reports a name that is too long, and warns of characters in it that a reader does not see.
pub(super) fn check_name(text: &str, most: usize, what: &str, at: &Range<usize>, report: &mut Report) {
    check(text, most, what, at, report);
    if let Some(hidden) = text.chars().find(|&c| is_hidden(c)) {
        report.warning(at, format!("{what} contains U+{:04X}, a character that is not seen", u32::from(hidden)));
    }
}
