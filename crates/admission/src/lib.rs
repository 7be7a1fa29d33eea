//! A bounded admission queue for work that is too heavy to start without limit: so many run at once, so many more wait
//! in the order of their arrival, and the rest are refused at once with the time after which to try again.
//!
//! The queue counts and refuses; it does not run anything by itself. The caller turns [`Full`] into its own error and
//! counts it under its own metric.

use std::{sync::Arc, time::Duration};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What bounds a [`Queue`].
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many run at once.
    pub running: usize,
    /// How many more may wait.
    pub waiting: usize,
    /// What those who are refused are told to wait.
    pub retry_after: Duration,
}

/// The queue is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the queue is full")]
pub struct Full {
    /// When it is worth trying again.
    pub retry_after: Duration,
}

/// The work panicked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Panicked(String);

/// A bounded admission queue.
#[derive(Debug)]
pub struct Queue {
    retry_after: Duration,
    /// One permit for each who runs or waits.
    places: Arc<Semaphore>,
    /// One permit for each who runs. The semaphore is fair, so the order of arrival is kept.
    turns: Arc<Semaphore>,
}

/// A place in a [`Queue`]. Dropping it gives the place to another at once: hold it in the request's future, so that a
/// client that disconnects does not keep its place.
#[derive(Debug)]
#[must_use]
pub struct QueuePlace {
    turns: Arc<Semaphore>,
    place: OwnedSemaphorePermit,
}

/// The right to run, with the place in the queue that led to it. Dropping it lets the next one run.
#[derive(Debug)]
#[must_use]
pub struct Turn {
    turn: Option<OwnedSemaphorePermit>,
    _place: Option<OwnedSemaphorePermit>,
}

impl Queue {
    /// An empty queue.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let Limits { running, waiting, retry_after } = limits;
        let most = |count: usize| count.min(Semaphore::MAX_PERMITS);
        Self {
            retry_after,
            places: Arc::new(Semaphore::new(most(running.saturating_add(waiting)))),
            turns: Arc::new(Semaphore::new(most(running))),
        }
    }

    /// Takes a place without waiting. Use it alone where something else, such as a pool of threads, decides who runs.
    ///
    /// # Errors
    /// [`Full`] when every place is taken.
    pub fn enter(&self) -> Result<QueuePlace, Full> {
        match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => Ok(QueuePlace { turns: Arc::clone(&self.turns), place }),
            Err(_) => Err(Full { retry_after: self.retry_after }),
        }
    }

    /// Takes a place and waits for its turn.
    ///
    /// # Errors
    /// [`Full`] when every place is taken.
    pub async fn admit(&self) -> Result<Turn, Full> {
        Ok(self.enter()?.turn().await)
    }

    /// Waits for a turn however many wait already. This is for background work, which is never refused.
    pub async fn wait(&self) -> Turn {
        // The semaphore is never closed.
        Turn { turn: Arc::clone(&self.turns).acquire_owned().await.ok(), _place: None }
    }

    /// How many places are free.
    #[must_use]
    pub fn free(&self) -> usize {
        self.places.available_permits()
    }
}

impl QueuePlace {
    /// Waits for the turn of this place.
    pub async fn turn(self) -> Turn {
        // The semaphore is never closed.
        Turn { turn: self.turns.acquire_owned().await.ok(), _place: Some(self.place) }
    }
}

impl Turn {
    /// Runs `work` on a thread for blocking work. The turn ends with the work, even if nobody waits for its result any
    /// more; the place is free as soon as this future is dropped.
    ///
    /// # Errors
    /// [`Panicked`] when the work panics.
    pub async fn run_blocking<T: Send + 'static>(
        mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Panicked> {
        let turn = self.turn.take();
        let running = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work()
        });
        running.await.map_err(|error| Panicked(error.to_string()))
    }
}

#[cfg(test)]
mod tests;
