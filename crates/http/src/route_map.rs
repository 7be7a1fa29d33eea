//! The route map function: `/<route_service>/v1/…`.

pub(crate) mod data;
pub(crate) mod detail;
pub(crate) mod list;
pub(crate) mod prepared;
pub(crate) mod response;
mod station;
mod window;
pub(crate) mod wire;
