//! The listener: connections, their limits, and a shutdown that finishes what is in flight.

use std::{convert::Infallible, io, sync::Arc, thread, time::Duration};

use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::TokioIo,
    server::graceful::{GracefulShutdown, Watcher},
};
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::{Builder, Handle},
    sync::{OwnedSemaphorePermit, Semaphore},
};

use crate::{
    App,
    leftover::Leftover,
    pulse::{LOOK, Pulse, Watched},
};

/// What bounds the server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Connections open at once; further ones wait in the system's queue.
    pub connections: usize,
    /// How long a shutdown waits for requests in flight.
    pub grace: Duration,
}

/// The longest request head, query string included.
const HEAD_BYTES: usize = 64 * 1024;

/// Answers connections until `shutdown` is done, then lets the requests in flight finish.
///
/// # Errors
/// When requests were still in flight at the end of the grace period.
pub async fn serve(
    listener: TcpListener,
    app: Arc<App>,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut lanes = Lanes::open(thread::available_parallelism().map_or(1, usize::from))?;
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut shutdown => break,
        };
        match accepted {
            Ok((stream, _)) => {
                // Small answers leave at once instead of waiting for more to send.
                let _ = stream.set_nodelay(true);
                lanes.take(stream, Arc::clone(&app), graceful.watcher(), place.ok());
            }
            Err(error) => {
                // Out of file descriptors, most likely: waiting helps, spinning does not.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(listener);
    match tokio::time::timeout(limits.grace, graceful.shutdown()).await {
        Ok(()) => Ok(()),
        Err(_) => Err(io::Error::other(format!("requests were still in flight after {:?}", limits.grace))),
    }
}

/// Speaks HTTP on one connection as long as there is patience with the client.
async fn converse(stream: TcpStream, app: Arc<App>, watcher: Watcher) {
    let pulse = Pulse::new();
    let stream = Watched::new(TokioIo::new(stream), Arc::clone(&pulse));
    // A request takes along what belongs to its connection alone: a count that all threads change is a slow one.
    let both = Arc::new((app, Arc::clone(&pulse)));
    let answer = service_fn(move |request: Request<Incoming>| {
        let both = Arc::clone(&both);
        async move {
            let (app, pulse) = &*both;
            pulse.asked();
            let (head, incoming) = request.into_parts();
            let (body, leftover) = Leftover::keep(&head.headers, incoming);
            let response = app.answer(Request::from_parts(head, body)).await;
            if let Some(leftover) = leftover {
                leftover.hear_out().await;
            }
            pulse.answered();
            Ok::<_, Infallible>(response)
        }
    });
    let connection =
        http1::Builder::new().header_read_timeout(None).max_buf_size(HEAD_BYTES).serve_connection(stream, answer);
    let mut connection = std::pin::pin!(watcher.watch(connection));
    // A client that goes away in the middle is its own business.
    while tokio::time::timeout(LOOK, &mut connection).await.is_err() {
        if pulse.is_over() {
            break;
        }
    }
}

/// Threads that each have connections of their own. A connection stays on its thread, so nothing about it is ever handed
/// from one core to another; what is heavy must leave for a pool anyway.
struct Lanes {
    handles: Vec<Handle>,
    next: usize,
}

impl Lanes {
    fn open(count: usize) -> io::Result<Self> {
        let mut handles = Vec::with_capacity(count);
        for number in 0..count {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            handles.push(runtime.handle().clone());
            // It ends with the process: the last requests are waited for by the graceful shutdown, not by joining.
            let lane = move || runtime.block_on(std::future::pending::<()>());
            thread::Builder::new().name(format!("lane-{number}")).spawn(lane)?;
        }
        Ok(Self { handles, next: 0 })
    }

    /// Gives a connection to the next thread.
    fn take(&mut self, stream: TcpStream, app: Arc<App>, watcher: Watcher, place: Option<OwnedSemaphorePermit>) {
        self.next = (self.next + 1) % self.handles.len();
        // The stream leaves this runtime and joins the other's.
        let Ok(stream) = stream.into_std() else { return };
        self.handles[self.next].spawn(async move {
            if let Ok(stream) = TcpStream::from_std(stream) {
                converse(stream, app, watcher).await;
            }
            drop(place);
        });
    }
}
