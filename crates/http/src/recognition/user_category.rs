//! The operations below `userCategory/`: users' tokens, their image storage areas, and their datasets.

pub(crate) mod create_data_set;
mod data_set;
pub(crate) mod delete_data_set;
pub(crate) mod delete_image;
pub(crate) mod get_data_set;
pub(crate) mod get_image;
pub(crate) mod get_token;
pub(crate) mod list_data_sets;
pub(crate) mod list_images;
mod request;
pub(crate) mod undo_data_set;
pub(crate) mod update_data_set;
pub(crate) mod upload_image;

use serde::Deserialize;
use utoipa::ToSchema;

/// The most bytes of a body that names one thing.
const MOST: usize = 16 * 1024;

/// Which part of a list.
#[derive(Deserialize, ToSchema)]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct ListAsk {
    /// `nextCursor` of the answer before; left out for the start.
    cursor: Option<String>,
    /// How many at most.
    #[schema(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u64>,
}
