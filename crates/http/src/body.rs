//! Request bodies: read whole, up to a size limit and a time limit, and bounded in memory across all requests.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{Failure, Kind, deadline};

/// How long the next frame of a body may take.
const FRAME_TIMEOUT: Duration = Duration::from_secs(20);

/// How long a whole body may take. Without it, a client that sends one byte now and then could hold a connection
/// forever.
const BODY_TIMEOUT: Duration = Duration::from_mins(5);

/// The lower bound of the memory for bodies. It holds however many connections there are.
const MIN_CAPACITY: usize = 256 * 1024 * 1024;

/// The memory always has room for at least this many images of the largest size.
const LARGEST_IMAGES: usize = 4;

/// The `Retry-After` when the memory is used up.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The memory for request bodies and images, shared by all requests.
pub(crate) struct BodyMemory(Arc<Semaphore>);

/// A share of the memory; dropping it gives the memory back.
#[derive(Default)]
pub(crate) struct Reservation(Option<OwnedSemaphorePermit>);

impl BodyMemory {
    /// Memory for images of at most `largest` bytes.
    pub(crate) fn new(largest: usize) -> Self {
        let capacity = MIN_CAPACITY.max(largest.saturating_mul(LARGEST_IMAGES));
        Self(Arc::new(Semaphore::new(kilobytes(capacity) as usize)))
    }

    /// Grows a reservation to that many bytes, or fails if the memory is used up.
    fn grow(&self, reservation: &mut Reservation, bytes: usize) -> Result<(), Failure> {
        let held = reservation.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = kilobytes(bytes).saturating_sub(u32::try_from(held).unwrap_or(u32::MAX));
        let Ok(more) = Arc::clone(&self.0).try_acquire_many_owned(missing) else {
            let message = "the server has no room for another body of this size; try again shortly";
            return Err(Failure::passing(Kind::Unavailable, message, RETRY_AFTER));
        };
        match &mut reservation.0 {
            Some(permit) => permit.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }

    /// Reads a whole body as [`read_body`] does, and reserves `weight` bytes of memory for each byte read: the parsed
    /// form of a body may be larger than the body.
    pub(crate) async fn read(
        &self,
        headers: &HeaderMap,
        body: Body,
        limit: usize,
        weight: usize,
        what: &str,
    ) -> Result<(Bytes, Reservation), Failure> {
        let mut reservation = Reservation::default();
        let reserve = |bytes: usize| self.grow(&mut reservation, bytes.saturating_mul(weight));
        let bytes = read_frames(headers, body, limit, what, reserve).await?;
        Ok((bytes, reservation))
    }

    /// Reads a whole body as [`BodyMemory::read`] does; the memory is given back with the last copy of the bytes.
    pub(crate) async fn read_and_hold(
        &self,
        headers: &HeaderMap,
        body: Body,
        limit: usize,
        weight: usize,
        what: &str,
    ) -> Result<Bytes, Failure> {
        let (bytes, reservation) = self.read(headers, body, limit, weight, what).await?;
        Ok(Bytes::from_owner(Held { bytes, _reservation: reservation }))
    }

    /// Reserves memory for bytes that are sent to a client. They keep their reservation until they are sent, because
    /// the client may read slowly.
    pub(crate) fn hold(&self, bytes: Bytes) -> Result<Bytes, Failure> {
        let mut reservation = Reservation::default();
        self.grow(&mut reservation, bytes.len())?;
        Ok(Bytes::from_owner(Held { bytes, _reservation: reservation }))
    }
}

struct Held {
    bytes: Bytes,
    _reservation: Reservation,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn kilobytes(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

/// The media type of a request in lower case, without its parameters; empty when there is none.
#[must_use]
pub fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a request declares its body in UTF-8, or in no encoding.
pub(crate) fn is_utf8(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let charset = value.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let mut charset = charset.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    charset.all(|(_, value)| {
        let value = value.trim().trim_matches('"');
        value.eq_ignore_ascii_case("utf-8") || value.eq_ignore_ascii_case("utf8")
    })
}

/// Whether a request declares its body as an image: `application/octet-stream` or `image/*`.
pub(crate) fn is_bare_image(headers: &HeaderMap) -> bool {
    let media = media_type(headers);
    media == "application/octet-stream" || media.starts_with("image/")
}

/// The whole body, if it has at most `limit` bytes. A `Content-Length` over the limit is refused before anything is
/// read. `what` names the body in the error message.
///
/// # Errors
/// [`Kind::TooLarge`] when the body is larger, [`Kind::BodyFormat`] when it is cut short or arrives too slowly,
/// [`Kind::MediaType`] when it is compressed.
pub async fn read_body(headers: &HeaderMap, body: Body, limit: usize, what: &str) -> Result<Bytes, Failure> {
    read_frames(headers, body, limit, what, |_| Ok(())).await
}

/// Reads the frames of a body. `reserve` is called before each frame is kept, with the number of bytes there are then.
async fn read_frames(
    headers: &HeaderMap,
    mut body: Body,
    limit: usize,
    what: &str,
    mut reserve: impl FnMut(usize) -> Result<(), Failure>,
) -> Result<Bytes, Failure> {
    if let Some(encoding) = headers.get(header::CONTENT_ENCODING).filter(|encoding| *encoding != "identity") {
        let encoding: String = String::from_utf8_lossy(encoding.as_bytes()).chars().take(40).collect();
        let rule = format!("the Content-Encoding '{encoding}' is not read here; send the body as it is, without one");
        return Err(Failure::new(Kind::MediaType, rule));
    }
    let too_large = || Failure::new(Kind::TooLarge, format!("{what} is too large: at most {limit} bytes are taken"));
    let length = content_length(headers);
    if length.is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let capacity = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    let reading = async {
        let mut bytes = BytesMut::with_capacity(capacity);
        loop {
            let Ok(frame) = tokio::time::timeout(FRAME_TIMEOUT, body.frame()).await else { return Err(too_slow()) };
            let Some(frame) = frame else { return Ok(bytes.freeze()) };
            let incomplete = |_| Failure::new(Kind::BodyFormat, "the body ended before it was complete");
            let Ok(data) = frame.map_err(incomplete)?.into_data() else { continue };
            if bytes.len() + data.len() > limit {
                return Err(too_large());
            }
            reserve(bytes.len() + data.len())?;
            bytes.extend_from_slice(&data);
            deadline::body_arrived();
        }
    };
    tokio::time::timeout(BODY_TIMEOUT, reading).await.unwrap_or_else(|_| Err(too_slow()))
}

fn too_slow() -> Failure {
    Failure::new(Kind::BodyFormat, "the body came too slowly; send it again over a faster connection")
}

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, time::Duration};

    use axum::{
        body::Body,
        http::{HeaderMap, HeaderValue},
    };
    use bytes::Bytes;
    use futures_util::stream;
    use tokio::time::{Instant, sleep};

    use super::{BodyMemory, Kind, MIN_CAPACITY, read_body};

    /// A body that sends one byte after each pause, without end.
    fn slow_body(pause: Duration) -> Body {
        Body::from_stream(stream::unfold((), move |()| async move {
            sleep(pause).await;
            Some((Ok::<_, Infallible>(Bytes::from_static(b"a")), ()))
        }))
    }

    #[tokio::test]
    async fn a_compressed_body_is_refused_by_its_encoding() {
        let read = async |encoding: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("content-encoding", HeaderValue::from_static(encoding));
            read_body(&headers, Body::from("{}"), 1024, "the body").await
        };
        assert_eq!(read("identity").await.unwrap(), "{}");
        let refused = read("gzip").await.unwrap_err();
        let rule = "the Content-Encoding 'gzip' is not read here; send the body as it is, without one";
        assert_eq!((refused.kind, refused.message.as_str()), (Kind::MediaType, rule));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_whose_next_frame_takes_20_seconds_or_that_takes_5_minutes_is_refused() {
        for (pause, from, to) in [(21, 20, 21), (10, 300, 301)] {
            let (began, body) = (Instant::now(), slow_body(Duration::from_secs(pause)));
            let refused = read_body(&HeaderMap::new(), body, 1024, "the body").await.unwrap_err();
            assert_eq!(refused.kind, Kind::BodyFormat);
            assert_eq!(refused.message, "the body came too slowly; send it again over a faster connection");
            assert!((from..=to).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
        }
        let limit = read_body(&HeaderMap::new(), slow_body(Duration::from_secs(1)), 100, "the body").await.unwrap_err();
        assert_eq!(limit.kind, Kind::TooLarge, "a steady body is read up to its limit");
    }

    #[tokio::test]
    async fn bodies_beyond_the_memory_are_refused_until_others_are_dropped() {
        let (memory, headers) = (BodyMemory::new(1024), HeaderMap::new());
        let heavy = || memory.read(&headers, Body::from("picture"), 1024, MIN_CAPACITY / 10, "the image");
        let (bytes, reservation) = heavy().await.unwrap();
        assert_eq!(bytes, "picture");
        let refused = heavy().await.err().unwrap();
        assert_eq!((refused.kind, refused.retry_seconds()), (Kind::Unavailable, Some(1)));
        let held = memory.hold(Bytes::from_static(b"being sent")).unwrap();
        drop(reservation);
        assert_eq!(held, "being sent");
        assert!(heavy().await.is_ok());
    }
}
