//! The queue in front of the engine: when it is full a caller is refused, and a caller who hangs up leaves it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use kaisatsu_admission::{Full, Limits, Queue, QueuePlace};
use kaisatsu_model::Function;
use kaisatsu_vision::{Bounds, Engine, Worker};
use metrics::{counter, gauge, histogram};
use tokio::sync::oneshot;

use super::metrics::{ABANDONED, QUEUED, REFUSED, REQUESTS};
use crate::RecognitionError;

/// How long a refused caller is told to wait.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// How long a request waits for models that are being loaded.
const LOADING: Duration = Duration::from_secs(20);

/// What the engine works for: the label of its metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Workload {
    /// A function of recognition.
    Function(Function),
    /// An image that comes into a storage area.
    Upload,
    /// A thumbnail of a stored image.
    Thumbnail,
    /// An image of a dataset that is built.
    DatasetImage,
    /// An image that comes into the catalogue or a collection.
    Import,
}

impl Workload {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Function(function) => function.as_str(),
            Self::Upload => "upload",
            Self::Thumbnail => "thumbnail",
            Self::DatasetImage => "dataset",
            Self::Import => "import",
        }
    }
}

impl From<Function> for Workload {
    fn from(function: Function) -> Self {
        Self::Function(function)
    }
}

/// The engine and the queue in front of it.
pub(crate) struct EngineQueue {
    engine: Arc<Engine>,
    requests: Queue,
    /// Work that nobody waits for: one more than there are threads, so that no thread is idle and a caller waits for
    /// two such images at most.
    background: Queue,
    bounds: Bounds,
}

/// A request that the queue has accepted. Its place is free again when this is dropped, also when the caller hangs up.
pub(crate) struct Admitted<'a> {
    queue: &'a EngineQueue,
    workload: Workload,
    _place: QueuePlace,
    _counted: Counted,
}

impl EngineQueue {
    /// `waiting` requests may wait beside those that are worked on.
    pub(crate) fn new(engine: Arc<Engine>, waiting: usize, bounds: Bounds) -> Self {
        // The engine's threads decide who runs: a request takes a place and no turn.
        let limits = Limits { running: engine.threads(), waiting, retry_after: RETRY_AFTER };
        let background = Queue::new(Limits { running: engine.threads() + 1, waiting: 0, retry_after: RETRY_AFTER });
        Self { engine, requests: Queue::new(limits), background, bounds }
    }

    /// Ends the engine and waits for its threads.
    pub(crate) fn stop(&self) {
        self.engine.stop();
    }

    /// Whether the engine was stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.engine.is_stopped()
    }

    /// How large an image may be.
    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Accepts a request, for one or several pieces of work one after the other.
    pub(crate) fn admit(&self, workload: impl Into<Workload>) -> Result<Admitted<'_>, RecognitionError> {
        let workload = workload.into();
        let place = self.requests.enter().map_err(|Full { retry_after }| {
            counter!(REFUSED, "task" => workload.as_str()).increment(1);
            RecognitionError::Overloaded { wait: retry_after }
        })?;
        Ok(Admitted { queue: self, workload, _place: place, _counted: Counted::new() })
    }

    /// Accepts a request and does its only piece of work on a thread of the engine.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        workload: impl Into<Workload>,
        work: impl FnOnce(&mut Worker) -> Result<T, RecognitionError> + Send + 'static,
    ) -> Result<T, RecognitionError> {
        self.admit(workload)?.run(work).await
    }

    /// The same for work that can wait: it is not refused, it takes its turn.
    pub(crate) async fn run_in_background<T: Send + 'static>(
        &self,
        workload: Workload,
        work: impl FnOnce(&mut Worker) -> Result<T, RecognitionError> + Send + 'static,
    ) -> Result<T, RecognitionError> {
        let _turn = self.background.wait().await;
        self.submit(workload, work).await
    }

    async fn submit<T: Send + 'static>(
        &self,
        workload: Workload,
        work: impl FnOnce(&mut Worker) -> Result<T, RecognitionError> + Send + 'static,
    ) -> Result<T, RecognitionError> {
        let (reply, answer) = oneshot::channel();
        let queued = Instant::now();
        self.engine.submit(move |worker| {
            if reply.is_closed() {
                counter!(ABANDONED, "task" => workload.as_str()).increment(1);
                return;
            }
            histogram!(QUEUED, "task" => workload.as_str()).record(queued.elapsed());
            let _ = reply.send(work(worker));
        });
        let answer = if self.engine.is_warm() {
            answer.await
        } else {
            // A thread begins with the work that waits as soon as it has loaded its models.
            tokio::time::timeout(LOADING, answer).await.map_err(|_| RecognitionError::Warming)?
        };
        answer.unwrap_or_else(|_| {
            if self.is_stopped() {
                return Err(RecognitionError::Stopping);
            }
            // The work panicked; the engine has logged that.
            Err(RecognitionError::Failed("the work ended without an answer".to_owned()))
        })
    }
}

impl Admitted<'_> {
    /// Does a piece of work on a thread of the engine. The work must not wait for anything but the processor.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Worker) -> Result<T, RecognitionError> + Send + 'static,
    ) -> Result<T, RecognitionError> {
        self.queue.submit(self.workload, work).await
    }
}

/// Counts a request for as long as it is in the queue or on a thread.
struct Counted;

impl Counted {
    fn new() -> Self {
        gauge!(REQUESTS).increment(1.0);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        gauge!(REQUESTS).decrement(1.0);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Arc, Condvar, Mutex},
        time::Duration,
    };

    use kaisatsu_model::Function;
    use kaisatsu_vision::{Bounds, Engine, ModelRegistry};

    use super::EngineQueue;
    use crate::RecognitionError;

    fn loading_queue(waiting: usize, loaded: fn()) -> EngineQueue {
        let folder = tempfile::tempdir().unwrap();
        let registry = ModelRegistry::open(folder.path()).unwrap();
        let engine = Arc::new(Engine::start(registry, 1, Duration::from_mins(15), loaded).unwrap());
        EngineQueue::new(engine, waiting, Bounds::default())
    }

    async fn queue(waiting: usize) -> EngineQueue {
        let queue = loading_queue(waiting, || ());
        while !queue.engine.is_warm() {
            tokio::task::yield_now().await;
        }
        queue
    }

    static LOADED: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

    #[tokio::test]
    async fn a_request_waits_while_the_models_are_loaded() {
        let queue =
            loading_queue(1, || drop(LOADED.1.wait_while(LOADED.0.lock().unwrap(), |loaded| !*loaded).unwrap()));
        let mut request = Box::pin(queue.run(Function::Classify, |_| Ok(7)));
        let waited = tokio::time::timeout(Duration::from_millis(20), &mut request).await;
        assert!(waited.is_err() && !queue.engine.is_warm());
        *LOADED.0.lock().unwrap() = true;
        LOADED.1.notify_all();
        assert_eq!(request.await.unwrap(), 7);
    }

    #[tokio::test]
    async fn a_full_queue_refuses_and_a_caller_who_leaves_makes_room() {
        let queue = queue(1).await;
        let admitted = [queue.admit(Function::Classify).unwrap(), queue.admit(Function::Detect).unwrap()];
        assert!(matches!(queue.admit(Function::Classify), Err(RecognitionError::Overloaded { .. })));
        drop(admitted);
        assert_eq!(queue.run(Function::Classify, |_| Ok(7)).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn a_request_keeps_its_place_between_its_pieces_of_work() {
        let queue = queue(0).await;
        let admitted = queue.admit(Function::RecogniseObject).unwrap();
        for piece in 0..3 {
            assert_eq!(admitted.run(move |_| Ok(piece)).await.unwrap(), piece);
            assert!(matches!(queue.admit(Function::Classify), Err(RecognitionError::Overloaded { .. })));
        }
        // Background work has places of its own.
        assert_eq!(queue.run_in_background(super::Workload::Thumbnail, |_| Ok(1)).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn work_for_a_stopped_engine_did_not_fail() {
        let queue = queue(0).await;
        queue.stop();
        assert!(matches!(queue.run(Function::Classify, |_| Ok(())).await, Err(RecognitionError::Stopping)));
    }

    #[tokio::test]
    async fn work_that_panics_is_an_error_and_the_thread_goes_on() {
        let queue = queue(0).await;
        let panicking = |_: &mut kaisatsu_vision::Worker| -> Result<(), RecognitionError> { panic!("on purpose") };
        assert!(matches!(queue.run(Function::Classify, panicking).await, Err(RecognitionError::Failed(_))));
        assert_eq!(queue.run(Function::Classify, |_| Ok(1)).await.unwrap(), 1);
    }
}
