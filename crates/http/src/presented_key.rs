//! The API key of a request: in the query, as the contract has it, or in a header, which ends up in fewer logs.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::{Failure, Kind, Query, gateway::API_KEY};

/// The header that holds nothing but a key.
pub(crate) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Where keys are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyPlaces {
    /// The query parameter and the headers.
    #[default]
    QueryAndHeaders,
    /// The query parameter alone.
    QueryOnly,
}

impl KeyPlaces {
    /// The value of `WWW-Authenticate` in an answer of 401. There is no registered scheme for a query parameter.
    pub(crate) fn challenge(self) -> HeaderValue {
        match self {
            Self::QueryAndHeaders => HeaderValue::from_static("Bearer realm=\"kaisatsu\""),
            Self::QueryOnly => HeaderValue::from_static("APIKEY realm=\"kaisatsu\""),
        }
    }
}

/// The key that a request presents.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PresentedKey<'a> {
    /// The key, not yet checked.
    pub(crate) text: &'a str,
    /// Where it was found, for messages.
    pub(crate) place: &'static str,
}

pub(crate) const QUERY: &str = "query parameter APIKEY";
const BEARER: &str = "header Authorization";
const BARE: &str = "header X-API-Key";

/// The one key of a request. The same key in several places counts as one.
///
/// # Errors
/// [`Kind::KeyUnknown`] when there is no usable key, [`Kind::ParameterInvalid`] when there are two that differ.
pub(crate) fn presented_key<'a>(
    places: KeyPlaces,
    query: &'a Query<'_>,
    headers: &'a HeaderMap,
) -> Result<PresentedKey<'a>, Failure> {
    // An empty or repeated parameter is answered 401 like an unknown key, not 400.
    let in_query = query.text(API_KEY).map_err(|failure| Failure::new(Kind::KeyUnknown, failure.message))?;
    let mut found = in_query.map(|text| PresentedKey { text, place: QUERY });
    if places == KeyPlaces::QueryAndHeaders {
        let tokens = headers.get_all(header::AUTHORIZATION).iter().filter_map(bearer).map(|text| (text, BEARER));
        let bare = headers.get_all(X_API_KEY).iter().map(|value| (text(value), BARE));
        for (text, place) in tokens.chain(bare) {
            if text.is_empty() {
                return Err(unknown(place));
            }
            match &found {
                Some(first) if first.text != text => return Err(differ(first.place, place)),
                Some(_) => {}
                None => found = Some(PresentedKey { text, place }),
            }
        }
    }
    found.ok_or_else(|| missing(places))
}

/// The error for a key that this server does not have.
pub(crate) fn unknown(place: &str) -> Failure {
    let message = format!("{place} is not a key of this server; `kaisatsu key create` makes one");
    Failure::new(Kind::KeyUnknown, message)
}

fn differ(one: &str, other: &str) -> Failure {
    let message = if one == other {
        format!("{one} is given twice, with different keys; leave one out")
    } else {
        format!("{one} and {other} hold different keys; leave one out")
    };
    Failure::new(Kind::ParameterInvalid, message)
}

fn missing(places: KeyPlaces) -> Failure {
    let message = match places {
        KeyPlaces::QueryAndHeaders => {
            "query parameter APIKEY is missing; the key goes there, or into a header: Authorization: Bearer KEY or \
             X-API-Key: KEY"
        }
        KeyPlaces::QueryOnly => "query parameter APIKEY is missing",
    };
    Failure::new(Kind::KeyUnknown, message)
}

/// The text of a header; empty when it is no text, and hence no key.
fn text(value: &HeaderValue) -> &str {
    value.to_str().map_or("", str::trim)
}

/// What follows `Bearer`, in any case. A header of another scheme is for somebody else, such as a proxy.
fn bearer(value: &HeaderValue) -> Option<&str> {
    let scheme = value.as_bytes().split(|b| *b == b' ').next().unwrap_or_default();
    scheme.eq_ignore_ascii_case(b"bearer").then(|| text(value).get(scheme.len()..).unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::{KeyPlaces, presented_key};
    use crate::{Kind, Query};

    /// The key and its place, or the kind and the message of the error.
    fn read(
        places: KeyPlaces,
        raw: Option<&str>,
        lines: &[(&'static str, &[u8])],
    ) -> Result<(String, &'static str), (Kind, String)> {
        let query = Query::read(raw, &["APIKEY"]);
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(HeaderName::from_static(name), HeaderValue::from_bytes(value).unwrap());
        }
        presented_key(places, &query, &headers)
            .map(|key| (key.text.to_owned(), key.place))
            .map_err(|failure| (failure.kind, failure.message))
    }

    #[test]
    fn a_key_is_found_in_each_place() {
        let both = |raw, lines| read(KeyPlaces::QueryAndHeaders, raw, lines).map(|(key, _)| key);
        for (raw, lines) in [
            (Some("APIKEY=a"), &[][..]),
            (None, &[("authorization", &b"Bearer a"[..])]),
            (None, &[("authorization", b"bEARER   a ")]),
            (None, &[("x-api-key", b" a")]),
            (None, &[("authorization", b"Basic cHJveHk="), ("x-api-key", b"a")]),
            (Some("APIKEY=a"), &[("authorization", b"Bearer a"), ("x-api-key", b"a")]),
            (Some("id=b"), &[("x-api-key", b"a"), ("x-api-key", b"a")]),
        ] {
            assert_eq!(both(raw, lines), Ok("a".to_owned()), "{raw:?} {lines:?}");
        }
    }

    #[test]
    fn keys_that_differ_are_refused_with_both_places() {
        let message = |raw, lines| match read(KeyPlaces::QueryAndHeaders, raw, lines) {
            Err((Kind::ParameterInvalid, message)) => message,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            message(Some("APIKEY=a"), &[("authorization", b"Bearer b")]),
            "query parameter APIKEY and header Authorization hold different keys; leave one out"
        );
        assert_eq!(
            message(None, &[("authorization", b"Bearer a"), ("x-api-key", b"b")]),
            "header Authorization and header X-API-Key hold different keys; leave one out"
        );
        assert_eq!(
            message(None, &[("x-api-key", b"a"), ("x-api-key", b"b")]),
            "header X-API-Key is given twice, with different keys; leave one out"
        );
    }

    #[test]
    fn without_a_usable_key_the_caller_is_unknown() {
        for (raw, lines, expected) in [
            (None, &[][..], "query parameter APIKEY is missing; the key goes there, or into a header: Authorization"),
            (None, &[("authorization", &b"Basic YTpi"[..])], "query parameter APIKEY is missing;"),
            (None, &[("authorization", b"Bearer")], "header Authorization is not a key of this server;"),
            (None, &[("authorization", b"Bearer  ")], "header Authorization is not a key of this server;"),
            (None, &[("x-api-key", b"")], "header X-API-Key is not a key of this server;"),
            (None, &[("x-api-key", b"\xe9")], "header X-API-Key is not a key of this server;"),
            (Some("APIKEY="), &[("x-api-key", b"a")], "query parameter APIKEY is empty;"),
            (Some("APIKEY=a&APIKEY=a"), &[], "query parameter APIKEY is given more than once"),
        ] {
            match read(KeyPlaces::QueryAndHeaders, raw, lines) {
                Err((Kind::KeyUnknown, message)) => assert!(message.starts_with(expected), "{message}"),
                other => panic!("{raw:?} {lines:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn headers_count_only_where_they_are_switched_on() {
        let lines: &[(&'static str, &[u8])] = &[("authorization", b"Bearer b"), ("x-api-key", b"c")];
        let query_only = |raw| read(KeyPlaces::QueryOnly, raw, lines);
        assert_eq!(query_only(Some("APIKEY=a")), Ok(("a".to_owned(), "query parameter APIKEY")));
        assert_eq!(query_only(None), Err((Kind::KeyUnknown, "query parameter APIKEY is missing".to_owned())));
    }
}
