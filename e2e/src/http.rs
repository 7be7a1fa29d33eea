//! An HTTP client that sends the request target exactly as written, and returns the whole response.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// A response.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Names in lower case, in the order received.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }
}

/// A connection that can be used for several requests.
#[derive(Debug)]
pub struct Connection(TcpStream);

impl Connection {
    /// Connects.
    #[must_use]
    pub fn open(to: SocketAddr) -> Self {
        let stream = TcpStream::connect(to).expect("connect");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("timeout");
        Self(stream)
    }

    /// Waits so long for an answer, where half a minute may not do on a busy machine.
    pub fn be_patient(&self, time: Duration) {
        self.0.set_read_timeout(Some(time)).expect("timeout");
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).expect("send");
    }

    /// Sends a request with extra header lines, each ended by CRLF.
    pub fn request(&mut self, method: &str, target: &str, headers: &str) {
        self.send(format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n").as_bytes());
    }

    /// Reads one response; `None` when the server closes the connection before one begins.
    #[must_use]
    pub fn answer(&mut self, to_head: bool) -> Option<Answer> {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            match self.0.read(&mut byte) {
                Ok(0) | Err(_) if head.is_empty() => return None,
                Ok(1) => head.push(byte[0]),
                other => panic!("the head ends early: {other:?} {:?}", String::from_utf8_lossy(&head)),
            }
        }
        let head = String::from_utf8(head).expect("an ASCII head");
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status line");
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(':').expect("a header"))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut answer = Answer { status, headers, body: Vec::new() };
        let length = answer.header("content-length").map_or(0, |text| text.parse().expect("a length"));
        if !to_head && answer.header("transfer-encoding") == Some("chunked") {
            answer.body = self.chunks();
        } else if !to_head {
            answer.body.resize(length, 0);
            self.0.read_exact(&mut answer.body).expect("the whole body");
        }
        Some(answer)
    }

    /// A body in chunks, to its end.
    fn chunks(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let mut line = Vec::new();
            while !line.ends_with(b"\r\n") {
                let mut byte = [0];
                self.0.read_exact(&mut byte).expect("the whole body");
                line.push(byte[0]);
            }
            let size = std::str::from_utf8(&line).ok().and_then(|line| usize::from_str_radix(line.trim_end(), 16).ok());
            let mut chunk = vec![0; size.expect("the size of a chunk") + 2];
            self.0.read_exact(&mut chunk).expect("the whole chunk");
            if chunk.len() == 2 {
                return body;
            }
            body.extend_from_slice(&chunk[..chunk.len() - 2]);
        }
    }
}

/// One request on a new connection.
#[must_use]
pub fn request(to: SocketAddr, method: &str, target: &str, headers: &str) -> Answer {
    let mut connection = Connection::open(to);
    connection.request(method, target, headers);
    connection.answer(method == "HEAD").expect("an answer")
}

/// One GET on a new connection.
#[must_use]
pub fn get(to: SocketAddr, target: &str) -> Answer {
    request(to, "GET", target, "")
}

/// One POST on a new connection.
#[must_use]
pub fn post(to: SocketAddr, target: &str, content_type: &str, body: &[u8]) -> Answer {
    let mut connection = Connection::open(to);
    let kind = if content_type.is_empty() { String::new() } else { format!("Content-Type: {content_type}\r\n") };
    connection.request("POST", target, &format!("{kind}Content-Length: {}\r\n", body.len()));
    connection.send(body);
    connection.answer(false).expect("an answer")
}

/// The Content-Type of [`form`], with its boundary.
pub const FORM: &str = "multipart/form-data; boundary=kaisatsu-e2e";

/// The body of a form: names and values.
#[must_use]
pub fn form(fields: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        // Files have a file name, as browsers and curl send them.
        let file = if *name == "image" { "; filename=\"photo\"\r\nContent-Type: application/octet-stream" } else { "" };
        let head = format!("--kaisatsu-e2e\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(value);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--kaisatsu-e2e--\r\n");
    body
}

/// Percent-encodes every byte that is not a letter or digit.
#[must_use]
pub fn encode(text: &str) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric();
    text.bytes().map(|b| if plain(&b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}
