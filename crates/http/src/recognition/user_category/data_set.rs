//! A dataset on the wire.

use kaisatsu_model::{DatasetId, DatasetName, Outcome, Phase};
use kaisatsu_recognition::{Dataset, DatasetImageRow, DatasetWarning};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::super::json::{Object, field};
use crate::Failure;

/// The dataset that a body names, by its id or by the name that its user gave it.
pub(super) fn data_set_id(body: &Object) -> Result<DatasetId, Failure> {
    let text = match (body.id("dataSetId")?, body.id("name")?) {
        (Some(_), Some(_)) => return Err(field("dataSetId", "and name exclude each other; leave one out")),
        (None, Some(name)) => name,
        (_, None) => body.required_id("dataSetId")?,
    };
    Ok(DatasetId::from_text(text))
}

/// A dataset.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataSetWire {
    /// What names it.
    #[schema(example = "dts_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    data_set_id: String,
    /// What the user calls it.
    #[schema(example = "cups")]
    name: String,
    /// `queued`, `building`, `ready` or `failed`.
    #[schema(value_type = String, example = "ready")]
    state: &'static str,
    /// Since when it is in this state, in UTC.
    #[schema(example = "2026-11-15T09:30:00Z")]
    since: String,
    /// When it was created, in UTC.
    #[schema(example = "2026-11-15T09:29:00Z")]
    created_at: String,
    /// The model that its images are looked at with.
    #[schema(example = "general")]
    model: String,
    /// How many images came to what.
    progress: Progress,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<String>,
    /// How good it is, once it is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Object>)]
    health: Option<Value>,
    /// What it cannot do; absent when there is nothing to say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<WarningWire>,
    /// The number of the version that answers; absent for a dataset that has never been changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 2, minimum = 1)]
    version: Option<i64>,
    /// The version that is being built, or that failed; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    update: Option<UpdateWire>,
}

/// A version of a dataset that does not answer yet.
#[derive(Serialize, ToSchema)]
pub(crate) struct UpdateWire {
    /// `queued`, `building` or `failed`.
    #[schema(value_type = String, example = "building")]
    state: &'static str,
    /// How many images came to what.
    progress: Progress,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<String>,
}

impl crate::response::JsonBody for DataSetWire {}

/// Something that a dataset cannot do, although it is or will be built.
#[derive(Serialize, ToSchema)]
pub(crate) struct WarningWire {
    /// `oneTag`: all images have the same tag. `untaggedImages`: images of the storage area have no tag and are left
    /// out.
    #[schema(value_type = String, example = "oneTag")]
    code: &'static str,
    /// The same in words.
    #[schema(value_type = String, example = "all images have the same tag: the dataset can be searched with \
                                             similarImage/search, but concept/classify needs two tags or more to tell \
                                             apart")]
    message: &'static str,
}

impl WarningWire {
    /// The warnings of a dataset.
    pub(super) fn all(warnings: &[DatasetWarning]) -> Vec<Self> {
        warnings.iter().map(|warning| Self { code: warning.as_str(), message: warning.message() }).collect()
    }
}

/// How many images came to what.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Progress {
    /// All images.
    total: u64,
    /// Those that came to something, good or bad.
    done: u64,
    /// Still to be looked at.
    pending: u64,
    /// In the dataset.
    fetched: u64,
    /// Too many bytes or pixels.
    too_large: u64,
    /// Not an image we read.
    not_an_image: u64,
    /// Nothing there.
    not_found: u64,
    /// Not there in time.
    timed_out: u64,
    /// Not an address that may be fetched.
    denied: u64,
    /// More bytes than the user may have.
    over_quota: u64,
    /// Anything else.
    failed: u64,
}

/// What became of an image of a dataset.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImageWire {
    /// What names it.
    #[schema(example = "img_3x1yq0a8c5v7k2mz3x1yq0a8c5v7k2mz")]
    image_id: String,
    /// Where it comes from; empty for an image of the storage area.
    url: String,
    /// The user's name for it in the storage area, such as a file name. Absent for images of other places, without a
    /// name, and deleted from the storage area.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "espresso-03.jpg")]
    name: Option<String>,
    /// What it shows.
    tag: String,
    /// `pending`, `fetched`, `tooLarge`, `notAnImage`, `notFound`, `timedOut`, `denied`, `overQuota` or `failed`.
    #[schema(value_type = String, example = "fetched")]
    outcome: &'static str,
    /// What was wrong, in words; empty when nothing was.
    detail: String,
    /// `true` when the image was deleted from the storage area. The dataset goes on recognising with it, and `getImage`
    /// does not show it any more. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    deleted: Option<bool>,
}

/// The name of a dataset in a body. What looks like an id is one wherever either may stand, so it is no name.
pub(super) fn dataset_name(text: &str) -> Result<DatasetName, Failure> {
    if text.starts_with(DatasetId::PREFIX) {
        return Err(field("name", "must not begin with dts_, as ids of datasets do"));
    }
    DatasetName::new(text).map_err(|rule| field("name", rule.0))
}

impl DataSetWire {
    /// A dataset, with its health report if that is wanted.
    pub(super) fn of(set: &Dataset, with_health: bool) -> Self {
        let row = &set.row;
        Self {
            data_set_id: row.id().as_str().to_owned(),
            name: row.name().to_owned(),
            state: row.phase().as_str(),
            since: row.changed_at().to_utc(),
            created_at: row.created_at().to_utc(),
            model: row.model.clone(),
            progress: Progress::of(&set.counts),
            reason: row.reason.clone().filter(|_| row.phase() == Phase::Failed),
            health: set.report().filter(|_| with_health),
            warnings: WarningWire::all(&set.warnings),
            version: (row.version > 1 || row.undoable()).then_some(row.version),
            update: set.next.as_ref().map(|(phase, counts)| UpdateWire {
                state: phase.as_str(),
                progress: Progress::of(counts),
                reason: row.next_reason.clone().filter(|_| *phase == Phase::Failed),
            }),
        }
    }
}

impl Progress {
    fn of(counts: &[(Outcome, u64)]) -> Self {
        let count = |wanted| counts.iter().find(|(outcome, _)| *outcome == wanted).map_or(0, |(_, count)| *count);
        let (total, pending) = (counts.iter().map(|(_, count)| count).sum::<u64>(), count(Outcome::Pending));
        Self {
            total,
            done: total - pending,
            pending,
            fetched: count(Outcome::Fetched),
            too_large: count(Outcome::TooLarge),
            not_an_image: count(Outcome::NotAnImage),
            not_found: count(Outcome::NotFound),
            timed_out: count(Outcome::TimedOut),
            denied: count(Outcome::Denied),
            over_quota: count(Outcome::OverQuota),
            failed: count(Outcome::Failed),
        }
    }
}

impl From<DatasetImageRow> for ImageWire {
    fn from(row: DatasetImageRow) -> Self {
        Self {
            image_id: row.image_id.as_str().to_owned(),
            url: row.url.unwrap_or_default(),
            name: row.name,
            tag: row.tag,
            outcome: row.outcome.as_str(),
            detail: row.detail.unwrap_or_default(),
            deleted: row.deleted.then_some(true),
        }
    }
}
