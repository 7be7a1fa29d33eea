//! `userCategory/updateDataSet`: changes a dataset, which goes on answering until the new version is built.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use kaisatsu_model::{DatasetId, ImageId, Tag};
use kaisatsu_recognition::DatasetChanges;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    super::{
        json::{Object, field},
        response::{Accepted, BodyRefusals, RecognitionError, Refusals, UserRefusals},
    },
    create_data_set::{ImageAsk, image_requests},
    data_set::{DataSetWire, dataset_name},
    request::{UserQuery, UserRequest},
};
use crate::{Failure, Gateway};

/// The most bytes of a body: as many as for a new dataset.
const MOST: usize = 8 << 20;

/// What changes. Fields that are left out change nothing.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct UpdateAsk {
    /// What `createDataSet` answered with, or the name of the dataset.
    #[schema(example = "dts_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    data_set_id: String,
    /// What the user calls it from now on.
    #[schema(example = "cups and glasses", min_length = 1, max_length = 200)]
    name: Option<String>,
    /// Images to add.
    add: Option<Vec<ImageAsk>>,
    /// Images of the dataset to remove, by `imageId`.
    remove: Option<Vec<String>>,
    /// Images of the dataset that get another tag.
    retag: Option<Vec<RetagAsk>>,
    /// Tags to rename. A tag that exists already takes the images in, so that two tags can be merged.
    rename_tags: Option<Vec<RenameTagAsk>>,
    /// Images of the dataset, by `imageId`, whose tag is right: `health.likelyMislabelled` does not list them any more.
    confirm: Option<Vec<String>>,
}

/// An image that gets another tag.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct RetagAsk {
    /// An image of the dataset.
    image_id: String,
    /// What it shows.
    #[schema(example = "espresso", min_length = 1, max_length = 100)]
    tag: String,
}

/// A tag that gets another name.
#[derive(Deserialize, ToSchema)]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct RenameTagAsk {
    /// A tag of the dataset.
    #[schema(example = "expresso", min_length = 1, max_length = 100)]
    from: String,
    /// What it is called from now on.
    #[schema(example = "espresso", min_length = 1, max_length = 100)]
    to: String,
}

/// Changes a dataset
#[utoipa::path(
    post, path = "/userCategory/updateDataSet", operation_id = "updateDataSet", tag = "User categories",
    description = "Adds, removes and retags images, renames or merges tags, and renames the dataset. If its images \
                   change, a new version is built in the background, and\nthe dataset answers as before until it is \
                   ready; `update` in the answers of `getDataSet` says how far it is. A change that is sent while a \
                   version is being built is\nadded to that version. `undoDataSet` takes the last change back.",
    security(("APIKEY" = [])),
    params(UserQuery),
    request_body(content = UpdateAsk, content_type = "application/json"),
    responses(
        (status = 202, description = "The change is kept, and the new version will be built", body = DataSetWire,
            content_type = "application/json;charset=UTF-8"),
        (status = 400,
            description = "105: the body is not JSON; 106: a field is missing or invalid, or no image would be left; \
            110: too many images or tags",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        (status = 404,
            description = "301: no such dataset of this user, an image is not in it or not in the storage area, or no \
            image has the tag to rename",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        Refusals,
        UserRefusals,
        BodyRefusals,
    )
)]
pub(crate) async fn update_data_set(State(gateway): State<Arc<Gateway>>, request: UserRequest) -> Response {
    let function = "userCategory/updateDataSet";
    request
        .respond(&gateway, function, MOST, async |user, body| {
            let id = DatasetId::from_text(body.required_id("dataSetId")?);
            let changes = requested(body, gateway.recognition.datasets.most_images())?;
            let set = gateway.recognition.datasets.update(&user, &id, changes).await?;
            Ok(Accepted(DataSetWire::of(&set, false)))
        })
        .await
}

fn requested(mut body: Object, most: usize) -> Result<DatasetChanges, Failure> {
    const FIELDS: [&str; 6] = ["name", "add", "remove", "retag", "renameTags", "confirm"];
    if FIELDS.iter().all(|name| !body.has(name)) {
        return Err(field(&FIELDS.join(", "), "are missing: at least one of them says what changes"));
    }
    let name = body.text("name")?.map(dataset_name).transpose()?;
    let ids = |body: &mut Object, name: &str| -> Result<Vec<ImageId>, Failure> {
        Ok(body.texts(name)?.into_iter().map(ImageId::from_text).collect())
    };
    let tag = |object: &Object, list: &str, place: usize, name: &str| {
        let at = format!("{list}[{place}].{name}");
        let text = object.text(name).map_err(|_| field(&at, "must be a string"))?;
        let text = text.ok_or_else(|| field(&at, "is missing"))?;
        Tag::new(text).map_err(|rule| field(&at, rule.0))
    };
    let add = if body.has("add") { image_requests(&mut body, "add", most)? } else { Vec::new() };
    let (remove, confirm) = (ids(&mut body, "remove")?, ids(&mut body, "confirm")?);
    let mut retag = Vec::new();
    for (place, object) in body.optional_objects("retag")?.iter().enumerate() {
        let at = format!("retag[{place}].imageId");
        let id = object.text("imageId").map_err(|_| field(&at, "must be a string"))?;
        let id = ImageId::from_text(id.ok_or_else(|| field(&at, "is missing"))?);
        retag.push((id, tag(object, "retag", place, "tag")?));
    }
    let mut rename_tags = Vec::new();
    for (place, object) in body.optional_objects("renameTags")?.iter().enumerate() {
        rename_tags.push((tag(object, "renameTags", place, "from")?, tag(object, "renameTags", place, "to")?));
    }
    Ok(DatasetChanges { name, add, remove, retag, rename_tags, confirm })
}
