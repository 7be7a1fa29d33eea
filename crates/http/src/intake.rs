//! Bodies of requests, taken in whole, up to a limit and with some patience.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{Failure, Kind};

/// How long the next piece of a body may take.
const NEXT_PIECE: Duration = Duration::from_secs(20);

/// How long a whole body may take: a client that sends a byte now and then holds a connection, but not for ever.
const WHOLE: Duration = Duration::from_mins(5);

/// Bytes of images and other long bodies that may be in the server at once, at least: however many connections there are, each with its picture.
const ROOM: usize = 256 * 1024 * 1024;

/// How many of the largest images there is room for at least.
const LARGEST: usize = 4;

/// When a caller for whom there is no room should try again.
const FULL: Duration = Duration::from_secs(1);

/// Room in memory for bodies: images from their first byte until they have been looked at.
pub(crate) struct Room(Arc<Semaphore>);

/// The room that something takes; it is given back when this is dropped.
#[derive(Default)]
pub(crate) struct Taken(Option<OwnedSemaphorePermit>);

impl Room {
    /// Room for images of at most `largest` bytes.
    pub(crate) fn new(largest: usize) -> Self {
        let room = ROOM.max(largest.saturating_mul(LARGEST));
        Self(Arc::new(Semaphore::new(kilobytes(room) as usize)))
    }

    /// Takes room until it is enough for so many bytes, if there is as much.
    fn widen(&self, taken: &mut Taken, bytes: usize) -> Result<(), Failure> {
        let has = taken.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let lacks = kilobytes(bytes).saturating_sub(u32::try_from(has).unwrap_or(u32::MAX));
        let Ok(more) = Arc::clone(&self.0).try_acquire_many_owned(lacks) else {
            let told = "the server has no room for another body of this size; try again shortly";
            return Err(Failure::passing(Kind::Unavailable, told, FULL));
        };
        match &mut taken.0 {
            Some(taken) => taken.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }

    /// A whole body as [`whole`] takes it, as long as there is room for what has come. Each byte takes the room of `weight`: what is made of
    /// a body may be larger than it was.
    pub(crate) async fn whole(
        &self,
        headers: &HeaderMap,
        body: Body,
        limit: usize,
        weight: usize,
        what: &str,
    ) -> Result<(Bytes, Taken), Failure> {
        let mut taken = Taken::default();
        let coming = |bytes: usize| self.widen(&mut taken, bytes.saturating_mul(weight));
        let bytes = gathered(headers, body, limit, what, coming).await?;
        Ok((bytes, taken))
    }

    /// Bytes on their way to a caller, who may be slow: they have their room until they are gone.
    pub(crate) fn keep(&self, bytes: Bytes) -> Result<Bytes, Failure> {
        let mut taken = Taken::default();
        self.widen(&mut taken, bytes.len())?;
        Ok(Bytes::from_owner(Kept { bytes, _taken: taken }))
    }
}

struct Kept {
    bytes: Bytes,
    _taken: Taken,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn kilobytes(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

fn declared(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

/// The media type of a request in lower case, without its parameters; empty when there is none.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The whole body, if it has at most `limit` bytes. A length that is declared too large is refused before a byte is
/// read.
pub(crate) async fn whole(headers: &HeaderMap, body: Body, limit: usize, what: &str) -> Result<Bytes, Failure> {
    gathered(headers, body, limit, what, |_| Ok(())).await
}

/// The same; `coming` is asked before a piece is kept, with the number of bytes there are then.
async fn gathered(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
    what: &str,
    mut coming: impl FnMut(usize) -> Result<(), Failure>,
) -> Result<Bytes, Failure> {
    let too_large = || Failure::new(Kind::TooLarge, format!("{what} is too large: at most {limit} bytes are taken"));
    let declared = declared(headers);
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
            coming(taken.len() + piece.len())?;
            taken.extend_from_slice(&piece);
        }
    };
    tokio::time::timeout(WHOLE, taking).await.unwrap_or_else(|_| Err(too_slow()))
}

fn too_slow() -> Failure {
    Failure::new(Kind::BodyFormat, "the body came too slowly; send it again over a faster connection")
}

#[cfg(test)]
mod tests {
    use axum::{body::Body, http::HeaderMap};
    use bytes::Bytes;

    use super::{Kind, ROOM, Room};

    #[tokio::test]
    async fn images_beyond_the_room_are_turned_away_until_others_have_left() {
        let (room, headers) = (Room::new(1024), HeaderMap::new());
        let heavy = || room.whole(&headers, Body::from("picture"), 1024, ROOM / 10, "the image");
        let (bytes, taken) = heavy().await.unwrap();
        assert_eq!(bytes, "picture");
        let refused = heavy().await.err().unwrap();
        assert_eq!((refused.kind, refused.retry_seconds()), (Kind::Unavailable, Some(1)));
        let kept = room.keep(Bytes::from_static(b"on its way")).unwrap();
        drop(taken);
        assert_eq!(kept, "on its way");
        assert!(heavy().await.is_ok());
    }
}
