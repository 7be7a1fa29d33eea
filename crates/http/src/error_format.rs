//! The error format of each path: the two functions of the API have one each, everything else is plain text.

use std::{collections::HashMap, sync::Arc, time::Duration};

use axum::{
    extract::Request,
    http::{HeaderValue, Method, StatusCode, Uri, header, uri::PathAndQuery},
    response::{IntoResponse, Response},
};
use utoipa::openapi::{OpenApi, PathItem};

use crate::{Failure, Kind, Segment, plain_error, recognition, redact, route_map};

const GET: HeaderValue = HeaderValue::from_static("GET,HEAD,OPTIONS");
const POST: HeaderValue = HeaderValue::from_static("POST,OPTIONS");
const BOTH: HeaderValue = HeaderValue::from_static("GET,HEAD,POST,OPTIONS");
const ALL: HeaderValue = HeaderValue::from_static("GET,HEAD,POST,DELETE,OPTIONS");

/// `Retry-After` of a request that took too long.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The lists of image recognition that are compressed. None contains a key or a token.
const COMPRESSED: [&str; 8] = [
    "catalogue/items",
    "similarImage/collections",
    "similarImage/collections/images",
    "feedbackTotals",
    "models",
    "userCategory/getDataSet",
    "userCategory/listDataSets",
    "userCategory/listImages",
];

/// The value of `Allow` for a path. Operators' lists have all methods.
fn allowed(item: &PathItem) -> HeaderValue {
    match (item.delete.is_some(), item.post.is_some(), item.get.is_some()) {
        (true, ..) => ALL,
        (false, true, true) => BOTH,
        (false, true, false) => POST,
        (false, false, _) => GET,
    }
}

/// Responds to requests that reach no operation, in the format of the function that their path belongs to.
#[derive(Debug, Clone)]
pub(crate) struct ErrorFormats {
    segment: Segment,
    /// The value of `Allow` for the path of each operation.
    allowed: Arc<HashMap<String, HeaderValue>>,
}

enum ErrorFormat<'a> {
    RouteMap,
    /// With the function code: the operation's name as in its path.
    Recognition(&'a str),
    PlainText,
}

impl ErrorFormats {
    /// Takes the methods of each path from the OpenAPI document, which has every operation.
    pub(crate) fn new(segment: Segment, document: &OpenApi) -> Self {
        let paths = document.paths.paths.iter();
        let allowed = paths.map(|(path, item)| (path.clone(), allowed(item)));
        Self { segment, allowed: Arc::new(allowed.collect()) }
    }

    /// The path of every operation.
    pub(crate) fn operations(&self) -> impl Iterator<Item = &str> {
        self.allowed.keys().map(String::as_str)
    }

    fn of<'a>(&self, path: &'a str) -> ErrorFormat<'a> {
        let (first, rest) = path.trim_start_matches('/').split_once('/').unwrap_or((path.trim_start_matches('/'), ""));
        if first == self.segment.as_str() {
            ErrorFormat::RouteMap
        } else if first == "imageRecognition" {
            ErrorFormat::Recognition(function_code(rest))
        } else {
            ErrorFormat::PlainText
        }
    }

    /// Whether the path belongs to one of the two functions.
    pub(crate) fn is_api(&self, path: &str) -> bool {
        !matches!(self.of(path), ErrorFormat::PlainText)
    }

    /// Whether texts at the path are compressed: the route map, the map pages, the documentation, and lists of image
    /// recognition. None of them contains a secret.
    pub(crate) fn is_compressible(&self, path: &str) -> bool {
        let pages = ["/map", "/docs", "/openapi.json"];
        match self.of(path) {
            ErrorFormat::RouteMap => true,
            ErrorFormat::Recognition(name) => COMPRESSED.contains(&name) || name.starts_with("models/"),
            ErrorFormat::PlainText => path == "/" || pages.iter().any(|page| path.starts_with(page)),
        }
    }

    fn respond(&self, path: &str, failure: Failure) -> Response {
        match self.of(path) {
            ErrorFormat::RouteMap => route_map::response::error(failure),
            ErrorFormat::Recognition(function) => recognition::response::error(function, failure),
            ErrorFormat::PlainText => plain_error(failure),
        }
    }

    /// The code of a failure, as the function of the path writes it.
    pub(crate) fn code(&self, path: &str, failure: &Failure) -> String {
        let (status, code) = failure.kind.row();
        match self.of(path) {
            ErrorFormat::Recognition(_) => code.to_owned(),
            ErrorFormat::RouteMap => format!("W{}", status.as_u16()),
            ErrorFormat::PlainText => status.as_u16().to_string(),
        }
    }

    /// The response when a handler panicked.
    pub(crate) fn panicked(&self, path: &str) -> Response {
        self.respond(path, Failure::new(Kind::Internal, "the server failed; its log has this request's id"))
    }

    /// The response when a handler has not answered within the limit.
    pub(crate) fn timed_out(&self, path: &str, limit: Duration) -> Response {
        let message = match self.of(path) {
            // Maps are in memory: only a large picture takes long, or a server that is busy.
            ErrorFormat::RouteMap if path.trim_end_matches('/').ends_with("/railmapData") => format!(
                "the server could not answer within {limit:?}, because drawing took too long; ask for a smaller window \
                 or scale, or try again shortly"
            ),
            ErrorFormat::RouteMap => {
                format!("the server could not answer within {limit:?}, because it is busy; try again shortly")
            }
            _ => format!(
                "the server could not answer within {limit:?}, because its database, its storage for images or its \
                 recognition engine does not respond; try again shortly"
            ),
        };
        self.respond(path, Failure::passing(Kind::Unavailable, message, RETRY_AFTER))
    }

    /// `/x/v1/y/` is `/x/v1/y`, for the operations of the API.
    pub(crate) fn without_trailing_slash(&self, mut request: Request) -> Request {
        let path = request.uri().path();
        if let Some(trimmed) = path.strip_suffix('/').filter(|trimmed| !trimmed.is_empty() && self.is_api(path)) {
            let whole = match request.uri().query() {
                Some(query) => format!("{trimmed}?{query}"),
                None => trimmed.to_owned(),
            };
            if let Ok(path_and_query) = PathAndQuery::try_from(whole) {
                let mut parts = request.uri().clone().into_parts();
                parts.path_and_query = Some(path_and_query);
                if let Ok(uri) = Uri::from_parts(parts) {
                    *request.uri_mut() = uri;
                }
            }
        }
        request
    }

    /// The response for a path of no operation.
    pub(crate) fn unknown_path(&self, uri: &Uri) -> Response {
        let message = "there is no such operation; /docs lists those there are";
        self.respond(uri.path(), Failure::new(Kind::UnknownOperation, message))
    }

    /// The response for a method that the path does not have: 204 for `OPTIONS`, 405 otherwise.
    pub(crate) fn wrong_method(&self, method: &Method, uri: &Uri) -> Response {
        let allowed = self.allowed.get(uri.path()).unwrap_or(&GET).clone();
        let mut response = if method == Method::OPTIONS {
            StatusCode::NO_CONTENT.into_response()
        } else {
            let message = "the method is not one this operation has; the header Allow lists them";
            self.respond(uri.path(), Failure::new(Kind::Method, message))
        };
        response.headers_mut().insert(header::ALLOW, allowed);
        response
    }
}

/// The operation's name as in its path, without the version; the function's own name when there is none.
pub(crate) fn function_code(rest: &str) -> &str {
    let (first, after) = rest.split_once('/').unwrap_or((rest, ""));
    let is_version = first.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let name = redact::path(if is_version { after } else { rest }).trim_matches('/');
    if name.is_empty() { "imageRecognition" } else { name }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use utoipa::openapi::OpenApi;

    use super::ErrorFormats;
    use crate::Segment;

    #[test]
    fn lists_are_compressed_and_what_has_a_secret_is_not() {
        let formats = ErrorFormats::new(Segment::new("route_service").unwrap(), &OpenApi::default());
        for path in [
            "/route_service/v1/railmapDetail",
            "/imageRecognition/v1/models",
            "/imageRecognition/v1/models/general/tags",
            "/imageRecognition/v1/catalogue/items",
            "/imageRecognition/v1/similarImage/collections/images",
            "/imageRecognition/v1/userCategory/getDataSet",
            "/imageRecognition/v1/userCategory/listImages",
            "/openapi.json",
            "/",
        ] {
            assert!(formats.is_compressible(path), "{path}");
        }
        for path in [
            "/imageRecognition/v1/userCategory/getToken",
            "/imageRecognition/v1/userCategory/getImage",
            "/imageRecognition/v1/concept/classify",
            "/imageRecognition/v1/feedback",
            "/console/api/session",
            "/metrics",
            "/readyz",
        ] {
            assert!(!formats.is_compressible(path), "{path}");
        }
    }

    #[tokio::test]
    async fn a_picture_that_takes_too_long_is_told_to_be_smaller() {
        let formats = ErrorFormats::new(Segment::new("route_service").unwrap(), &OpenApi::default());
        for (path, told) in [
            ("/route_service/v1/railmapData", "drawing took too long; ask for a smaller window or scale"),
            ("/route_service/v1/station", "because it is busy; try again shortly"),
            ("/imageRecognition/v1/text/read", "recognition engine does not respond"),
        ] {
            let body = formats.timed_out(path, Duration::from_secs(30)).into_body();
            let bytes = axum::body::to_bytes(body, 1 << 16).await.unwrap();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            assert!(text.contains("could not answer within 30s") && text.contains(told), "{path}: {text}");
        }
    }
}
