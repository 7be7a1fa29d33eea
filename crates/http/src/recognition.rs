//! The image recognition function: `/imageRecognition/v1/…`.

pub(crate) mod catalogue;
pub(crate) mod classify;
pub(crate) mod collections;
pub(crate) mod detect;
pub(crate) mod explain;
mod failure;
pub(crate) mod feedback;
pub(crate) mod feedback_to_candidate;
pub(crate) mod feedback_totals;
pub(crate) mod form;
mod idempotency;
mod image_answer;
mod item_form;
mod json;
pub(crate) mod model_tags;
pub(crate) mod models;
pub(crate) mod read_text;
pub(crate) mod recognize;
pub(crate) mod response;
pub(crate) mod similar;
pub(crate) mod thumbnail;
pub(crate) mod user_category;
mod verdict;
