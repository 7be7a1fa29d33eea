//! Logs to standard error: as text at a terminal, as JSON otherwise.
//!
//! Events are logged through `tracing`, line by line. Requests are too many for that: their lines are buffered and
//! written together, at the latest after [`FLUSH_INTERVAL`].

use std::{
    cell::RefCell,
    io::{self, IsTerminal, Write},
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use clap::ValueEnum;
use kaisatsu_http::{AccessLine, AccessLog};
use time::{OffsetDateTime, macros::format_description};
use tracing_subscriber::EnvFilter;

/// How long the line of a request is buffered.
const FLUSH_INTERVAL: Duration = Duration::from_millis(10);

/// The size of the buffer in bytes. When the reader of the log is too slow, lines are dropped and counted.
const MAX_BUFFERED: usize = 8 * 1024 * 1024;

/// The capacity to which a buffer shrinks after a burst.
const USUAL_CAPACITY: usize = 256 * 1024;

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Text at a terminal, JSON otherwise
    Auto,
    /// One line of text
    Text,
    /// One JSON object a line
    Json,
}

/// Checks a filter such as `info` or `warn,kaisatsu_http=debug`.
pub(crate) fn parse_filter(text: &str) -> Result<String, String> {
    EnvFilter::try_new(text)
        .map(|_| text.to_owned())
        .map_err(|error| format!("{error}; write a level (error, warn, info, debug, trace) or module=level,…"))
}

/// Starts logging, and returns the log of requests. Called once, by `serve`.
pub(crate) fn start(filter: &str, format: LogFormat) -> Arc<RequestLog> {
    let text = match format {
        LogFormat::Auto => io::stderr().is_terminal(),
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    // The database driver logs the server's notices as info; `sqlx=info` shows them. What assistants send is the log's
    // business as little as what other callers send.
    let filter = EnvFilter::new(format!("sqlx=warn,rmcp=error,{filter}"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    if text {
        builder.with_target(false).with_ansi(io::stderr().is_terminal()).init();
    } else {
        builder.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
    }
    RequestLog::start(text, tracing::enabled!(target: "kaisatsu::request", tracing::Level::INFO))
}

/// The log of requests.
pub(crate) struct RequestLog {
    text: bool,
    /// Whether every request is logged, or only server errors.
    all: bool,
    /// Lines to write. All threads lock this buffer, so each brings its line complete.
    waiting: Mutex<Vec<u8>>,
    /// Lines being written; locked while they are.
    writing: Mutex<Vec<u8>>,
    /// Lines dropped since the last flush.
    dropped: AtomicU64,
}

impl RequestLog {
    fn start(text: bool, all: bool) -> Arc<Self> {
        let log = Arc::new(Self {
            text,
            all,
            waiting: Mutex::default(),
            writing: Mutex::default(),
            dropped: AtomicU64::new(0),
        });
        let writer = Arc::downgrade(&log);
        thread::spawn(move || {
            while let Some(log) = writer.upgrade() {
                log.flush();
                drop(log);
                thread::sleep(FLUSH_INTERVAL);
            }
        });
        log
    }

    /// Writes the buffered lines, after those that are being written. Blocks while the reader of the log does.
    pub(crate) fn flush(&self) {
        let mut lines = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        lines.clear();
        lines.shrink_to(USUAL_CAPACITY);
        mem::swap(&mut *lines, &mut *self.waiting());
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            tracing::warn!(dropped, "requests were not logged: the log is not read quickly enough");
        }
        if !lines.is_empty() {
            // The server goes on answering when the log cannot be written.
            let _ = io::stderr().write_all(&lines);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<u8>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AccessLog for RequestLog {
    fn wants(&self, failed: bool) -> bool {
        self.all || failed
    }

    fn write(&self, line: AccessLine<'_>) {
        SCRATCH.with_borrow_mut(|Scratch { bytes, formatter }| {
            bytes.clear();
            let line = AccessLine { timestamp: formatter.text(SystemTime::now()), ..line };
            if self.text {
                // Writing to memory cannot fail.
                let _ = write_text(bytes, &line);
            } else {
                write_json(bytes, &line);
            }
            let mut waiting = self.waiting();
            if waiting.len() + bytes.len() <= MAX_BUFFERED {
                waiting.extend_from_slice(bytes);
            } else {
                self.dropped.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// The buffers of one thread.
#[derive(Default)]
struct Scratch {
    bytes: Vec<u8>,
    formatter: TimestampFormatter,
}

/// Formats timestamps. Only the fraction changes from line to line, so the rest is cached for a second.
#[derive(Default)]
struct TimestampFormatter {
    second: u64,
    text: String,
}

impl TimestampFormatter {
    /// `2026-01-31T23:59:59.999999Z`
    fn text(&mut self, now: SystemTime) -> &str {
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        if self.second != since.as_secs() || self.text.is_empty() {
            self.second = since.as_secs();
            let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].");
            self.text = OffsetDateTime::from(now).format(format).unwrap_or_default();
        }
        self.text.truncate("2026-01-31T23:59:59.".len());
        // Six digits, with leading zeros.
        self.text.push_str(&itoa::Buffer::new().format(1_000_000 + since.subsec_micros())[1..]);
        self.text.push('Z');
        &self.text
    }
}

/// Writes the line as a JSON object. By hand: this runs for every request, and hardly any value needs escaping.
fn write_json(bytes: &mut Vec<u8>, line: &AccessLine<'_>) {
    let words = [
        ("{\"timestamp\":\"", Some(line.timestamp)),
        (",\"level\":\"", Some(line.level)),
        (",\"message\":\"", Some(line.message)),
        (",\"request_id\":\"", Some(line.request_id)),
        (",\"trace_id\":\"", line.trace_id),
        (",\"method\":\"", Some(line.method)),
        (",\"path\":\"", Some(line.path)),
        (",\"query\":\"", line.query.as_deref()),
        (",\"application\":\"", line.application),
        (",\"key\":\"", line.key),
        (",\"error\":\"", line.error),
        (",\"cause\":\"", line.cause),
    ];
    for (before, value) in words {
        let Some(value) = value else { continue };
        bytes.extend_from_slice(before.as_bytes());
        text(bytes, value);
        bytes.push(b'"');
    }
    for (before, number) in [(",\"status\":", u64::from(line.status)), (",\"micros\":", line.micros)] {
        bytes.extend_from_slice(before.as_bytes());
        bytes.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }
    bytes.extend_from_slice(b"}\n");
}

/// Writes the contents of a JSON string.
fn text(bytes: &mut Vec<u8>, value: &str) {
    // Without an early exit the compiler vectorises this loop.
    let special = value.bytes().map(|b| u8::from(b < 0x20 || b == b'"' || b == b'\\'));
    if special.fold(0, std::ops::BitOr::bitor) == 0 {
        bytes.extend_from_slice(value.as_bytes());
    } else {
        let quoted = serde_json::Value::from(value).to_string();
        bytes.extend_from_slice(&quoted.as_bytes()[1..quoted.len() - 1]);
    }
}

fn write_text(lines: &mut Vec<u8>, line: &AccessLine<'_>) -> io::Result<()> {
    let AccessLine { timestamp, level, status, method, path, request_id, .. } = line;
    write!(lines, "{timestamp} {level:>5} {status} {method} {path}")?;
    if let Some(query) = &line.query {
        write!(lines, "?{query}")?;
    }
    write!(lines, " {:?} {request_id}", Duration::from_micros(line.micros))?;
    for words in [line.application, line.error, line.cause].into_iter().flatten() {
        lines.push(b' ');
        // Text from a caller must not end the line or control the terminal.
        for c in words.chars() {
            if c.is_control() {
                write!(lines, "{}", c.escape_default())?;
            } else {
                write!(lines, "{c}")?;
            }
        }
    }
    lines.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use kaisatsu_http::AccessLine;

    use super::{TimestampFormatter, write_json};

    fn line() -> AccessLine<'static> {
        AccessLine {
            timestamp: "2026-01-31T23:59:59.000001Z",
            level: "INFO",
            message: "request",
            request_id: "id",
            trace_id: Some("4bf92f3577b34da6a3ce929d0e0e4736"),
            parent: None,
            method: "GET",
            path: "/x",
            query: Some("stationName=高円寺".to_owned()),
            status: 400,
            micros: 12,
            application: None,
            key: None,
            error: Some("a \"quoted\" word\nand a line"),
            cause: None,
        }
    }

    #[test]
    fn a_line_is_json_whatever_is_in_it() {
        let mut bytes = Vec::new();
        write_json(&mut bytes, &line());
        let read: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let expected = serde_json::json!({
            "timestamp": "2026-01-31T23:59:59.000001Z", "level": "INFO", "message": "request", "request_id": "id",
            "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "method": "GET", "path": "/x",
            "query": "stationName=高円寺", "error": "a \"quoted\" word\nand a line",
            "status": 400, "micros": 12,
        });
        assert_eq!(read, expected);
        assert_eq!(bytes.iter().position(|b| *b == b'\n'), Some(bytes.len() - 1), "one line");
    }

    #[test]
    fn timestamps_are_written_in_utc_with_microseconds() {
        let mut formatter = TimestampFormatter::default();
        let at = |micros| UNIX_EPOCH + Duration::from_micros(micros);
        assert_eq!(formatter.text(at(1_500_000)), "1970-01-01T00:00:01.500000Z");
        assert_eq!(formatter.text(at(1_500_001)), "1970-01-01T00:00:01.500001Z");
        assert_eq!(formatter.text(at(86_400_000_000)), "1970-01-02T00:00:00.000000Z");
    }
}
