//! The use cases of image recognition: look at a picture, keep what was found, take feedback on it; and what belongs to
//! users: their images and the datasets made of them.
//!
//! Heavy work happens in the bounded engine of `vision`; what is worth keeping goes into the store before the caller
//! hears of it. Nothing here knows of HTTP.

mod catalogue;
pub mod check;
mod classify;
mod collections;
mod datasets;
mod detect;
mod embed;
mod erase;
mod error;
mod feedback;
mod follow;
pub mod import;
mod keep;
mod learning;
mod reading;
mod recogniser;
mod recognize;
mod similar;
mod slots;
mod storage;
mod sweep;
mod tally;
mod users;

pub use classify::{ClassifyAsk, Tag};
pub use datasets::{DataSet, Source, Wanted};
pub use detect::{DetectAsk, Thing};
pub use error::RecognitionError;
pub use feedback::{Rating, TotalsAsk};
pub use kaisatsu_store::{
    DataSetImageRow, FeedbackFilter, FeedbackRow, KeptItem, Push, RecognitionRecord, Standing, StoreError, Total,
    UserImage, hex,
};
pub use kaisatsu_vision::{DecodeError, manifest::Task};
pub use keep::{Keeping, Kept};
pub use recogniser::{ModelInfo, Recogniser, Settings};
pub use recognize::{Evidence, RecognizeAsk, Sighted};
pub use similar::{Likeness, SimilarAsk};
pub use slots::describe_metrics;
pub use storage::{Cursor, Page, UploadAsk, Uploaded};
pub use users::{User, UserLimits, UserSettings};
