//! The time that a request may take. A database or a storage that accepts a connection and then says nothing would
//! otherwise hold its caller for minutes.

use std::{cell::Cell, pin::pin, time::Duration};

use tokio::time::{Instant, timeout_at};

tokio::task_local! {
    /// When the work of a request began: when it arrived, and again with each part of its body. How slowly a body may
    /// arrive is limited elsewhere.
    static WORKING_SINCE: Cell<Instant>;
}

/// Runs the work of a request. `None` if it takes longer than `limit` after the last part of the body has arrived.
pub(crate) async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    let bounded = async {
        let mut work = pin!(work);
        loop {
            let end = WORKING_SINCE.with(Cell::get) + limit;
            match timeout_at(end, &mut work).await {
                Ok(result) => return Some(result),
                Err(_) if WORKING_SINCE.with(Cell::get) + limit > end => {}
                Err(_) => return None,
            }
        }
    };
    WORKING_SINCE.scope(Cell::new(Instant::now()), bounded).await
}

/// Notes that a part of the body has arrived: the time begins anew.
pub(crate) fn body_arrived() {
    // Outside of a request there is nothing to note.
    let _ = WORKING_SINCE.try_with(|since| since.set(Instant::now()));
}

#[cfg(test)]
mod tests {
    use std::{future::pending, time::Duration};

    use tokio::time::{Instant, sleep};

    use super::{body_arrived, within};

    const LIMIT: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn work_that_never_ends_is_given_up_after_the_limit() {
        let began = Instant::now();
        assert_eq!(within(LIMIT, pending::<()>()).await, None);
        assert_eq!(began.elapsed().as_secs(), 30);
        assert_eq!(within(LIMIT, async { 1 }).await, Some(1));
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_begins_anew_with_each_part_of_the_body() {
        let slow_body = async {
            for _ in 0..3 {
                sleep(Duration::from_secs(20)).await;
                body_arrived();
            }
            pending::<()>().await;
        };
        let began = Instant::now();
        assert_eq!(within(LIMIT, slow_body).await, None);
        assert_eq!(began.elapsed().as_secs(), 90);
    }
}
