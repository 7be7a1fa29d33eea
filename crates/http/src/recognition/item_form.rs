//! The form that describes an item of the catalogue: pictures, and fields of any name.

use axum::{body::Body, http::HeaderMap};
use bytes::Bytes;
use multer::Multipart;
use serde_json::{Map, Value};

use super::{
    form::{self, MAX_FIELD, MAX_OVERHEAD},
    idempotency::Parts,
    json::field,
};
use crate::{
    Failure, Gateway, Kind,
    body::{self, Reservation},
};

/// The most fields of an item.
const MOST_FIELDS: usize = 100;

/// How many of the largest pictures fit into one form.
const LARGEST_IMAGES: usize = 4;

/// A parsed form.
pub(super) struct ItemForm {
    /// The fields, as in a row that is imported.
    pub(super) fields: Map<String, Value>,
    /// The pictures.
    pub(super) images: Vec<Bytes>,
    /// Held as long as the pictures are.
    _memory: Reservation,
}

impl ItemForm {
    /// Reads the form of a request with at most `most` pictures.
    pub(super) async fn read(gateway: &Gateway, headers: &HeaderMap, body: Body, most: usize) -> Result<Self, Failure> {
        if body::media_type(headers) != "multipart/form-data" {
            let rule = "the Content-Type must be multipart/form-data, with the pictures in fields named image";
            return Err(Failure::new(Kind::MediaType, rule));
        }
        let boundary = form::boundary(headers.get(axum::http::header::CONTENT_TYPE))?;
        let largest = gateway.max_image_bytes;
        let limit = largest.saturating_mul(LARGEST_IMAGES).saturating_add(MAX_OVERHEAD);
        let (bytes, memory) = gateway.body_memory.read(headers, body, limit, 1, "the body").await?;
        let mut parts = Multipart::new(form::once(bytes), boundary);
        let mut read = Self { fields: Map::new(), images: Vec::new(), _memory: memory };
        while let Some(part) = parts.next_field().await.map_err(|error| form::broken(&error))? {
            let name = part.name().unwrap_or_default().to_owned();
            let value = part.bytes().await.map_err(|error| form::broken(&error))?;
            match name.as_str() {
                "image" => read.image(value, most, largest)?,
                _ => read.field(name, &value)?,
            }
        }
        Ok(read)
    }

    /// What the form says.
    pub(super) fn parts(&self) -> Parts {
        let field = |(name, value): (&String, &Value)| (name.clone(), Bytes::from(value.to_string()));
        let image = |image: &Bytes| ("image".to_owned(), image.clone());
        self.fields.iter().map(field).chain(self.images.iter().map(image)).collect()
    }

    fn image(&mut self, image: Bytes, most: usize, largest: usize) -> Result<(), Failure> {
        if self.images.len() == most {
            let rule = format!("an item has at most {most} pictures; image is given more often");
            return Err(Failure::new(Kind::TooManyInputs, rule));
        }
        if image.len() > largest {
            return Err(Failure::new(Kind::TooLarge, format!("image is too large: at most {largest} bytes are taken")));
        }
        self.images.push(image);
        Ok(())
    }

    fn field(&mut self, name: String, value: &[u8]) -> Result<(), Failure> {
        if value.len() > MAX_FIELD {
            return Err(field(&shown(&name), &format!("is too long: at most {MAX_FIELD} bytes")));
        }
        let text = std::str::from_utf8(value).map_err(|_| field(&shown(&name), "is not UTF-8"))?;
        if text.contains('\0') || name.contains('\0') {
            return Err(field(&shown(&name), "must not contain the character NUL"));
        }
        let value = match name.as_str() {
            "sites" => match serde_json::from_str(text) {
                Ok(list @ Value::Array(_)) => list,
                _ => return Err(field("sites", "must be a list of objects with url, title and imageUrl, in JSON")),
            },
            _ => Value::from(text),
        };
        let count = self.fields.len();
        match self.fields.get_mut(&name) {
            // A barcode may be given more than once; everything else is one thing.
            Some(Value::String(known)) if name == "barcode" => {
                known.push('|');
                known.push_str(text);
            }
            Some(_) => return Err(field(&shown(&name), "is given more than once")),
            None if count == MOST_FIELDS => {
                return Err(Failure::new(Kind::TooManyInputs, format!("an item has at most {MOST_FIELDS} fields")));
            }
            None => {
                self.fields.insert(name, value);
            }
        }
        Ok(())
    }
}

/// The name of a field for a message.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(64).collect()
}
