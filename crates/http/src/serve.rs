//! The listener: connections, their limits, and a shutdown that finishes what is in flight.

use std::{convert::Infallible, io, sync::Arc, time::Duration};

use axum::body::Body;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{rt::TokioIo, server::graceful::GracefulShutdown};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};

use crate::{
    App,
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
                converse(stream, Arc::clone(&app), &graceful, place.ok());
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

/// Speaks HTTP on one connection, in a task of its own, as long as there is patience with the client.
fn converse(stream: TcpStream, app: Arc<App>, graceful: &GracefulShutdown, place: Option<OwnedSemaphorePermit>) {
    let pulse = Pulse::new();
    let watched = Watched::new(TokioIo::new(stream), Arc::clone(&pulse));
    let noted = Arc::clone(&pulse);
    let answer = service_fn(move |request: hyper::Request<Incoming>| {
        let (app, pulse) = (Arc::clone(&app), Arc::clone(&noted));
        async move {
            pulse.asked();
            let response = app.answer(request.map(Body::new)).await;
            pulse.answered();
            Ok::<_, Infallible>(response)
        }
    });
    let connection =
        http1::Builder::new().header_read_timeout(None).max_buf_size(HEAD_BYTES).serve_connection(watched, answer);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        let mut connection = std::pin::pin!(connection);
        // A client that goes away in the middle is its own business.
        while tokio::time::timeout(LOOK, &mut connection).await.is_err() {
            if pulse.is_over() {
                break;
            }
        }
        drop(place);
    });
}
