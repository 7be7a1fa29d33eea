//! Drawing for callers: off the threads that answer, by few at once, and not twice what was drawn lately.

mod recent;

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use bytes::Bytes;
use kaisatsu_render::{MAX_PIXELS, PictureError};
use metrics::counter;
use recent::Recent;
use tokio::sync::Semaphore;

use crate::{Failure, Kind, tagged::Tag};

/// How many may wait in each line beside those being drawn for.
const WAITING: usize = 32;

/// How many bytes of pictures are kept.
const KEPT: usize = 64 << 20;

/// How long a caller is told to wait when every place is taken.
const WAIT: Duration = Duration::from_secs(1);

/// Who asks for a picture. Pages need no key, so what they ask for must not keep callers with a key waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    /// An application, with its key.
    Caller,
    /// The page of a map.
    Page,
}

/// Why there is no picture.
#[derive(Debug)]
pub(crate) enum Undrawn {
    /// Every place is taken.
    Busy,
    /// It has more pixels than are drawn.
    TooLarge,
    /// A fault of ours.
    Failed(String),
}

impl From<PictureError> for Undrawn {
    fn from(error: PictureError) -> Self {
        match error {
            PictureError::TooLarge => Self::TooLarge,
            PictureError::Unrenderable(_) => Self::Failed(error.to_string()),
        }
    }
}

impl From<Undrawn> for Failure {
    fn from(undrawn: Undrawn) -> Self {
        match undrawn {
            Undrawn::Busy => {
                let told = "the server has all the pictures it can draw; try again shortly";
                Self::passing(Kind::Unavailable, told, WAIT)
            }
            Undrawn::TooLarge => Self::new(
                Kind::OutOfRange,
                format!(
                    "the picture is too large: a PNG has at most {MAX_PIXELS} pixels, width × height × scale × scale; ask \
                     for a window with x, y, width and height, a smaller scale, or format=svg"
                ),
            ),
            Undrawn::Failed(cause) => {
                Self::new(Kind::Internal, "the server failed; its log has this request's id").because(cause)
            }
        }
    }
}

/// The drawing table.
pub(crate) struct Pictures {
    callers: Line,
    pages: Line,
    recent: Arc<Mutex<Recent>>,
}

/// Those who wait for a picture, and how many are served at once.
struct Line {
    places: Semaphore,
    turns: Arc<Semaphore>,
}

impl Line {
    fn new(at_once: usize) -> Self {
        Self { places: Semaphore::new(at_once + WAITING), turns: Arc::new(Semaphore::new(at_once)) }
    }
}

impl Pictures {
    /// As many at once as there are cores for callers, half of that for pages.
    pub(crate) fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let (callers, pages) = (Line::new(cores), Line::new(cores.div_ceil(2)));
        Self { callers, pages, recent: Arc::new(Mutex::new(Recent::new(KEPT))) }
    }

    /// The picture of that tag: one that was drawn lately, or what `draw` draws now.
    pub(crate) async fn get(
        &self,
        asker: Asker,
        tag: Tag,
        draw: impl FnOnce() -> Result<Bytes, Undrawn> + Send + 'static,
    ) -> Result<Bytes, Undrawn> {
        if let Some(known) = self.find(tag) {
            return Ok(known);
        }
        let line = match asker {
            Asker::Caller => &self.callers,
            Asker::Page => &self.pages,
        };
        // Held by this future: when the caller hangs up, it is dropped and the place is free at once.
        let Ok(_place) = line.places.try_acquire() else {
            counter!("kaisatsu_pictures_refused_total").increment(1);
            return Err(Undrawn::Busy);
        };
        let closed = |_| Undrawn::Failed("the drawing table is closed".to_owned());
        let turn = Arc::clone(&line.turns).acquire_owned().await.map_err(closed)?;
        // Somebody before us in the line may have asked for the same.
        if let Some(known) = self.find(tag) {
            return Ok(known);
        }
        let recent = Arc::clone(&self.recent);
        let drawing = tokio::task::spawn_blocking(move || {
            // It ends with the drawing, also when nobody waits for it any more.
            let _turn = turn;
            let picture = draw()?;
            // Kept here, not by whoever asked: who hung up often asks again, and the work is done.
            recent.lock().unwrap_or_else(PoisonError::into_inner).keep(tag, picture.clone());
            Ok(picture)
        });
        drawing.await.unwrap_or_else(|error| Err(Undrawn::Failed(error.to_string())))
    }

    fn find(&self, tag: Tag) -> Option<Bytes> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner).find(tag)
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

    use super::{Asker, Pictures, Undrawn, WAITING};
    use crate::{Failure, Kind, tagged::Tag};

    /// Lets the others run until something is so, for ten seconds at most.
    async fn until(so: impl Fn() -> bool) {
        for _ in 0..10_000 {
            if so() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(so(), "it never came to that");
    }

    #[tokio::test]
    async fn a_full_line_is_told_so_and_the_other_line_is_not_held_up() {
        let pictures = Arc::new(Pictures::new());
        let at_once = thread::available_parallelism().map_or(1, usize::from);
        let (go, gone) = mpsc::channel::<()>();
        let gone = Arc::new(std::sync::Mutex::new(gone));
        let mut waiting = Vec::new();
        for number in 0..at_once + WAITING {
            let (pictures, gone) = (Arc::clone(&pictures), Arc::clone(&gone));
            waiting.push(tokio::spawn(async move {
                let draw = move || {
                    let _ = gone.lock().unwrap().recv();
                    Ok(Bytes::from_static(b"drawn"))
                };
                let tag = Tag::of(format_args!("{number}"));
                pictures.get(Asker::Caller, tag, draw).await
            }));
        }
        until(|| pictures.callers.places.available_permits() == 0).await;
        let quick = || Ok(Bytes::from_static(b"quick"));
        let one_more = pictures.get(Asker::Caller, Tag::of(format_args!("more")), quick).await;
        assert!(matches!(one_more, Err(Undrawn::Busy)));
        assert_eq!(pictures.get(Asker::Page, Tag::of(format_args!("page")), quick).await.unwrap(), "quick");
        drop(go);
        for one in waiting {
            assert_eq!(one.await.unwrap().unwrap(), "drawn");
        }
        let kept = pictures.get(Asker::Caller, Tag::of(format_args!("3")), || Err(Undrawn::TooLarge)).await;
        assert_eq!(kept.unwrap(), "drawn", "it is not drawn again");
    }

    #[tokio::test]
    async fn a_picture_is_kept_though_its_asker_hung_up() {
        let pictures = Arc::new(Pictures::new());
        let tag = Tag::of(format_args!("left"));
        let (begun, begins) = mpsc::channel::<()>();
        let (go, gone) = mpsc::channel::<()>();
        let asker = tokio::spawn({
            let pictures = Arc::clone(&pictures);
            let draw = move || {
                let _ = begun.send(());
                let _ = gone.recv();
                Ok(Bytes::from_static(b"drawn"))
            };
            async move { pictures.get(Asker::Caller, tag, draw).await }
        });
        until(|| begins.try_recv().is_ok()).await;
        asker.abort();
        assert!(asker.await.is_err_and(|error| error.is_cancelled()));
        assert!(pictures.find(tag).is_none());
        drop(go);
        until(|| pictures.find(tag).is_some()).await;
    }

    #[tokio::test]
    async fn what_cannot_be_rendered_is_a_fault_of_ours_and_not_kept() {
        let pictures = Pictures::new();
        let tag = Tag::of(format_args!("elements"));
        let draw = || Err(PictureError::Unrenderable("too many elements".to_owned()).into());
        let failure = pictures.get(Asker::Caller, tag, draw).await.map_err(Failure::from).unwrap_err();
        assert_eq!(failure.kind, Kind::Internal);
        assert!(failure.cause.is_some_and(|cause| cause.contains("too many elements")));
        assert!(pictures.find(tag).is_none());
    }

    #[tokio::test]
    async fn a_panic_is_a_failure_and_frees_its_place() {
        let pictures = Pictures::new();
        for number in 0..100 {
            let tag = Tag::of(format_args!("{number}"));
            let failed = pictures.get(Asker::Page, tag, || std::panic::resume_unwind(Box::new("no ink"))).await;
            assert!(matches!(failed, Err(Undrawn::Failed(_))));
        }
    }
}
