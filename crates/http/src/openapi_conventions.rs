//! What holds for every operation, and what the descriptions of single operations therefore leave out.
//!
//! Generators of clients take the document at its word: a list of integers is not a file, and a form has no `null`.

use std::collections::BTreeSet;

use kaisatsu_model::{Gcs, Outcome, Phase};
use serde_json::Value;
use utoipa::openapi::{
    Content, Header, KnownFormat, Object, ObjectBuilder, OpenApi as Document, Ref, RefOr, Required, Response, Schema,
    SchemaFormat, Type, path::Operation, schema::SchemaType, server::Server,
};

use crate::{Segment, openapi::operations_of};

const REQUEST_ID: &str = "X-Request-Id";
const ETAG: &str = "ETag";
const CHALLENGE: &str = "WWW-Authenticate";
const ALLOW: &str = "Allow";
const RETRY_AFTER: &str = "Retry-After";
const REPLAYED: &str = "Idempotent-Replayed";

/// The headers of answers.
const HEADERS: [(&str, Type, &str); 6] = [
    (REQUEST_ID, Type::String, "The id under which the server's log has this request"),
    (ETAG, Type::String, "What to send as If-None-Match to learn whether it is still the same"),
    (CHALLENGE, Type::String, "How to present a key"),
    (ALLOW, Type::String, "The methods that there are"),
    (RETRY_AFTER, Type::Integer, "After how many seconds to try again"),
    (REPLAYED, Type::String, "`true` when the answer is that of an earlier request with the same Idempotency-Key"),
];

const JSON: &str = "application/json;charset=UTF-8";

/// Completes a document.
pub(crate) fn apply(document: &mut Document, segment: &Segment) {
    let mut here = Server::new("/");
    here.description = Some("The server that this document comes from".to_owned());
    document.servers = Some(vec![here]);
    let route_map = format!("/{}/", segment.as_str());
    let mut forms = BTreeSet::new();
    for (path, item) in &mut document.paths.paths {
        let error = if path.starts_with(&route_map) {
            Some(("ErrorAnswer", "W405", "W500"))
        } else if path.starts_with("/imageRecognition/") {
            Some(("RecognitionError", "302", "500"))
        } else {
            None
        };
        let tagged =
            item.get.as_ref().filter(|get| error.is_some() && is_tagged(get)).and_then(|get| get.operation_id.clone());
        for operation in operations_of(item) {
            if let Some((schema, method, internal)) = error {
                let missing = |code: &str, words: &str| failure(schema, &format!("{code}: {words}"));
                let all = &mut operation.responses.responses;
                all.entry("405".to_owned()).or_insert_with(|| missing(method, "the method is not permitted"));
                all.entry("500".to_owned()).or_insert_with(|| missing(internal, "a failure of ours"));
            }
            if tagged.is_some() && tagged == operation.operation_id {
                let response = Response::new("The caller has it already, by the ETag in If-None-Match");
                operation.responses.responses.insert("304".to_owned(), RefOr::T(response));
            }
            forms.extend(form_of(operation));
            complete_request(operation);
            complete_responses(operation);
        }
    }
    let components = document.components.get_or_insert_default();
    for (name, kind, description) in HEADERS {
        let mut header = Header::new(ObjectBuilder::new().schema_type(kind));
        header.description = Some(description.to_owned());
        components.headers.insert(name.to_owned(), RefOr::T(header));
    }
    let schemas = &mut components.schemas;
    for form in forms {
        if let Some(RefOr::T(Schema::Object(form))) = schemas.get_mut(&form) {
            form.properties.values_mut().for_each(without_null);
        }
    }
    for (schema, property, words) in words() {
        if let Some(RefOr::T(Schema::Object(schema))) = schemas.get_mut(schema)
            && let Some(RefOr::T(Schema::Object(property))) = schema.properties.get_mut(property)
        {
            property.enum_values = Some(words.into_iter().map(Value::from).collect());
        }
    }
}

/// Properties of answers that are one of a few words for good: those of the contract.
fn words() -> [(&'static str, &'static str, Vec<&'static str>); 6] {
    let kinds = vec!["train", "plane", "ship", "bus", "walk", "strange"];
    [
        ("DataSetWire", "state", Phase::ALL.map(Phase::as_str).to_vec()),
        ("CreateAnswer", "state", vec![Phase::Queued.as_str()]),
        ("ImageWire", "outcome", Outcome::ALL.map(Outcome::as_str).to_vec()),
        ("GeoPoint", "gcs", Gcs::ALL.map(Gcs::word).to_vec()),
        ("Station", "Type", kinds.clone()),
        ("CourseLine", "Type", kinds),
    ]
}

fn failure(schema: &str, description: &str) -> RefOr<Response> {
    let mut response = Response::new(description);
    let content = Content::new(Some(Ref::from_schema_name(schema)));
    response.content.insert(JSON.to_owned(), RefOr::T(content));
    RefOr::T(response)
}

/// The name of the schema of a form.
fn form_of(operation: &Operation) -> Option<String> {
    let RefOr::T(body) = operation.request_body.as_ref()? else { return None };
    let RefOr::T(content) = body.content.get("multipart/form-data")? else { return None };
    match content.schema.as_ref()? {
        RefOr::Ref(schema) => schema.ref_location.rsplit('/').next().map(str::to_owned),
        RefOr::T(_) => None,
    }
}

fn complete_request(operation: &mut Operation) {
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        let is_feedback = |content: &RefOr<Content>| {
            let RefOr::T(content) = content else { return false };
            matches!(&content.schema, Some(RefOr::Ref(schema)) if schema.ref_location.ends_with("/FeedbackBody"))
        };
        if body.content.values().any(is_feedback) {
            body.required = Some(Required::False);
        }
        body.content.iter_mut().for_each(|(media, content)| mark_bytes(media, content));
    }
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter
            && let Some(RefOr::T(Schema::Object(schema))) = &mut parameter.schema
        {
            words_instead_of_pattern(schema);
        }
    }
}

fn complete_responses(operation: &mut Operation) {
    let parameters = operation.parameters.iter().flatten();
    let repeatable = parameters.into_iter().any(|one| matches!(one, RefOr::T(one) if one.name == "Idempotency-Key"));
    let has_etag = operation.responses.responses.contains_key("304");
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        response.content.iter_mut().for_each(|(media, content)| mark_bytes(media, content));
        let mut add = |name: &str| {
            let header = Ref::new(format!("#/components/headers/{name}"));
            response.headers.insert(name.to_owned(), RefOr::Ref(header));
        };
        add(REQUEST_ID);
        match status.as_str() {
            "200" | "304" if has_etag => add(ETAG),
            "200" | "202" | "204" if repeatable => add(REPLAYED),
            "401" => add(CHALLENGE),
            "405" => add(ALLOW),
            "409" | "429" | "503" => add(RETRY_AFTER),
            _ => {}
        }
    }
}

/// Whether the JSON answers of a GET operation have an `ETag` (`etag::tag_json`): all but those of railmapDetail.
fn is_tagged(operation: &Operation) -> bool {
    let Some(RefOr::T(answer)) = operation.responses.responses.get("200") else { return false };
    answer.content.contains_key(JSON) && operation.operation_id.as_deref() != Some("railmapDetail")
}

/// Describes a body of bytes as such, and not as a list of numbers.
fn mark_bytes(media: &str, content: &mut RefOr<Content>) {
    let RefOr::T(content) = content else { return };
    let is_text = media.starts_with("image/svg");
    if (media.starts_with("image/") && !is_text) || ["application/octet-stream", "application/pdf"].contains(&media) {
        let mut bytes = Object::with_type(Type::String);
        bytes.format = Some(SchemaFormat::KnownFormat(KnownFormat::Binary));
        content.schema = Some(RefOr::T(Schema::Object(bytes)));
    }
}

/// The pattern `^(a|b)$` says that there are two words; so does an enumeration, which generators understand.
fn words_instead_of_pattern(schema: &mut Object) {
    let list = schema.pattern.as_deref().and_then(|pattern| pattern.strip_prefix("^(")?.strip_suffix(")$"));
    let Some(list) = list.filter(|list| list.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'|' | b'-')))
    else {
        return;
    };
    schema.enum_values = Some(list.split('|').map(Value::from).collect());
    schema.pattern = None;
}

/// Leaves the kind that is not `null`.
fn only_kind(kinds: &mut SchemaType) {
    if let SchemaType::Array(several) = kinds {
        let kind = several.iter().find(|kind| **kind != Type::Null).cloned();
        *kinds = kind.map_or(SchemaType::AnyValue, SchemaType::Type);
    }
}

/// A field of a form is there or not; it is never `null`.
fn without_null(property: &mut RefOr<Schema>) {
    let only = match property {
        RefOr::T(Schema::Object(object)) => {
            only_kind(&mut object.schema_type);
            None
        }
        RefOr::T(Schema::Array(array)) => {
            only_kind(&mut array.schema_type);
            None
        }
        RefOr::T(Schema::OneOf(one_of)) => {
            one_of.items.retain(|schema| !is_null(schema));
            let (default, description) = (one_of.default.take(), one_of.description.take());
            match one_of.items.as_mut_slice() {
                [RefOr::T(Schema::Object(object))] => {
                    object.default = default;
                    object.description = description.or(object.description.take());
                    Some(RefOr::T(Schema::Object(object.clone())))
                }
                _ => None,
            }
        }
        _ => None,
    };
    if let Some(only) = only {
        *property = only;
    }
}

/// Whether a schema allows nothing but null.
fn is_null(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null))
}
