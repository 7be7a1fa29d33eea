//! The patience with one connection: a client that sends no request, or does not read its answer, is let go.
//!
//! A timer for every request would cost more than the rest of the listener, so a connection only notes when something
//! last happened, and its task looks at the notes every few seconds.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::rt::{Read, ReadBufCursor, Write};

/// From the end of one answer to the end of the next request's head. Bytes that trickle in do not extend it.
const UNTIL_REQUEST: Duration = Duration::from_mins(1);

/// How long an answer may be stuck because the client takes nothing of it.
const STUCK: Duration = Duration::from_secs(30);

/// How often the notes are looked at.
pub(crate) const LOOK: Duration = Duration::from_secs(5);

/// The notes of one connection. Times are milliseconds since it began.
#[derive(Debug)]
pub(crate) struct Pulse {
    began: Instant,
    /// The last time an answer was ready or a part of one was taken.
    moved: AtomicU64,
    /// Since when the client takes nothing, plus one; 0 when it does.
    stuck: AtomicU64,
    answering: AtomicBool,
}

impl Pulse {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            began: Instant::now(),
            moved: AtomicU64::new(0),
            stuck: AtomicU64::new(0),
            answering: AtomicBool::new(false),
        })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// A whole request has arrived.
    pub(crate) fn asked(&self) {
        self.answering.store(true, Ordering::Relaxed);
    }

    /// Its answer is ready.
    pub(crate) fn answered(&self) {
        self.moved.store(self.now(), Ordering::Relaxed);
        self.answering.store(false, Ordering::Relaxed);
    }

    /// Whether the patience is over.
    pub(crate) fn is_over(&self) -> bool {
        let (now, stuck) = (self.now(), self.stuck.load(Ordering::Relaxed));
        let since = |then: u64| Duration::from_millis(now.saturating_sub(then));
        if stuck > 0 {
            return since(stuck - 1) > STUCK;
        }
        !self.answering.load(Ordering::Relaxed) && since(self.moved.load(Ordering::Relaxed)) > UNTIL_REQUEST
    }
}

/// A connection whose writes are noted.
pub(crate) struct Watched<I> {
    inner: I,
    pulse: Arc<Pulse>,
}

impl<I> Watched<I> {
    pub(crate) fn new(inner: I, pulse: Arc<Pulse>) -> Self {
        Self { inner, pulse }
    }

    fn note<T>(&self, written: Poll<T>) -> Poll<T> {
        if written.is_ready() {
            self.pulse.moved.store(self.pulse.now(), Ordering::Relaxed);
            self.pulse.stuck.store(0, Ordering::Relaxed);
        } else if self.pulse.stuck.load(Ordering::Relaxed) == 0 {
            self.pulse.stuck.store(self.pulse.now() + 1, Ordering::Relaxed);
        }
        written
    }
}

impl<I: Read + Unpin> Read for Watched<I> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl<I: Write + Unpin> Write for Watched<I> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::atomic::Ordering, time::Duration};

    use super::{Pulse, STUCK, UNTIL_REQUEST};

    /// A connection that began some time ago.
    fn old(age: Duration) -> Pulse {
        let mut pulse = std::sync::Arc::into_inner(Pulse::new()).unwrap();
        pulse.began -= age;
        pulse
    }

    const MOMENT: Duration = Duration::from_secs(1);

    #[test]
    fn a_connection_without_a_request_is_let_go() {
        assert!(!old(UNTIL_REQUEST / 2).is_over());
        assert!(old(UNTIL_REQUEST + MOMENT).is_over());
    }

    #[test]
    fn one_that_is_being_answered_or_just_was_is_not() {
        let pulse = old(UNTIL_REQUEST + MOMENT);
        pulse.asked();
        assert!(!pulse.is_over());
        pulse.answered();
        assert!(!pulse.is_over());
    }

    #[test]
    fn one_that_takes_nothing_of_its_answer_is_let_go() {
        let pulse = old(STUCK + MOMENT);
        pulse.stuck.store(1, Ordering::Relaxed);
        assert!(pulse.is_over());
        let pulse = old(STUCK / 2);
        pulse.stuck.store(1, Ordering::Relaxed);
        assert!(!pulse.is_over());
    }
}
