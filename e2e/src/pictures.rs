//! A web server on the loopback interface that serves pictures, and files that are none.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use image::{ExtendedColorType, ImageEncoder, codecs::jpeg::JpegEncoder};

/// The size of `/large` in bytes.
pub const LARGE: usize = 3 << 20;

/// The server. It runs until the process ends; every test starts its own.
#[derive(Debug, Clone)]
pub struct Pictures {
    /// The address it listens on.
    pub address: SocketAddr,
    asked: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl Pictures {
    /// Starts a server. It has these paths:
    ///
    /// * `/picture/CLASS/NUMBER`: a JPEG, the same each time; those of a class look alike
    /// * `/missing`, `/gone`: 404, 410
    /// * `/broken`: 500
    /// * `/text`: no picture
    /// * `/large`: more bytes than a test allows
    /// * `/silent`: no response for a minute
    /// * `/away?ADDRESS`: a redirect to an address
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let server = Self { address: listener.local_addr().expect("an address"), asked: Arc::default() };
        let asked = Arc::clone(&server.asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let asked = Arc::clone(&asked);
                thread::spawn(move || answer(stream, &asked));
            }
        });
        server
    }

    /// The address of a path.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// How often each path was requested.
    #[must_use]
    pub fn asked(&self) -> BTreeMap<String, usize> {
        self.asked.lock().expect("no panic").clone()
    }
}

fn answer(mut stream: TcpStream, asked: &Mutex<BTreeMap<String, usize>>) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    *asked.lock().expect("no panic").entry(path.clone()).or_default() += 1;
    let (status, kind, body) = match path.split('/').collect::<Vec<_>>()[..] {
        ["", "picture", class, number] => ("200 OK", "image/jpeg", picture(class, number)),
        ["", "text"] => ("200 OK", "image/jpeg", b"this is no picture".to_vec()),
        ["", "large"] => ("200 OK", "image/jpeg", vec![0; LARGE]),
        ["", "gone"] => ("410 Gone", "text/plain", Vec::new()),
        ["", "broken"] => ("500 Internal Server Error", "text/plain", Vec::new()),
        ["", "silent"] => return thread::sleep(Duration::from_mins(1)),
        _ if path.starts_with("/away?") => {
            let to = path.trim_start_matches("/away?");
            let head =
                format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
            return;
        }
        _ => ("404 Not Found", "text/plain", Vec::new()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}

/// One of the photographs that `make test` installs.
#[must_use]
pub fn photo(name: &str) -> Vec<u8> {
    let folder = std::env::var("KAISATSU_TEST_PHOTOS").expect("KAISATSU_TEST_PHOTOS is not set; `make test` sets it");
    std::fs::read(std::path::Path::new(&folder).join(name)).expect("a photograph")
}

/// A picture of waves: the class determines their direction, width and colour, the number the rest.
#[must_use]
pub fn picture(class: &str, number: &str) -> Vec<u8> {
    let (class, number): (u32, u32) = (class.parse().unwrap_or(0), number.parse().unwrap_or(0));
    let (width, height) = (320u32, 240u32);
    let turn = f64::from(class) * 0.7 + f64::from(number % 17) * 0.01;
    let wide = 6.0 + f64::from(class % 5) * 9.0;
    let colour = |channel: u32| 60.0 + f64::from((class * 67 + channel * 101) % 150);
    let mut rgb = Vec::with_capacity((width * height * 3) as usize);
    for y in 0..height {
        for x in 0..width {
            let along = f64::from(x) * turn.cos() + f64::from(y) * turn.sin() + f64::from(number) * 1.7;
            let wave = 0.5 + 0.5 * (along / wide).sin();
            for channel in 0..3 {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a colour")]
                rgb.push((colour(channel) * wave + f64::from((x * 7 + y * 13 + number) % 23)) as u8);
            }
        }
    }
    let mut file = Vec::new();
    JpegEncoder::new_with_quality(&mut file, 85)
        .write_image(&rgb, width, height, ExtendedColorType::Rgb8)
        .expect("JPEG");
    file
}
