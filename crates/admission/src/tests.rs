use std::{
    sync::{Arc, mpsc},
    time::Duration,
};

use super::{Full, Limits, Queue};

const RETRY_AFTER: Duration = Duration::from_secs(3);

fn queue(running: usize, waiting: usize) -> Arc<Queue> {
    Arc::new(Queue::new(Limits { running, waiting, retry_after: RETRY_AFTER }))
}

/// Lets other tasks run until the condition holds, for ten seconds at most.
async fn until(holds: impl Fn() -> bool) {
    for _ in 0..10_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(holds(), "the condition never held");
}

#[tokio::test]
async fn one_more_than_run_and_wait_is_refused_with_the_time_to_wait() {
    let queue = queue(1, 2);
    let running = queue.admit().await.unwrap();
    let waiting = [queue.enter().unwrap(), queue.enter().unwrap()];
    assert_eq!(queue.enter().err(), Some(Full { retry_after: RETRY_AFTER }));
    assert_eq!(queue.admit().await.err(), Some(Full { retry_after: RETRY_AFTER }));
    drop(waiting);
    assert_eq!(queue.free(), 2);
    drop(running);
    assert_eq!(queue.free(), 3);
}

#[tokio::test]
async fn those_who_wait_run_one_by_one_in_the_order_of_their_arrival() {
    let queue = queue(1, 3);
    let first = queue.admit().await.unwrap();
    let (done, order) = mpsc::channel();
    for number in 0..3 {
        let place = queue.enter().unwrap();
        let done = done.clone();
        tokio::spawn(async move {
            let _turn = place.turn().await;
            let _ = done.send(number);
        });
        // Each is in the queue before the next one comes.
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(order.try_recv().is_err(), "nobody runs beside the first");
    drop((first, done));
    until(|| queue.free() == 4).await;
    assert_eq!(order.iter().collect::<Vec<_>>(), [0, 1, 2]);
}

#[tokio::test]
async fn one_who_gives_up_while_waiting_frees_the_place_at_once() {
    let queue = queue(1, 1);
    let running = queue.admit().await.unwrap();
    let waiting = tokio::spawn({
        let queue = Arc::clone(&queue);
        async move { queue.admit().await.map(drop) }
    });
    until(|| queue.free() == 0).await;
    waiting.abort();
    until(|| queue.free() == 1).await;
    drop(running);
    assert!(queue.admit().await.is_ok());
}

#[tokio::test]
async fn blocking_work_keeps_its_turn_though_nobody_waits_for_it() {
    let queue = queue(1, 1);
    let (finish, finished) = mpsc::channel::<()>();
    let (started, starts) = mpsc::channel::<()>();
    let client = tokio::spawn({
        let queue = Arc::clone(&queue);
        let work = move || {
            let _ = started.send(());
            let _ = finished.recv();
        };
        async move { queue.admit().await.unwrap().run_blocking(work).await }
    });
    until(|| starts.try_recv().is_ok()).await;
    client.abort();
    until(|| queue.free() == 2).await;
    let next = queue.enter().unwrap().turn();
    let mut next = std::pin::pin!(next);
    let early = tokio::time::timeout(Duration::from_millis(20), &mut next).await;
    assert!(early.is_err(), "the abandoned work still runs");
    drop(finish);
    let _turn = next.await;
}

#[tokio::test]
async fn a_panic_is_an_error_and_ends_the_turn() {
    let queue = queue(1, 0);
    for _ in 0..10 {
        let turn = queue.admit().await.unwrap();
        let failed = turn.run_blocking(|| std::panic::resume_unwind(Box::new("out of ink"))).await;
        assert!(failed.map(|never: std::convert::Infallible| never).unwrap_err().to_string().contains("panic"));
    }
}

#[tokio::test]
async fn background_work_waits_where_others_are_refused() {
    let queue = queue(1, 0);
    let running = queue.admit().await.unwrap();
    assert!(queue.enter().is_err());
    let background = tokio::spawn({
        let queue = Arc::clone(&queue);
        async move { drop(queue.wait().await) }
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(!background.is_finished());
    drop(running);
    background.await.unwrap();
}
