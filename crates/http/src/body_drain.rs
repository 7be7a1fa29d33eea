//! Reads the rest of a request body after an early response.
//!
//! Closing a connection on which bytes are still arriving resets it, and the reset can overtake the response: the
//! client would see a broken connection instead of the error message.

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

/// The most bytes that are drained, and the longest time that takes. The connection of a client that sends more is cut.
const MAX_BYTES: usize = 64 << 20;
const TIMEOUT: Duration = Duration::from_secs(5);

/// A body that the server can still drain after the handler has dropped it.
#[derive(Clone)]
pub(crate) struct DrainableBody(Arc<Mutex<Incoming>>);

impl DrainableBody {
    /// The body for the handler, and the handle to drain it with. There is no handle when nothing can remain.
    pub(crate) fn new(headers: &HeaderMap, incoming: Incoming) -> (Body, Option<Self>) {
        if incoming.is_end_stream() {
            return (Body::empty(), None);
        }
        // A client that sent `Expect: 100-continue` sends no body before it is told to.
        if headers.contains_key(header::EXPECT) {
            return (Body::new(incoming), None);
        }
        let drainable = Self(Arc::new(Mutex::new(incoming)));
        (Body::new(drainable.clone()), Some(drainable))
    }

    /// Reads and discards the rest of the body.
    pub(crate) async fn drain(mut self) {
        let draining = async {
            let mut drained = 0;
            while drained < MAX_BYTES
                && let Some(Ok(frame)) = self.frame().await
            {
                drained += frame.data_ref().map_or(0, Bytes::len);
            }
        };
        let _ = tokio::time::timeout(TIMEOUT, draining).await;
    }

    fn with<T>(&self, what: impl FnOnce(&mut Incoming) -> T) -> T {
        what(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl HttpBody for DrainableBody {
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
