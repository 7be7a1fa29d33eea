//! A tool: an operation of the OpenAPI document, as a request is made of its arguments.

use axum::http::Method;
use serde_json::{Map, Value};

/// A tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tool {
    /// The `operationId`.
    pub(crate) name: String,
    /// The summary and the description of the operation.
    pub(crate) description: String,
    pub(crate) method: Method,
    /// The path, with the names of its parameters in braces.
    pub(crate) path: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) body: BodyFormat,
}

/// How the body of a request is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyFormat {
    None,
    Json,
    Form,
    /// The picture itself.
    Bare,
}

/// An argument of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) location: ParameterLocation,
    pub(crate) required: bool,
    /// Whether it is a picture, or a list of pictures.
    pub(crate) is_picture: bool,
    /// Its JSON schema, without references.
    pub(crate) schema: Value,
}

/// Where an argument goes in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterLocation {
    Path,
    Query,
    Body,
}

impl Tool {
    /// The JSON schema of the arguments.
    pub(crate) fn input_schema(&self) -> Map<String, Value> {
        let properties: Map<_, _> =
            self.fields.iter().map(|field| (field.name.clone(), field.schema.clone())).collect();
        let required = self.fields.iter().filter(|field| field.required).map(|field| field.name.clone().into());
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), properties.into());
        schema.insert("required".to_owned(), Value::Array(required.collect()));
        schema.insert("additionalProperties".to_owned(), false.into());
        schema
    }

    /// Whether a call changes nothing that is stored.
    pub(crate) fn is_read_only(&self) -> bool {
        self.method == Method::GET
    }

    /// Whether a call removes something.
    pub(crate) fn is_destructive(&self) -> bool {
        self.method == Method::DELETE || self.name.starts_with("delete")
    }
}
