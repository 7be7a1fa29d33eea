//! A part of the server that another crate adds to the router.

use std::sync::Arc;

use axum::Router;

use crate::Gateway;

/// Pages beside the API, from another crate.
pub struct Section {
    /// The routes.
    pub routes: Router<Arc<Gateway>>,
    /// The labels that the requests of the section are counted under.
    pub labels: &'static [&'static str],
    /// The label of a path, if the path belongs to the section.
    pub label: fn(&str) -> Option<&'static str>,
}
