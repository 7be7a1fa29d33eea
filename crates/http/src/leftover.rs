//! What is left of a body when its answer is ready: a request that is refused early is still heard out, within bounds.
//!
//! Closing a connection on which bytes are still arriving resets it, and the reset can overtake the answer: the caller
//! would see a broken connection instead of the sentence that says what to change.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;
use hyper::{
    HeaderMap,
    body::{Body as HttpBody, Frame, Incoming, SizeHint},
    header,
};

/// How many more bytes are listened to, and for how long. Whoever sends more than this is cut off.
const MOST: usize = 64 << 20;
const PATIENCE: Duration = Duration::from_secs(5);

/// A body that the server can come back to after it was given away.
#[derive(Clone)]
pub(crate) struct Leftover(Arc<Mutex<Incoming>>);

impl Leftover {
    /// The body to give away, and the way back to it; none where nothing can be left over.
    pub(crate) fn keep(headers: &HeaderMap, incoming: Incoming) -> (Body, Option<Self>) {
        if incoming.is_end_stream() {
            return (Body::empty(), None);
        }
        // Who expects to be told to go on sends nothing before that.
        if headers.contains_key(header::EXPECT) {
            return (Body::new(incoming), None);
        }
        let kept = Self(Arc::new(Mutex::new(incoming)));
        (Body::new(kept.clone()), Some(kept))
    }

    /// Listens to the rest, if there is any.
    pub(crate) async fn hear_out(mut self) {
        let listening = async {
            let mut heard = 0;
            while heard < MOST
                && let Some(Ok(frame)) = self.frame().await
            {
                heard += frame.data_ref().map_or(0, Bytes::len);
            }
        };
        let _ = tokio::time::timeout(PATIENCE, listening).await;
    }

    fn with<T>(&self, what: impl FnOnce(&mut Incoming) -> T) -> T {
        what(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl HttpBody for Leftover {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.with(|incoming| Pin::new(incoming).poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.with(|incoming| incoming.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.with(|incoming| incoming.size_hint())
    }
}
