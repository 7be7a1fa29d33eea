//! Strict parsing of the query string: a parameter that is repeated, empty or not UTF-8 is invalid, an unknown one is
//! ignored.
//!
//! Parsing itself never fails. The error of a parameter is returned when the parameter is read, so that checks keep
//! their order: a wrong key is reported before a wrong width.

use std::{borrow::Cow, ops::RangeInclusive};

use percent_encoding::percent_decode_str;

use crate::{Failure, Kind};

/// The parameters of a request that its operation knows.
#[derive(Debug)]
pub struct Query<'a> {
    found: Vec<(&'static str, Value<'a>)>,
}

#[derive(Debug)]
enum Value<'a> {
    Text(Cow<'a, str>),
    Empty,
    Repeated,
    Garbled,
    Nul,
}

impl<'a> Query<'a> {
    /// Parses the part after the `?` and keeps the parameters named in `known`.
    #[must_use]
    pub fn read(raw: Option<&'a str>, known: &[&'static str]) -> Self {
        let mut found: Vec<(&'static str, Value<'a>)> = Vec::with_capacity(known.len());
        for (name, value) in pairs(raw.unwrap_or("")) {
            let value = value.unwrap_or("");
            let Some(name) = decode(name) else { continue };
            let Some(&name) = known.iter().find(|known| **known == name) else { continue };
            match found.iter_mut().find(|(other, _)| *other == name) {
                Some((_, earlier)) => *earlier = Value::Repeated,
                None => found.push((name, Value::of(value))),
            }
        }
        Self { found }
    }

    /// Whether the parameter is present, valid or not.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.found.iter().any(|(other, _)| *other == name)
    }

    /// The text of a parameter, if it is present.
    ///
    /// # Errors
    /// [`Kind::ParameterInvalid`] when it is empty, repeated, or not UTF-8.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        match self.found.iter().find(|(other, _)| *other == name) {
            None => Ok(None),
            Some((_, Value::Text(text))) => Ok(Some(text)),
            Some((_, Value::Empty)) => Err(invalid(name, "is empty; leave it out or give it a value")),
            Some((_, Value::Repeated)) => Err(invalid(name, "is given more than once")),
            Some((_, Value::Nul)) => Err(invalid(name, "must not contain the character NUL")),
            Some((_, Value::Garbled)) => Err(invalid(name, "is not URL-encoded UTF-8")),
        }
    }

    /// The text of a required parameter.
    ///
    /// # Errors
    /// [`Kind::ParameterMissing`] when it is missing, and the errors of [`Self::text`].
    pub fn required(&self, name: &str) -> Result<&str, Failure> {
        self.text(name)?
            .ok_or_else(|| Failure::new(Kind::ParameterMissing, format!("query parameter {name} is missing")))
    }

    /// How many, or which one: an integer from 0, or `usual` if it is missing.
    ///
    /// # Errors
    /// Those of [`Self::integer`].
    pub fn count(&self, name: &str, range: RangeInclusive<u32>, usual: u32) -> Result<usize, Failure> {
        let range = i64::from(*range.start())..=i64::from(*range.end());
        let number = self.integer(name, range)?.and_then(|number| u32::try_from(number).ok()).unwrap_or(usual);
        Ok(usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// An integer, if it is present: an optional minus sign and the digits 0 to 9, nothing else.
    ///
    /// # Errors
    /// [`Kind::ParameterInvalid`] when it is no such number, [`Kind::OutOfRange`] when it is outside of `range`.
    pub fn integer(&self, name: &str, range: RangeInclusive<i64>) -> Result<Option<i64>, Failure> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            let rule = format!("must be a whole number from {} to {}, in the digits 0-9", range.start(), range.end());
            return Err(invalid(name, &rule));
        }
        // Parsing now fails only for a number of more than 64 bits, which is out of every range.
        match text.parse().ok().filter(|number| range.contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(Failure::new(
                Kind::OutOfRange,
                format!("query parameter {name} must be from {} to {}", range.start(), range.end()),
            )),
        }
    }
}

/// The pairs of a query string, still encoded. The value is what follows the first `=`, if there is one.
pub(crate) fn pairs(raw: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut rest = Some(raw);
    let all = std::iter::from_fn(move || {
        let (pair, after) = cut(rest?, b'&');
        rest = after;
        Some(cut(pair, b'='))
    });
    all.filter(|(name, value)| !name.is_empty() || value.is_some())
}

/// The parts before and after the first `separator`. Faster than `str::split_once` on short texts.
fn cut(text: &str, separator: u8) -> (&str, Option<&str>) {
    match text.bytes().position(|b| b == separator) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

impl<'a> Value<'a> {
    fn of(raw: &'a str) -> Self {
        match decode(raw) {
            None => Self::Garbled,
            Some(text) if text.is_empty() => Self::Empty,
            // PostgreSQL cannot store NUL in text.
            Some(text) if text.contains('\0') => Self::Nul,
            Some(text) => Self::Text(text),
        }
    }
}

fn invalid(name: &str, rule: &str) -> Failure {
    Failure::new(Kind::ParameterInvalid, format!("query parameter {name} {rule}"))
}

/// Decodes form encoding; `None` for a malformed escape or bytes that are not UTF-8.
fn decode(raw: &str) -> Option<Cow<'_, str>> {
    if !raw.bytes().any(|b| b == b'%' || b == b'+') {
        return Some(Cow::Borrowed(raw));
    }
    let mut rest = raw.as_bytes();
    while let Some(at) = rest.iter().position(|b| *b == b'%') {
        let [high, low, ..] = rest[at + 1..] else { return None };
        if !high.is_ascii_hexdigit() || !low.is_ascii_hexdigit() {
            return None;
        }
        rest = &rest[at + 3..];
    }
    let spaced = raw.replace('+', " ");
    let text = percent_decode_str(&spaced).decode_utf8().ok()?.into_owned();
    Some(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Query, decode};
    use crate::{Failure, Kind};

    const KNOWN: [&str; 3] = ["id", "width", "stationName"];

    fn message<T>(result: Result<T, Failure>) -> String {
        result.err().map(|failure| failure.message).unwrap_or_default()
    }

    #[test]
    fn names_and_values_are_decoded() {
        let query = Query::read(Some("id=a+b&stationName=%E6%96%B0%E5%AE%BF&unknown=%zz&%69%64x=1"), &KNOWN);
        assert_eq!(query.text("id"), Ok(Some("a b")));
        assert_eq!(query.text("stationName"), Ok(Some("新宿")));
        assert_eq!(query.text("width"), Ok(None));
    }

    #[test]
    fn an_escaped_name_is_the_same_parameter() {
        let query = Query::read(Some("id=a&%69d=b"), &KNOWN);
        assert_eq!(message(query.text("id")), "query parameter id is given more than once");
    }

    #[test]
    fn each_fault_names_the_parameter_and_the_rule() {
        for (raw, expected) in [
            ("id=", "query parameter id is empty; leave it out or give it a value"),
            ("id", "query parameter id is empty; leave it out or give it a value"),
            ("id=a&id=a", "query parameter id is given more than once"),
            ("id=&id=", "query parameter id is given more than once"),
            ("id=%E6%96", "query parameter id is not URL-encoded UTF-8"),
            ("id=100%", "query parameter id is not URL-encoded UTF-8"),
            ("id=%4", "query parameter id is not URL-encoded UTF-8"),
            ("id=%+1", "query parameter id is not URL-encoded UTF-8"),
        ] {
            assert_eq!(message(Query::read(Some(raw), &KNOWN).text("id")), expected, "{raw}");
        }
        assert_eq!(message(Query::read(None, &KNOWN).required("id")), "query parameter id is missing");
    }

    #[test]
    fn whole_numbers_and_nothing_else() {
        let number = |text: &str| Query::read(Some(&format!("width={text}")), &KNOWN).integer("width", 1..=500);
        for (text, value) in [("1", 1), ("500", 500), ("007", 7)] {
            assert_eq!(number(text), Ok(Some(value)));
        }
        for text in ["1.5", "1e2", "%2B5", "+5", "%EF%BC%95", "0x10", "5%20", "-", "--5", "five", "1,000", "%00"] {
            assert_eq!(number(text).err().map(|f| f.kind), Some(Kind::ParameterInvalid), "{text}");
        }
        for text in ["0", "501", "-1", "99999999999999999999999", "-99999999999999999999999"] {
            assert_eq!(number(text).err().map(|f| f.kind), Some(Kind::OutOfRange), "{text}");
        }
    }

    proptest! {
        /// What is encoded is decoded to the same, and no input panics.
        #[test]
        fn encoding_is_undone(text in "\\PC{1,40}", junk in "[%+&=a0é\\x00-\\xff]{0,60}") {
            let encoded = percent_encoding::utf8_percent_encode(&text, percent_encoding::NON_ALPHANUMERIC).to_string();
            let decoded = decode(&encoded);
            prop_assert_eq!(decoded.as_deref(), Some(text.as_str()));
            let query = Query::read(Some(&junk), &KNOWN);
            for name in KNOWN {
                let _ = query.integer(name, 1..=500);
            }
        }
    }
}
