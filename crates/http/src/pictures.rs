//! Drawing for callers: off the threads that answer, by few at once, and not twice what was drawn lately.

mod recent;

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use bytes::Bytes;
use kaisatsu_drawing::{MAX_PIXELS, TooLarge};
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

impl From<TooLarge> for Undrawn {
    fn from(_: TooLarge) -> Self {
        Self::TooLarge
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
    recent: Mutex<Recent>,
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
        Self { callers, pages, recent: Mutex::new(Recent::new(KEPT)) }
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
        let drawing = tokio::task::spawn_blocking(move || {
            // It ends with the drawing, also when nobody waits for it any more.
            let _turn = turn;
            draw()
        });
        let picture = drawing.await.unwrap_or_else(|error| Err(Undrawn::Failed(error.to_string())))?;
        self.recent.lock().unwrap_or_else(PoisonError::into_inner).keep(tag, picture.clone());
        Ok(picture)
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
    };

    use bytes::Bytes;

    use super::{Asker, Pictures, Undrawn, WAITING};
    use crate::tagged::Tag;

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
        tokio::task::yield_now().await;
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
    async fn a_panic_is_a_failure_and_frees_its_place() {
        let pictures = Pictures::new();
        for number in 0..100 {
            let tag = Tag::of(format_args!("{number}"));
            let failed = pictures.get(Asker::Page, tag, || std::panic::resume_unwind(Box::new("no ink"))).await;
            assert!(matches!(failed, Err(Undrawn::Failed(_))));
        }
    }
}
