//! One line for each request. What a line says is decided here; where it goes is the caller's business.

/// A request as the log tells it: never a secret, never a body.
#[derive(Debug)]
pub struct AccessLine<'a> {
    /// When the answer was ready, as the log writes it. Empty until the log fills it in.
    pub timestamp: &'a str,
    /// `INFO`, or `ERROR` when the fault is ours.
    pub level: &'static str,
    /// What kind of line this is.
    pub message: &'static str,
    /// The id that the answer carries in `X-Request-Id`.
    pub request_id: &'a str,
    /// The method.
    pub method: &'a str,
    /// The path, as far as it is one of ours.
    pub path: &'a str,
    /// The query string with every value hidden that might be a secret.
    pub query: Option<String>,
    /// The status of the answer.
    pub status: u16,
    /// How long the answer took, in microseconds.
    pub micros: u64,
    /// The application that called.
    pub application: Option<&'a str>,
    /// The id of the key it called with.
    pub key: Option<&'a str>,
    /// What the caller was told, when the request failed.
    pub told: Option<&'a str>,
    /// What really happened, when the fault is ours.
    pub cause: Option<&'a str>,
}

/// Where the lines go.
pub trait AccessLog: Send + Sync + 'static {
    /// Whether a line of that status is wanted at all; making one has a price.
    fn wants(&self, status: u16) -> bool;

    /// Takes a line. It must not wait: it is called between a caller and its answer.
    fn write(&self, line: AccessLine<'_>);
}
