//! Responses that a client can cache: a strong `ETag`, `If-None-Match`, and `Cache-Control`.

use std::fmt::{self, Write as _};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use sha2::{Digest, Sha256};

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
        let digest: [u8; 32] = hasher.0.finalize().into();
        let mut short = [0; 16];
        short.copy_from_slice(&digest[..16]);
        Self(short)
    }
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
        let own = self.header_value();
        let own = own.to_str().unwrap_or_default();
        let lists = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        // Our tags contain no comma. A foreign tag with a comma is split into pieces that match none of ours.
        lists
            .flat_map(|list| list.split(','))
            .map(str::trim)
            .any(|tag| tag == "*" || tag.trim_start_matches("W/") == own)
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
        headers.insert(header::ETAG, self.header_value());
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(self.cache_control));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(self.content_security_policy));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }

    fn header_value(&self) -> HeaderValue {
        HeaderValue::try_from(format!("\"{}\"", self.etag)).unwrap_or(HeaderValue::from_static("\"\""))
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
