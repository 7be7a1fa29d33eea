//! Request ids: every response has one in `X-Request-Id`, and the log line of the request names it.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use bytes::Bytes;

use crate::redact;

/// The header.
pub(crate) static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Makes ids that no other request has: a random prefix for this process, and a counter.
pub(crate) struct RequestIds {
    prefix: String,
    count: AtomicU64,
}

impl RequestIds {
    pub(crate) fn new() -> Self {
        Self { prefix: format!("{:016x}-", getrandom::u64().unwrap_or_default()), count: AtomicU64::new(0) }
    }

    /// The id that the client sent, if it is well-formed and holds no secret, so that a request can be followed through
    /// a proxy; a new id otherwise.
    pub(crate) fn of(&self, headers: &HeaderMap) -> HeaderValue {
        let is_well_formed = |value: &&HeaderValue| {
            let bytes = value.as_bytes();
            (1..=64).contains(&bytes.len())
                && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
                && !value.to_str().is_ok_and(|text| redact::secret(text).is_some())
        };
        if let Some(own) = headers.get(&REQUEST_ID).filter(is_well_formed) {
            return own.clone();
        }
        let mut text = String::with_capacity(self.prefix.len() + 20);
        text.push_str(&self.prefix);
        text.push_str(itoa::Buffer::new().format(self.count.fetch_add(1, Ordering::Relaxed)));
        HeaderValue::from_maybe_shared(Bytes::from(text)).unwrap_or(HeaderValue::from_static("none"))
    }
}
