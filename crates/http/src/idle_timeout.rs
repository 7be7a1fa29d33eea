//! Closes connections whose client sends no request or does not read its response.
//!
//! A timer for every request would cost more than the rest of the listener. Instead a connection records when it was
//! last active, and its task checks the record every few seconds.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::time::Instant;

/// From the end of one response to the end of the next request's head. Bytes that trickle in do not extend it.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);

/// How long a write may be blocked because the client reads nothing.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// How often a connection checks whether it has expired.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// When a connection was last active. Times are milliseconds since the connection opened.
#[derive(Debug)]
pub(crate) struct IdleTimer {
    opened: Instant,
    /// The last time a response was ready or a part of one was written.
    active: AtomicU64,
    /// Since when writing is blocked, plus one; 0 when it is not.
    blocked: AtomicU64,
    handling: AtomicBool,
}

impl IdleTimer {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            opened: Instant::now(),
            active: AtomicU64::new(0),
            blocked: AtomicU64::new(0),
            handling: AtomicBool::new(false),
        })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// A whole request head has arrived.
    pub(crate) fn request_started(&self) {
        self.handling.store(true, Ordering::Relaxed);
    }

    /// The response is ready.
    pub(crate) fn response_ready(&self) {
        self.active.store(self.now(), Ordering::Relaxed);
        self.handling.store(false, Ordering::Relaxed);
    }

    /// Whether the connection is to be closed.
    pub(crate) fn is_expired(&self) -> bool {
        let (now, blocked) = (self.now(), self.blocked.load(Ordering::Relaxed));
        let since = |then: u64| Duration::from_millis(now.saturating_sub(then));
        if blocked > 0 {
            return since(blocked - 1) > WRITE_TIMEOUT;
        }
        !self.handling.load(Ordering::Relaxed) && since(self.active.load(Ordering::Relaxed)) > REQUEST_TIMEOUT
    }
}

/// A stream that records its writes.
pub(crate) struct TimedStream<I> {
    inner: I,
    idle: Arc<IdleTimer>,
}

impl<I> TimedStream<I> {
    pub(crate) fn new(inner: I, idle: Arc<IdleTimer>) -> Self {
        Self { inner, idle }
    }

    fn record<T>(&self, written: Poll<T>) -> Poll<T> {
        if written.is_ready() {
            self.idle.active.store(self.idle.now(), Ordering::Relaxed);
            self.idle.blocked.store(0, Ordering::Relaxed);
        } else if self.idle.blocked.load(Ordering::Relaxed) == 0 {
            self.idle.blocked.store(self.idle.now() + 1, Ordering::Relaxed);
        }
        written
    }
}

impl<I: Read + Unpin> Read for TimedStream<I> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl<I: Write + Unpin> Write for TimedStream<I> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.record(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.record(written)
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

    use super::{IdleTimer, REQUEST_TIMEOUT, WRITE_TIMEOUT};

    /// The timer of a connection that was opened that long ago.
    fn opened(age: Duration) -> IdleTimer {
        let mut idle = std::sync::Arc::into_inner(IdleTimer::new()).unwrap();
        idle.opened -= age;
        idle
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_connection_without_a_request_expires() {
        assert!(!opened(REQUEST_TIMEOUT / 2).is_expired());
        assert!(opened(REQUEST_TIMEOUT + SECOND).is_expired());
    }

    #[test]
    fn a_connection_does_not_expire_during_or_right_after_a_request() {
        let idle = opened(REQUEST_TIMEOUT + SECOND);
        idle.request_started();
        assert!(!idle.is_expired());
        idle.response_ready();
        assert!(!idle.is_expired());
    }

    #[test]
    fn a_connection_whose_writes_are_blocked_expires() {
        let idle = opened(WRITE_TIMEOUT + SECOND);
        idle.blocked.store(1, Ordering::Relaxed);
        assert!(idle.is_expired());
        let idle = opened(WRITE_TIMEOUT / 2);
        idle.blocked.store(1, Ordering::Relaxed);
        assert!(!idle.is_expired());
    }
}
