//! `thumbnail`: a small picture of an image of a collection, or of an item of the catalogue.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_recognition::hex;
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{
    image_answer::{ImageAnswer, KEPT, REVALIDATED},
    response::{RecognitionError, Refusals, respond_with},
};
use crate::{Failure, Gateway, Kind, Query, gateway::API_KEY};

const PATH: &str = "/imageRecognition/v1/thumbnail";

/// What a value in a query keeps: the unreserved characters, and `/`.
const VALUE: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// What no address contains as it is.
const INVALID: AsciiSet =
    CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');

/// The address of the thumbnail of an image of a collection, for a server at the same place.
pub(super) fn of_image(collection: &str, image: &str, sha256: Option<Vec<u8>>) -> Option<String> {
    let (collection, image) = (utf8_percent_encode(collection, &VALUE), utf8_percent_encode(image, &VALUE));
    Some(format!("{PATH}?collection={collection}&imageId={image}&version={}", version(&sha256?)))
}

/// The address of the thumbnail of an item.
pub(super) fn of_item(id: &str, sha256: Option<Vec<u8>>) -> Option<String> {
    Some(format!("{PATH}?id={}&version={}", utf8_percent_encode(id, &VALUE), version(&sha256?)))
}

/// Enough of the hash that another picture has another address.
fn version(sha256: &[u8]) -> String {
    hex(sha256.get(..6).unwrap_or(sha256))
}

/// An address as an operator wrote it, or as a command made it of a file name, with everything encoded that must not be
/// in an address.
pub(super) fn valid_address(text: &str) -> String {
    utf8_percent_encode(text, &INVALID).to_string()
}

/// A small picture of an image of a collection, or of an item of the catalogue
///
/// A JPEG of at most 256 pixels a side, for people to look at. `thumbnailUrl` in the answers of `similarImage/search`,
/// `recognize` and the lists is its address, without the key. Images and items that were added before thumbnails were
/// kept have none.
#[utoipa::path(
    get, path = "/thumbnail", operation_id = "getThumbnail", tag = "Image recognition",
    security(("APIKEY" = [])),
    params(
        ("collection" = Option<String>, Query, description = "The collection that the image is in; with imageId",
            example = "museum"),
        ("imageId" = Option<String>, Query, description = "The image", example = "cups/espresso-03.jpg"),
        ("id" = Option<String>, Query, description = "The item, instead of collection and imageId",
            example = "9784101010014"),
        ("version" = Option<String>, Query, description = "Part of the address in answers. It changes with the picture: \
            with it a browser keeps the picture for an hour, and without it asks each time"),
    ),
    responses(
        (status = 200, description = "The picture", content_type = "image/jpeg", body = Vec<u8>),
        (status = 304, description = "The caller has it already, by the ETag in If-None-Match"),
        (status = 400, description = "103, 104: a query parameter", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: no such image or item, or it has no thumbnail", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
    )
)]
pub(crate) async fn get_thumbnail(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, "collection", "imageId", "id", "version"]);
    respond_with("thumbnail", gateway.admit(&query, &headers).await, async |_| {
        let thumbnails = &gateway.recognition.thumbnails;
        let key = match (query.text("id")?, query.text("collection")?, query.text("imageId")?) {
            (Some(id), None, None) => thumbnails.of_item(id).await?,
            (None, Some(collection), Some(image)) => thumbnails.of_image(collection, image).await?,
            (Some(_), ..) => {
                let rule = "query parameter id excludes collection and imageId; leave one or the others out";
                return Err(Failure::new(Kind::ParameterInvalid, rule));
            }
            (None, Some(_), None) => return Err(missing("imageId")),
            (None, None, Some(_)) => return Err(missing("collection")),
            (None, None, None) => return Err(missing("id, or collection with imageId,")),
        };
        let (tag, caching) = (hex(&key.sha256), if query.has("version") { KEPT } else { REVALIDATED });
        ImageAnswer::of(&gateway, &headers, &tag, caching, async || thumbnails.read(&key).await).await
    })
    .await
}

fn missing(what: &str) -> Failure {
    Failure::new(Kind::ParameterMissing, format!("query parameter {what} is missing"))
}

#[cfg(test)]
mod tests {
    use super::{of_image, valid_address};

    #[test]
    fn what_must_not_be_in_an_address_is_encoded_and_all_else_stays() {
        for (written, valid) in [
            ("https://example.org/a b/カップ.jpg", "https://example.org/a%20b/%E3%82%AB%E3%83%83%E3%83%97.jpg"),
            ("https://example.org/a%20b?x=1&y=[2]#z", "https://example.org/a%20b?x=1&y=[2]#z"),
            ("pictures/1.jpg", "pictures/1.jpg"),
            ("", ""),
            ("a\"<b>|", "a%22%3Cb%3E%7C"),
        ] {
            assert_eq!(valid_address(written), valid);
        }
    }

    #[test]
    fn the_address_of_a_thumbnail_has_the_ids_encoded() {
        let address = of_image("museum", "cups/a&b é.jpg", Some(vec![0xab; 32]));
        let wanted =
            "/imageRecognition/v1/thumbnail?collection=museum&imageId=cups/a%26b%20%C3%A9.jpg&version=abababababab";
        assert_eq!(address.as_deref(), Some(wanted));
        assert_eq!(of_image("museum", "a", None), None);
    }
}
