//! The listener: connections, their limits, and a shutdown that finishes what is in flight.

use std::{convert::Infallible, io, sync::Arc, time::Duration};

use axum::{body::Body, extract::Request, response::Response};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    net::TcpListener,
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tower::{Service, ServiceExt};

/// What bounds the server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Connections open at once; further ones wait in the system's queue.
    pub connections: usize,
    /// How long a shutdown waits for requests in flight.
    pub grace: Duration,
}

/// How long a client may take for the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(20);

/// The longest request head, query string included.
const HEAD_BYTES: usize = 64 * 1024;

/// Answers connections until `shutdown` is done, then lets the requests in flight finish.
///
/// # Errors
/// When requests were still in flight at the end of the grace period.
pub async fn serve<S, F>(
    listener: TcpListener,
    service: S,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()>
where
    S: Service<Request, Response = Response, Error = Infallible, Future = F> + Clone + Send + 'static,
    F: Future<Output = Result<Response, Infallible>> + Send + 'static,
{
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
                converse(stream, service.clone(), &graceful, place.ok());
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

/// Speaks HTTP on one connection, in a task of its own.
fn converse<S, F>(
    stream: tokio::net::TcpStream,
    service: S,
    graceful: &GracefulShutdown,
    place: Option<OwnedSemaphorePermit>,
) where
    S: Service<Request, Response = Response, Error = Infallible, Future = F> + Clone + Send + 'static,
    F: Future<Output = Result<Response, Infallible>> + Send + 'static,
{
    let answer = service_fn(move |request: hyper::Request<Incoming>| service.clone().oneshot(request.map(Body::new)));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answer);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        // A client that goes away in the middle is its own business.
        let _ = connection.await;
        drop(place);
    });
}
