//! The listener: connections, their limits, and a graceful shutdown.

use std::{
    convert::Infallible,
    io,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use hyper::{
    Request,
    body::Incoming,
    header::{CONNECTION, HeaderValue},
    rt::{Read, Write},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::{
    rt::TokioIo,
    server::graceful::{GracefulShutdown, Watcher},
};
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::{Builder, Handle},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_rustls::TlsAcceptor;

use crate::{
    App, Tls,
    body_drain::DrainableBody,
    client_address::{Peer, from_peer},
    idle_timeout::{CHECK_INTERVAL, IdleTimer, TimedStream},
};

/// What bounds the server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Connections open at once; further ones wait in the system's queue.
    pub connections: usize,
    /// How long a shutdown waits for requests in flight.
    pub grace: Duration,
}

/// How long a client may take to agree on TLS.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The longest request head, query string included.
const HEAD_BYTES: usize = 64 * 1024;

/// Serves connections until `shutdown` completes, over TLS where there is a certificate. For the time that it returns,
/// clients are then told with every response to close their connection, so that a request never meets one that the
/// server is closing. Then it lets the requests in flight finish.
///
/// # Errors
/// When requests were still in flight at the end of the grace period.
pub async fn serve(
    listener: TcpListener,
    app: Arc<App>,
    limits: Limits,
    tls: Option<Arc<Tls>>,
    shutdown: impl Future<Output = Duration>,
) -> io::Result<()> {
    let mut workers = Workers::start(thread::available_parallelism().map_or(1, usize::from))?;
    let graceful = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(limits.connections));
    let closing = Arc::new(AtomicBool::new(false));
    let mut ended = std::pin::pin!(async {
        let grace = shutdown.await;
        closing.store(true, Ordering::Relaxed);
        tokio::time::sleep(grace).await;
    });
    loop {
        let accepted = async {
            let permit = Arc::clone(&permits).acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (accepted, permit) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut ended => break,
        };
        match accepted {
            Ok((stream, address)) => {
                // Small responses are sent at once instead of waiting for more data.
                let _ = stream.set_nodelay(true);
                let connection =
                    Connection { peer: address.ip(), app: Arc::clone(&app), closing: Arc::clone(&closing) };
                let acceptor = tls.as_ref().map(|tls| tls.acceptor());
                workers.spawn(stream, acceptor, connection, graceful.watcher(), permit.ok());
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

/// What a connection needs of the server.
struct Connection {
    /// Where the client is, or a proxy in front of it.
    peer: IpAddr,
    app: Arc<App>,
    /// Whether clients are told to close it.
    closing: Arc<AtomicBool>,
}

/// Serves one connection until it is closed or its idle timeout expires.
async fn serve_connection(stream: impl Read + Write + Unpin + 'static, connection: Connection, watcher: Watcher) {
    let idle = IdleTimer::new();
    let stream = TimedStream::new(stream, Arc::clone(&idle));
    // Requests clone an `Arc` of their own connection: a reference count that all threads change is slow.
    let shared = Arc::new((connection, Arc::clone(&idle)));
    let service = service_fn(move |request: Request<Incoming>| {
        let shared = Arc::clone(&shared);
        async move {
            let (Connection { peer, app, closing }, idle) = &*shared;
            idle.request_started();
            let (mut head, incoming) = request.into_parts();
            // Only these ask for it, and an extension costs an allocation.
            if head.uri.path().starts_with("/console/") || head.uri.path() == "/mcp" {
                head.extensions.insert(Peer(*peer));
            }
            let (body, drainable) = DrainableBody::new(&head.headers, incoming);
            let mut response = from_peer(*peer, app.handle(Request::from_parts(head, body))).await;
            if closing.load(Ordering::Relaxed) {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            if let Some(drainable) = drainable {
                drainable.drain().await;
            }
            idle.response_ready();
            Ok::<_, Infallible>(response)
        }
    });
    let connection =
        http1::Builder::new().header_read_timeout(None).max_buf_size(HEAD_BYTES).serve_connection(stream, service);
    let mut connection = std::pin::pin!(watcher.watch(connection));
    // An error means that the client went away; there is nothing to do about it.
    while tokio::time::timeout(CHECK_INTERVAL, &mut connection).await.is_err() {
        if idle.is_expired() {
            break;
        }
    }
}

/// Threads with a single-threaded runtime each. A connection stays on its thread, so none of its state moves between
/// cores; heavy work leaves for a pool anyway.
struct Workers {
    handles: Vec<Handle>,
    next: usize,
}

impl Workers {
    fn start(count: usize) -> io::Result<Self> {
        let mut handles = Vec::with_capacity(count);
        for number in 0..count {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            handles.push(runtime.handle().clone());
            // The thread ends with the process: the graceful shutdown waits for the last requests, nobody joins it.
            let worker = move || runtime.block_on(std::future::pending::<()>());
            thread::Builder::new().name(format!("http-{number}")).spawn(worker)?;
        }
        Ok(Self { handles, next: 0 })
    }

    /// Gives a connection to the next thread.
    fn spawn(
        &mut self,
        stream: TcpStream,
        acceptor: Option<TlsAcceptor>,
        connection: Connection,
        watcher: Watcher,
        permit: Option<OwnedSemaphorePermit>,
    ) {
        self.next = (self.next + 1) % self.handles.len();
        // The stream is deregistered from this runtime and registered with the worker's.
        let Ok(stream) = stream.into_std() else { return };
        self.handles[self.next].spawn(async move {
            match (TcpStream::from_std(stream), acceptor) {
                (Ok(stream), None) => serve_connection(TokioIo::new(stream), connection, watcher).await,
                (Ok(stream), Some(acceptor)) => {
                    // Who does not speak TLS, or too slowly, is not answered at all.
                    let shaken = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await;
                    if let Ok(Ok(stream)) = shaken {
                        serve_connection(TokioIo::new(stream), connection, watcher).await;
                    }
                }
                (Err(_), _) => {}
            }
            drop(permit);
        });
    }
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, sync::Arc, time::Duration};

    use axum::{
        Router,
        body::Body,
        http::{HeaderMap, StatusCode},
        routing::{get, post},
    };
    use hyper_util::{rt::TokioIo, server::graceful::GracefulShutdown};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream},
        task::JoinHandle,
        time::{Instant, sleep},
    };

    use super::{Connection, serve_connection};
    use crate::{body::read_body, middleware::tests::app};

    /// A connection to a server with two operations: one reads a body, one responds with a megabyte. The server shuts
    /// down when the last value is dropped.
    fn connect() -> (DuplexStream, JoinHandle<()>, GracefulShutdown) {
        let read = async |headers: HeaderMap, body: Body| match read_body(&headers, body, 1024, "the body").await {
            Ok(_) => (StatusCode::OK, String::new()),
            Err(failure) => (failure.kind.row().0, failure.message),
        };
        let router = Router::new().route("/read", post(read)).route("/large", get(async || vec![b'.'; 1 << 20]));
        let (client, server) = tokio::io::duplex(4096);
        let shutdown = GracefulShutdown::new();
        let connection = Connection { peer: Ipv4Addr::LOCALHOST.into(), app: app(router), closing: Arc::default() };
        let serving = serve_connection(TokioIo::new(server), connection, shutdown.watcher());
        (client, tokio::spawn(serving), shutdown)
    }

    fn seconds(from: Instant) -> u64 {
        from.elapsed().as_secs()
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_sends_its_head_byte_by_byte_is_dropped_after_a_minute() {
        let (mut client, connection, _shutdown) = connect();
        let began = Instant::now();
        client.write_all(b"GET /large HTTP/1.1\r\nhost: a\r\nx-slow: ").await.unwrap();
        while client.write_all(b"a").await.is_ok() {
            assert!(seconds(began) < 120, "the client is still connected");
            sleep(Duration::from_secs(1)).await;
        }
        assert!((60..=66).contains(&seconds(began)), "{} s", seconds(began));
        connection.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_stops_in_the_middle_of_a_body_is_told_and_dropped() {
        let (mut client, connection, _shutdown) = connect();
        let began = Instant::now();
        client.write_all(b"POST /read HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf").await.unwrap();
        let mut response = String::new();
        client.read_to_string(&mut response).await.unwrap();
        assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
        assert!(response.ends_with("the body came too slowly; send it again over a faster connection"), "{response}");
        assert!((20..=30).contains(&seconds(began)), "{} s", seconds(began));
        connection.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_its_response_is_dropped_after_half_a_minute() {
        let (mut client, connection, _shutdown) = connect();
        let began = Instant::now();
        client.write_all(b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        connection.await.unwrap();
        assert!((30..=36).contains(&seconds(began)), "{} s", seconds(began));
        let mut received = Vec::new();
        client.read_to_end(&mut received).await.unwrap();
        assert!(received.len() < 1 << 20, "only what fits in the buffers has been sent");
    }
}
