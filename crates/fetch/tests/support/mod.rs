//! A real server for one test: it listens on this machine, answers what it is told to, and remembers who came.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
    sync::watch,
};

/// What a server does once its answer is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// Closes the connection.
    Close,
    /// Says nothing more, and keeps the connection.
    Hold,
    /// Sends a byte now and then, for ever.
    Drip,
    /// Sends as much as is taken, for ever.
    Flood,
}

/// What a server answers to one request.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) then: Then,
    /// How long it thinks before it answers.
    pub(crate) thinks: Duration,
}

impl Answer {
    /// A status with headers and a body whose length is declared.
    pub(crate) fn new(status: u16, headers: &str, body: &[u8]) -> Self {
        let head = format!("HTTP/1.1 {status} Word\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
        Self { bytes: [head.as_bytes(), body].concat(), then: Then::Close, thinks: Duration::ZERO }
    }

    /// An image.
    pub(crate) fn image() -> Self {
        Self::new(200, "Content-Type: image/png\r\n", b"an image")
    }

    /// A redirect.
    pub(crate) fn redirect(location: &str) -> Self {
        Self::new(302, &format!("Location: {location}\r\n"), b"")
    }

    /// Bytes as they are.
    pub(crate) fn raw(bytes: &str, then: Then) -> Self {
        Self { bytes: bytes.into(), then, thinks: Duration::ZERO }
    }
}

/// A server, and what it saw.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// The heads of all requests, in the order in which they came.
    requests: Arc<Mutex<Vec<String>>>,
    connections: watch::Receiver<usize>,
    left: watch::Receiver<usize>,
}

impl Server {
    /// A server on a free port of 127.0.0.1 that answers each path by `answer`.
    pub(crate) async fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::at("127.0.0.1:0", answer).await
    }

    /// A server at a given address.
    pub(crate) async fn at(address: &str, answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let (came, connections) = watch::channel(0);
        let (leaving, left) = watch::channel(0);
        let (kept, answer, leaving) = (Arc::clone(&requests), Arc::new(answer), Arc::new(leaving));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                came.send_modify(|count| *count += 1);
                let (kept, answer, leaving) = (Arc::clone(&kept), Arc::clone(&answer), Arc::clone(&leaving));
                tokio::spawn(async move {
                    converse(stream, &kept, &*answer).await;
                    leaving.send_modify(|count| *count += 1);
                });
            }
        });
        Self { address, requests, connections, left }
    }

    /// The address of a path on this server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// How many connections there were.
    pub(crate) fn connections(&self) -> usize {
        *self.connections.borrow()
    }

    /// The heads of all requests.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits until as many conversations are over.
    pub(crate) async fn left(&mut self, count: usize) {
        let over = self.left.wait_for(|left| *left >= count);
        tokio::time::timeout(Duration::from_secs(20), over).await.expect("the connection is closed").unwrap();
    }
}

/// Reads one request, answers it, and does what comes then.
pub(crate) async fn converse(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    requests: &Mutex<Vec<String>>,
    answer: &(dyn Fn(&str) -> Answer + Send + Sync),
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let answer = answer(head.split(' ').nth(1).unwrap());
    requests.lock().unwrap().push(head);
    tokio::time::sleep(answer.thinks).await;
    if stream.write_all(&answer.bytes).await.is_err() {
        return;
    }
    let piece = vec![b'x'; if answer.then == Then::Flood { 65536 } else { 1 }];
    match answer.then {
        Then::Close => drop(stream.shutdown().await),
        Then::Hold => drop(stream.read_u8().await),
        Then::Flood => while stream.write_all(&piece).await.is_ok() {},
        Then::Drip => {
            while stream.write_all(&piece).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
}
