//! What the two feedback operations have in common: the verdict in the query, the comment in the body.

use axum::{body::Body, http::HeaderMap};
use bytes::Bytes;
use kaisatsu_model::{Comment, ItemId, RecognitionId, Verdict};
use kaisatsu_recognition::Rating;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    idempotency::Parts,
    json::{Object, field, wrong_media},
};
use crate::{
    Failure, Kind, Query,
    body::{self, Reservation},
};

/// The most bytes of a body: a comment of 2,000 characters, escaped as JSON may be, fits several times.
const MOST: usize = 64 * 1024;

/// The most characters of a tag.
const LONGEST_TAG: usize = 200;

/// The body of a feedback.
#[derive(Deserialize, ToSchema)]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct FeedbackBody {
    /// A free comment, at most 2,000 characters.
    #[serde(default)]
    #[schema(example = "the label is right, the year is not", max_length = 2000)]
    comment: Option<String>,
    /// What the picture shows: the id of a tag, or its name in any language. Any tag of the model or the dataset that
    /// answered, also one that is not among the candidates.
    #[serde(default)]
    #[schema(example = "tiger cat", min_length = 1, max_length = 200)]
    tag: Option<String>,
}

/// What a body says.
pub(super) struct Words {
    pub(super) comment: Option<Comment>,
    pub(super) tag: Option<String>,
}

/// The recognition that is meant.
pub(super) fn recognition(query: &Query<'_>) -> Result<RecognitionId, Failure> {
    query.required("recognitionId").map(RecognitionId::from_text)
}

/// `isValid`: exactly `true` or `false`.
pub(super) fn verdict(query: &Query<'_>) -> Result<Verdict, Failure> {
    match query.required("isValid")? {
        "true" => Ok(Verdict::Valid),
        "false" => Ok(Verdict::Invalid),
        _ => Err(Failure::new(Kind::ParameterInvalid, "query parameter isValid must be true or false")),
    }
}

/// What a feedback says.
pub(super) fn parts(rating: &Rating) -> Parts {
    let text = |text: &str| Bytes::copy_from_slice(text.as_bytes());
    let item = rating.item.as_ref().map(ItemId::as_str).map(|item| ("itemId".to_owned(), text(item)));
    let comment = rating.comment.as_ref().map(Comment::as_str).map(|comment| ("comment".to_owned(), text(comment)));
    let tag = rating.tag.as_deref().map(|tag| ("tag".to_owned(), text(tag)));
    let verdict = if rating.verdict == Verdict::Valid { "true" } else { "false" };
    let always =
        [("recognitionId".to_owned(), text(rating.recognition.as_str())), ("isValid".to_owned(), text(verdict))];
    always.into_iter().chain(item).chain(comment).chain(tag).collect()
}

/// What a body says, which may be absent, empty or `{}`.
pub(super) async fn words(headers: &HeaderMap, body: Body) -> Result<Words, Failure> {
    let media = body::media_type(headers);
    let empty = headers.get(axum::http::header::CONTENT_LENGTH).is_some_and(|length| length == "0");
    if !media.is_empty() && (media != "application/json" || !body::is_utf8(headers)) && !empty {
        return Err(wrong_media());
    }
    let bytes = match body::read_body(headers, body, MOST, "the body").await {
        // The content type is checked before the size.
        Err(failure) if media.is_empty() && failure.kind == Kind::TooLarge => return Err(wrong_media()),
        read => read?,
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Words { comment: None, tag: None });
    }
    if media.is_empty() {
        return Err(wrong_media());
    }
    let body = Object::parse(&bytes, Reservation::default())?;
    let comment = body.text("comment")?.map(|text| Comment::new(text).map_err(|rule| field("comment", rule.0)));
    let tag = body.text("tag")?.map(|text| match text.trim() {
        tag if (1..=LONGEST_TAG).contains(&tag.chars().count()) => Ok(tag.to_owned()),
        _ => Err(field("tag", "must be 1 to 200 characters")),
    });
    Ok(Words { comment: comment.transpose()?, tag: tag.transpose()? })
}
