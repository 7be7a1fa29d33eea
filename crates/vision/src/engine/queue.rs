//! The jobs that wait for a thread of the engine.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// A queue that any number of threads take from. Each of them waits for itself, so that each wakes after its own time;
/// threads that share the receiver of a channel would wait for one another.
pub(super) struct JobQueue<J> {
    state: Mutex<State<J>>,
    changed: Condvar,
}

struct State<J> {
    jobs: VecDeque<J>,
    closed: bool,
}

/// What a thread gets from the queue.
pub(super) enum Next<J> {
    /// A job.
    Job(J),
    /// There was none for the time that the thread waited.
    Idle,
    /// There will be none any more.
    Closed,
}

impl<J> JobQueue<J> {
    pub(super) fn new() -> Self {
        Self { state: Mutex::new(State { jobs: VecDeque::new(), closed: false }), changed: Condvar::new() }
    }

    pub(super) fn push(&self, job: J) {
        self.lock().jobs.push_back(job);
        self.changed.notify_one();
    }

    /// Ends the threads when they have done the jobs that wait.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// The next job, for which the thread waits at most this long.
    pub(super) fn next(&self, most: Duration) -> Next<J> {
        let empty = |state: &mut State<J>| state.jobs.is_empty() && !state.closed;
        let waited = self.changed.wait_timeout_while(self.lock(), most, empty);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match state.jobs.pop_front() {
            Some(job) => Next::Job(job),
            None if state.closed => Next::Closed,
            None => Next::Idle,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread, time::Duration};

    use super::{JobQueue, Next};

    #[test]
    fn every_job_is_taken_once_and_a_closed_queue_ends_its_threads() {
        let queue = Arc::new(JobQueue::new());
        let taker = || {
            let queue = Arc::clone(&queue);
            thread::spawn(move || {
                let mut taken = Vec::new();
                loop {
                    match queue.next(Duration::from_millis(1)) {
                        Next::Job(job) => taken.push(job),
                        Next::Idle => {}
                        Next::Closed => return taken,
                    }
                }
            })
        };
        let takers = [taker(), taker(), taker()];
        (0..1000).for_each(|job| queue.push(job));
        queue.close();
        let mut taken: Vec<i32> = takers.into_iter().flat_map(|taker| taker.join().unwrap()).collect();
        taken.sort_unstable();
        assert_eq!(taken, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn a_thread_without_a_job_wakes_after_its_time() {
        let queue = JobQueue::<()>::new();
        assert!(matches!(queue.next(Duration::ZERO), Next::Idle));
    }
}
