//! What of a request may stand in a log line.
//!
//! The rule is an allow-list: the value of a parameter is shown only when the parameter is known to carry no secret.
//! A key under a misspelt name, or glued to the path by a missing `?`, stays out of the log all the same.

/// Parameters whose values are harmless and help to understand a request.
const SHOWN: [&str; 15] = [
    "id",
    "stationName",
    "stationCode",
    "x",
    "y",
    "width",
    "height",
    "gcs",
    "format",
    "scale",
    "recog",
    "numOfCandidates",
    "minScore",
    "modelName",
    "isValid",
];

/// The longest piece of a request that is logged.
const LONGEST: usize = 256;

/// The query string with every value hidden that might be a secret.
pub(crate) fn query(raw: &str) -> String {
    let mut shown = String::with_capacity(raw.len().min(LONGEST));
    for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
        if shown.len() > LONGEST {
            shown.push('…');
            break;
        }
        if !shown.is_empty() {
            shown.push('&');
        }
        match pair.split_once('=') {
            Some((name, value)) if SHOWN.contains(&name) => {
                shown.push_str(name);
                shown.push('=');
                shown.push_str(head(value, 64));
            }
            Some((name, _)) => {
                shown.push_str(head(plain(name), 32));
                shown.push_str("=…");
            }
            None => shown.push('…'),
        }
    }
    shown
}

/// The part of a path before anything that does not belong in one of ours.
pub(crate) fn path(raw: &str) -> &str {
    head(plain(raw), LONGEST)
}

/// Cuts before the first character that our own paths and names never have, and before anything that looks like a key.
fn plain(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '/' | '_' | '-' | '.'));
    let text = &text[..end.unwrap_or(text.len())];
    &text[..text.find(kaisatsu_model::ApiKey::PREFIX).unwrap_or(text.len())]
}

fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::{path, query};

    #[test]
    fn only_harmless_values_are_shown() {
        for (raw, shown) in [
            ("APIKEY=kst_secret&id=tokyo&x=5", "APIKEY=…&id=tokyo&x=5"),
            ("apikey=kst_secret&token=abc", "apikey=…&token=…"),
            ("kst_secret", "…"),
            ("kst_secret=1", "=…"),
            ("%41PIKEY=kst_secret", "=…"),
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
        assert_eq!(path("/docs/index.css"), "/docs/index.css");
    }
}
