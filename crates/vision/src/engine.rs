//! The engine: a few threads that do all heavy work, one picture at a time each.
//!
//! Its queue is unbounded. The caller bounds how much work may wait, because only the caller knows when a client has
//! gone away.

mod queue;

use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use self::queue::{JobQueue, Next};
use crate::{
    manifest::{Fault, Load},
    registry::ModelRegistry,
    residency::Residency,
    worker::{Readers, Worker},
};

/// How often an idle thread looks for networks to unload, and after which it returns memory.
const SWEEP: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce(&mut Worker) + Send>;

/// The threads.
pub struct Engine {
    jobs: Arc<JobQueue<Job>>,
    registry: Arc<ModelRegistry>,
    threads: usize,
    running: Mutex<Vec<JoinHandle<()>>>,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    warm: AtomicUsize,
    residency: Arc<Residency>,
}

impl Engine {
    /// Starts the threads. They load their models at once; [`Self::is_warm`] tells when all have. A network that is
    /// loaded when first asked for is unloaded when a thread has not used it for `idle`. `release` returns the memory
    /// that a thread has freed to the system: each thread calls it when it has loaded its models, and when it has had
    /// nothing to do for some seconds after a picture.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(registry: ModelRegistry, threads: usize, idle: Duration, release: fn()) -> std::io::Result<Self> {
        let jobs = Arc::new(JobQueue::new());
        let (registry, state) = (Arc::new(registry), Arc::new(State::default()));
        let readers = Arc::new(Readers::default());
        let engine = Self { jobs, registry, threads: threads.max(1), running: Mutex::default(), state };
        for number in 0..engine.threads {
            let (jobs, registry) = (Arc::clone(&engine.jobs), Arc::clone(&engine.registry));
            let state = Arc::clone(&engine.state);
            let readers = Arc::clone(&readers);
            let running = thread::Builder::new().name(format!("vision-{number}")).spawn(move || {
                let mut worker = Worker::load(&registry, &readers, &state.residency, &|| jobs.is_closed());
                release();
                state.warm.fetch_add(1, Ordering::Release);
                work(&jobs, &mut worker, idle, SWEEP, release);
            })?;
            engine.running.lock().unwrap_or_else(PoisonError::into_inner).push(running);
        }
        Ok(engine)
    }

    /// How many threads there are.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Whether every thread has loaded its models.
    #[must_use]
    pub fn is_warm(&self) -> bool {
        self.state.warm.load(Ordering::Acquire) == self.threads
    }

    /// The models.
    #[must_use]
    pub fn registry(&self) -> &ModelRegistry {
        &self.registry
    }

    /// Why a model cannot be used, if it cannot.
    #[must_use]
    pub fn fault(&self, name: &str) -> Option<Fault> {
        if let Some(Err(fault)) = self.registry.entry(name).map(|entry| &entry.model) {
            return Some(fault.clone());
        }
        self.state.residency.fault(name)
    }

    /// Whether the network of a model is in memory.
    #[must_use]
    pub fn is_loaded(&self, name: &str) -> bool {
        let model = self.registry.entry(name).and_then(|entry| entry.model.as_ref().ok());
        model.is_some_and(|model| match model.manifest.about.load {
            Load::Start => self.is_warm() && self.fault(name).is_none(),
            Load::FirstUse => self.state.residency.is_resident(name),
        })
    }

    /// Hands work to the next free thread.
    pub fn submit(&self, job: impl FnOnce(&mut Worker) + Send + 'static) {
        self.jobs.push(Box::new(job));
    }

    /// Whether it was stopped: work that is submitted now is dropped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.jobs.is_closed()
    }

    /// Ends the threads and waits for them: they finish the picture or the network that they are at, and drop the
    /// work that waits. A process stops the engine before it exits, because ONNX Runtime must not be torn down under
    /// a thread that uses it.
    pub fn stop(&self) {
        self.jobs.close();
        let running = mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in running.into_iter().filter(|running| running.thread().id() != thread::current().id()) {
            // A thread that panicked has ended too.
            let _ = thread.join();
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

fn work(jobs: &JobQueue<Job>, worker: &mut Worker, idle: Duration, sweep: Duration, release: fn()) {
    let mut has_worked = false;
    loop {
        match jobs.next(sweep) {
            Next::Job(job) => {
                has_worked = true;
                // A picture that makes a decoder panic fails only its own request.
                if catch_unwind(AssertUnwindSafe(|| job(worker))).is_err() {
                    tracing::error!("a recognition panicked; its caller is told that the fault is ours");
                }
            }
            Next::Idle => {
                worker.unload_unused(Instant::now(), idle);
                // An allocator that nobody calls returns nothing, and the last picture may have been a large one.
                if mem::take(&mut has_worked) {
                    release();
                }
                continue;
            }
            Next::Closed => return,
        }
        worker.unload_unused(Instant::now(), idle);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        thread,
        time::Duration,
    };

    use super::{Job, JobQueue, work};
    use crate::{registry::ModelRegistry, worker::Worker};

    static RELEASED: AtomicUsize = AtomicUsize::new(0);

    fn release() {
        RELEASED.fetch_add(1, Ordering::SeqCst);
    }

    /// Once after each time that it was busy, and not again and again while it has nothing to do.
    #[test]
    fn an_idle_thread_returns_its_memory_after_work() {
        let jobs: Arc<JobQueue<Job>> = Arc::new(JobQueue::new());
        let taken = Arc::clone(&jobs);
        let thread = thread::spawn(move || {
            let folder = tempfile::tempdir().unwrap();
            let registry = Arc::new(ModelRegistry::open(folder.path()).unwrap());
            let mut worker = Worker::load(&registry, &Arc::default(), &Arc::default(), &|| false);
            work(&taken, &mut worker, Duration::from_mins(1), Duration::from_millis(1), release);
        });
        for busy in 1..=2 {
            jobs.push(Box::new(|_| ()));
            while RELEASED.load(Ordering::SeqCst) < busy {
                thread::yield_now();
            }
        }
        jobs.close();
        thread.join().unwrap();
        assert_eq!(RELEASED.load(Ordering::SeqCst), 2);
    }
}
