//! What surrounds every request: a request id, a log line, metrics, CORS, and a response even when a handler panics.
//!
//! This wraps the router as a plain function and not as tower layers: each layer costs an allocation or two per
//! request.

use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::{Body, HttpBody},
    extract::Request,
    http::{HeaderValue, Method, StatusCode, Uri, header},
    response::Response,
};
use futures_util::FutureExt;
use kaisatsu_access::{FailedRequest, UsageOutcome};
use kaisatsu_model::Timestamp;
use tower::ServiceExt;

use crate::{
    Cors, Gateway, KeyPlaces,
    access_log::{AccessLine, AccessLog},
    compression::{self, Encoding},
    cors::CorsRequest,
    deadline,
    error_format::ErrorFormats,
    etag,
    hang_up::{Admitted, HUNG_UP},
    log_context::{LogContext, LoggedResponse},
    operations::metrics::RequestMetrics,
    rate_limit_headers,
    recent_errors::RecentError,
    redact,
    request_id::{REQUEST_ID, RequestIds},
    route_map::detail,
    trace_context::{TraceParent, trace_parent},
};

/// The path that load balancers ask.
const READINESS: &str = "/readyz";

/// The path of the OpenAPI document, which pages on other sites may read like the API itself.
const DOCUMENT: &str = "/openapi.json";

/// The router and everything around it.
pub struct App {
    pub(crate) router: Router,
    pub(crate) bypass: Option<Bypass>,
    pub(crate) cors: Cors,
    pub(crate) key_places: KeyPlaces,
    pub(crate) formats: ErrorFormats,
    pub(crate) metrics: Arc<RequestMetrics>,
    pub(crate) log: Arc<dyn AccessLog>,
    pub(crate) ids: RequestIds,
    /// How long a request may take once its body has arrived.
    pub(crate) request_timeout: Duration,
    /// Where failed requests are kept; tests have none.
    pub(crate) gateway: Option<Arc<Gateway>>,
}

impl App {
    /// Responds to one request.
    pub async fn handle(&self, request: Request) -> Response {
        let began = Instant::now();
        let mut request = self.formats.without_trailing_slash(request);
        let id = self.ids.of(request.headers());
        let trace = trace_parent(request.headers());
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let is_compressible = self.formats.is_compressible(uri.path());
        if method == Method::HEAD && is_compressible {
            // Its answer says how long the compressed body of GET is, which is not known without the body.
            *request.method_mut() = Method::GET;
        }
        let seen = Seen { id: &id, trace: trace.as_ref(), method: &method, uri: &uri };
        let cors = CorsRequest::of(request.headers());
        let encoding = Encoding::accepted(request.headers());

        let in_flight = self.metrics.in_flight();
        let bypass = self.bypass.as_ref().filter(|bypass| bypass.takes(&request));
        // A window of a map is answered in microseconds, which a digest of it would double.
        let is_tagged = request.method() == Method::GET && bypass.is_none() && self.formats.is_api(uri.path());
        let known =
            is_tagged.then(|| request.headers().get_all(header::IF_NONE_MATCH).iter().cloned().collect::<Vec<_>>());
        let admitted = if bypass.is_some() { Admitted::default() } else { Admitted::watched() };
        let (app, admitted) = (self, &admitted);
        let mut unanswered = Unanswered { app, seen, began, admitted, is_over: false };
        let result = AssertUnwindSafe(self.dispatch(request, bypass, admitted)).catch_unwind().await;
        unanswered.is_over = true;
        drop((in_flight, unanswered));
        let LoggedResponse { mut response, context } = result.unwrap_or_else(|payload| {
            let mut panicked = LoggedResponse::from(self.formats.panicked(uri.path()));
            panicked.context.cause = Some(panic_message(payload.as_ref()));
            panicked
        });
        if let Some(known) = known {
            response = etag::tag_json(&known, response).await;
        }
        response.headers_mut().insert(&REQUEST_ID, id.clone());
        if response.status() == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, self.key_places.challenge());
        }
        if self.formats.is_api(uri.path()) || uri.path() == DOCUMENT {
            self.cors.apply(&method, &cors, response.headers_mut());
        }
        if let (Some(caller), Some(gateway)) = (&context.caller, &self.gateway) {
            rate_limit_headers::add(response.headers_mut(), caller, &gateway.limit, &gateway.usage);
        }
        if is_compressible {
            response = compression::compress(encoding, response).await;
            if method == Method::HEAD {
                response = without_body(response);
            }
        }
        self.count_and_log(seen, response.status(), began.elapsed(), &context);
        response
    }

    /// Counts a request in the metrics and in the usage of its application, and writes its log line.
    fn count_and_log(&self, seen: Seen<'_>, status: StatusCode, took: Duration, context: &LogContext) {
        let operation = self.metrics.count(seen.uri.path(), status, took);
        if let (Some(caller), Some(operation)) = (&context.caller, operation) {
            caller.meter.count(operation, outcome(status), took);
        }
        if status.as_u16() >= 400 {
            self.keep_failure(seen, status, context, operation.is_some());
        }
        self.log(seen, status, took, context);
    }

    /// Keeps a failed request: for the operator when the fault is ours, and for the application that sent it.
    fn keep_failure(&self, seen: Seen<'_>, status: StatusCode, context: &LogContext, is_operation: bool) {
        let Some(gateway) = &self.gateway else { return };
        let Seen { id, uri, .. } = seen;
        let request_id = id.to_str().unwrap_or_default().to_owned();
        let message = context.failure.as_ref().map(|failure| failure.message.clone());
        let path = redact::path(uri.path()).to_owned();
        // That a server is not ready yet is no failure of a request.
        if status.as_u16() >= 500 && uri.path() != READINESS {
            let cause = context.cause.as_deref().map(|cause| redact::message(cause.to_owned()));
            let (message, request_id, path) = (message.clone(), request_id.clone(), path.clone());
            let status = status.as_u16();
            gateway.errors.add(RecentError { at: Timestamp(0), request_id, path, status, message, cause });
        }
        if let (Some(caller), Some(failure), true) = (&context.caller, &context.failure, is_operation) {
            gateway.failed_requests.record(FailedRequest {
                application: caller.application.clone(),
                at: Timestamp(0),
                request_id,
                key: caller.key.to_string(),
                operation: path,
                status: status.as_u16(),
                code: self.formats.code(uri.path(), failure),
                message: message.unwrap_or_default(),
            });
        }
    }

    /// Sends a request to its handler.
    async fn dispatch(&self, request: Request, bypass: Option<&Bypass>, admitted: &Admitted) -> LoggedResponse {
        if let Some(Bypass { gateway, .. }) = bypass {
            return detail::respond_to_query(gateway, request.uri().query(), request.headers()).await;
        }
        let path = request.uri().path().to_owned();
        let work = admitted.scope(self.router.clone().oneshot(request));
        let response = match deadline::within(self.request_timeout, work).await {
            Some(Ok(response)) => response,
            None => self.formats.timed_out(&path, self.request_timeout),
        };
        LoggedResponse::from(response)
    }

    fn log(&self, seen: Seen<'_>, status: StatusCode, took: Duration, context: &LogContext) {
        let Seen { id, trace, method, uri } = seen;
        let status = status.as_u16();
        // A 503 of `/readyz` is its answer, often many times while a server starts, and no request has failed.
        let failed = status >= 500 && uri.path() != READINESS;
        if !self.log.wants(failed) {
            return;
        }
        let cause = context.cause.as_deref().map(|cause| redact::message(cause.to_owned()));
        self.log.write(AccessLine {
            timestamp: "",
            level: if failed { "ERROR" } else { "INFO" },
            message: "request",
            request_id: id.to_str().unwrap_or_default(),
            trace_id: trace.map(|trace| trace.trace_id.as_str()),
            parent: trace,
            method: redact::method(method),
            path: redact::path(uri.path()),
            query: uri.query().map(redact::query),
            status,
            micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            application: context.caller.as_ref().map(|caller| caller.application.as_str()),
            key: context.caller.as_ref().map(|caller| caller.key.as_str()),
            error: context.failure.as_ref().map(|failure| failure.message.as_str()),
            cause: cause.as_deref(),
        });
    }
}

/// What is known of a request from its head.
#[derive(Clone, Copy)]
struct Seen<'a> {
    id: &'a HeaderValue,
    /// The trace that it belongs to.
    trace: Option<&'a TraceParent>,
    method: &'a Method,
    uri: &'a Uri,
}

/// Counts and logs a request when it is dropped before it is over.
struct Unanswered<'a> {
    app: &'a App,
    seen: Seen<'a>,
    began: Instant,
    admitted: &'a Admitted,
    is_over: bool,
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let status = StatusCode::from_u16(HUNG_UP).unwrap_or(StatusCode::BAD_REQUEST);
        let context = LogContext { caller: self.admitted.caller(), ..LogContext::default() };
        self.app.count_and_log(self.seen, status, self.began.elapsed(), &context);
    }
}

/// The one operation that bypasses the router (decision 8). Its path comes from the table of operations.
pub(crate) struct Bypass {
    pub(crate) gateway: Arc<Gateway>,
    /// The path of railmapDetail.
    pub(crate) path: String,
}

impl Bypass {
    fn takes(&self, request: &Request) -> bool {
        request.method() == Method::GET && request.uri().path() == self.path
    }
}

/// How a request counts, by the status of its response.
fn outcome(status: StatusCode) -> UsageOutcome {
    match status.as_u16() {
        429 => UsageOutcome::TurnedAway,
        400..=499 => UsageOutcome::Refused,
        500.. => UsageOutcome::Failed,
        _ => UsageOutcome::Answered,
    }
}

/// The message of a panic.
fn panic_message(payload: &(dyn std::any::Any + Send)) -> Arc<str> {
    let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without words").into()
}

/// The response to HEAD: the headers of the response to GET.
fn without_body(mut response: Response) -> Response {
    if let Some(length) = response.body().size_hint().exact() {
        response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    }
    response.map(|_| Body::empty())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{
        future::pending,
        sync::{Arc, Mutex},
        time::Duration,
    };

    use axum::{Router, body::Body, extract::Request, response::Response, routing::get};
    use http_body_util::BodyExt;
    use serde_json::{Value, json};

    use super::App;
    use crate::{
        AccessLine, AccessLog, Cors, KeyPlaces, Segment, error_format::ErrorFormats, openapi,
        operations::metrics::RequestMetrics, request_id::RequestIds,
    };

    /// Keeps the causes of the lines.
    #[derive(Default)]
    struct Causes(Mutex<Vec<Option<String>>>);

    impl AccessLog for Causes {
        fn wants(&self, _: bool) -> bool {
            true
        }

        fn write(&self, line: AccessLine<'_>) {
            self.0.lock().unwrap().push(line.cause.map(str::to_owned));
        }
    }

    const TIMEOUT: Duration = Duration::from_secs(30);

    /// An app whose router has only the given routes.
    pub(crate) fn app(router: Router) -> Arc<App> {
        app_with_log(router, Arc::<Causes>::default())
    }

    fn app_with_log(router: Router, log: Arc<dyn AccessLog>) -> Arc<App> {
        let segment = Segment::new("route_service").unwrap();
        let formats = ErrorFormats::new(segment.clone(), &openapi::document(&segment, KeyPlaces::default()));
        let metrics = Arc::new(RequestMetrics::new(formats.operations(), &[]));
        Arc::new(App {
            router,
            bypass: None,
            cors: Cors::Off,
            key_places: KeyPlaces::default(),
            formats,
            metrics,
            log,
            ids: RequestIds::new(),
            request_timeout: TIMEOUT,
            gateway: None,
        })
    }

    async fn text(response: Response) -> String {
        String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_is_never_answered_gets_503_in_the_format_of_its_path() {
        let stuck = || get(pending::<Response>);
        let paths = ["/route_service/v1/stuck", "/imageRecognition/v1/stuck", "/map/stuck"];
        let router = paths.iter().fold(Router::new(), |router, path| router.route(path, stuck()));
        let app = app(router);
        let ask = async |path: &str| app.handle(Request::get(path).body(Body::empty()).unwrap()).await;
        let response = ask("/route_service/v1/stuck").await;
        assert_eq!((response.status().as_u16(), response.headers()["retry-after"].to_str().unwrap()), (503, "5"));
        let answer: Value = serde_json::from_str(&text(response).await).unwrap();
        assert_eq!(answer["ResultSet"]["Error"]["code"], "W503");
        for path in [paths[1], paths[2]] {
            let response = ask(path).await;
            assert_eq!((response.status().as_u16(), response.headers()["retry-after"].to_str().unwrap()), (503, "5"));
            assert!(text(response).await.contains("within 30s"));
        }
    }

    #[tokio::test]
    async fn a_panic_is_answered_500_in_the_format_of_its_path_and_its_message_is_logged() {
        async fn panics() {
            std::panic::resume_unwind(Box::new("out of ink"));
        }
        let router = Router::new()
            .route("/route_service/v1/panics", get(panics))
            .route("/imageRecognition/v1/panics", get(panics))
            .route("/panics", get(panics));
        let log = Arc::new(Causes::default());
        let app = app_with_log(router, Arc::clone(&log) as Arc<dyn AccessLog>);
        let get = async |path: &str| {
            let response = app.handle(Request::get(path).body(Body::empty()).unwrap()).await;
            assert_eq!(response.status(), 500, "{path}");
            assert!(response.headers().contains_key("x-request-id"), "{path}");
            text(response).await
        };
        let message = "the server failed; its log has this request's id";
        let route_map: Value = serde_json::from_str(&get("/route_service/v1/panics").await).unwrap();
        assert_eq!(route_map["ResultSet"]["Error"], json!({"code": "W500", "Message": message}));
        let recognition: Value = serde_json::from_str(&get("/imageRecognition/v1/panics").await).unwrap();
        assert_eq!(recognition, json!({"error": {"code": "500", "message": format!("panics: {message}")}}));
        assert_eq!(get("/panics").await, format!("{message}\n"));
        assert_eq!(*log.0.lock().unwrap(), vec![Some("out of ink".to_owned()); 3]);
    }
}
