//! JSON bodies: an object whose fields are read one by one, so that the error message names the field and its rule.

use std::ops::RangeInclusive;

use axum::{body::Body, http::HeaderMap};
use bytes::Bytes;
use kaisatsu_recognition::Cursor;
use serde_json::{Map, Value};

use super::idempotency::Parts;
use crate::{
    Failure, Kind, Query,
    body::{self, BodyMemory, Reservation},
};

/// The most bytes of a body that is parsed on the thread of the request.
const MAX_INLINE: usize = 64 * 1024;

/// The memory of a parsed body, as a multiple of its text.
const PARSED_WEIGHT: usize = 16;

/// The most objects in a body. Each takes more than half a kilobyte, whatever it holds. The longest list of images has
/// a hundred thousand.
const MOST_OBJECTS: usize = 110_000;

/// The body of a request.
pub(super) struct Object {
    fields: Map<String, Value>,
    /// Held as long as the object is.
    _memory: Reservation,
}

impl Object {
    /// Reads and parses a whole body.
    pub(super) async fn read(
        memory: &BodyMemory,
        headers: &HeaderMap,
        body: Body,
        most: usize,
    ) -> Result<Self, Failure> {
        let media = body::media_type(headers);
        if media != "application/json" || !body::is_utf8(headers) {
            return Err(wrong_media());
        }
        if most <= MAX_INLINE {
            return Self::parse(&body::read_body(headers, body, most, "the body").await?, Reservation::default());
        }
        let (bytes, memory) = memory.read(headers, body, most, PARSED_WEIGHT, "the body").await?;
        if bytes.split(|byte| *byte == b'{').count() > MOST_OBJECTS {
            return Err(Failure::new(Kind::TooManyInputs, "the body has too many objects"));
        }
        if bytes.len() <= MAX_INLINE {
            return Self::parse(&bytes, memory);
        }
        // A large body is parsed on another thread, so that other requests of this thread do not wait for it.
        let read = tokio::task::spawn_blocking(move || Self::parse(&bytes, memory)).await;
        read.unwrap_or_else(|_| Err(Failure::new(Kind::Internal, "the server failed; its log has this request's id")))
    }

    /// Parses the bytes of a body.
    pub(super) fn parse(bytes: &[u8], memory: Reservation) -> Result<Self, Failure> {
        let wrong = |rule: &str| Failure::new(Kind::BodyFormat, rule.to_owned());
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(fields)) => Ok(Self { fields, _memory: memory }),
            Ok(_) => Err(wrong("the body must be a JSON object")),
            Err(_) => Err(wrong("the body is not JSON in UTF-8")),
        }
    }

    /// What the body says, in one order of its fields.
    pub(super) fn parts(&self) -> Parts {
        let part = |(name, value): (&String, &Value)| (name.clone(), Bytes::from(value.to_string()));
        self.fields.iter().map(part).collect()
    }

    /// A string, if it is present; `null` counts as absent.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        match self.fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            // PostgreSQL cannot store NUL in text.
            Some(Value::String(text)) if text.contains('\0') => Err(field(name, "must not contain the character NUL")),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(field(name, "must be a string")),
        }
    }

    /// An integer, if it is present.
    pub(super) fn integer(&self, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, Failure> {
        let bounds = format!("{} to {}", range.start(), range.end());
        match self.fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Number(number)) if number.is_i64() || number.is_u64() => {
                let number = number.as_u64().filter(|number| range.contains(number));
                let outside = || Failure::new(Kind::OutOfRange, format!("body field {name} must be from {bounds}"));
                number.map(Some).ok_or_else(outside)
            }
            Some(_) => Err(field(name, &format!("must be a whole number from {bounds}"))),
        }
    }

    /// A required list of objects.
    pub(super) fn objects(&mut self, name: &str) -> Result<Vec<Self>, Failure> {
        let Some(list) = self.fields.remove(name).filter(|value| !value.is_null()) else {
            return Err(field(name, "is missing"));
        };
        let Value::Array(list) = list else { return Err(field(name, "must be a list")) };
        let object = |(place, value)| match value {
            Value::Object(fields) => Ok(Self { fields, _memory: Reservation::default() }),
            _ => Err(field(&format!("{name}[{place}]"), "must be an object")),
        };
        list.into_iter().enumerate().map(object).collect()
    }

    /// Whether a field is present; `null` counts as absent.
    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(|value| !value.is_null())
    }

    /// A list of objects; empty if it is absent.
    pub(super) fn optional_objects(&mut self, name: &str) -> Result<Vec<Self>, Failure> {
        if self.has(name) { self.objects(name) } else { Ok(Vec::new()) }
    }

    /// A list of strings; empty if it is absent.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<&str>, Failure> {
        let list = match self.fields.get(name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(_) => return Err(field(name, "must be a list")),
        };
        let mut texts = Vec::with_capacity(list.len());
        for (place, value) in list.iter().enumerate() {
            match value {
                Value::String(text) if !text.contains('\0') => texts.push(text.as_str()),
                _ => return Err(field(&format!("{name}[{place}]"), "must be a string without the character NUL")),
            }
        }
        Ok(texts)
    }

    /// A required string.
    pub(super) fn required(&self, name: &str) -> Result<&str, Failure> {
        self.text(name)?.ok_or_else(|| field(name, "is missing"))
    }

    /// A string that names something and so is not empty, if it is present.
    pub(super) fn id(&self, name: &str) -> Result<Option<&str>, Failure> {
        match self.text(name)? {
            Some("") => Err(field(name, "is empty")),
            id => Ok(id),
        }
    }

    /// A required string that names something.
    pub(super) fn required_id(&self, name: &str) -> Result<&str, Failure> {
        self.id(name)?.ok_or_else(|| field(name, "is missing"))
    }
}

/// The page of a list that a body requests.
pub(super) struct PageRequest {
    /// Where the page starts.
    pub(super) after: Cursor,
    /// The most items.
    pub(super) most: usize,
}

impl Object {
    /// `cursor` and `limit`.
    pub(super) fn page(&self) -> Result<PageRequest, Failure> {
        let after = match self.text("cursor")? {
            None => Cursor::start(),
            Some(text) => Cursor::from_text(text).ok_or_else(|| field("cursor", BAD_CURSOR))?,
        };
        Ok(PageRequest { after, most: self.limit(1)? })
    }

    /// `limit`: the most items.
    pub(super) fn limit(&self, least: u64) -> Result<usize, Failure> {
        let limit = self.integer("limit", least..=MAX_LIMIT.into())?.unwrap_or(DEFAULT_LIMIT.into());
        Ok(usize::try_from(limit).unwrap_or(usize::MAX))
    }
}

/// `cursor` and `limit` of a query.
pub(super) fn query_page(query: &Query<'_>) -> Result<PageRequest, Failure> {
    let after = match query.text("cursor")? {
        None => Cursor::start(),
        Some(text) => Cursor::from_text(text)
            .ok_or_else(|| Failure::new(Kind::ParameterInvalid, format!("query parameter cursor {BAD_CURSOR}")))?,
    };
    Ok(PageRequest { after, most: query.count("limit", 1..=MAX_LIMIT, DEFAULT_LIMIT)? })
}

/// The largest page of a list, and the page when there is no `limit`.
const MAX_LIMIT: u32 = 1_000;
const DEFAULT_LIMIT: u32 = 100;

/// The rule that a wrong cursor breaks.
pub(super) const BAD_CURSOR: &str = "is not one that this operation answered with; leave it out to begin at the start";

/// The error of a field that breaks a rule.
pub(super) fn field(name: &str, rule: &str) -> Failure {
    Failure::new(Kind::BodyField, format!("body field {name} {rule}"))
}

/// The error of a body that is not declared as JSON.
pub(super) fn wrong_media() -> Failure {
    Failure::new(Kind::MediaType, "the Content-Type must be application/json;charset=UTF-8")
}
