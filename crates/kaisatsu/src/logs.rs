//! Where log lines go: standard error, as text for people at a terminal and as JSON for everything else.
//!
//! What happens in the server is logged through `tracing`, line by line. Requests are too many for that: their lines
//! are gathered and written together, at the latest after [`PAUSE`].

use std::{
    fmt::Write as _,
    io::{self, IsTerminal, Write},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use clap::ValueEnum;
use kaisatsu_http::{AccessLine, AccessLog};
use time::{OffsetDateTime, macros::format_description};
use tracing_subscriber::EnvFilter;

/// How long a request's line waits for others.
const PAUSE: Duration = Duration::from_millis(50);

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

/// Starts logging, and gives back where requests are logged. Called once, by `serve`.
pub(crate) fn start(filter: &str, format: LogFormat) -> Arc<RequestLog> {
    let text = match format {
        LogFormat::Auto => io::stderr().is_terminal(),
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    // The database driver repeats the server's notices; an operator who wants them says sqlx=info.
    let filter = EnvFilter::new(format!("sqlx=warn,{filter}"));
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
    /// Whether every request is logged, or only those that failed through our fault.
    all: bool,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    lines: Vec<u8>,
    /// The second that `moment` was written for; only its fraction changes from line to line.
    second: u64,
    moment: String,
}

impl RequestLog {
    fn start(text: bool, all: bool) -> Arc<Self> {
        let log = Arc::new(Self { text, all, waiting: Mutex::default() });
        let writer = Arc::downgrade(&log);
        thread::spawn(move || {
            while let Some(log) = writer.upgrade() {
                log.flush();
                drop(log);
                thread::sleep(PAUSE);
            }
        });
        log
    }

    /// Writes what is waiting.
    pub(crate) fn flush(&self) {
        let lines = mem::take(&mut self.waiting().lines);
        if !lines.is_empty() {
            // A log that cannot be written is no reason to stop answering.
            let _ = io::stderr().write_all(&lines);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AccessLog for RequestLog {
    fn wants(&self, status: u16) -> bool {
        self.all || status >= 500
    }

    fn write(&self, line: AccessLine<'_>) {
        let mut guard = self.waiting();
        let waiting = &mut *guard;
        waiting.set_moment(SystemTime::now());
        let line = AccessLine { timestamp: &waiting.moment, ..line };
        // Writing to memory cannot fail.
        if self.text {
            let _ = write_text(&mut waiting.lines, &line);
        } else {
            let _ = serde_json::to_writer(&mut waiting.lines, &line);
            waiting.lines.push(b'\n');
        }
    }
}

impl Waiting {
    /// Writes `now` as `2026-01-31T23:59:59.999999Z`, all but the fraction only when the second is a new one.
    fn set_moment(&mut self, now: SystemTime) {
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        if self.second != since.as_secs() || self.moment.is_empty() {
            self.second = since.as_secs();
            let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].");
            self.moment = OffsetDateTime::from(now).format(format).unwrap_or_default();
        }
        self.moment.truncate("2026-01-31T23:59:59.".len());
        let _ = write!(self.moment, "{:06}Z", since.subsec_micros());
    }
}

fn write_text(lines: &mut Vec<u8>, line: &AccessLine<'_>) -> io::Result<()> {
    let AccessLine { timestamp, level, status, method, path, request_id, .. } = line;
    write!(lines, "{timestamp} {level:>5} {status} {method} {path}")?;
    if let Some(query) = &line.query {
        write!(lines, "?{query}")?;
    }
    write!(lines, " {:?} {request_id}", Duration::from_micros(line.micros))?;
    for words in [line.application, line.told, line.cause].into_iter().flatten() {
        write!(lines, " {words}")?;
    }
    lines.write_all(b"\n")
}
