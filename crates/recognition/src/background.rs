//! Loops that run as long as a service lives, and the signals that wake them early.

use std::{fmt::Display, sync::Arc, time::Duration};

use tokio::sync::{Notify, watch};

/// How often the database is asked for changes.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(500);

/// Signals between services.
#[derive(Default)]
pub(crate) struct Signals {
    /// There is a dataset to build.
    pub(crate) build: Notify,
    /// There may be bytes that nothing refers to, or deleted applications.
    pub(crate) sweep: Notify,
    /// Collections or the catalogue were changed here.
    pub(crate) content_changed: Arc<Notify>,
    /// The revision of collections and catalogue that the indexes have; `None` until they are loaded.
    pub(crate) content_applied: watch::Sender<Option<i64>>,
}

/// Follows the database twice a second, and whenever `changed` says so, as long as `service` lives. Logs `failure` when
/// following begins to fail.
pub(crate) fn follow<S, F, E>(
    service: &Arc<S>,
    failure: &'static str,
    changed: Arc<Notify>,
    step: impl Fn(Arc<S>) -> F + Send + 'static,
) where
    S: Send + Sync + 'static,
    F: Future<Output = Result<(), E>> + Send,
    E: Display + Send,
{
    let service = Arc::downgrade(service);
    tokio::spawn(async move {
        let mut failing = false;
        while let Some(alive) = service.upgrade() {
            let done = step(alive).await;
            if let Err(error) = &done
                && !failing
            {
                tracing::warn!(%error, "{failure}");
            }
            failing = done.is_err();
            let _ = tokio::time::timeout(FOLLOW_INTERVAL, changed.notified()).await;
        }
    });
}
