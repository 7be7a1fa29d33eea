//! The engine: a few threads that do all heavy work, one picture at a time each.
//!
//! Its queue is unbounded. The caller bounds how much work may wait, because only the caller knows when a client has
//! gone away.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use crate::{
    manifest::Fault,
    registry::ModelRegistry,
    worker::{Readers, Worker},
};

type Job = Box<dyn FnOnce(&mut Worker) + Send>;

/// The threads.
pub struct Engine {
    jobs: Sender<Job>,
    registry: Arc<ModelRegistry>,
    threads: usize,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    warm: AtomicUsize,
    faults: Mutex<Vec<(String, Fault)>>,
}

impl Engine {
    /// Starts the threads. They load their models at once, and then each calls `loaded`; [`Self::is_warm`] tells
    /// when all have.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(registry: ModelRegistry, threads: usize, loaded: fn()) -> std::io::Result<Self> {
        let (jobs, receiver) = channel();
        let (registry, state) = (Arc::new(registry), Arc::new(State::default()));
        let (receiver, readers) = (Arc::new(Mutex::new(receiver)), Arc::new(Readers::default()));
        for number in 0..threads.max(1) {
            let (registry, state, receiver) = (Arc::clone(&registry), Arc::clone(&state), Arc::clone(&receiver));
            let readers = Arc::clone(&readers);
            thread::Builder::new().name(format!("vision-{number}")).spawn(move || {
                let (mut worker, faults) = Worker::load(&registry, &readers);
                {
                    let mut known = state.faults.lock().unwrap_or_else(PoisonError::into_inner);
                    for fault in faults {
                        if !known.contains(&fault) {
                            tracing::error!(model = fault.0, "cannot be used: {}", fault.1);
                            known.push(fault);
                        }
                    }
                }
                loaded();
                state.warm.fetch_add(1, Ordering::Release);
                work(&receiver, &mut worker);
            })?;
        }
        Ok(Self { jobs, registry, threads: threads.max(1), state })
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
        let faults = self.state.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.iter().find(|(model, _)| model == name).map(|(_, fault)| fault.clone())
    }

    /// Hands work to the next free thread.
    pub fn submit(&self, job: impl FnOnce(&mut Worker) + Send + 'static) {
        // The receiver lives as long as the threads, and they as long as this sender.
        let _ = self.jobs.send(Box::new(job));
    }
}

fn work(receiver: &Mutex<Receiver<Job>>, worker: &mut Worker) {
    loop {
        let job = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        // A picture that makes a decoder panic fails only its own request.
        if catch_unwind(AssertUnwindSafe(|| job(worker))).is_err() {
            tracing::error!("a recognition panicked; its caller is told that the fault is ours");
        }
    }
}
