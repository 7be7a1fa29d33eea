//! Compresses responses for clients that ask for it: `br` (Brotli), or else `gzip`.
//!
//! Only texts of the route map, its pages and the documentation, and lists of image recognition are compressed. Their
//! bodies are complete in memory, so one call compresses them; images are compressed already, and other answers may
//! contain secrets, which compression beside a caller's own words would betray.

use std::io::Write as _;

use axum::{
    body::{Body, HttpBody},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use brotli::enc::BrotliEncoderParams;
use flate2::{Compression, write::GzEncoder};
use http_body_util::BodyExt;

/// A smaller body is sent as it is: it fits into one packet anyway.
const LEAST_BYTES: u64 = 1024;

/// The levels that are worth their time: a whole map of Kansai takes some milliseconds.
const BROTLI_LEVEL: i32 = 4;
const GZIP_LEVEL: u32 = 5;

const VARY: HeaderValue = HeaderValue::from_static("Accept-Encoding");

/// An encoding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    fn word(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The best encoding that a client accepts; `None` if it accepts neither, or says nothing.
    pub(crate) fn accepted(headers: &HeaderMap) -> Option<Self> {
        // Most callers of the API say nothing.
        if !headers.contains_key(header::ACCEPT_ENCODING) {
            return None;
        }
        let lists = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        let accepted: Vec<(&str, f32)> = lists.flat_map(|list| list.split(',')).map(weighted).collect();
        let weight = |word: &str| {
            let of = |name: &str| accepted.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
            of(word).or_else(|| of("*")).map_or(0.0, |(_, weight)| *weight)
        };
        // A client that prefers one of them says so by its weight.
        let (brotli, gzip) = (weight("br"), weight("gzip").max(weight("x-gzip")));
        let best = if brotli >= gzip { (Self::Brotli, brotli) } else { (Self::Gzip, gzip) };
        (best.1 > 0.0).then_some(best.0)
    }

    fn compress(self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Brotli => {
                let mut compressed = Vec::with_capacity(bytes.len() / 4);
                let mut rest = bytes;
                brotli::BrotliCompress(&mut rest, &mut compressed, &brotli_parameters(bytes.len())).ok()?;
                Some(compressed)
            }
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::new(GZIP_LEVEL));
                encoder.write_all(bytes).ok()?;
                encoder.finish().ok()
            }
        }
    }
}

fn brotli_parameters(size: usize) -> BrotliEncoderParams {
    BrotliEncoderParams { quality: BROTLI_LEVEL, lgwin: 19, size_hint: size, ..BrotliEncoderParams::default() }
}

/// A word of `Accept-Encoding` and its weight.
fn weighted(item: &str) -> (&str, f32) {
    let (word, parameters) = item.split_once(';').unwrap_or((item, ""));
    let weight = parameters.trim().strip_prefix("q=").or(parameters.trim().strip_prefix("Q="));
    (word.trim(), weight.map_or(1.0, |weight| weight.trim().parse().unwrap_or(0.0)))
}

/// Compresses the body of a response, if that is worthwhile. Every response that could be compressed says that it
/// depends on what the client accepts. To HEAD too, whose answer says how long the body of GET would be.
pub(crate) async fn compress(encoding: Option<Encoding>, mut response: Response) -> Response {
    if response.status() == StatusCode::NOT_MODIFIED {
        response.headers_mut().append(header::VARY, VARY);
        return response;
    }
    let is_text = response.headers().get(header::CONTENT_TYPE).is_some_and(is_text);
    if !is_text || response.headers().contains_key(header::CONTENT_ENCODING) {
        return response;
    }
    response.headers_mut().append(header::VARY, VARY);
    let size = response.body().size_hint().exact();
    let Some(encoding) = encoding.filter(|_| size.is_some_and(|size| size >= LEAST_BYTES)) else { return response };
    let (mut head, body) = response.into_parts();
    // The body is in memory, so that it is complete at once.
    let Ok(bytes) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
        return Response::from_parts(head, Body::empty());
    };
    let Some(compressed) = encoding.compress(&bytes) else { return Response::from_parts(head, Body::from(bytes)) };
    head.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding.word()));
    head.headers.remove(header::CONTENT_LENGTH);
    weaken(&mut head.headers);
    Response::from_parts(head, Body::from(compressed))
}

/// Texts that repeat themselves. A PDF is compressed already.
fn is_text(content_type: &HeaderValue) -> bool {
    let bytes = content_type.as_bytes();
    [&b"application/json"[..], b"text/", b"image/svg+xml"].iter().any(|kind| bytes.starts_with(kind))
}

/// A strong tag promises the same bytes, which encodings do not have.
fn weaken(headers: &mut HeaderMap) {
    let weak = headers.get(header::ETAG).and_then(|tag| tag.to_str().ok()).filter(|tag| !tag.starts_with("W/"));
    if let Some(Ok(weak)) = weak.map(|tag| HeaderValue::try_from(format!("W/{tag}"))) {
        headers.insert(header::ETAG, weak);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use axum::{
        body::Body,
        http::{HeaderMap, HeaderValue, header},
        response::Response,
    };
    use http_body_util::BodyExt;

    use super::{Encoding, compress};

    fn accepted(text: &'static str) -> Option<Encoding> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
        Encoding::accepted(&headers)
    }

    #[test]
    fn the_client_says_what_it_accepts() {
        for (text, encoding) in [
            ("gzip, deflate, br, zstd", Some(Encoding::Brotli)),
            ("gzip", Some(Encoding::Gzip)),
            ("GZIP;q=0.5", Some(Encoding::Gzip)),
            ("br;q=0.1, gzip", Some(Encoding::Gzip)),
            ("*", Some(Encoding::Brotli)),
            ("*, br;q=0", Some(Encoding::Gzip)),
            ("identity", None),
            ("gzip;q=0", None),
            ("gzip;q=a lot", None),
            ("deflate, zstd", None),
            ("", None),
        ] {
            assert_eq!(accepted(text), encoding, "{text}");
        }
        assert_eq!(Encoding::accepted(&HeaderMap::new()), None);
    }

    fn response(content_type: &'static str, bytes: &[u8]) -> Response {
        let mut response = Response::new(Body::from(bytes.to_vec()));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        response.headers_mut().insert(header::ETAG, HeaderValue::from_static("\"tag\""));
        response
    }

    async fn sent(encoding: Option<Encoding>, response: Response) -> (HeaderMap, Vec<u8>) {
        let (head, body) = compress(encoding, response).await.into_parts();
        (head.headers, body.collect().await.unwrap().to_bytes().to_vec())
    }

    #[tokio::test]
    async fn a_compressed_body_is_the_same_body_and_its_tag_is_weak() {
        let text = "路線図 ".repeat(1000).into_bytes();
        for encoding in [Encoding::Brotli, Encoding::Gzip] {
            let (headers, bytes) = sent(Some(encoding), response("application/json;charset=UTF-8", &text)).await;
            assert_eq!(headers[header::CONTENT_ENCODING], encoding.word());
            assert_eq!(headers[header::VARY], "Accept-Encoding");
            assert_eq!(headers[header::ETAG], "W/\"tag\"");
            assert!(bytes.len() < text.len() / 10);
            let mut plain = Vec::new();
            match encoding {
                Encoding::Brotli => brotli::BrotliDecompress(&mut &bytes[..], &mut plain).unwrap(),
                Encoding::Gzip => {
                    flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
                }
            }
            assert_eq!(plain, text);
        }
    }

    #[tokio::test]
    async fn what_gains_nothing_is_sent_as_it_is() {
        let text = vec![b'a'; 4096];
        let (headers, bytes) = sent(None, response("text/html", &text)).await;
        assert_eq!(bytes.len(), 4096);
        assert_eq!(headers[header::ETAG], "\"tag\"");
        assert_eq!(headers[header::VARY], "Accept-Encoding", "a cache must not give it to other clients");
        for (content_type, size) in [("text/html", 1023), ("image/png", 4096), ("application/pdf", 4096)] {
            let (headers, bytes) = sent(Some(Encoding::Gzip), response(content_type, &text[..size])).await;
            assert_eq!(bytes.len(), size, "{content_type}");
            assert!(!headers.contains_key(header::CONTENT_ENCODING), "{content_type}");
            assert_eq!(headers.contains_key(header::VARY), content_type == "text/html");
        }
    }
}
