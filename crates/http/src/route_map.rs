//! The route map function: `/<route_service>/v1/…`.

pub(crate) mod course;
mod course_wire;
pub(crate) mod data;
pub(crate) mod detail;
pub(crate) mod list;
pub(crate) mod prepared;
pub(crate) mod response;
pub(crate) mod station;
pub(crate) mod station_near;
pub(crate) mod stations;
mod stations_wire;
mod waypoints;
mod window;
pub(crate) mod wire;
