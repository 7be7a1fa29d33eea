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

    /// Adds a job. After the end it is dropped.
    pub(super) fn push(&self, job: J) {
        let mut state = self.lock();
        if !state.closed {
            state.jobs.push_back(job);
            self.changed.notify_one();
        }
    }

    /// Ends the threads that take from it, and drops the jobs that wait.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let waiting = std::mem::take(&mut state.jobs);
        drop(state);
        // What a job holds may use the queue when it is dropped.
        drop(waiting);
        self.changed.notify_all();
    }

    /// Whether the threads are to end.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
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
    fn every_job_is_taken_once_or_dropped_and_a_closed_queue_ends_its_threads() {
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
        while !queue.lock().jobs.is_empty() {
            thread::yield_now();
        }
        queue.close();
        let mut taken: Vec<i32> = takers.into_iter().flat_map(|taker| taker.join().unwrap()).collect();
        taken.sort_unstable();
        assert_eq!(taken, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn jobs_that_wait_at_the_end_or_come_after_it_are_dropped() {
        let (queue, held) = (JobQueue::new(), Arc::new(()));
        queue.push(Arc::clone(&held));
        queue.close();
        queue.push(Arc::clone(&held));
        assert_eq!((queue.is_closed(), Arc::strong_count(&held)), (true, 1));
        assert!(matches!(queue.next(Duration::ZERO), Next::Closed));
    }

    #[test]
    fn a_thread_without_a_job_wakes_after_its_time() {
        let queue = JobQueue::<()>::new();
        assert!(matches!(queue.next(Duration::ZERO), Next::Idle));
    }
}
