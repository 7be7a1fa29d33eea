//! Draws pictures of maps: off the threads that serve requests, few at once, with a cache of recent pictures.

mod cache;

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use bytes::Bytes;
use cache::DrawingCache;
use kaisatsu_admission::{Limits, Queue};
use kaisatsu_render::{MAX_PIXELS, PictureError};
use metrics::counter;

use crate::{Etag, Failure, Kind};

/// How many may wait in each queue beside those whose picture is being drawn.
const WAITING: usize = 32;

/// The most bytes in the cache.
const CACHE_BYTES: usize = 64 << 20;

/// The `Retry-After` when a queue is full.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Who requests a picture. Pages need no key, so they must not hold up callers with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    /// An application, with its key, through the API.
    Api,
    /// The page of a map.
    Page,
}

/// Why there is no picture.
#[derive(Debug)]
pub(crate) enum DrawError {
    /// The queue is full.
    QueueFull { retry_after: Duration },
    /// The picture has too many pixels.
    TooLarge,
    /// The fault is ours.
    Failed(String),
}

impl From<PictureError> for DrawError {
    fn from(error: PictureError) -> Self {
        match error {
            PictureError::TooLarge => Self::TooLarge,
            PictureError::Unrenderable(_) => Self::Failed(error.to_string()),
        }
    }
}

impl From<DrawError> for Failure {
    fn from(error: DrawError) -> Self {
        match error {
            DrawError::QueueFull { retry_after } => {
                let message = "the server has all the pictures it can draw; try again shortly";
                Self::passing(Kind::Unavailable, message, retry_after)
            }
            DrawError::TooLarge => Self::new(
                Kind::OutOfRange,
                format!(
                    "the picture is too large: a PNG has at most {MAX_PIXELS} pixels, width × height × scale × scale; \
                        ask \
                     for a window with x, y, width and height, a smaller scale, or format=svg"
                ),
            ),
            DrawError::Failed(cause) => {
                Self::new(Kind::Internal, "the server failed; its log has this request's id").because(cause)
            }
        }
    }
}

/// The drawing queues and the cache of recent pictures.
pub(crate) struct Drawings {
    api: Queue,
    pages: Queue,
    cache: Arc<Mutex<DrawingCache>>,
}

impl Drawings {
    /// Draws as many pictures at once as there are cores for the API, and half of that for pages.
    pub(crate) fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let queue = |running| Queue::new(Limits { running, waiting: WAITING, retry_after: RETRY_AFTER });
        let cache = Arc::new(Mutex::new(DrawingCache::new(CACHE_BYTES)));
        Self { api: queue(cores), pages: queue(cores.div_ceil(2)), cache }
    }

    /// The picture of that tag: from the cache, or drawn now by `draw`.
    pub(crate) async fn get(
        &self,
        client: Client,
        etag: Etag,
        draw: impl FnOnce() -> Result<Bytes, PictureError> + Send + 'static,
    ) -> Result<Bytes, DrawError> {
        if let Some(cached) = self.cached(etag) {
            return Ok(cached);
        }
        let queue = match client {
            Client::Api => &self.api,
            Client::Page => &self.pages,
        };
        let turn = queue.admit().await.map_err(|full| {
            counter!("kaisatsu_pictures_refused_total").increment(1);
            DrawError::QueueFull { retry_after: full.retry_after }
        })?;
        // A client ahead in the queue may have requested the same picture.
        if let Some(cached) = self.cached(etag) {
            return Ok(cached);
        }
        let cache = Arc::clone(&self.cache);
        let drawing = turn.run_blocking(move || {
            let picture = draw()?;
            // Cached here and not by the request: a client that disconnects often repeats it, and the work is done.
            cache.lock().unwrap_or_else(PoisonError::into_inner).insert(etag, picture.clone());
            Ok(picture)
        });
        drawing.await.unwrap_or_else(|panicked| Err(DrawError::Failed(panicked.to_string())))
    }

    fn cached(&self, etag: Etag) -> Option<Bytes> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).get(etag)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Arc, mpsc},
        thread,
        time::Duration,
    };

    use bytes::Bytes;

    use kaisatsu_render::PictureError;

    use super::{Client, DrawError, Drawings, WAITING};
    use crate::{Etag, Failure, Kind};

    /// Lets other tasks run until the condition holds, for ten seconds at most.
    async fn until(holds: impl Fn() -> bool) {
        for _ in 0..10_000 {
            if holds() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(holds(), "the condition never held");
    }

    #[tokio::test]
    async fn a_full_queue_refuses_and_does_not_hold_up_the_other_queue() {
        let drawings = Arc::new(Drawings::new());
        let at_once = thread::available_parallelism().map_or(1, usize::from);
        let (go, gone) = mpsc::channel::<()>();
        let gone = Arc::new(std::sync::Mutex::new(gone));
        let mut waiting = Vec::new();
        for number in 0..at_once + WAITING {
            let (drawings, gone) = (Arc::clone(&drawings), Arc::clone(&gone));
            waiting.push(tokio::spawn(async move {
                let draw = move || {
                    let _ = gone.lock().unwrap().recv();
                    Ok(Bytes::from_static(b"drawn"))
                };
                let tag = Etag::of(format_args!("{number}"));
                drawings.get(Client::Api, tag, draw).await
            }));
        }
        until(|| drawings.api.free() == 0).await;
        let quick = || Ok(Bytes::from_static(b"quick"));
        let one_more = drawings.get(Client::Api, Etag::of(format_args!("more")), quick).await;
        assert!(matches!(one_more, Err(DrawError::QueueFull { retry_after }) if retry_after.as_secs() == 1));
        assert_eq!(drawings.get(Client::Page, Etag::of(format_args!("page")), quick).await.unwrap(), "quick");
        drop(go);
        for one in waiting {
            assert_eq!(one.await.unwrap().unwrap(), "drawn");
        }
        let cached = drawings.get(Client::Api, Etag::of(format_args!("3")), || Err(PictureError::TooLarge)).await;
        assert_eq!(cached.unwrap(), "drawn", "it is not drawn again");
    }

    #[tokio::test]
    async fn a_picture_is_cached_though_its_client_disconnected() {
        let drawings = Arc::new(Drawings::new());
        let tag = Etag::of(format_args!("left"));
        let (begun, begins) = mpsc::channel::<()>();
        let (go, gone) = mpsc::channel::<()>();
        let client = tokio::spawn({
            let drawings = Arc::clone(&drawings);
            let draw = move || {
                let _ = begun.send(());
                let _ = gone.recv();
                Ok(Bytes::from_static(b"drawn"))
            };
            async move { drawings.get(Client::Api, tag, draw).await }
        });
        until(|| begins.try_recv().is_ok()).await;
        client.abort();
        assert!(client.await.is_err_and(|error| error.is_cancelled()));
        assert!(drawings.cached(tag).is_none());
        drop(go);
        until(|| drawings.cached(tag).is_some()).await;
    }

    #[tokio::test]
    async fn what_cannot_be_rendered_is_an_internal_error_and_not_cached() {
        let drawings = Drawings::new();
        let tag = Etag::of(format_args!("elements"));
        let draw = || Err(PictureError::Unrenderable("too many elements".to_owned()));
        let failure = drawings.get(Client::Api, tag, draw).await.map_err(Failure::from).unwrap_err();
        assert_eq!(failure.kind, Kind::Internal);
        assert!(failure.cause.is_some_and(|cause| cause.contains("too many elements")));
        assert!(drawings.cached(tag).is_none());
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_frees_its_place() {
        let drawings = Drawings::new();
        for number in 0..100 {
            let tag = Etag::of(format_args!("{number}"));
            let failed = drawings.get(Client::Page, tag, || std::panic::resume_unwind(Box::new("out of ink"))).await;
            assert!(matches!(failed, Err(DrawError::Failed(_))));
        }
    }
}
