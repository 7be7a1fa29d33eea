//! Examples of answers: one for each status of each operation.
//!
//! Those of results are made of the examples of their parts. Those of errors have the code that comes first in the
//! description of their status, and the words that the server has for it.

use serde_json::{Map, Value, json};
use utoipa::openapi::{
    Content, OpenApi as Document, RefOr, Required,
    path::{Operation, ParameterIn},
};

use crate::{
    Segment,
    error_format::function_code,
    gateway::API_KEY,
    openapi::operations_of,
    presented_key,
    route_map::wire::{API_VERSION, ENGINE_VERSION},
};

/// How deep schemas are followed: deeper than any of ours goes.
const DEPTH: usize = 40;

/// Adds the examples to a document that is otherwise complete.
pub(crate) fn add(document: &mut Document, segment: &Segment) {
    let schemas = serde_json::to_value(&document.components).unwrap_or_default()["schemas"].take();
    let route_map = format!("/{}/", segment.as_str());
    for (path, item) in &mut document.paths.paths {
        let function = path.strip_prefix("/imageRecognition/").map(function_code);
        let is_route_map = path.starts_with(&route_map);
        for operation in operations_of(item) {
            let about = About::of(operation);
            for (status, response) in &mut operation.responses.responses {
                let RefOr::T(response) = response else { continue };
                let code = about.code(&response.description).to_owned();
                let contents = response.content.iter_mut().filter(|(media, _)| media.starts_with("application/json"));
                for content in contents.filter_map(|(_, content)| open(content)) {
                    let words = || about.words(status, &code, &response.description);
                    content.example = match function {
                        Some(function) if status.as_str() >= "400" => {
                            Some(json!({"error": {"code": code, "message": format!("{function}: {}", words())}}))
                        }
                        None if status.as_str() >= "400" && is_route_map => Some(json!({"ResultSet": {
                            "apiVersion": API_VERSION,
                            "engineVersion": ENGINE_VERSION,
                            "Error": {"code": code, "Message": words()},
                        }})),
                        _ => result(&schemas, content),
                    };
                }
            }
        }
    }
}

fn open(content: &mut RefOr<Content>) -> Option<&mut Content> {
    match content {
        RefOr::T(content) => Some(content),
        RefOr::Ref(_) => None,
    }
}

/// What the errors of an operation are about.
struct About {
    /// A parameter of its query: a required one, if there is one.
    parameter: Option<String>,
    has_required: bool,
    takes_json: bool,
}

impl About {
    fn of(operation: &Operation) -> Self {
        let parameters = || {
            let all = operation.parameters.iter().flatten().filter_map(|one| match one {
                RefOr::T(one) => Some(one),
                RefOr::Ref(_) => None,
            });
            all.filter(|one| one.parameter_in == ParameterIn::Query && one.name != "token")
        };
        let required = parameters().find(|one| matches!(one.required, Required::True));
        let parameter = required.or_else(|| parameters().next()).map(|one| one.name.clone());
        let takes_json = match &operation.request_body {
            Some(RefOr::T(body)) => body.content.keys().any(|media| media.starts_with("application/json")),
            _ => false,
        };
        Self { parameter, has_required: required.is_some(), takes_json }
    }

    /// The first code of a description such as `103, 104: a query parameter; 105: no image we read` that the operation
    /// can answer: without a required parameter none is missing, and without any none is invalid.
    fn code<'a>(&self, description: &'a str) -> &'a str {
        let groups = description.split("; ").filter_map(|group| group.split_once(':'));
        let mut codes = groups.flat_map(|(codes, _)| codes.split(", "));
        let fits = |code: &&str| match *code {
            "103" => self.has_required,
            "104" => self.parameter.is_some() || !description.contains("105"),
            _ => true,
        };
        codes.find(fits).unwrap_or_default()
    }

    /// The words of an error, as the operations say them.
    fn words(&self, status: &str, code: &str, description: &str) -> String {
        let parameter = self.parameter.as_deref().unwrap_or(API_KEY);
        let words = match (status, code) {
            (_, "103") => return format!("query parameter {parameter} is missing"),
            ("400", "104") if parameter == API_KEY => {
                "query parameter APIKEY and header X-API-Key hold different keys; leave one out"
            }
            ("400", "104" | "W400") => {
                return format!("query parameter {parameter} is empty; leave it out or give it a value");
            }
            ("400", "105") if self.takes_json => "the body is not JSON in UTF-8",
            ("400", "105") => "the body is not multipart/form-data as its Content-Type says",
            ("401", _) => return presented_key::unknown(presented_key::QUERY).message,
            ("403", _) => "the API key is disabled; ask the operator, or use another key",
            ("405", _) => "the method is not one this operation has; the header Allow lists them",
            ("409", "104") => "the header Idempotency-Key was used for another request; every request needs its own",
            ("409", _) => {
                "the dataset is building: its images are still being looked at; getDataSet says how far it is"
            }
            ("413", _) => "the image is too large: at most 20971520 bytes are taken",
            ("415", _) if self.takes_json => "the Content-Type must be application/json;charset=UTF-8",
            ("415", _) => "the Content-Type must be multipart/form-data, with the picture in the field image",
            ("429", _) => "this API key calls too often; slow down, or ask for a higher limit",
            ("500", _) => "the server failed; its log has this request's id",
            ("503", _) => "the database does not answer; try again shortly",
            ("404", _) => not_found(description),
            _ => description,
        };
        words.to_owned()
    }
}

/// The words for the first thing that a description says is not there.
fn not_found(description: &str) -> &'static str {
    let known = [
        ("image or item", "there is no such item in the catalogue"),
        ("dataset", "there is no such dataset of this user; dataSetId is what createDataSet answered with"),
        ("collection", "there is no collection 'waves'"),
        (
            "recognition",
            "there is no such recognition of this application; recognitionId is what a recognition \
                         answered with, and is kept for a limited time",
        ),
        ("storage area", "images[0].imageId is not an image of this user's storage area"),
        ("image", "there is no such image of this user; imageId is what uploadImage answered with"),
        ("item", "there is no such item in the catalogue"),
    ];
    let found =
        known.iter().filter_map(|(what, words)| Some((description.find(what)?, *words))).min_by_key(|one| one.0);
    found.map_or("there is no map of that id; railmapList lists the maps", |(_, words)| words)
}

fn result(schemas: &Value, content: &Content) -> Option<Value> {
    let schema = serde_json::to_value(content.schema.as_ref()?).ok()?;
    Some(example(schemas, "", &schema, DEPTH))
}

/// An example of a schema, made of those of its parts.
fn example(schemas: &Value, name: &str, schema: &Value, depth: usize) -> Value {
    let given = schema.get("example").or_else(|| schema.get("examples")?.get(0));
    if let Some(given) = given {
        return given.clone();
    }
    if depth == 0 {
        return Value::Null;
    }
    let inner = |name: &str, schema: &Value| example(schemas, name, schema, depth - 1);
    if let Some(referred) = schema["$ref"].as_str().and_then(|place| place.rsplit('/').next()) {
        return inner(name, &schemas[referred]);
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let merged = parts.iter().map(|part| inner(name, part)).fold(Map::new(), |mut all, part| {
            all.extend(part.as_object().cloned().unwrap_or_default());
            all
        });
        return Value::Object(merged);
    }
    let choices = ["oneOf", "anyOf"].iter().find_map(|word| schema[*word].as_array());
    if let Some(choice) = choices.and_then(|all| all.iter().find(|one| one["type"] != "null")) {
        return inner(name, choice);
    }
    if let Some(properties) = schema["properties"].as_object() {
        let all: Map<String, Value> =
            properties.iter().map(|(name, schema)| (name.clone(), inner(name, schema))).collect();
        return Value::Object(all);
    }
    match kind(schema) {
        "array" => Value::Array(vec![inner(name, &schema["items"])]),
        "object" => Value::Object(Map::new()),
        other => simple(name, other, schema),
    }
}

/// The type of a schema, but for `null`.
fn kind(schema: &Value) -> &str {
    let listed = schema["type"].as_array().and_then(|all| all.iter().find(|one| *one != "null"));
    listed.unwrap_or(&schema["type"]).as_str().unwrap_or("object")
}

/// An example of a scalar: a word that it may be, or what such a property holds.
fn simple(name: &str, kind: &str, schema: &Value) -> Value {
    let word = schema["enum"].get(0).or_else(|| schema.get("default"));
    if let Some(word) = word.filter(|word| !word.is_null()) {
        return word.clone();
    }
    match (kind, name) {
        ("boolean", _) => json!(true),
        ("integer", "total" | "done" | "fetched" | "valid") => json!(12),
        ("integer", "height") => json!(480),
        ("integer" | "number", "width") => json!(640),
        ("integer", "inliers") => json!(41),
        ("integer", _) => json!(0),
        ("number", "xMin" | "x") => json!(24.5),
        ("number", "yMin" | "y") => json!(18.0),
        ("number", "xMax") => json!(311.0),
        ("number", "yMax") => json!(222.5),
        ("number", _) => json!(0.5),
        (_, "nextCursor") => json!("eyJhZnRlciI6MTJ9"),
        (_, "imageUrl" | "url") => json!("https://example.org/cup.jpg"),
        (_, "jobId" | "recognitionId") => json!("0b2f3e0c-6a3f-4f0e-9d55-7d1f5f0f6a55"),
        (_, "itemId") => json!("itm_3x1yq0a8c5v7k2mz"),
        (_, "sha256") => json!("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        (_, "tag") => json!("cup"),
        (_, "name" | "title") => json!("A cup of coffee"),
        (_, "licence") => json!("CC0-1.0"),
        (_, "barcode") => json!("4901234567894"),
        (_, "matchedText") => json!("COFFEE"),
        (_, "description") => json!("1,000 things of daily life, animals and plants"),
        (_, "message" | "reason" | "detail") => json!(""),
        _ => json!("…"),
    }
}
