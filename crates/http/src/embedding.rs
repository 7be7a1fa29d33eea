//! Which sites may embed the map pages in their own.

use axum::http::HeaderValue;

use crate::cors::parse_origin;

/// The sites that may embed the map pages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Embedding {
    /// No site.
    #[default]
    Off,
    /// Every site.
    Any,
    /// Only these origins.
    Only(Vec<HeaderValue>),
}

impl std::str::FromStr for Embedding {
    type Err = String;

    /// `off`, `*`, or origins separated by commas.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "*" => Ok(Self::Any),
            list => {
                let origins = list.split(',').map(|origin| parse_origin(origin.trim()));
                let origins: Vec<HeaderValue> = origins.collect::<Result<_, _>>()?;
                // The origins become part of a header with a syntax of its own.
                let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-.:/[]_".contains(byte);
                match origins.iter().find(|origin| !origin.as_bytes().iter().all(is_plain)) {
                    Some(_) => Err("an origin is https://HOST[:PORT], without other characters".to_owned()),
                    None => Ok(Self::Only(origins)),
                }
            }
        }
    }
}

impl Embedding {
    /// The sources of `frame-ancestors` in a content security policy.
    #[must_use]
    pub fn frame_ancestors(&self) -> String {
        match self {
            Self::Off => "'none'".to_owned(),
            Self::Any => "*".to_owned(),
            Self::Only(origins) => {
                let words: Vec<&str> = origins.iter().filter_map(|origin| origin.to_str().ok()).collect();
                words.join(" ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Embedding;

    #[test]
    fn sites_become_the_sources_of_a_policy() {
        for (text, sources) in [
            ("off", "'none'"),
            ("*", "*"),
            ("https://a.example, http://b.example:8080", "https://a.example http://b.example:8080"),
        ] {
            assert_eq!(text.parse::<Embedding>().unwrap().frame_ancestors(), sources, "{text}");
        }
        for bad in ["", "none", "a.example", "https://a.example/path", "https://a.example; script-src *", "https://a b"]
        {
            assert!(bad.parse::<Embedding>().is_err(), "{bad}");
        }
    }
}
