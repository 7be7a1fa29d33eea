//! The access log: one line for each request. The binary decides where the lines go.

use crate::TraceParent;

/// The log line of a request. It never holds a secret or a body.
#[derive(Debug)]
pub struct AccessLine<'a> {
    /// When the response was ready. Empty until the log fills it in.
    pub timestamp: &'a str,
    /// `INFO`, or `ERROR` when a request failed by a fault of ours.
    pub level: &'static str,
    /// The kind of line.
    pub message: &'static str,
    /// The value of `X-Request-Id` in the response.
    pub request_id: &'a str,
    /// The trace that the request belongs to, by its `traceparent`.
    pub trace_id: Option<&'a str>,
    /// The caller's span.
    pub parent: Option<&'a TraceParent>,
    /// The method.
    pub method: &'a str,
    /// The path, as far as it has only characters of our own paths.
    pub path: &'a str,
    /// The query string, with every value hidden that may be a secret.
    pub query: Option<String>,
    /// The status of the response.
    pub status: u16,
    /// How long the request took, in microseconds.
    pub micros: u64,
    /// The application that called.
    pub application: Option<&'a str>,
    /// The id of the key it called with.
    pub key: Option<&'a str>,
    /// The error message that the client got.
    pub error: Option<&'a str>,
    /// The cause of an internal error.
    pub cause: Option<&'a str>,
}

/// The destination of the lines.
pub trait AccessLog: Send + Sync + 'static {
    /// Whether requests are logged, those that failed by a fault of ours or the others. Lines are expensive to make.
    fn wants(&self, failed: bool) -> bool;

    /// Writes a line. It must not block: the response is sent after it.
    fn write(&self, line: AccessLine<'_>);
}
