//! The table of contents: every operation, in the order of the contract.

use std::{any::Any, sync::Arc};

use axum::{
    Router,
    extract::Request,
    http::{Method, StatusCode, Uri},
    middleware,
    response::{IntoResponse, Response},
    routing::get,
};
use metrics_exporter_prometheus::PrometheusHandle;
use tower::{Layer, Service, util::MapRequestLayer};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    Cors, Gateway, Segment,
    families::Families,
    observe::{Observer, Panicked, observe},
    openapi, operations, recognition, route_map,
};

/// The operations of the API, with their descriptions.
pub(crate) fn api(segment: &Segment) -> OpenApiRouter<Arc<Gateway>> {
    let route_map = OpenApiRouter::new()
        .routes(routes!(route_map::detail::railmap_detail))
        .routes(routes!(route_map::list::railmap_list));

    let recognition = OpenApiRouter::new().routes(routes!(recognition::models::models));

    let service =
        OpenApiRouter::new().routes(routes!(operations::health::healthz)).routes(routes!(operations::health::readyz));

    OpenApiRouter::with_openapi(openapi::head())
        .nest(&format!("/{}/v1", segment.as_str()), route_map)
        .nest("/imageRecognition/v1", recognition)
        .merge(service)
}

/// The whole server as a service: operations, pages, metrics, and what happens around every request.
pub fn router(
    gateway: Arc<Gateway>,
    cors: Cors,
    metrics: PrometheusHandle,
) -> impl Service<
    Request,
    Response = Response,
    Error = std::convert::Infallible,
    Future = impl Future<Output = Result<Response, std::convert::Infallible>> + Send,
> + Clone {
    let (api, document) = api(&gateway.segment).split_for_parts();
    let families = Arc::new(Families::new(gateway.segment.clone(), &document));
    let observer = Observer::new(cors, Arc::clone(&families));
    let (unknown, wrong) = (Arc::clone(&families), Arc::clone(&families));
    let router: Router = api
        .route("/", get(operations::welcome::welcome))
        .route("/metrics", get(operations::metrics::metrics).with_state((Arc::clone(&gateway), metrics)))
        .merge(operations::docs::pages(document))
        .method_not_allowed_fallback(move |method: Method, uri: Uri| async move { wrong.wrong_method(&method, &uri) })
        .fallback(move |uri: Uri| async move { unknown.unknown_path(&uri) })
        .with_state(gateway)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn_with_state(Arc::clone(&observer), observe));
    MapRequestLayer::new(move |request| families.without_trailing_slash(request)).layer(router)
}

#[expect(clippy::needless_pass_by_value, reason = "the layer hands the payload over")]
fn panicked(payload: Box<dyn Any + Send>) -> Response {
    let said = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
    response.extensions_mut().insert(Panicked(said.unwrap_or("a panic without words").into()));
    response
}
