//! Extractors of the console's operations: the session in the cookie, the CSRF check, the body and the query.

use std::sync::Arc;

use axum::{
    extract::{FromRequest, FromRequestParts, Query, Request},
    http::{HeaderMap, HeaderName, HeaderValue, Method, header, request::Parts},
};
use kaisatsu_access::{Account, AccountSession, csrf_token};
use kaisatsu_model::Role;
use serde::de::DeserializeOwned;

use super::response::ConsoleFailure;
use kaisatsu_http::{Gateway, media_type, read_body};

/// The name of the cookie.
const COOKIE: &str = "kaisatsu_session";

/// The name of the cookie that says that a browser signed in before, and how long it is kept: a year.
const BROWSER_COOKIE: &str = "kaisatsu_browser";
const BROWSER_SECONDS: u32 = 365 * 24 * 3600;

/// How long a browser keeps it: the longest lifetime of a session.
const SECONDS: u32 = 14 * 24 * 3600;

static CSRF: HeaderName = HeaderName::from_static("x-csrf-token");
static FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The most bytes of a body.
const MAX_BODY: usize = 64 * 1024;

/// The account that is signed in. Requests other than GET and HEAD have also passed the CSRF check.
pub(crate) struct CurrentAccount {
    /// The account and its session.
    pub(super) signed_in: AccountSession,
    /// The CSRF token of the session.
    pub(super) csrf: String,
}

impl CurrentAccount {
    pub(super) fn account(&self) -> &Account {
        &self.signed_in.account
    }

    /// Whether the person runs the server.
    pub(super) fn is_operator(&self) -> bool {
        self.signed_in.account.role == Role::Operator
    }

    /// The account of the session in the cookie, if there is one.
    pub(super) async fn of(headers: &HeaderMap, gateway: &Gateway) -> Result<Option<Self>, ConsoleFailure> {
        let Some(secret) = secret(headers) else { return Ok(None) };
        let signed_in = gateway.accounts.session(secret).await?;
        Ok(signed_in.map(|signed_in| Self { signed_in, csrf: csrf_token(secret) }))
    }
}

impl FromRequestParts<Arc<Gateway>> for CurrentAccount {
    type Rejection = ConsoleFailure;

    async fn from_request_parts(parts: &mut Parts, gateway: &Arc<Gateway>) -> Result<Self, ConsoleFailure> {
        let current = Self::of(&parts.headers, gateway).await?.ok_or(ConsoleFailure::NotSignedIn)?;
        // PostgreSQL cannot store NUL in text.
        if parts.uri.path_and_query().is_some_and(|asked| asked.as_str().contains("%00")) {
            return Err(ConsoleFailure::Invalid("the address must not contain the character NUL".to_owned()));
        }
        if !matches!(parts.method, Method::GET | Method::HEAD) {
            let proof = parts.headers.get(&CSRF).map(HeaderValue::as_bytes);
            if proof != Some(current.csrf.as_bytes()) || !is_same_origin(&parts.headers) {
                return Err(ConsoleFailure::BadCsrf);
            }
        }
        Ok(current)
    }
}

/// An account that runs the server.
pub(crate) struct Operator(pub(super) CurrentAccount);

impl FromRequestParts<Arc<Gateway>> for Operator {
    type Rejection = ConsoleFailure;

    async fn from_request_parts(parts: &mut Parts, gateway: &Arc<Gateway>) -> Result<Self, ConsoleFailure> {
        let current = CurrentAccount::from_request_parts(parts, gateway).await?;
        if current.is_operator() { Ok(Self(current)) } else { Err(ConsoleFailure::NotAllowed) }
    }
}

/// The JSON body of a request from one of our own pages.
pub(crate) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Arc<Gateway>> for JsonBody<T> {
    type Rejection = ConsoleFailure;

    async fn from_request(request: Request, _: &Arc<Gateway>) -> Result<Self, ConsoleFailure> {
        let (parts, body) = request.into_parts();
        if !is_same_origin(&parts.headers) {
            return Err(ConsoleFailure::BadCsrf);
        }
        // A form on another site cannot send this type without a CORS preflight, which the console does not answer.
        if media_type(&parts.headers) != "application/json" {
            return Err(ConsoleFailure::MediaType);
        }
        let bytes = read_body(&parts.headers, body, MAX_BODY, "the body").await?;
        let text = std::str::from_utf8(&bytes).ok().filter(|text| !text.contains('\0') && !text.contains("\\u0000"));
        let text = text.ok_or_else(|| {
            ConsoleFailure::Invalid("the body must be JSON in UTF-8, without the character NUL".to_owned())
        })?;
        // The parser's message may repeat what was sent, and that may be a password.
        let unread = |error: serde_json::Error| {
            let what = if error.is_data() { "a field is missing or has the wrong type" } else { "it is not JSON" };
            let (line, column) = (error.line(), error.column());
            ConsoleFailure::Invalid(format!("the body cannot be read: {what} (line {line}, column {column})"))
        };
        serde_json::from_str(text).map(Self).map_err(unread)
    }
}

/// The query parameters of a request.
pub(crate) struct QueryParams<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Gateway>> for QueryParams<T> {
    type Rejection = ConsoleFailure;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Gateway>) -> Result<Self, ConsoleFailure> {
        let read = Query::<T>::try_from_uri(&parts.uri);
        read.map(|Query(asked)| Self(asked)).map_err(|error| ConsoleFailure::Invalid(error.body_text()))
    }
}

/// Whether the browser says that the request comes from a page of this server.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if text(&FETCH_SITE).is_some_and(|site| site != "same-origin" && site != "none") {
        return false;
    }
    let Some(origin) = text(&header::ORIGIN) else { return true };
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    authority.is_some() && authority == text(&header::HOST)
}

fn secret(headers: &HeaderMap) -> Option<&str> {
    value(headers, COOKIE)
}

/// The secret by which the browser is known from an earlier sign-in.
pub(super) fn browser_secret(headers: &HeaderMap) -> Option<&str> {
    value(headers, BROWSER_COOKIE)
}

/// The value of a cookie.
fn value<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

/// The session cookie; an empty secret deletes it.
pub(super) fn cookie(secret: &str, secure: bool) -> HeaderValue {
    let seconds = if secret.is_empty() { 0 } else { SECONDS };
    set_cookie(COOKIE, secret, seconds, secure)
}

/// The cookie by which the browser is known when it signs in again.
pub(super) fn browser_cookie(secret: &str, secure: bool) -> HeaderValue {
    set_cookie(BROWSER_COOKIE, secret, BROWSER_SECONDS, secure)
}

fn set_cookie(name: &str, secret: &str, seconds: u32, secure: bool) -> HeaderValue {
    let secure = if secure { "; Secure" } else { "" };
    let text = format!("{name}={secret}; Path=/console; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::{cookie, is_same_origin, secret};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn only_same_origin_requests_are_accepted() {
        for good in [
            &[][..],
            &[("host", "127.0.0.1:8640"), ("origin", "http://127.0.0.1:8640")],
            &[("sec-fetch-site", "same-origin")],
        ] {
            assert!(is_same_origin(&headers(good)), "{good:?}");
        }
        for bad in [
            &[("host", "127.0.0.1:8640"), ("origin", "http://127.0.0.1:8641")][..],
            &[("host", "a"), ("origin", "null")],
            &[("host", "a"), ("origin", "http://a.evil")],
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "same-site")],
        ] {
            assert!(!is_same_origin(&headers(bad)), "{bad:?}");
        }
    }

    #[test]
    fn the_session_cookie_is_found_among_others_and_is_http_only() {
        assert_eq!(secret(&headers(&[("cookie", "a=b; kaisatsu_session=kss_1; c=d")])), Some("kss_1"));
        assert_eq!(secret(&headers(&[("cookie", "xkaisatsu_session=kss_1")])), None);
        let told = cookie("kss_1", true);
        assert_eq!(
            told.to_str().unwrap(),
            "kaisatsu_session=kss_1; Path=/console; HttpOnly; SameSite=Strict; Max-Age=1209600; Secure"
        );
        assert!(cookie("", false).to_str().unwrap().ends_with("Max-Age=0"));
    }
}
