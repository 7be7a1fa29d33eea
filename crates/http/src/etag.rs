//! Responses that a client can cache: a strong `ETag`, `If-None-Match`, and `Cache-Control`.

use std::fmt::{self, Write as _};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Collected};
use sha2::{Digest, Sha256};

use crate::response::JSON;

/// An entity tag: equal content has an equal tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Etag([u8; 16]);

impl Etag {
    /// The tag of the formatted content. The content is hashed as it is formatted and never held in memory.
    #[must_use]
    pub fn of(content: fmt::Arguments<'_>) -> Self {
        let mut hasher = Hasher(Sha256::new());
        // Writing to a hasher cannot fail.
        let _ = hasher.write_fmt(content);
        Self::from_hash(hasher.0)
    }

    fn from_hash(hash: Sha256) -> Self {
        let digest: [u8; 32] = hash.finalize().into();
        let mut short = [0; 16];
        short.copy_from_slice(&digest[..16]);
        Self(short)
    }

    fn header_value(self) -> HeaderValue {
        HeaderValue::try_from(format!("\"{self}\"")).unwrap_or(HeaderValue::from_static("\"\""))
    }

    /// Whether a client has the content already, by the values of its `If-None-Match`.
    fn is_among<'a>(self, values: impl Iterator<Item = &'a HeaderValue>) -> bool {
        let own = self.header_value();
        let own = own.to_str().unwrap_or_default();
        let lists = values.filter_map(|value| value.to_str().ok());
        // Our tags contain no comma. A foreign tag with a comma is split into pieces that match none of ours.
        lists
            .flat_map(|list| list.split(','))
            .map(str::trim)
            .any(|tag| tag == "*" || tag.trim_start_matches("W/") == own)
    }
}

/// Gives a JSON answer of 200 an `ETag`, and answers 304 instead if its client has it already by `known`, the values of
/// its `If-None-Match`. The caller's key decides what is answered, so only the client itself may keep it.
pub(crate) async fn tag_json(known: &[HeaderValue], response: Response) -> Response {
    let headers = response.headers();
    let is_json = headers.get(header::CONTENT_TYPE) == Some(&JSON);
    if response.status() != StatusCode::OK || !is_json || headers.contains_key(header::CACHE_CONTROL) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    // The body is in memory: reading it cannot fail.
    let bytes = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
    let etag = Etag::from_hash(Sha256::new_with_prefix(&bytes));
    head.headers.insert(header::ETAG, etag.header_value());
    head.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    if !etag.is_among(known.iter()) {
        return Response::from_parts(head, Body::from(bytes));
    }
    head.status = StatusCode::NOT_MODIFIED;
    head.headers.remove(header::CONTENT_TYPE);
    Response::from_parts(head, Body::empty())
}

impl fmt::Display for Etag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

struct Hasher(Sha256);

impl fmt::Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// The headers of a response that a client can cache.
#[derive(Debug, Clone, Copy)]
pub struct Cacheable {
    /// `ETag`.
    pub etag: Etag,
    /// `Content-Type`.
    pub content_type: &'static str,
    /// `Cache-Control`.
    pub cache_control: &'static str,
    /// `Content-Security-Policy`.
    pub content_security_policy: &'static str,
}

impl Cacheable {
    /// 304 if the client already has the content, 200 with the content otherwise.
    pub fn respond(&self, request: &HeaderMap, content: impl FnOnce() -> Bytes) -> Response {
        if self.is_current(request) { self.not_modified() } else { self.ok(content()) }
    }

    /// Whether the client already has the content, according to `If-None-Match`.
    #[must_use]
    pub fn is_current(&self, request: &HeaderMap) -> bool {
        self.etag.is_among(request.get_all(header::IF_NONE_MATCH).iter())
    }

    /// A 304 response.
    #[must_use]
    pub fn not_modified(&self) -> Response {
        let mut response = self.with_body(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(header::CONTENT_TYPE);
        response
    }

    /// A 200 response with the content.
    #[must_use]
    pub fn ok(&self, content: Bytes) -> Response {
        self.with_body(Body::from(content))
    }

    fn with_body(&self, body: Body) -> Response {
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.etag.header_value());
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(self.cache_control));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(self.content_security_policy));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::{Cacheable, Etag};

    #[test]
    fn if_none_match_is_read_in_every_form() {
        let etag = Etag::of(format_args!("{}{}", "ab", 1));
        assert_eq!(etag, Etag::of(format_args!("ab1")));
        assert_ne!(etag, Etag::of(format_args!("ab2")));
        let cacheable = Cacheable {
            etag,
            content_type: "text/plain",
            cache_control: "no-cache",
            content_security_policy: "default-src 'none'",
        };
        let is_current = |lines: &[String]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::IF_NONE_MATCH, HeaderValue::try_from(line).unwrap());
            }
            cacheable.is_current(&headers)
        };
        for good in [format!("\"{etag}\""), format!("W/\"{etag}\""), format!("\"a,b\" , \"{etag}\""), "*".to_owned()] {
            assert!(is_current(std::slice::from_ref(&good)), "{good}");
            assert!(is_current(&["\"other\"".to_owned(), good]));
        }
        for bad in [String::new(), etag.to_string(), format!("\"{etag}x\""), "\"other\"".to_owned()] {
            assert!(!is_current(std::slice::from_ref(&bad)), "{bad}");
        }
        assert!(!is_current(&[]));
    }
}
