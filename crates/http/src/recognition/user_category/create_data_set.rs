//! `userCategory/createDataSet`: a dataset out of addresses and stored images.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use kaisatsu_model::{ImageId, Phase, Tag};
use kaisatsu_recognition::{DatasetImageRequest, DatasetSource, ImageOrigin};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    super::{
        idempotency::{IdempotencyHeader, RepeatRefusals},
        json::{Object, field},
        response::{Accepted, BodyRefusals, RecognitionError, Refusals, UserRefusals},
    },
    data_set::{WarningWire, dataset_name},
    request::{UserQuery, UserRequest},
};
use crate::{Failure, Gateway, Kind, body::Reservation};

/// The most bytes of a body: ten thousand addresses of a usual length fit.
const MOST: usize = 8 << 20;

/// What a dataset is to be made of.
#[derive(Deserialize, ToSchema)]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct CreateAsk {
    /// What the user calls it.
    #[schema(example = "cups", min_length = 1, max_length = 200)]
    name: String,
    /// Its images; either these or `from`.
    #[schema(nullable = false, min_items = 1)]
    images: Option<Vec<ImageAsk>>,
    /// `storage`: all images of the user's storage area that have a tag, under a name that no other dataset of the
    /// user has. The dataset may then be named by it wherever `dataSetId` is asked for.
    #[schema(nullable = false, example = "storage", pattern = "^storage$")]
    from: Option<String>,
}

/// An image of a dataset: `url` or `imageId`, and `tag`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct ImageAsk {
    /// Where the image is: http or https, open to everybody.
    #[schema(example = "https://example.org/cup.jpg", max_length = 2000)]
    url: Option<String>,
    /// An image of the user's storage area.
    image_id: Option<String>,
    /// What it shows. It may be left out for a stored image that has a tag.
    #[schema(example = "espresso", min_length = 1, max_length = 100)]
    tag: Option<String>,
}

/// A dataset that will be built.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateAnswer {
    /// What names it from now on.
    #[schema(example = "dts_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    data_set_id: String,
    /// `queued`.
    #[schema(value_type = String, example = "queued")]
    state: &'static str,
    /// What it will not be able to do; absent when there is nothing to say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<WarningWire>,
}

impl crate::response::JsonBody for CreateAnswer {}

/// Creates a dataset out of addresses and stored images
#[utoipa::path(
    post, path = "/userCategory/createDataSet", operation_id = "createDataSet", tag = "User categories",
    description = "It is built in the background; `getDataSet` says how far it is and what became of each image. An \
                   image that cannot be had costs only\nitself. The dataset fails when fewer than half of its images \
                   can be used. With `from: \"storage\"` it is made of all tagged images of\nthe storage area.",
    security(("APIKEY" = [])),
    params(UserQuery, IdempotencyHeader),
    request_body(content = CreateAsk, content_type = "application/json"),
    responses(
        (status = 202, description = "It is kept and will be built", body = CreateAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400,
            description = "105: the body is not JSON; 106: a field is missing or invalid; 110: too many images or tags",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 404, description = "301: an image is not in the user's storage area", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
        (status = 403,
            description = "201: the API key is disabled or may not be used from there, or none of the addresses may \
            be fetched; 203: the user has as many datasets as allowed, and the message says what may be deleted",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        UserRefusals,
        BodyRefusals,
        RepeatRefusals,
    )
)]
pub(crate) async fn create_data_set(State(gateway): State<Arc<Gateway>>, request: UserRequest) -> Response {
    let function = "userCategory/createDataSet";
    request
        .respond_once(&gateway, function, MOST, async |user, body, id| {
            let name = dataset_name(body.required("name")?)?;
            let source = source(body, gateway.recognition.datasets.most_images())?;
            let datasets = &gateway.recognition.datasets;
            let (id, warnings) = match id {
                Some(id) => datasets.create_as(id, &user, name, source).await?,
                None => datasets.create(&user, name, source).await?,
            };
            Ok(Accepted(CreateAnswer {
                data_set_id: id.as_str().to_owned(),
                state: Phase::Queued.as_str(),
                warnings: WarningWire::all(&warnings),
            }))
        })
        .await
}

/// Parses a body and returns how many images it lists, for the fuzz target.
pub(crate) fn parse(body: &[u8], most: usize) -> Result<usize, Failure> {
    let body = Object::parse(body, Reservation::default())?;
    dataset_name(body.required("name")?)?;
    body.page()?;
    Ok(match source(body, most)? {
        DatasetSource::Images(images) => images.len(),
        DatasetSource::Storage => 0,
    })
}

fn source(body: Object, most: usize) -> Result<DatasetSource, Failure> {
    match body.text("from")? {
        None => requested(body, most).map(DatasetSource::Images),
        Some("storage") if body.has("images") => Err(field("from", "and images exclude each other; leave one out")),
        Some("storage") => Ok(DatasetSource::Storage),
        Some(_) => Err(field("from", "must be storage, or absent")),
    }
}

fn requested(mut body: Object, most: usize) -> Result<Vec<DatasetImageRequest>, Failure> {
    let images = image_requests(&mut body, "images", most)?;
    if images.is_empty() {
        return Err(field("images", "is empty; a dataset is made of one image or more"));
    }
    Ok(images)
}

/// The images of a list: each with `url` or `imageId`, and `tag`.
pub(super) fn image_requests(body: &mut Object, list: &str, most: usize) -> Result<Vec<DatasetImageRequest>, Failure> {
    let images = body.objects(list)?;
    if images.len() > most {
        let message = format!("body field {list} has {} images, and a dataset may have {most}", images.len());
        return Err(Failure::new(Kind::TooManyInputs, message));
    }
    let image = |(place, image): (usize, &Object)| {
        let at = |name: &str| format!("{list}[{place}].{name}");
        let text = |name: &str| image.text(name).map_err(|_| field(&at(name), "must be a string"));
        let origin = match (text("url")?, text("imageId")?) {
            (Some(url), None) => ImageOrigin::Url(url.to_owned()),
            (None, Some(id)) => ImageOrigin::Stored(ImageId::from_text(id)),
            _ => return Err(field(&format!("{list}[{place}]"), "must have either url or imageId")),
        };
        let tag = text("tag")?.map(|tag| Tag::new(tag).map_err(|rule| field(&at("tag"), rule.0))).transpose()?;
        if tag.is_none() && matches!(origin, ImageOrigin::Url(_)) {
            return Err(field(&at("tag"), "is missing"));
        }
        Ok(DatasetImageRequest { origin, tag })
    };
    images.iter().enumerate().map(image).collect()
}
