//! What happens around every request: an id, a log line, metrics, CORS, and an answer even when a handler panics.
//!
//! This wraps the router as a plain function and not as layers of it: a layer costs an allocation or two for every
//! request, and this is the busiest path there is.

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::FutureExt;
use kaisatsu_access::{Caller, UsageOutcome};
use tower::ServiceExt;

use crate::{
    Cors, Failure, Gateway,
    access_log::{AccessLine, AccessLog},
    cors::CorsRequest,
    families::Families,
    operations::metrics::Meters,
    redact,
    route_map::detail,
};

pub(crate) static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What a handler leaves in its response for the log line. It never reaches the caller.
#[derive(Debug, Clone, Default)]
pub(crate) struct Note {
    /// Who called.
    pub(crate) caller: Option<Arc<Caller>>,
    /// What the caller was told.
    pub(crate) failure: Option<Failure>,
    /// What really happened, when the fault is ours.
    pub(crate) cause: Option<Arc<str>>,
}

/// An answer, and what is noted of it.
pub(crate) struct Noted {
    pub(crate) response: Response,
    pub(crate) note: Note,
}

impl Noted {
    /// An answer that may carry its note with it, as those that come through the router do.
    pub(crate) fn of(mut response: Response) -> Self {
        let note = response.extensions_mut().remove().unwrap_or_default();
        Self { response, note }
    }
}

impl IntoResponse for Noted {
    fn into_response(self) -> Response {
        let Self { mut response, note } = self;
        response.extensions_mut().insert(note);
        response
    }
}

/// The router, observed.
pub struct App {
    router: Router,
    busiest: Busiest,
    cors: Cors,
    families: Families,
    meters: Arc<Meters>,
    log: Arc<dyn AccessLog>,
    ids: RequestIds,
}

impl App {
    pub(crate) fn new(
        router: Router,
        busiest: Busiest,
        cors: Cors,
        families: Families,
        meters: Arc<Meters>,
        log: Arc<dyn AccessLog>,
    ) -> Self {
        Self { router, busiest, cors, families, meters, log, ids: RequestIds::new() }
    }

    /// Answers one request.
    pub async fn answer(&self, request: Request) -> Response {
        let began = Instant::now();
        let request = self.families.without_trailing_slash(request);
        let id = self.ids.of(request.headers());
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let cors = CorsRequest::of(request.headers());

        let busy = self.meters.busy();
        let answered = AssertUnwindSafe(self.find(request)).catch_unwind().await;
        drop(busy);
        let Noted { mut response, note } = answered.unwrap_or_else(|payload| {
            let mut broken = Noted::of(self.families.broken(uri.path()));
            broken.note.cause = Some(words(payload.as_ref()));
            broken
        });
        response.headers_mut().insert(&REQUEST_ID, id.clone());
        if self.families.is_api(uri.path()) {
            self.cors.apply(&method, &cors, response.headers_mut());
        }
        let took = began.elapsed();
        let operation = self.meters.count(uri.path(), response.status(), took);
        if let (Some(caller), Some(operation)) = (&note.caller, operation) {
            caller.meter.count(operation, outcome(response.status()), took);
        }
        self.log(&id, &method, &uri, response.status(), took, &note);
        response
    }

    /// Finds who answers a request, and lets them.
    async fn find(&self, request: Request) -> Noted {
        let Busiest { gateway, path } = &self.busiest;
        if request.method() == Method::GET && request.uri().path() == path {
            return detail::answer_query(gateway, request.uri().query()).await;
        }
        let Ok(response) = self.router.clone().oneshot(request).await;
        Noted::of(response)
    }

    fn log(&self, id: &HeaderValue, method: &Method, uri: &Uri, status: StatusCode, took: Duration, note: &Note) {
        let status = status.as_u16();
        if !self.log.wants(status) {
            return;
        }
        let cause = note.cause.as_deref().map(|cause| redact::message(cause.to_owned()));
        self.log.write(AccessLine {
            timestamp: "",
            level: if status >= 500 { "ERROR" } else { "INFO" },
            message: "request",
            request_id: id.to_str().unwrap_or_default(),
            method: redact::method(method),
            path: redact::path(uri.path()),
            query: uri.query().map(redact::query),
            status,
            micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            application: note.caller.as_ref().map(|caller| caller.application.as_str()),
            key: note.caller.as_ref().map(|caller| caller.key.as_str()),
            told: note.failure.as_ref().map(|failure| failure.message.as_str()),
            cause: cause.as_deref(),
        });
    }
}

/// The one operation that is found without the router, whose boxes and look-ups cost half as much as its answer does.
pub(crate) struct Busiest {
    pub(crate) gateway: Arc<Gateway>,
    /// The path of railmapDetail.
    pub(crate) path: String,
}

/// How a request ended, by the status of its answer.
fn outcome(status: StatusCode) -> UsageOutcome {
    match status.as_u16() {
        429 => UsageOutcome::TurnedAway,
        400..=499 => UsageOutcome::Refused,
        500.. => UsageOutcome::Failed,
        _ => UsageOutcome::Answered,
    }
}

/// What a panic said.
fn words(payload: &(dyn std::any::Any + Send)) -> Arc<str> {
    let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without words").into()
}

/// Ids that no other request has: a random beginning for this process, and a count.
struct RequestIds {
    process: String,
    count: AtomicU64,
}

impl RequestIds {
    fn new() -> Self {
        Self { process: format!("{:016x}-", getrandom::u64().unwrap_or_default()), count: AtomicU64::new(0) }
    }

    /// The caller's own id when it sends a sensible one, so that a request can be followed through a proxy.
    fn of(&self, headers: &HeaderMap) -> HeaderValue {
        let sensible = |value: &&HeaderValue| {
            let bytes = value.as_bytes();
            (1..=64).contains(&bytes.len())
                && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
                && !value.to_str().is_ok_and(|text| redact::secret(text).is_some())
        };
        if let Some(own) = headers.get(&REQUEST_ID).filter(sensible) {
            return own.clone();
        }
        let mut text = String::with_capacity(self.process.len() + 20);
        text.push_str(&self.process);
        text.push_str(itoa::Buffer::new().format(self.count.fetch_add(1, Ordering::Relaxed)));
        HeaderValue::from_maybe_shared(Bytes::from(text)).unwrap_or(HeaderValue::from_static("none"))
    }
}
