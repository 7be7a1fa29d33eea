//! What operators and people ask for, beside the two functions: health, metrics, documentation, a first page.

pub(crate) mod docs;
pub(crate) mod health;
pub(crate) mod metrics;
pub(crate) mod welcome;
