//! The client: keep-alive connections that each send the next request after the previous answer.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::servers::Running;

/// The result of one round.
pub(crate) struct Round {
    pub(crate) rate: f64,
    /// Processor time of the server per request, in microseconds.
    pub(crate) cpu: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

/// Requests for one server.
pub(crate) struct Load<'a> {
    pub(crate) server: &'a Running,
    pub(crate) requests: &'a [Vec<u8>],
}

/// Requests for windows all over the map, the same in every run.
pub(crate) fn random_windows(key: &str, width: i32, height: i32) -> Vec<Vec<u8>> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |limit: i32| {
        // xorshift: simple and portable
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % u64::from(limit.unsigned_abs())
    };
    let mut window = || {
        let (x, y) = (below(width - 500), below(height - 500));
        let target = format!("/route_service/v1/railmapDetail?APIKEY={key}&id=tokyo&x={x}&y={y}&width=500&height=500");
        request(&target)
    };
    (0..4_096).map(|_| window()).collect()
}

fn request(target: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

/// The mean size of the response bodies.
pub(crate) fn mean_body(to: SocketAddr, requests: &[Vec<u8>]) -> usize {
    block_on(async {
        let mut client = Client::connect(to).await;
        let mut total = 0;
        for request in requests {
            total += client.ask(request).await;
        }
        total / requests.len()
    })
}

/// The body of one response.
pub(crate) fn body_of(to: SocketAddr, target: &str) -> String {
    block_on(async {
        let mut client = Client::connect(to).await;
        let size = client.ask(&request(target)).await;
        String::from_utf8(client.buffer[client.filled - size..client.filled].to_vec()).expect("UTF-8")
    })
}

impl Load<'_> {
    /// Loads the server for some seconds.
    pub(crate) fn run(&self, connections: usize, seconds: u64) -> Round {
        let end = Duration::from_secs(seconds);
        let cpu_before = self.server.cpu_micros();
        let (mut times, took) = block_on(async {
            let began = Instant::now();
            let mut clients = tokio::task::JoinSet::new();
            for number in 0..connections {
                let (to, requests) = (self.server.address, self.requests.to_vec());
                clients.spawn(async move {
                    let mut client = Client::connect(to).await;
                    let mut times = Vec::with_capacity(65_536);
                    for request in requests.iter().cycle().skip(number * 97) {
                        let sent = Instant::now();
                        if sent.duration_since(began) > end {
                            break;
                        }
                        client.ask(request).await;
                        times.push(sent.elapsed().as_secs_f64() * 1e6);
                    }
                    times
                });
            }
            let times: Vec<f64> = clients.join_all().await.into_iter().flatten().collect();
            (times, began.elapsed().as_secs_f64())
        });
        times.sort_by(f64::total_cmp);
        let count = times.len();
        let answers = f64::from(u32::try_from(count).expect("a count"));
        let cpu = (self.server.cpu_micros() - cpu_before) / answers;
        Round { rate: answers / took, cpu, p50: times[count / 2], p99: times[count * 99 / 100] }
    }
}

/// One thread for all connections, so that client and server share the two cores in the same way in every run.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
    filled: usize,
}

impl Client {
    async fn connect(to: SocketAddr) -> Self {
        let stream = TcpStream::connect(to).await.expect("connect");
        stream.set_nodelay(true).expect("nodelay");
        Self { stream, buffer: vec![0; 1 << 20], filled: 0 }
    }

    /// Sends a request, reads the whole response, and returns the size of its body.
    async fn ask(&mut self, request: &[u8]) -> usize {
        self.stream.write_all(request).await.expect("send");
        self.filled = 0;
        let mut expected = None;
        loop {
            let read = self.stream.read(&mut self.buffer[self.filled..]).await.expect("read");
            assert!(read > 0, "the server closed the connection");
            self.filled += read;
            if expected.is_none() {
                expected = head(&self.buffer[..self.filled]);
            }
            if let Some((head, body)) = expected
                && self.filled >= head + body
            {
                assert_eq!(self.filled, head + body, "more than one answer");
                return body;
            }
        }
    }
}

/// The lengths of head and body, if the head is complete.
fn head(bytes: &[u8]) -> Option<(usize, usize)> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&bytes[..end]).expect("an ASCII head");
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
    Some((end, length.parse().expect("a number")))
}
