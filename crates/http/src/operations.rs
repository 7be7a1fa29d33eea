//! What operators need beside the two functions: health and metrics.

pub(crate) mod health;
pub(crate) mod metrics;
