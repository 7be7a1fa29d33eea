//! The two servers, each in its own process.

use std::{
    fs::{self, File},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use tempfile::TempDir;

/// A server that is stopped when this is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    child: Child,
    home: TempDir,
}

impl Running {
    fn start(program: &Path, args: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let file = |name: &str| Stdio::from(File::create(home.path().join(name)).expect("a file"));
        let mut command = Command::new(program);
        command.args(args).env("HOME", home.path()).stdin(Stdio::null()).stdout(file("out")).stderr(file("log"));
        let child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}; run `make bench`", program.display()));
        let mut running = Self { address: SocketAddr::from(([127, 0, 0, 1], 0)), child, home };
        for _ in 0..300 {
            if let Some(address) = word_after(&running.out(), "http://") {
                running.address = address.parse().expect("an address");
                return running;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("{} did not start", program.display());
    }

    fn out(&self) -> String {
        fs::read_to_string(self.home.path().join("out")).expect("out")
    }

    /// The processor time of the server so far, in microseconds.
    pub(crate) fn cpu_micros(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("a running process");
        // The name in parentheses may contain spaces. Fields 14 and 15 are user and system time in 1/100 s.
        let after = stat.rsplit_once(')').expect("a name").1;
        let ticks = after.split_whitespace().skip(11).take(2).map(|field| field.parse::<f64>().expect("ticks"));
        ticks.sum::<f64>() * 10_000.0
    }

    /// The current resident memory.
    pub(crate) fn resident_mb(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a running process");
        let kib =
            status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse::<f64>().ok());
        kib.expect("VmRSS") / 1024.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The server with default settings, its log in a file.
pub(crate) struct Kaisatsu {
    pub(crate) running: Running,
    pub(crate) key: String,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

pub(crate) fn kaisatsu() -> Kaisatsu {
    let own = std::env::current_exe().expect("a path");
    let running = Running::start(&own.with_file_name("kaisatsu"), &["serve", "--listen", "127.0.0.1:0"]);
    thread::sleep(Duration::from_millis(200));
    let key = format!("kst_{}", word_after(&running.out(), "kst_").expect("a first key"));
    let list = crate::load::body_of(running.address, &format!("/route_service/v1/railmapList?APIKEY={key}&id=tokyo"));
    let side = |name: &str| word_after(&list, &format!("\"{name}\":\"")).and_then(|n| n.parse().ok()).expect("a side");
    Kaisatsu { key, width: side("width"), height: side("height"), running }
}

/// The yardstick, answering with `size` bytes.
pub(crate) fn bare(size: usize) -> Running {
    let own = std::env::current_exe().expect("a path");
    Running::start(&own, &["--bare", &size.to_string()])
}

/// What follows `before`, up to a space, a quote or the end of the line.
fn word_after<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    let rest = &text[text.find(before)? + before.len()..];
    rest.split(|c: char| c.is_whitespace() || c == '"').next()
}
