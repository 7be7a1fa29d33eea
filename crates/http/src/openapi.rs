//! The OpenAPI document: the parts that belong to no single operation.

use utoipa::{
    OpenApi,
    openapi::{
        OpenApi as Document, PathItem,
        path::Operation,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};

use crate::{KeyPlaces, Segment, gateway::API_KEY, openapi_conventions, openapi_examples, router};

/// The names of the security schemes for keys in headers.
const HEADER_SCHEMES: [&str; 2] = ["X-API-Key", "Bearer"];

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Kaisatsu",
        description = "One gate to two functions: a route map (which stations lie in a window of a schematic map, or \
                       where one station is on it) and image recognition. UTF-8 and JSON throughout. A query \
                       parameter that is empty or given twice is invalid; an unknown one is ignored. Every answer \
                       carries X-Request-Id. [Examples in five languages](/docs/examples).",
    ),
    tags(
        (name = "Route map", description = "Stations on schematic maps. Every scalar in an answer is a string."),
        (name = "Image recognition", description = "What is in a picture."),
        (name = "User categories", description = "Users of an application, their images, and datasets of their own."),
        (name = "Catalogue and collections",
            description = "What object recognition and similar image search know, for keys of the scope operator."),
        (name = "Operations", description = "For those who run the server."),
    )
)]
struct Head;

/// The document without operations.
pub(crate) fn head() -> Document {
    let mut document = Head::openapi();
    let key = ApiKeyValue::with_description(API_KEY, "The calling application's key, as `kaisatsu key create` made it");
    let components = document.components.get_or_insert_default();
    components.add_security_scheme(API_KEY, SecurityScheme::ApiKey(ApiKey::Query(key)));
    document
}

/// Lets every operation that takes a key in the query take it in a header instead.
fn add_key_headers(document: &mut Document) {
    let [bare, bearer] = HEADER_SCHEMES;
    let components = document.components.get_or_insert_default();
    let key = ApiKeyValue::with_description(bare, "The same key in a header, which ends up in fewer logs");
    components.add_security_scheme(bare, SecurityScheme::ApiKey(ApiKey::Header(key)));
    let key = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("The same key in a header: `Authorization: Bearer KEY`"))
        .build();
    components.add_security_scheme(bearer, SecurityScheme::Http(key));
    for operation in document.paths.paths.values_mut().flat_map(operations_of) {
        let needs_key = |alternatives: &&mut Vec<_>| alternatives.contains(&requirement(API_KEY));
        if let Some(alternatives) = operation.security.as_mut().filter(needs_key) {
            alternatives.extend(HEADER_SCHEMES.map(requirement));
        }
    }
}

fn requirement(scheme: &str) -> SecurityRequirement {
    SecurityRequirement::new(scheme, [""; 0])
}

/// The operations of a path.
pub(crate) fn operations_of(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post, &mut item.delete].into_iter().flatten()
}

/// The names of all operations, in the order of their paths. Usage is counted under these names.
#[must_use]
pub fn operations(segment: &Segment) -> Vec<String> {
    let document = router::api(segment).into_openapi();
    let mut paths: Vec<_> = document.paths.paths.keys().cloned().collect();
    paths.sort_unstable();
    paths.iter().map(|path| path.split_once("/v1/").map_or(path.as_str(), |(_, name)| name).to_owned()).collect()
}

/// The path of an operation.
pub(crate) fn path_of<'a>(document: &'a Document, operation_id: &str) -> Option<&'a str> {
    let mut paths = document.paths.paths.iter();
    let has = |item: &PathItem| {
        let operations = [&item.get, &item.post];
        operations.into_iter().flatten().any(|operation| operation.operation_id.as_deref() == Some(operation_id))
    };
    paths.find(|(_, item)| has(item)).map(|(path, _)| path.as_str())
}

/// The whole document, as it is served and as `kaisatsu openapi` prints it.
#[must_use]
pub fn document(segment: &Segment, key_places: KeyPlaces) -> Document {
    let mut document = router::api(segment).into_openapi();
    openapi_conventions::apply(&mut document, segment);
    openapi_examples::add(&mut document, segment);
    if key_places == KeyPlaces::QueryAndHeaders {
        add_key_headers(&mut document);
    }
    document
}
