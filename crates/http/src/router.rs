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
    AccessLog, App, Cors, Gateway, Section, Segment,
    error_format::ErrorFormats,
    middleware::Bypass,
    openapi,
    operations::{
        self,
        metrics::{Exporter, RequestMetrics},
    },
    recognition::{self, user_category},
    request_id::RequestIds,
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
        .routes(below(&route_map, routes!(route_map::stations::station)))
        .routes(below(&route_map, routes!(route_map::station_near::station_near)))
        .routes(below(&route_map, routes!(route_map::course::search_course)))
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
        .routes(below(
            recognition,
            routes!(user_category::get_data_set::get_data_set, user_category::get_data_set::get_data_set_by_query),
        ))
        .routes(below(recognition, routes!(user_category::list_data_sets::list_data_sets)))
        .routes(below(recognition, routes!(user_category::update_data_set::update_data_set)))
        .routes(below(recognition, routes!(user_category::undo_data_set::undo_data_set)))
        .routes(below(recognition, routes!(user_category::delete_data_set::delete_data_set)))
        .routes(below(recognition, routes!(recognition::models::models)))
        .routes(below(
            recognition,
            routes!(recognition::collections::list, recognition::collections::add, recognition::collections::remove),
        ))
        .routes(below(recognition, routes!(recognition::collections::images)))
        .routes(below(
            recognition,
            routes!(recognition::catalogue::list, recognition::catalogue::add, recognition::catalogue::remove),
        ))
        .routes(below(recognition, routes!(recognition::thumbnail::get_thumbnail)))
        .routes(below(recognition, routes!(recognition::read_text::read_text)))
        .routes(below(recognition, routes!(recognition::model_tags::model_tags)))
        .routes(routes!(operations::health::healthz))
        .routes(routes!(operations::health::readyz))
}

/// Puts an operation below a prefix. Nested routers would rewrite the address of every request.
fn below<S>(prefix: &str, (schemas, mut paths, methods): UtoipaMethodRouter<S>) -> UtoipaMethodRouter<S> {
    paths.paths = paths.paths.into_iter().map(|(path, item)| (format!("{prefix}{path}"), item)).collect();
    (schemas, paths, methods)
}

/// What listens where.
pub struct Apps {
    /// The server.
    pub main: App,
    /// `/metrics`, `/healthz` and `/readyz`, for an address of their own.
    pub metrics: Option<App>,
}

/// The whole server: operations, metrics, the sections, and what surrounds every request. With `metrics_apart`,
/// `/metrics` is not part of the main one.
#[must_use]
pub fn app(
    gateway: Arc<Gateway>,
    sections: Vec<Section>,
    cors: Cors,
    metrics: PrometheusHandle,
    log: Arc<dyn AccessLog>,
    metrics_apart: bool,
) -> Apps {
    let (key_places, request_timeout) = (gateway.key_places, gateway.request_timeout);
    let (api, document) = api(&gateway.segment).split_for_parts();
    let formats = ErrorFormats::new(gateway.segment.clone(), &document);
    let requests = Arc::new(RequestMetrics::new(formats.operations(), &sections));
    let bypass = openapi::path_of(&document, "railmapDetail")
        .map(|path| Bypass { gateway: Arc::clone(&gateway), path: path.to_owned() });
    let (unknown, wrong) = (formats.clone(), formats.clone());
    let exporter = Exporter::new(Arc::clone(&gateway), metrics, Arc::clone(&requests));
    let metrics = get(operations::metrics::metrics).with_state(exporter);
    let mut router = api;
    let mut apart = None;
    if metrics_apart {
        let router = Router::new()
            .route("/metrics", metrics)
            .route("/healthz", get(operations::health::healthz))
            .route("/readyz", get(operations::health::readyz))
            .with_state(Arc::clone(&gateway));
        // What asks there is no client, and is not counted among them.
        let uncounted = Arc::new(RequestMetrics::new(std::iter::empty(), &[]));
        apart = Some(App {
            router,
            bypass: None,
            cors: Cors::Off,
            key_places,
            formats: formats.clone(),
            metrics: uncounted,
            log: Arc::clone(&log),
            ids: RequestIds::new(),
            request_timeout,
            gateway: None,
        });
    } else {
        router = router.route("/metrics", metrics);
    }
    for section in sections {
        router = router.merge(section.routes);
    }
    let router = router
        .method_not_allowed_fallback(move |method: Method, uri: Uri| async move { wrong.wrong_method(&method, &uri) })
        .fallback(move |uri: Uri| async move { unknown.unknown_path(&uri) })
        .with_state(Arc::clone(&gateway));
    let main = App {
        router,
        bypass,
        cors,
        key_places,
        formats,
        metrics: requests,
        log,
        ids: RequestIds::new(),
        request_timeout,
        gateway: Some(gateway),
    };
    Apps { main, metrics: apart }
}
