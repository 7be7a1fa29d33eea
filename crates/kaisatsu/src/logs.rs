//! Where log lines go: standard error, as text for people at a terminal and as JSON for everything else.

use std::io::{self, IsTerminal};

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;

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

/// Starts logging. Called once, by `serve`.
pub(crate) fn start(filter: &str, format: LogFormat) {
    // The database driver repeats the server's notices; an operator who wants them says sqlx=info.
    let filter = EnvFilter::new(format!("sqlx=warn,{filter}"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let text = match format {
        LogFormat::Auto => io::stderr().is_terminal(),
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    if text {
        builder.with_target(false).with_ansi(io::stderr().is_terminal()).init();
    } else {
        builder.json().flatten_event(true).with_current_span(false).with_span_list(false).init();
    }
}
