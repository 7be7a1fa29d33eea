//! The tools that an OpenAPI document describes.

use axum::http::Method;
use serde_json::{Map, Value, json};

use crate::tool::{BodyFormat, Field, ParameterLocation, Tool};

/// The operations of this tag are for those who run the server.
const NOT_OFFERED: &str = "Operations";

/// Schemas refer to each other; none of ours goes this deep.
const MAX_DEPTH: usize = 12;

const FORM: &str = "multipart/form-data";
const BARE: &str = "application/octet-stream";

/// The tools of a document, in the order of their names. `reads_files` says whether a picture may be a file.
pub(crate) fn tools(document: &Value, reads_files: bool) -> Vec<Tool> {
    let mut tools = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let mut tags = operation["tags"].as_array().into_iter().flatten();
            let is_offered = !tags.any(|tag| tag == NOT_OFFERED);
            let method = match method.as_str() {
                "get" => Method::GET,
                "post" => Method::POST,
                "delete" => Method::DELETE,
                _ => continue,
            };
            if let Some(name) = operation["operationId"].as_str().filter(|_| is_offered) {
                tools.push(Reader { document, reads_files }.tool(name, method, path, operation));
            }
        }
    }
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools
}

struct Reader<'a> {
    document: &'a Value,
    reads_files: bool,
}

impl Reader<'_> {
    fn tool(&self, name: &str, method: Method, path: &str, operation: &Value) -> Tool {
        let mut fields: Vec<Field> =
            operation["parameters"].as_array().into_iter().flatten().filter_map(|one| self.parameter(one)).collect();
        let content = &operation["requestBody"]["content"];
        let body = if content[FORM].is_object() {
            BodyFormat::Form
        } else if content[BARE].is_object() {
            BodyFormat::Bare
        } else if content.is_object() {
            BodyFormat::Json
        } else {
            BodyFormat::None
        };
        match body {
            BodyFormat::None => {}
            BodyFormat::Bare => fields.push(self.picture("image", &json!({}), true)),
            BodyFormat::Json | BodyFormat::Form => {
                let described = content.as_object().and_then(|kinds| kinds.get(FORM).or(kinds.values().next()));
                let schema = self.inlined(&described.unwrap_or(&Value::Null)["schema"], 0);
                // What the query takes too is one argument.
                let own = self.body_fields(&schema);
                fields.retain(|field| own.iter().all(|other| other.name != field.name));
                fields.extend(own);
            }
        }
        let texts = [&operation["summary"], &operation["description"]];
        let description = texts.into_iter().filter_map(Value::as_str).collect::<Vec<_>>().join(". ");
        Tool { name: name.to_owned(), description, method, path: path.to_owned(), fields, body }
    }

    /// A query or path parameter. Headers are no arguments: they say how a request is sent, not what is asked.
    fn parameter(&self, parameter: &Value) -> Option<Field> {
        let location = match parameter["in"].as_str()? {
            "query" => ParameterLocation::Query,
            "path" => ParameterLocation::Path,
            _ => return None,
        };
        let mut schema = self.inlined(&parameter["schema"], 0);
        if let (Some(schema), Some(text)) = (schema.as_object_mut(), parameter["description"].as_str()) {
            schema.insert("description".to_owned(), text.into());
        }
        let required = parameter["required"].as_bool().unwrap_or(false);
        Some(Field { name: parameter["name"].as_str()?.to_owned(), location, required, is_picture: false, schema })
    }

    fn body_fields(&self, schema: &Value) -> Vec<Field> {
        let required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name));
        let properties = schema["properties"].as_object().into_iter().flatten();
        let field = |(name, schema): (&String, &Value)| {
            if is_binary(schema) {
                return self.picture(name, schema, required(name));
            }
            let (name, required, schema) = (name.clone(), required(name), schema.clone());
            Field { name, location: ParameterLocation::Body, required, is_picture: false, schema }
        };
        properties.map(field).collect()
    }

    /// A field that is a picture, or a list of pictures.
    fn picture(&self, name: &str, described: &Value, required: bool) -> Field {
        let file = if self.reads_files { ", or file: and the path of a file on this machine" } else { "" };
        let forms = format!(
            "Given as the bytes in base64, as a data: address, as an http or https address, from which it is \
             fetched{file}."
        );
        let what = described["description"].as_str().unwrap_or("The picture: JPEG, PNG, GIF, BMP, TIFF or WebP.");
        let description = format!("{what}\n{forms}");
        let schema = if described["type"] == "array" {
            json!({"type": "array", "items": {"type": "string"}, "description": description})
        } else {
            json!({"type": "string", "description": description})
        };
        Field { name: name.to_owned(), location: ParameterLocation::Body, required, is_picture: true, schema }
    }

    /// A schema with what it refers to in place: not every assistant follows references.
    fn inlined(&self, schema: &Value, depth: usize) -> Value {
        if depth > MAX_DEPTH {
            return json!({});
        }
        match schema {
            Value::Object(object) => {
                if let Some(to) = object.get("$ref").and_then(Value::as_str) {
                    let pointed = self.document.pointer(to.trim_start_matches('#')).unwrap_or(&Value::Null);
                    return self.inlined(pointed, depth + 1);
                }
                let inlined = |(name, value): (&String, &Value)| (name.clone(), self.inlined(value, depth + 1));
                Value::Object(object.iter().map(inlined).collect::<Map<_, _>>())
            }
            Value::Array(list) => list.iter().map(|value| self.inlined(value, depth + 1)).collect(),
            other => other.clone(),
        }
    }
}

fn is_binary(schema: &Value) -> bool {
    schema["format"] == "binary" || schema["items"]["format"] == "binary"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use axum::http::Method;
    use kaisatsu_http::{KeyPlaces, Segment, openapi_document};
    use serde_json::Value;

    use super::tools;
    use crate::tool::{BodyFormat, ParameterLocation, Tool};

    fn all() -> Vec<Tool> {
        let segment = Segment::new("route_service").unwrap();
        let document = serde_json::to_value(openapi_document(&segment, KeyPlaces::default())).unwrap();
        tools(&document, false)
    }

    fn named(name: &str) -> Tool {
        all().into_iter().find(|tool| tool.name == name).unwrap()
    }

    #[test]
    fn every_operation_of_the_functions_is_a_tool_with_a_description_and_a_plain_schema() {
        let tools = all();
        assert!(tools.len() > 30, "{}", tools.len());
        assert!(tools.iter().all(|tool| !["healthz", "readyz"].contains(&tool.name.as_str())));
        for tool in &tools {
            assert!(tool.description.len() > 10, "{tool:?}");
            assert!(tool.name.bytes().all(|b| b.is_ascii_alphanumeric()) && tool.name.len() <= 64, "{tool:?}");
            let names: BTreeSet<_> = tool.fields.iter().map(|field| &field.name).collect();
            assert_eq!(names.len(), tool.fields.len(), "{tool:?}");
            let schema = Value::Object(tool.input_schema()).to_string();
            assert!(!schema.contains("$ref") && !schema.contains("APIKEY"), "{schema}");
        }
    }

    #[test]
    fn arguments_go_where_the_document_says() {
        let classify = named("conceptClassify");
        assert_eq!((&classify.method, classify.body), (&Method::POST, BodyFormat::Form));
        let location = |name: &str| classify.fields.iter().find(|field| field.name == name).unwrap().location;
        assert_eq!(
            (location("token"), location("modelName"), location("image")),
            (ParameterLocation::Query, ParameterLocation::Body, ParameterLocation::Body)
        );
        let schema = classify.input_schema();
        assert_eq!(schema["required"], serde_json::json!(["image"]));
        assert!(schema["properties"]["image"]["description"].as_str().unwrap().contains("base64"));
        assert_eq!(named("recognize").body, BodyFormat::Bare);
        assert_eq!(named("createDataSet").body, BodyFormat::Json);
        let tags = named("modelTags");
        assert!(
            tags.fields
                .iter()
                .any(|field| field.name == "name" && field.location == ParameterLocation::Path && field.required)
        );
        assert!(named("addItem").fields.iter().any(|field| field.is_picture && field.schema["type"] == "array"));
    }

    #[test]
    fn what_reads_and_what_removes_is_marked() {
        assert!(named("station").is_read_only());
        assert!(named("deleteDataSet").is_destructive() && named("removeItem").is_destructive());
        assert!(!named("feedback").is_destructive() && !named("feedback").is_read_only());
    }
}
