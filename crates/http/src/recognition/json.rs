//! Bodies in JSON: an object whose fields are taken one by one, so that each can say what is wrong with it.

use axum::{body::Body, http::HeaderMap};
use serde_json::{Map, Value};

use crate::{Failure, Kind, intake};

/// The body of a request.
pub(super) struct Object(Map<String, Value>);

impl Object {
    /// Takes a whole body in.
    pub(super) async fn read(headers: &HeaderMap, body: Body, most: usize) -> Result<Self, Failure> {
        let media = intake::media_type(headers);
        if media != "application/json" {
            return Err(wrong_media());
        }
        Self::parse(&intake::whole(headers, body, most, "the body").await?)
    }

    /// Reads bytes that were taken in.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Failure> {
        let wrong = |told: &str| Failure::new(Kind::BodyFormat, told.to_owned());
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(_) => Err(wrong("the body must be a JSON object")),
            Err(_) => Err(wrong("the body is not JSON in UTF-8")),
        }
    }

    /// A text, if it is there; `null` counts as not there.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(field(name, "must be a string")),
        }
    }

    /// A text that has to be there.
    pub(super) fn required(&self, name: &str) -> Result<&str, Failure> {
        self.text(name)?.ok_or_else(|| field(name, "is missing"))
    }
}

/// The failure of a field that breaks its rule.
pub(super) fn field(name: &str, rule: &str) -> Failure {
    Failure::new(Kind::BodyField, format!("body field {name} {rule}"))
}

/// The failure of a body that says it is something else.
pub(super) fn wrong_media() -> Failure {
    Failure::new(Kind::MediaType, "the Content-Type must be application/json;charset=UTF-8")
}
