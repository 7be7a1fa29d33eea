//! Writes XML: escaped text and short numbers.

use std::fmt::{self, Display, Write};

/// Appends formatted text. Writing to a string does not fail.
macro_rules! put {
    ($out:expr, $($what:tt)*) => {{
        use std::fmt::Write as _;
        let _ = write!($out, $($what)*);
    }};
}
pub(crate) use put;

/// A text, escaped for elements and for attributes in double quotes.
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.chars() {
            match char {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\t' | '\n' | '\r' => f.write_char(' ')?,
                // XML cannot represent these characters.
                '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => f.write_char(char::REPLACEMENT_CHARACTER)?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// A number with at most two decimals.
pub(crate) struct Num(pub(crate) f64);

impl Display for Num {
    #[expect(clippy::cast_possible_truncation, reason = "map coordinates are far below the limit")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = (self.0 * 100.0).round() as i64;
        let (whole, rest) = (hundredths.abs() / 100, hundredths.abs() % 100);
        if hundredths < 0 {
            f.write_char('-')?;
        }
        match rest {
            0 => write!(f, "{whole}"),
            rest if rest % 10 == 0 => write!(f, "{whole}.{}", rest / 10),
            rest => write!(f, "{whole}.{rest:02}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Num, Text};

    #[test]
    fn text_is_escaped() {
        assert_eq!(
            Text("<a b=\"c\">]]>&\u{0}\u{1b}\n'東").to_string(),
            "&lt;a b=&quot;c&quot;&gt;]]&gt;&amp;\u{fffd}\u{fffd} '東"
        );
    }

    #[test]
    fn numbers_are_short() {
        let written = |number| Num(number).to_string();
        assert_eq!(
            [0.0, -0.001, 1.0, 1.5, 1.25, -0.05, 1e6].map(written),
            ["0", "0", "1", "1.5", "1.25", "-0.05", "1000000"]
        );
    }
}
