//! The image recognition function: `/imageRecognition/v1/…`.

pub(crate) mod answer;
pub(crate) mod models;
