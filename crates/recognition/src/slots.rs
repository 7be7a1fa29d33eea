//! Places in the engine's line: when all are taken a caller is turned away, and one who hangs up gives his back.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use kaisatsu_vision::{Engine, Worker};
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use tokio::sync::{Semaphore, oneshot};

use crate::{RecognitionError, learning::HELD, tally::RATED};

/// How long a caller is told to wait when every place is taken.
const WAIT: Duration = Duration::from_secs(1);

/// The engine and the places in front of it.
pub(crate) struct Slots {
    engine: Engine,
    places: Arc<Semaphore>,
    /// Places for work that nobody waits for: one more than there are threads, so that no thread is idle and a caller
    /// waits for two such pictures at most.
    behind: Semaphore,
}

impl Slots {
    /// `waiting` pictures may wait beside those being looked at.
    pub(crate) fn new(engine: Engine, waiting: usize) -> Self {
        let places = (engine.threads() + waiting).min(Semaphore::MAX_PERMITS);
        let behind = Semaphore::new(engine.threads() + 1);
        Self { engine, places: Arc::new(Semaphore::new(places)), behind }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Does a piece of work on a thread of the engine.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        task: &'static str,
        work: impl FnOnce(&mut Worker) -> Result<T, RecognitionError> + Send + 'static,
    ) -> Result<T, RecognitionError> {
        if !self.engine.is_warm() {
            return Err(RecognitionError::Warming);
        }
        // Held by this future: when the caller hangs up, it is dropped and the place is free at once.
        let Ok(_place) = Arc::clone(&self.places).try_acquire_owned() else {
            counter!("kaisatsu_engine_refused_total", "task" => task).increment(1);
            return Err(RecognitionError::Overloaded { wait: WAIT });
        };
        let _waiting = Counted::new();
        self.hand_over(task, work).await
    }

    /// The same for work that can wait: it is not refused, it takes its turn.
    pub(crate) async fn run_behind<T: Send + 'static>(
        &self,
        task: &'static str,
        work: impl FnOnce(&mut Worker) -> Result<T, RecognitionError> + Send + 'static,
    ) -> Result<T, RecognitionError> {
        if !self.engine.is_warm() {
            return Err(RecognitionError::Warming);
        }
        let Ok(_place) = self.behind.acquire().await else { return Err(RecognitionError::Overloaded { wait: WAIT }) };
        self.hand_over(task, work).await
    }

    async fn hand_over<T: Send + 'static>(
        &self,
        task: &'static str,
        work: impl FnOnce(&mut Worker) -> Result<T, RecognitionError> + Send + 'static,
    ) -> Result<T, RecognitionError> {
        let (reply, answer) = oneshot::channel();
        let queued = Instant::now();
        self.engine.submit(move |worker| {
            if reply.is_closed() {
                counter!("kaisatsu_engine_abandoned_total", "task" => task).increment(1);
                return;
            }
            histogram!("kaisatsu_engine_queue_seconds", "task" => task).record(queued.elapsed());
            let _ = reply.send(work(worker));
        });
        // No answer comes when the work panicked; the engine has logged that.
        answer.await.unwrap_or_else(|_| Err(RecognitionError::Failed("the work ended without an answer".to_owned())))
    }
}

/// Measures a step of the work.
pub(crate) fn timed<T>(step: &'static str, task: &'static str, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let done = work();
    histogram!(step, "task" => task).record(began.elapsed());
    done
}

pub(crate) const DECODE: &str = "kaisatsu_engine_decode_seconds";
pub(crate) const INFERENCE: &str = "kaisatsu_engine_inference_seconds";
pub(crate) const REMEMBER: &str = "kaisatsu_engine_memory_seconds";

/// A request inside the engine, also when its caller hangs up.
struct Counted;

impl Counted {
    fn new() -> Self {
        gauge!("kaisatsu_engine_requests").increment(1.0);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        gauge!("kaisatsu_engine_requests").decrement(1.0);
    }
}

/// Gives the metrics of this crate their descriptions.
pub fn describe_metrics() {
    describe_gauge!("kaisatsu_engine_requests", "Pictures waiting or being looked at");
    gauge!("kaisatsu_engine_requests").set(0.0);
    describe_counter!("kaisatsu_engine_refused_total", "Pictures refused because every place was taken, by task");
    describe_counter!("kaisatsu_engine_abandoned_total", "Pictures whose caller hung up while they waited, by task");
    describe_counter!(
        "kaisatsu_dataset_images_total",
        "Images of datasets that were looked at, by what became of them"
    );
    describe_histogram!("kaisatsu_engine_queue_seconds", "Time from a picture's arrival to its thread, by task");
    describe_histogram!(DECODE, "Time to decode a picture, by task");
    describe_histogram!(INFERENCE, "Time in the networks, by task");
    describe_histogram!(REMEMBER, "Time to ask what feedback has taught, by task");
    describe_counter!(RATED, "Verdicts taken, by task, model, candidate and what they say");
    describe_counter!(HELD, "Verdicts held back because they make confirmed answers wrong");
}
