//! Who asks: the session in the cookie, the proof that one of our pages sent the request, and the body it sent.

use std::sync::Arc;

use axum::{
    extract::{FromRequest, FromRequestParts, Query, Request},
    http::{HeaderMap, HeaderName, HeaderValue, Method, header, request::Parts},
};
use kaisatsu_access::{Account, SignedIn, csrf_token};
use kaisatsu_model::Role;
use serde::de::DeserializeOwned;

use super::answer::Trouble;
use crate::{Gateway, intake};

/// The name of the cookie.
const COOKIE: &str = "kaisatsu_session";

/// How long a browser keeps it, as long as a session lasts at most.
const SECONDS: u32 = 14 * 24 * 3600;

static CSRF: HeaderName = HeaderName::from_static("x-csrf-token");
static FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The most bytes of a body.
const MOST: usize = 64 * 1024;

/// Somebody who is signed in and, unless only asking, has proved to use one of our pages.
pub(crate) struct Visitor {
    /// Who, and by which session.
    pub(super) me: SignedIn,
    /// What the pages prove themselves with.
    pub(super) csrf: String,
}

impl Visitor {
    pub(super) fn account(&self) -> &Account {
        &self.me.account
    }

    /// Whether the person runs the server.
    pub(super) fn is_operator(&self) -> bool {
        self.me.account.role == Role::Operator
    }

    /// Whoever the cookie stands for, if anybody.
    pub(super) async fn of(headers: &HeaderMap, gateway: &Gateway) -> Result<Option<Self>, Trouble> {
        let Some(secret) = secret(headers) else { return Ok(None) };
        let me = gateway.accounts.who(secret).await?;
        Ok(me.map(|me| Self { me, csrf: csrf_token(secret) }))
    }
}

impl FromRequestParts<Arc<Gateway>> for Visitor {
    type Rejection = Trouble;

    async fn from_request_parts(parts: &mut Parts, gateway: &Arc<Gateway>) -> Result<Self, Trouble> {
        let visitor = Self::of(&parts.headers, gateway).await?.ok_or(Trouble::NotSignedIn)?;
        // PostgreSQL keeps no NUL in text; nobody asks for one on purpose.
        if parts.uri.path_and_query().is_some_and(|asked| asked.as_str().contains("%00")) {
            return Err(Trouble::Invalid("the address must not contain the character NUL".to_owned()));
        }
        if !matches!(parts.method, Method::GET | Method::HEAD) {
            let proof = parts.headers.get(&CSRF).map(HeaderValue::as_bytes);
            if proof != Some(visitor.csrf.as_bytes()) || !is_ours(&parts.headers) {
                return Err(Trouble::BadCsrf);
            }
        }
        Ok(visitor)
    }
}

/// A visitor who runs the server.
pub(crate) struct Operator(pub(super) Visitor);

impl FromRequestParts<Arc<Gateway>> for Operator {
    type Rejection = Trouble;

    async fn from_request_parts(parts: &mut Parts, gateway: &Arc<Gateway>) -> Result<Self, Trouble> {
        let visitor = Visitor::from_request_parts(parts, gateway).await?;
        if visitor.is_operator() { Ok(Self(visitor)) } else { Err(Trouble::NotAllowed) }
    }
}

/// The body of a request, in JSON, sent by one of our pages.
pub(crate) struct Sent<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Arc<Gateway>> for Sent<T> {
    type Rejection = Trouble;

    async fn from_request(request: Request, _: &Arc<Gateway>) -> Result<Self, Trouble> {
        let (parts, body) = request.into_parts();
        if !is_ours(&parts.headers) {
            return Err(Trouble::BadCsrf);
        }
        // A form on another site cannot send this type without asking first, and is not answered when it asks.
        if intake::media_type(&parts.headers) != "application/json" {
            return Err(Trouble::MediaType);
        }
        let bytes = intake::whole(&parts.headers, body, MOST, "the body").await?;
        let text = std::str::from_utf8(&bytes).ok().filter(|text| !text.contains('\0') && !text.contains("\\u0000"));
        let text = text
            .ok_or_else(|| Trouble::Invalid("the body must be JSON in UTF-8, without the character NUL".to_owned()))?;
        // What the parser says may repeat what was sent, and that may be a password.
        let unread = |error: serde_json::Error| {
            let what = if error.is_data() { "a field is missing or has the wrong type" } else { "it is not JSON" };
            let (line, column) = (error.line(), error.column());
            Trouble::Invalid(format!("the body cannot be read: {what} (line {line}, column {column})"))
        };
        serde_json::from_str(text).map(Self).map_err(unread)
    }
}

/// The query parameters of a request.
pub(crate) struct Asked<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Gateway>> for Asked<T> {
    type Rejection = Trouble;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Gateway>) -> Result<Self, Trouble> {
        let read = Query::<T>::try_from_uri(&parts.uri);
        read.map(|Query(asked)| Self(asked)).map_err(|error| Trouble::Invalid(error.body_text()))
    }
}

/// Whether a request comes from a page of this server, as far as the browser says.
fn is_ours(headers: &HeaderMap) -> bool {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if text(&FETCH_SITE).is_some_and(|site| site != "same-origin" && site != "none") {
        return false;
    }
    let Some(origin) = text(&header::ORIGIN) else { return true };
    let place = origin.split_once("://").map(|(_, place)| place);
    place.is_some() && place == text(&header::HOST)
}

fn secret(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

/// The cookie of a session; an empty secret takes it away.
pub(super) fn cookie(secret: &str, secure: bool) -> HeaderValue {
    let seconds = if secret.is_empty() { 0 } else { SECONDS };
    let secure = if secure { "; Secure" } else { "" };
    let text = format!("{COOKIE}={secret}; Path=/console; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::{cookie, is_ours, secret};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn only_our_own_pages_may_send() {
        for good in [
            &[][..],
            &[("host", "127.0.0.1:8640"), ("origin", "http://127.0.0.1:8640")],
            &[("sec-fetch-site", "same-origin")],
        ] {
            assert!(is_ours(&headers(good)), "{good:?}");
        }
        for bad in [
            &[("host", "127.0.0.1:8640"), ("origin", "http://127.0.0.1:8641")][..],
            &[("host", "a"), ("origin", "null")],
            &[("host", "a"), ("origin", "http://a.evil")],
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "same-site")],
        ] {
            assert!(!is_ours(&headers(bad)), "{bad:?}");
        }
    }

    #[test]
    fn a_cookie_is_found_among_others_and_hidden_from_scripts() {
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
