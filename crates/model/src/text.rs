//! Limits and rules for the texts of networks and maps, which are drawn, sent and logged.

use std::borrow::Cow;

/// The most characters in a name, a reading, a translation, a former name, a row of a label, an operator, or the
/// edition.
pub const MAX_NAME: usize = 200;

/// The most characters in the credits.
pub const MAX_CREDITS: usize = 2_000;

/// The most characters in the symbol of a line, or in the number of a station.
pub const MAX_SYMBOL: usize = 12;

/// The most numbers of a station.
pub const MAX_NUMBERS: usize = 32;

/// How many characters of an overlong name a message shows.
const ABBREVIATED: usize = 40;

/// Says that a text is too long, if it is. `what` begins the message.
///
/// # Errors
/// The message.
pub fn check_length(text: &str, most: usize, what: &str) -> Result<(), String> {
    let count = text.chars().count();
    if count > most { Err(format!("{what} has {count} characters; at most {most} are taken")) } else { Ok(()) }
}

/// A text as messages show it. An overlong text is abbreviated, because every message about its station or line
/// repeats it, and characters that would disturb a terminal are left out.
#[must_use]
pub fn abbreviate(text: &str) -> Cow<'_, str> {
    let text = if text.contains(is_hidden) { Cow::Owned(tidy(text)) } else { Cow::Borrowed(text) };
    match text.char_indices().nth(MAX_NAME) {
        None => text,
        Some(_) => Cow::Owned(text.chars().take(ABBREVIATED).chain(['…']).collect()),
    }
}

/// Whether a character has no place in a name: a control character, or one that only says how its neighbours are set,
/// of which a reader sees nothing, or sees the wrong order. Those that join letters of some scripts (U+200C, U+200D)
/// belong to their words.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{2066}'..='\u{2069}'
                | '\u{feff}'
        )
}

/// A name without hidden characters, and with single spaces between its words and nothing around them.
#[must_use]
pub fn tidy(text: &str) -> String {
    // Tabs and line breaks are white space and control characters: they separate words.
    let visible: String = text.chars().filter(|&c| c.is_whitespace() || !is_hidden(c)).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{abbreviate, check_length, is_hidden, tidy};

    #[test]
    fn names_are_tidied() {
        for (text, name) in [
            ("Al\tpha\u{7}", "Al pha"),
            ("Be\u{202e}ta\u{200b}", "Beta"),
            (" Two\r\n words\u{a0} \u{2028}here ", "Two words here"),
            ("\u{feff}\u{2066}新宿\u{2069}\u{3000}三丁目", "新宿 三丁目"),
            // White space that only hidden characters separate is one space.
            ("a \u{200b} b", "a b"),
            ("می\u{200c}رود क\u{94d}\u{200d}ष", "می\u{200c}رود क\u{94d}\u{200d}ष"),
            ("\u{200f}\u{0}", ""),
        ] {
            assert_eq!(tidy(text), name, "{text:?}");
            assert!(!tidy(text).contains(is_hidden));
        }
    }

    #[test]
    fn a_text_may_have_as_many_characters_as_the_limit() {
        assert_eq!(check_length("駅駅", 2, "its name"), Ok(()));
        let error = Err("its name has 3 characters; at most 2 are taken".to_owned());
        assert_eq!(check_length("駅駅駅", 2, "its name"), error);
        let [longest, longer] = [200, 201].map(|count| "駅".repeat(count));
        assert_eq!((abbreviate(&longest).chars().count(), abbreviate(&longer).chars().count()), (200, 41));
        assert_eq!((abbreviate("a  b"), abbreviate("a\u{7}\u{202e}\tb")), ("a  b".into(), "a b".into()));
    }
}
