//! `/mcp`: the protocol over HTTP. A call passes through the whole server as a request of its own.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Response as HttpResponse, Uri, header, request::Parts},
    response::Response,
    routing::any,
};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use kaisatsu_fetch::Fetcher;
use kaisatsu_http::{AppHandle, Gateway, Section, pass_peer, plain_error};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use tokio::sync::Semaphore;
use utoipa::openapi::OpenApi;

use crate::{assistant::Assistant, backend::Backend};

const PATH: &str = "/mcp";

/// The most bytes of a request without a valid key, which can hold no picture.
const SMALL_BODY: usize = 64 * 1024;

/// Memory for each byte of a request: its text, the picture in it, and the request that it becomes.
const WEIGHT: usize = 3;

/// Pictures that are fetched for assistants at the same time.
const FETCHES: usize = 8;

/// The headers of the assistant's request that the requests of its tools have too.
const PASSED_ON: [HeaderName; 6] = [
    header::AUTHORIZATION,
    header::ORIGIN,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
];

/// Who may reach `/mcp` through a browser.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The names under which the server is reached, such as `maps.example:8640`; any when there are none.
    pub hosts: Vec<String>,
    /// The origins of pages that may call, such as `https://maps.example:443`.
    pub origins: Vec<String>,
}

type Service = StreamableHttpService<Assistant<InProcess>, NeverSessionManager>;

/// The route of the protocol. `document` is the OpenAPI document.
#[must_use]
pub fn section(
    document: &OpenApi,
    app: AppHandle,
    gateway: &Arc<Gateway>,
    fetcher: Fetcher,
    access: Access,
) -> Section {
    let document = serde_json::to_value(document).unwrap_or_default();
    let backend = InProcess { app, gateway: Arc::clone(gateway), fetcher, fetches: Arc::new(Semaphore::new(FETCHES)) };
    let assistant = Assistant::new(&document, backend);
    // Nothing is kept between two requests, so any replica may answer the next one.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(access.hosts)
        .with_allowed_origins(access.origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(usize::MAX);
    let service = Service::new(move || Ok(assistant.clone()), Arc::default(), config);
    let handle =
        move |State(gateway): State<Arc<Gateway>>, request: Request| respond(service.clone(), gateway, request);
    Section {
        routes: Router::new().route(PATH, any(handle)),
        labels: &[PATH],
        label: |path| (path == PATH).then_some(PATH),
    }
}

/// Reads a request and lets the protocol answer it.
async fn respond(service: Service, gateway: Arc<Gateway>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let known = gateway.knows(head.uri.query(), &head.headers).await;
    let limit = if known { largest(gateway.max_image_bytes) } else { SMALL_BODY };
    let body = match gateway.read_body(&head.headers, body, limit, WEIGHT, "the request").await {
        Ok(body) => body,
        Err(failure) => return plain_error(failure),
    };
    // Its memory stays reserved until there is an answer.
    let _reserved = body.clone();
    service.handle(Request::from_parts(head, Full::new(body))).await.map(Body::new)
}

/// Room for the largest image in base64, and for what is around it.
fn largest(image: usize) -> usize {
    image.saturating_add(image / 3).saturating_add(1024 * 1024)
}

/// The server itself.
struct InProcess {
    app: AppHandle,
    gateway: Arc<Gateway>,
    fetcher: Fetcher,
    fetches: Arc<Semaphore>,
}

impl Backend for InProcess {
    const READS_FILES: bool = false;

    async fn send(
        &self,
        request: axum::http::Request<Bytes>,
        asked: Option<&Parts>,
    ) -> Result<HttpResponse<Bytes>, String> {
        let (mut head, body) = request.into_parts();
        if let Some(asked) = asked {
            pass_on(&asked.headers, &mut head.headers);
            pass_peer(&asked.extensions, &mut head.extensions);
            head.uri = with_key(&head.uri, asked.uri.query()).unwrap_or(head.uri);
        }
        head.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
        let response = self.app.send(Request::from_parts(head, Body::from(body))).await;
        let (head, body) = response.ok_or("the server is shutting down")?.into_parts();
        let body = body.collect().await.map_err(|_| "the answer broke off")?;
        Ok(HttpResponse::from_parts(head, body.to_bytes()))
    }

    /// Fetches a picture as the images of datasets are fetched, with the same rules; only for callers with a key.
    async fn fetch(&self, address: &str, asked: Option<&Parts>) -> Result<Bytes, String> {
        let known = match asked {
            Some(asked) => self.gateway.knows(asked.uri.query(), &asked.headers).await,
            None => false,
        };
        if !known {
            return Err("pictures are fetched only for callers with a valid API key".to_owned());
        }
        let busy = |_| "too many pictures are being fetched; try again shortly".to_owned();
        let _permit = self.fetches.try_acquire().map_err(busy)?;
        self.fetcher.get(address).await.map_err(|error| error.to_string())
    }
}

fn pass_on(from: &HeaderMap, to: &mut HeaderMap) {
    for name in PASSED_ON {
        for value in from.get_all(&name) {
            to.append(name.clone(), value.clone());
        }
    }
}

/// The address with the key that the address of `/mcp` has, as it is written there.
fn with_key(uri: &Uri, query: Option<&str>) -> Option<Uri> {
    let keys: Vec<_> = query?.split('&').filter(|pair| pair.split('=').next() == Some("APIKEY")).collect();
    if keys.is_empty() {
        return None;
    }
    let between = if uri.query().is_some() { '&' } else { '?' };
    format!("{uri}{between}{}", keys.join("&")).parse().ok()
}
