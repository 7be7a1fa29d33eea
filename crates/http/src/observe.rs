//! What happens around every request: an id, a log line, metrics, CORS, and an answer even when a handler panics.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode},
    middleware::Next,
    response::Response,
};
use kaisatsu_access::Caller;
use metrics::{counter, gauge, histogram};

use crate::{Cors, Failure, cors::CorsRequest, families::Families, redact};

pub(crate) static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What a handler leaves in its response for the log line. It never reaches the caller.
#[derive(Debug, Clone, Default)]
pub(crate) struct Note {
    /// Who called.
    pub(crate) caller: Option<Caller>,
    /// What the caller was told.
    pub(crate) failure: Option<Failure>,
    /// What really happened, when the fault is ours.
    pub(crate) cause: Option<Arc<str>>,
}

/// Marks the answer to a request whose handler panicked, with what the panic said.
#[derive(Debug, Clone)]
pub(crate) struct Panicked(pub(crate) Arc<str>);

/// The observer's own state.
pub(crate) struct Observer {
    pub(crate) cors: Cors,
    pub(crate) families: Arc<Families>,
    ids: RequestIds,
}

impl Observer {
    pub(crate) fn new(cors: Cors, families: Arc<Families>) -> Arc<Self> {
        Arc::new(Self { cors, families, ids: RequestIds::new() })
    }
}

pub(crate) async fn observe(State(observer): State<Arc<Observer>>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = observer.ids.of(request.headers());
    let method = request.method().clone();
    let uri = request.uri().clone();
    let operation = request.extensions().get::<MatchedPath>().cloned();
    let cors = CorsRequest::of(request.headers());

    let busy = InFlight::new();
    let mut response = next.run(request).await;
    drop(busy);

    let panicked = response.extensions_mut().remove::<Panicked>();
    if panicked.is_some() {
        response = observer.families.broken(uri.path());
    }
    let mut note = response.extensions_mut().remove::<Note>().unwrap_or_default();
    note.cause = note.cause.or(panicked.map(|panicked| panicked.0));
    let headers = response.headers_mut();
    headers.insert(&REQUEST_ID, id.clone());
    if observer.families.is_api(uri.path()) {
        observer.cors.apply(&method, &cors, headers);
    }
    let took = began.elapsed();
    let status = response.status();
    count(operation.as_ref().map_or("unmatched", MatchedPath::as_str), status, took.as_secs_f64());
    log(&id, &method, &uri, status, took.as_secs_f64(), &note);
    response
}

fn count(operation: &str, status: StatusCode, seconds: f64) {
    counter!("kaisatsu_http_requests_total", "operation" => operation.to_owned(), "status" => status.as_str().to_owned())
        .increment(1);
    histogram!("kaisatsu_http_request_seconds", "operation" => operation.to_owned()).record(seconds);
}

fn log(id: &HeaderValue, method: &Method, uri: &axum::http::Uri, status: StatusCode, seconds: f64, note: &Note) {
    let id = id.to_str().unwrap_or_default();
    let path = redact::path(uri.path());
    let query = uri.query().map(redact::query);
    let application = note.caller.as_ref().map(|caller| caller.application.as_str());
    let key = note.caller.as_ref().map(|caller| caller.key.as_str());
    let status = status.as_u16();
    let ms = (seconds * 1e6).round() / 1e3;
    if status >= 500 {
        let cause = note.cause.as_deref();
        tracing::error!(request_id = id, %method, path, query, status, ms, application, key, cause, "request failed");
    } else {
        let told = note.failure.as_ref().map(|failure| failure.message.as_str());
        tracing::info!(request_id = id, %method, path, query, status, ms, application, key, told, "request");
    }
}

/// Counts a request as long as it is being answered, also when its caller hangs up.
struct InFlight;

impl InFlight {
    fn new() -> Self {
        gauge!("kaisatsu_http_requests_in_flight").increment(1.0);
        Self
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        gauge!("kaisatsu_http_requests_in_flight").decrement(1.0);
    }
}

/// Ids that no other request has: a random beginning for this process, and a count.
struct RequestIds {
    process: u64,
    count: AtomicU64,
}

impl RequestIds {
    fn new() -> Self {
        Self { process: getrandom::u64().unwrap_or_default(), count: AtomicU64::new(0) }
    }

    /// The caller's own id when it sends a sensible one, so that a request can be followed through a proxy.
    fn of(&self, headers: &HeaderMap) -> HeaderValue {
        let sensible = |value: &&HeaderValue| {
            let bytes = value.as_bytes();
            (1..=64).contains(&bytes.len())
                && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
                && !value.to_str().is_ok_and(|text| text.contains(kaisatsu_model::ApiKey::PREFIX))
        };
        if let Some(own) = headers.get(&REQUEST_ID).filter(sensible) {
            return own.clone();
        }
        let text = format!("{:016x}-{:x}", self.process, self.count.fetch_add(1, Ordering::Relaxed));
        HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("none"))
    }
}
