//! Bodies in JSON: an object whose fields are taken one by one, so that each can say what is wrong with it.

use std::ops::RangeInclusive;

use axum::{body::Body, http::HeaderMap};
use kaisatsu_recognition::Cursor;
use serde_json::{Map, Value};

use crate::{
    Failure, Kind,
    intake::{self, Room, Taken},
};

/// The most bytes of a body that are read without leaving the thread.
const AT_ONCE: usize = 64 * 1024;

/// How much more room values take in memory than they did as text.
const UNFOLDED: usize = 16;

/// The most objects in a body: each takes more than half a kilobyte, whatever is in it. Lists of images have at most a hundred thousand.
const MOST_OBJECTS: usize = 110_000;

/// The body of a request.
pub(super) struct Object {
    fields: Map<String, Value>,
    /// Held as long as the object is.
    _room: Taken,
}

impl Object {
    /// Takes a whole body in.
    pub(super) async fn read(room: &Room, headers: &HeaderMap, body: Body, most: usize) -> Result<Self, Failure> {
        let media = intake::media_type(headers);
        if media != "application/json" {
            return Err(wrong_media());
        }
        if most <= AT_ONCE {
            return Self::parse(&intake::whole(headers, body, most, "the body").await?, Taken::default());
        }
        let (bytes, room) = room.whole(headers, body, most, UNFOLDED, "the body").await?;
        if bytes.split(|byte| *byte == b'{').count() > MOST_OBJECTS {
            return Err(Failure::new(Kind::TooManyInputs, "the body has too many objects"));
        }
        if bytes.len() <= AT_ONCE {
            return Self::parse(&bytes, room);
        }
        // A large one is read elsewhere, so that other requests of this thread do not wait for it.
        let read = tokio::task::spawn_blocking(move || Self::parse(&bytes, room)).await;
        read.unwrap_or_else(|_| Err(Failure::new(Kind::Internal, "the server failed; its log has this request's id")))
    }

    /// Reads bytes that were taken in.
    pub(super) fn parse(bytes: &[u8], room: Taken) -> Result<Self, Failure> {
        let wrong = |told: &str| Failure::new(Kind::BodyFormat, told.to_owned());
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(fields)) => Ok(Self { fields, _room: room }),
            Ok(_) => Err(wrong("the body must be a JSON object")),
            Err(_) => Err(wrong("the body is not JSON in UTF-8")),
        }
    }

    /// A text, if it is there; `null` counts as not there.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        match self.fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            // PostgreSQL keeps no NUL in text; nobody writes one on purpose.
            Some(Value::String(text)) if text.contains('\0') => Err(field(name, "must not contain the character NUL")),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(field(name, "must be a string")),
        }
    }

    /// A whole number, if it is there.
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

    /// A list of objects that has to be there.
    pub(super) fn objects(&mut self, name: &str) -> Result<Vec<Self>, Failure> {
        let Some(list) = self.fields.remove(name).filter(|value| !value.is_null()) else {
            return Err(field(name, "is missing"));
        };
        let Value::Array(list) = list else { return Err(field(name, "must be a list")) };
        let object = |(place, value)| match value {
            Value::Object(fields) => Ok(Self { fields, _room: Taken::default() }),
            _ => Err(field(&format!("{name}[{place}]"), "must be an object")),
        };
        list.into_iter().enumerate().map(object).collect()
    }

    /// A text that has to be there.
    pub(super) fn required(&self, name: &str) -> Result<&str, Failure> {
        self.text(name)?.ok_or_else(|| field(name, "is missing"))
    }
}

/// The place in a list that a body asks for, and how much of it.
pub(super) struct Span {
    /// After what.
    pub(super) after: Cursor,
    /// How many at most.
    pub(super) most: usize,
}

impl Object {
    /// `cursor` and `limit`.
    pub(super) fn span(&self) -> Result<Span, Failure> {
        let after = match self.text("cursor")? {
            None => Cursor::start(),
            Some(text) => Cursor::from_text(text).ok_or_else(|| field("cursor", BAD_CURSOR))?,
        };
        Ok(Span { after, most: self.limit(1)? })
    }

    /// `limit`: how many at most.
    pub(super) fn limit(&self, least: u64) -> Result<usize, Failure> {
        let limit = self.integer("limit", least..=MOST_LISTED)?.unwrap_or(USUALLY_LISTED);
        Ok(usize::try_from(limit).unwrap_or(usize::MAX))
    }
}

/// The most of a list that is answered at once, and how much is when nothing is said.
const MOST_LISTED: u64 = 1_000;
const USUALLY_LISTED: u64 = 100;

/// What is wrong with a cursor.
pub(super) const BAD_CURSOR: &str = "is not one that this operation answered with; leave it out to begin at the start";

/// The failure of a field that breaks its rule.
pub(super) fn field(name: &str, rule: &str) -> Failure {
    Failure::new(Kind::BodyField, format!("body field {name} {rule}"))
}

/// The failure of a body that says it is something else.
pub(super) fn wrong_media() -> Failure {
    Failure::new(Kind::MediaType, "the Content-Type must be application/json;charset=UTF-8")
}
