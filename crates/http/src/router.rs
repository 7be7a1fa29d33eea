//! The table of contents: every operation, in the order of the contract.

use std::sync::Arc;

use axum::{
    Router,
    http::{Method, Uri},
    routing::get,
};
use metrics_exporter_prometheus::PrometheusHandle;
use utoipa_axum::{
    router::{OpenApiRouter, UtoipaMethodRouter},
    routes,
};

use crate::{
    AccessLog, App, Cors, Gateway, Segment, console,
    families::Families,
    map_page,
    observe::Busiest,
    openapi,
    operations::{
        self,
        metrics::{Meters, Page},
    },
    recognition::{self, user_category},
    route_map,
};

/// The operations of the API, with their descriptions.
pub(crate) fn api(segment: &Segment) -> OpenApiRouter<Arc<Gateway>> {
    let route_map = format!("/{}/v1", segment.as_str());
    let recognition = "/imageRecognition/v1";

    OpenApiRouter::with_openapi(openapi::head())
        .routes(below(&route_map, routes!(route_map::detail::railmap_detail)))
        .routes(below(&route_map, routes!(route_map::list::railmap_list)))
        .routes(below(&route_map, routes!(route_map::data::railmap_data)))
        .routes(below(recognition, routes!(recognition::recognize::recognize)))
        .routes(below(recognition, routes!(recognition::classify::classify)))
        .routes(below(recognition, routes!(recognition::detect::detect)))
        .routes(below(recognition, routes!(recognition::similar::search)))
        .routes(below(recognition, routes!(recognition::feedback_to_candidate::feedback_to_candidate)))
        .routes(below(recognition, routes!(recognition::feedback::feedback)))
        .routes(below(recognition, routes!(recognition::explain::explain)))
        .routes(below(recognition, routes!(recognition::feedback_totals::feedback_totals)))
        .routes(below(recognition, routes!(user_category::get_token::get_token)))
        .routes(below(recognition, routes!(user_category::upload_image::upload_image)))
        .routes(below(recognition, routes!(user_category::list_images::list_images)))
        .routes(below(recognition, routes!(user_category::get_image::get_image)))
        .routes(below(recognition, routes!(user_category::delete_image::delete_image)))
        .routes(below(recognition, routes!(user_category::create_data_set::create_data_set)))
        .routes(below(recognition, routes!(user_category::get_data_set::get_data_set)))
        .routes(below(recognition, routes!(user_category::list_data_sets::list_data_sets)))
        .routes(below(recognition, routes!(user_category::delete_data_set::delete_data_set)))
        .routes(below(recognition, routes!(recognition::models::models)))
        .routes(routes!(operations::health::healthz))
        .routes(routes!(operations::health::readyz))
}

/// Puts an operation below a prefix. The router's own nesting would rewrite the address of every request.
fn below<S>(prefix: &str, (schemas, mut paths, methods): UtoipaMethodRouter<S>) -> UtoipaMethodRouter<S> {
    paths.paths = paths.paths.into_iter().map(|(path, item)| (format!("{prefix}{path}"), item)).collect();
    (schemas, paths, methods)
}

/// The whole server: operations, pages, metrics, and what happens around every request.
#[must_use]
pub fn app(gateway: Arc<Gateway>, cors: Cors, metrics: PrometheusHandle, log: Arc<dyn AccessLog>) -> App {
    let (api, document) = api(&gateway.segment).split_for_parts();
    let families = Families::new(gateway.segment.clone(), &document);
    let meters = Arc::new(Meters::new(families.operations()));
    let path = format!("/{}/v1/railmapDetail", gateway.segment.as_str());
    let busiest = Busiest { gateway: Arc::clone(&gateway), path };
    let (unknown, wrong) = (families.clone(), families.clone());
    let router = api
        .route("/", get(operations::welcome::welcome))
        .route(
            "/metrics",
            get(operations::metrics::metrics).with_state(Page::new(Arc::clone(&gateway), metrics, Arc::clone(&meters))),
        )
        .merge(operations::docs::pages(document))
        .merge(if gateway.map_pages { map_page::pages() } else { Router::new() })
        .merge(console::routes())
        .method_not_allowed_fallback(move |method: Method, uri: Uri| async move { wrong.wrong_method(&method, &uri) })
        .fallback(move |uri: Uri| async move { unknown.unknown_path(&uri) })
        .with_state(gateway);
    App::new(router, busiest, cors, families, meters, log)
}
