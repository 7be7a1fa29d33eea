//! Removes secrets from the parts of a request that are logged.
//!
//! The rule is an allow-list: the value of a parameter is logged only if the parameter is known to hold no secret, and
//! only as far as it looks like a value of that parameter. So a key under a misspelt name, after a wrong separator, or
//! appended to the path without `?`, is not logged either.

use axum::http::Method;
use kaisatsu_model::{ApiKey, UserToken};

use crate::query::pairs;

/// The longest part of a request that is logged.
const MAX_LEN: usize = 256;

/// The query string, with every value hidden that may be a secret.
pub(crate) fn query(raw: &str) -> String {
    let mut shown = String::with_capacity(raw.len().min(MAX_LEN));
    for (name, value) in pairs(raw) {
        if shown.len() > MAX_LEN {
            shown.push('…');
            break;
        }
        if !shown.is_empty() {
            shown.push('&');
        }
        let Some(value) = value else {
            shown.push('…');
            continue;
        };
        let (name, harmless) = match name {
            "stationCode" | "x" | "y" | "width" | "height" | "scale" | "numOfCandidates" | "minScore" => {
                (name, number(value))
            }
            "id" | "stationName" | "gcs" | "format" | "style" | "recog" | "modelName" | "isValid" | "language"
            | "accuracy" => (name, word(value)),
            _ => (head(plain(name), 32), ""),
        };
        shown.push_str(name);
        shown.push('=');
        shown.push_str(harmless);
        if harmless.len() < value.len() {
            shown.push('…');
        }
    }
    shown
}

/// The method, if it is a standard one: a client can send any word.
pub(crate) fn method(method: &Method) -> &str {
    match method.as_str() {
        known @ ("GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "CONNECT" | "OPTIONS" | "TRACE" | "PATCH") => known,
        _ => "OTHER",
    }
}

/// The value if it is a number, otherwise nothing.
fn number(value: &str) -> &str {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let short = digits.len() <= 20 && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if short { value } else { "" }
}

/// The prefix of a value that looks like a name: letters of any script, their escapes, and `.`, `_`, `-`.
fn word(value: &str) -> &str {
    let beyond_ascii = |at: usize| matches!(value.as_bytes().get(at), Some(b'8' | b'9' | b'A'..=b'F' | b'a'..=b'f'));
    let allowed = |at: usize, c: char| match c {
        '%' => beyond_ascii(at + 1),
        '.' | '_' | '-' => true,
        other => other.is_alphanumeric(),
    };
    let end = value.char_indices().find(|(at, c)| !allowed(*at, *c)).map_or(value.len(), |(at, _)| at);
    head(without_key(&value[..end]), 96)
}

/// The prefix of a path that has only the characters of our own paths.
pub(crate) fn path(raw: &str) -> &str {
    head(plain(raw), MAX_LEN)
}

/// Cuts before the first character that our own paths and names never have, and before anything that looks like a
/// secret.
fn plain(text: &str) -> &str {
    let end = text.bytes().position(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'/' | b'_' | b'-' | b'.'));
    without_key(&text[..end.unwrap_or(text.len())])
}

fn without_key(text: &str) -> &str {
    &text[..secret(text).unwrap_or(text.len())]
}

/// The position of the first thing that looks like an API key or a user's token.
pub(crate) fn secret(text: &str) -> Option<usize> {
    let begins = |at: usize| [ApiKey::PREFIX, UserToken::PREFIX].iter().any(|prefix| text[at..].starts_with(prefix));
    text.char_indices().map(|(at, _)| at).find(|&at| begins(at))
}

/// A message without secrets. A client may have sent a secret in place of a name that the message repeats.
pub(crate) fn message(text: String) -> String {
    let mut rest = text.as_str();
    let mut shown = String::new();
    while let Some(at) = secret(rest) {
        shown.push_str(&rest[..at]);
        shown.push('…');
        rest = rest[at..].trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    }
    if shown.is_empty() {
        return text;
    }
    shown.push_str(rest);
    shown
}

fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use axum::http::Method;

    use super::{message, method, path, query};

    #[test]
    fn only_harmless_values_are_shown() {
        for (raw, shown) in [
            ("APIKEY=kst_secret&id=tokyo&x=5", "APIKEY=…&id=tokyo&x=5"),
            ("apikey=kst_secret&token=abc", "apikey=…&token=…"),
            ("kst_secret", "…"),
            ("kst_secret=1", "=…"),
            ("%41PIKEY=kst_secret", "=…"),
            ("id=tokyo%26APIKEY=kst_secret", "id=tokyo…"),
            ("id=tokyo?APIKEY=kst_secret", "id=tokyo…"),
            ("id=tokyo;APIKEY=kst_secret", "id=tokyo…"),
            ("id=%6Bst_secret", "id=…"),
            ("x=kst_secret", "x=…"),
            ("modelName=kut_secret", "modelName=…"),
            ("x=-12&stationName=%E9%AB%98%E5%86%86%E5%AF%BA", "x=-12&stationName=%E9%AB%98%E5%86%86%E5%AF%BA"),
            ("stationName=高円寺\u{9b}31m", "stationName=高円寺…"),
            ("", ""),
        ] {
            assert_eq!(query(raw), shown, "{raw}");
        }
        assert!(query(&"id=tokyo&".repeat(1_000)).len() < 600);
    }

    #[test]
    fn a_key_glued_to_the_path_is_cut_off() {
        assert_eq!(path("/route_service/v1/railmapDetail&APIKEY=kst_secret"), "/route_service/v1/railmapDetail");
        assert_eq!(path("/route_service/v1/kst_secret"), "/route_service/v1/");
        assert_eq!(path("/route_service/v1/kut_secret"), "/route_service/v1/");
        assert_eq!(path("/docs/index.css"), "/docs/index.css");
    }

    #[test]
    fn a_message_repeats_no_secret() {
        let said = |text: &str| message(text.to_owned());
        assert_eq!(said("there is no model 'kst_secret' here; kut_other"), "there is no model '…' here; …");
        assert_eq!(said("there is no model '猫kst_'"), "there is no model '猫…'");
        assert_eq!(said("there is no model 'cat'"), "there is no model 'cat'");
        assert_eq!(said(&"kst_.".repeat(20_000)), "….".repeat(20_000), "however many there are");
    }

    #[test]
    fn a_method_that_does_not_exist_is_not_repeated() {
        assert_eq!(method(&Method::GET), "GET");
        assert_eq!(method(&Method::from_bytes(b"kst_secret").unwrap()), "OTHER");
    }
}
