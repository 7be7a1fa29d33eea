//! The form of a recognition request: an image and a few text fields, as `multipart/form-data`.
//!
//! The fields may also be query parameters. A field in both is repeated, which is invalid.

use std::{convert::Infallible, ops::RangeInclusive};

use axum::{
    body::{Body, HttpBody},
    http::{HeaderMap, HeaderValue, header},
};
use bytes::Bytes;
use futures_util::{Stream, stream};
use kaisatsu_model::DatasetId;
use kaisatsu_recognition::User;
use multer::Multipart;

use super::{idempotency::Parts, json::field as body_field};
use crate::{
    Failure, Gateway, Kind, Query,
    body::{self, Reservation},
};

/// The most bytes of a text field.
pub(super) const MAX_FIELD: usize = 4096;

/// The most bytes of a form beside its image.
pub(super) const MAX_OVERHEAD: usize = 64 * 1024;

/// A parsed form.
pub(super) struct Form<'a> {
    image: Option<Bytes>,
    fields: Vec<(&'static str, String)>,
    query: &'a Query<'a>,
    /// Held as long as the form is.
    memory: Option<Reservation>,
}

impl<'a> Form<'a> {
    /// Reads the form of a request: the field `image` and the fields named in `known`; others are ignored. `parse`
    /// makes the parameters of them. It is called twice: first with those in the query alone, so that their errors are
    /// reported before the body is read.
    pub(super) async fn read<P>(
        query: &'a Query<'a>,
        known: &[&'static str],
        gateway: &Gateway,
        headers: &HeaderMap,
        body: Body,
        parse: impl Fn(&Self) -> Result<P, Failure>,
    ) -> Result<(Self, P), Failure> {
        let mut form = Self::without_body(query);
        parse(&form)?;
        if body::media_type(headers) != "multipart/form-data" {
            let rule = "the Content-Type must be multipart/form-data, with the picture in the field image";
            return Err(Failure::new(Kind::MediaType, rule));
        }
        let boundary = boundary(headers.get(header::CONTENT_TYPE))?;
        let most = gateway.max_image_bytes;
        let (bytes, memory) =
            gateway.body_memory.read(headers, body, most.saturating_add(MAX_OVERHEAD), 1, "the body").await?;
        form.memory = Some(memory);
        form.fill(boundary, bytes, known, most).await?;
        let parameters = parse(&form)?;
        Ok((form, parameters))
    }

    /// The same for a request that may leave the body out: its fields are then query parameters.
    pub(super) async fn read_if_any<P>(
        query: &'a Query<'a>,
        known: &[&'static str],
        gateway: &Gateway,
        headers: &HeaderMap,
        body: Body,
        parse: impl Fn(&Self) -> Result<P, Failure>,
    ) -> Result<(Self, P), Failure> {
        if !body.is_end_stream() {
            return Self::read(query, known, gateway, headers, body, parse).await;
        }
        let form = Self::without_body(query);
        let parameters = parse(&form)?;
        Ok((form, parameters))
    }

    /// A form of which nothing but the query is known.
    pub(super) fn without_body(query: &'a Query<'a>) -> Self {
        Self { image: None, fields: Vec::new(), query, memory: None }
    }

    /// Reads a request whose body is the image itself. Its fields are query parameters, of which `parse` makes the
    /// parameters before the body is read.
    pub(super) async fn read_bare<P>(
        query: &'a Query<'a>,
        gateway: &Gateway,
        headers: &HeaderMap,
        body: Body,
        parse: impl Fn(&Self) -> Result<P, Failure>,
    ) -> Result<(Self, P), Failure> {
        let mut form = Self::without_body(query);
        let parameters = parse(&form)?;
        let (image, memory) = gateway.body_memory.read(headers, body, gateway.max_image_bytes, 1, "the image").await?;
        form.image = Some(image);
        form.memory = Some(memory);
        Ok((form, parameters))
    }

    /// Takes the image and the known fields out of a body.
    async fn fill(
        &mut self,
        boundary: String,
        bytes: Bytes,
        known: &[&'static str],
        most: usize,
    ) -> Result<(), Failure> {
        let mut parts = Multipart::new(once(bytes), boundary);
        while let Some(field) = parts.next_field().await.map_err(|error| broken(&error))? {
            let name = field.name().unwrap_or_default().to_owned();
            if name == "image" {
                let image = field.bytes().await.map_err(|error| broken(&error))?;
                self.take(image, most)?;
            } else if let Some(&name) = known.iter().find(|known| **known == name) {
                let word = field.bytes().await.map_err(|error| broken(&error))?;
                if word.len() > MAX_FIELD {
                    return Err(body_field(name, &format!("is too long: at most {MAX_FIELD} bytes")));
                }
                let word = String::from_utf8(word.to_vec()).map_err(|_| body_field(name, "is not UTF-8"))?;
                self.add(name, word)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, image: Bytes, most: usize) -> Result<(), Failure> {
        if self.image.is_some() {
            return Err(Failure::new(
                Kind::TooManyInputs,
                "one image is taken at a time; image is given more than once",
            ));
        }
        if image.len() > most {
            return Err(Failure::new(Kind::TooLarge, format!("image is too large: at most {most} bytes are taken")));
        }
        self.image = Some(image);
        Ok(())
    }

    fn add(&mut self, name: &'static str, word: String) -> Result<(), Failure> {
        if word.is_empty() {
            return Err(body_field(name, "is empty; leave it out or give it a value"));
        }
        if word.contains('\0') {
            return Err(body_field(name, "must not contain the character NUL"));
        }
        if self.fields.iter().any(|(known, _)| *known == name) || self.query.has(name) {
            return Err(body_field(name, "is given more than once"));
        }
        self.fields.push((name, word));
        Ok(())
    }

    /// The image.
    pub(super) fn image(&mut self) -> Result<Bytes, Failure> {
        let missing = || body_field("image", "is missing; it carries the picture");
        self.image.take().ok_or_else(missing)
    }

    /// The image of a form that may have none.
    pub(super) fn image_if_any(&mut self) -> Option<Bytes> {
        self.image.take()
    }

    /// A field, from the form or the query.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        match self.fields.iter().find(|(known, _)| *known == name) {
            Some((_, word)) => Ok(Some(word)),
            None => match self.query.text(name)? {
                Some(word) if word.len() > MAX_FIELD => {
                    Err(self.invalid(name, &format!("is too long: at most {MAX_FIELD} bytes")))
                }
                word => Ok(word),
            },
        }
    }

    /// What the form says: its image, and these fields, from the form or the query.
    pub(super) fn parts(&self, names: &[&'static str]) -> Parts {
        let image = self.image.iter().map(|image| ("image".to_owned(), image.clone()));
        let field = |name: &&str| {
            let text = self.text(name).ok().flatten()?;
            Some(((*name).to_owned(), Bytes::copy_from_slice(text.as_bytes())))
        };
        image.chain(names.iter().filter_map(field)).collect()
    }

    /// A required field.
    pub(super) fn required(&self, name: &str) -> Result<&str, Failure> {
        self.text(name)?.ok_or_else(|| body_field(name, "is missing"))
    }

    /// The dataset that the request names, and the user it must belong to. It excludes the field `instead`.
    pub(super) fn data_set(&self, user: Option<&User>, instead: &str) -> Result<Option<(User, DatasetId)>, Failure> {
        let Some(id) = self.text("dataSetId")? else { return Ok(None) };
        if self.text(instead)?.is_some() {
            return Err(self.invalid("dataSetId", &format!("and {instead} exclude each other; leave one out")));
        }
        let missing = || Failure::new(Kind::TokenUnknown, "query parameter token is missing");
        Ok(Some((user.ok_or_else(missing)?.clone(), DatasetId::from_text(id))))
    }

    /// An integer, from the form or the query.
    pub(super) fn integer(&self, name: &str, range: RangeInclusive<i64>) -> Result<Option<i64>, Failure> {
        let Some((_, word)) = self.fields.iter().find(|(known, _)| *known == name) else {
            return self.query.integer(name, range);
        };
        let bounds = format!("{} to {}", range.start(), range.end());
        let digits = word.strip_prefix('-').unwrap_or(word);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(body_field(name, &format!("must be a whole number from {bounds}, in the digits 0-9")));
        }
        let number = word.parse().ok().filter(|number| range.contains(number));
        let outside = || Failure::new(Kind::OutOfRange, format!("body field {name} must be from {bounds}"));
        number.map(Some).ok_or_else(outside)
    }

    /// The most candidates to return.
    pub(super) fn most(&self, name: &str, range: RangeInclusive<i64>, usual: i64) -> Result<usize, Failure> {
        Ok(usize::try_from(self.integer(name, range)?.unwrap_or(usual)).unwrap_or(0))
    }

    /// The error of a field that breaks a rule, from the form or the query.
    pub(super) fn invalid(&self, name: &str, rule: &str) -> Failure {
        if self.fields.iter().any(|(known, _)| *known == name) {
            body_field(name, rule)
        } else {
            Failure::new(Kind::ParameterInvalid, format!("query parameter {name} {rule}"))
        }
    }

    /// A number from 0 to 1, from the form or the query.
    pub(super) fn share(&self, name: &str) -> Result<Option<f32>, Failure> {
        let Some(word) = self.text(name)? else { return Ok(None) };
        // Not `inf` and `nan`, which are numbers to the parser.
        let plain = word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
        let number = word.parse::<f32>().ok().filter(|_| plain);
        let number = number.ok_or_else(|| self.invalid(name, "must be a number from 0 to 1, such as 0.3"))?;
        if !(0.0..=1.0).contains(&number) {
            return Err(Failure { kind: Kind::OutOfRange, ..self.invalid(name, "must be from 0 to 1") });
        }
        Ok(Some(number))
    }
}

/// The language of the tags: a code of two or three letters, English by default.
pub(super) fn language(form: &Form<'_>) -> Result<String, Failure> {
    let Some(language) = form.text("language")? else { return Ok("en".to_owned()) };
    if (2..=3).contains(&language.len()) && language.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Ok(language.to_owned());
    }
    Err(form.invalid("language", "must be a language code such as en or ja"))
}

/// Parses a form and returns its image and its fields, for the fuzz target.
pub(crate) async fn parse(
    content_type: &str,
    body: Bytes,
    known: &[&'static str],
    most: usize,
) -> Result<(Option<Bytes>, Vec<(&'static str, String)>), Failure> {
    let query = Query::read(None, &[]);
    let mut form = Form::without_body(&query);
    let content_type = HeaderValue::from_str(content_type).ok();
    form.fill(boundary(content_type.as_ref())?, body, known, most).await?;
    Ok((form.image, form.fields))
}

/// The boundary that a `Content-Type` names.
pub(super) fn boundary(content_type: Option<&HeaderValue>) -> Result<String, Failure> {
    let boundary = content_type.and_then(|declared| {
        // White space may stand before the semicolon too.
        let (media, parameters) = declared.to_str().ok()?.split_once(';')?;
        multer::parse_boundary(format!("{};{parameters}", media.trim_end())).ok()
    });
    let missing = "the Content-Type names no boundary; let your client set it";
    boundary.ok_or_else(|| Failure::new(Kind::BodyFormat, missing))
}

/// A body that is in memory, as a stream.
pub(super) fn once(bytes: Bytes) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::iter([Ok(bytes)])
}

/// The error of a form that cannot be read.
pub(super) fn broken(error: &multer::Error) -> Failure {
    match error {
        multer::Error::IncompleteStream
        | multer::Error::IncompleteHeaders
        | multer::Error::IncompleteFieldData { .. } => {
            Failure::new(Kind::BodyFormat, "the body is cut short: its last boundary is missing")
        }
        _ => Failure::new(Kind::BodyFormat, "the body is not multipart/form-data as its Content-Type says"),
    }
}
