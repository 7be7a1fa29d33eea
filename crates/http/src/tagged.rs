//! Answers that whoever has them need not fetch again: a strong `ETag`, `If-None-Match`, and how long they may be kept.

use std::fmt::{self, Write as _};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use sha2::{Digest, Sha256};

/// What a content is known by: the same content has the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Tag([u8; 16]);

impl Tag {
    /// The tag of whatever is written. Nothing is gathered in memory for it, however long it is.
    pub(crate) fn of(content: fmt::Arguments<'_>) -> Self {
        let mut hasher = Hasher(Sha256::new());
        // A hasher takes everything.
        let _ = hasher.write_fmt(content);
        let digest: [u8; 32] = hasher.0.finalize().into();
        let mut short = [0; 16];
        short.copy_from_slice(&digest[..16]);
        Self(short)
    }
}

impl fmt::Display for Tag {
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

/// What is said about a content beside its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tagged {
    /// What it is known by.
    pub(crate) tag: Tag,
    /// Its `Content-Type`.
    pub(crate) media: &'static str,
    /// Its `Cache-Control`.
    pub(crate) keep: &'static str,
    /// Its `Content-Security-Policy`.
    pub(crate) policy: &'static str,
}

impl Tagged {
    /// The answer: 304 for whoever has the content already, by the request's headers.
    pub(crate) fn answer(&self, request: &HeaderMap, content: impl FnOnce() -> Bytes) -> Response {
        if self.is_known(request) { self.unchanged() } else { self.whole(content()) }
    }

    /// Whether the caller has the content already.
    pub(crate) fn is_known(&self, request: &HeaderMap) -> bool {
        let own = self.mark();
        let own = own.to_str().unwrap_or_default();
        let lists = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        // No comma is in a tag of ours, so one that a foreign tag holds only makes pieces that are none of ours.
        lists
            .flat_map(|list| list.split(','))
            .map(str::trim)
            .any(|tag| tag == "*" || tag.trim_start_matches("W/") == own)
    }

    /// An answer of 304.
    pub(crate) fn unchanged(&self) -> Response {
        let mut response = self.headed(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(header::CONTENT_TYPE);
        response
    }

    /// An answer of 200.
    pub(crate) fn whole(&self, content: Bytes) -> Response {
        self.headed(Body::from(content))
    }

    fn headed(&self, body: Body) -> Response {
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        headers.insert(header::ETAG, self.mark());
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(self.keep));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(self.policy));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }

    fn mark(&self) -> HeaderValue {
        HeaderValue::try_from(format!("\"{}\"", self.tag)).unwrap_or(HeaderValue::from_static("\"\""))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::{Tag, Tagged};

    #[test]
    fn a_tag_is_found_in_every_form_of_the_header() {
        let tag = Tag::of(format_args!("{}{}", "ab", 1));
        assert_eq!(tag, Tag::of(format_args!("ab1")));
        assert_ne!(tag, Tag::of(format_args!("ab2")));
        let tagged = Tagged { tag, media: "text/plain", keep: "no-cache", policy: "default-src 'none'" };
        let known = |lines: &[String]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::IF_NONE_MATCH, HeaderValue::try_from(line).unwrap());
            }
            tagged.is_known(&headers)
        };
        for good in [format!("\"{tag}\""), format!("W/\"{tag}\""), format!("\"a,b\" , \"{tag}\""), "*".to_owned()] {
            assert!(known(std::slice::from_ref(&good)), "{good}");
            assert!(known(&["\"other\"".to_owned(), good]));
        }
        for bad in [String::new(), tag.to_string(), format!("\"{tag}x\""), "\"other\"".to_owned()] {
            assert!(!known(std::slice::from_ref(&bad)), "{bad}");
        }
        assert!(!known(&[]));
    }
}
