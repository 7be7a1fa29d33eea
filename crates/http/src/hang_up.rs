//! Requests whose client hangs up before there is an answer: the server drops their work, and still counts them.
//!
//! A quota would otherwise be no quota: whoever closes the connection early enough would not be charged for the work.

use std::sync::{Arc, OnceLock};

use kaisatsu_access::Caller;

/// The status that is counted and logged. It is not sent: nobody is there to receive it.
pub(crate) const HUNG_UP: u16 = 499;

tokio::task_local! {
    static ADMITTED: Admitted;
}

/// The caller of a request, from the moment that it is admitted. `None` for a request that is answered at once, and
/// need not be watched.
#[derive(Clone, Default)]
pub(crate) struct Admitted(Option<Arc<OnceLock<Arc<Caller>>>>);

impl Admitted {
    /// A request that is watched.
    pub(crate) fn watched() -> Self {
        Self(Some(Arc::default()))
    }

    /// Runs the work of a request, in which [`remember`] sets the caller.
    pub(crate) async fn scope<T>(&self, work: impl Future<Output = T>) -> T {
        ADMITTED.scope(self.clone(), work).await
    }

    /// The caller, if it has been admitted.
    pub(crate) fn caller(&self) -> Option<Arc<Caller>> {
        self.0.as_ref()?.get().cloned()
    }
}

/// Notes that this caller has been admitted.
pub(crate) fn remember(caller: &Arc<Caller>) {
    // Outside of a request that can be dropped there is nothing to note.
    let _ = ADMITTED.try_with(|admitted| admitted.0.as_ref().map(|cell| cell.set(Arc::clone(caller))));
}
