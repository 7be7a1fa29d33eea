//! Bodies of requests, taken in whole, up to a limit and with some patience.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;

use crate::{Failure, Kind};

/// How long the next piece of a body may take.
const NEXT_PIECE: Duration = Duration::from_secs(20);

/// How long a whole body may take: a client that sends a byte now and then holds a connection, but not for ever.
const WHOLE: Duration = Duration::from_mins(5);

/// The media type of a request in lower case, without its parameters; empty when there is none.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The whole body, if it has at most `limit` bytes. A length that is declared too large is refused before a byte is
/// read.
pub(crate) async fn whole(headers: &HeaderMap, body: Body, limit: usize, what: &str) -> Result<Bytes, Failure> {
    let too_large = || Failure::new(Kind::TooLarge, format!("{what} is too large: at most {limit} bytes are taken"));
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|declared| declared > limit as u64) {
        return Err(too_large());
    }
    let capacity = declared.and_then(|declared| usize::try_from(declared).ok()).unwrap_or(0);
    let taking = async {
        let mut body = body;
        let mut taken = BytesMut::with_capacity(capacity);
        loop {
            let Ok(piece) = tokio::time::timeout(NEXT_PIECE, body.frame()).await else { return Err(too_slow()) };
            let Some(piece) = piece else { return Ok(taken.freeze()) };
            let broken = |_| Failure::new(Kind::BodyFormat, "the body ended before it was complete");
            let Ok(piece) = piece.map_err(broken)?.into_data() else { continue };
            if taken.len() + piece.len() > limit {
                return Err(too_large());
            }
            taken.extend_from_slice(&piece);
        }
    };
    tokio::time::timeout(WHOLE, taking).await.unwrap_or_else(|_| Err(too_slow()))
}

fn too_slow() -> Failure {
    Failure::new(Kind::BodyFormat, "the body came too slowly; send it again over a faster connection")
}
