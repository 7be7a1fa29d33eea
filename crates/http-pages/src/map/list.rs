//! `/map`: the list of maps.

use std::{fmt::Write as _, sync::Arc};

use axum::{
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};

use super::{escape, part};
use crate::embedded;
use kaisatsu_http::{Etag, Gateway};

pub(super) async fn list(State(gateway): State<Arc<Gateway>>, request: HeaderMap) -> Response {
    let template = match embedded::text::<embedded::Map>("list.html") {
        Ok(template) => template,
        Err(not_built) => return not_built.into_response(),
    };
    let mut rows = String::new();
    for loaded in gateway.maps.all() {
        let map = &loaded.map;
        let (id, name) = (map.id.as_str(), escape(&map.name));
        let edition = if map.edition.is_empty() { String::new() } else { format!(" · {}", escape(&map.edition)) };
        let (stations, lines) = (map.stations().len(), map.lines.len());
        // Writing to a string cannot fail.
        let _ = writeln!(
            rows,
            "      <li><a href=\"/map/{id}\"><strong>{name}</strong> <code>{id}</code></a>\
             <small>{stations} stations · {lines} lines{edition}</small></li>"
        );
    }
    let page = template.replace("{maps}", &rows);
    part(&request, "text/html;charset=UTF-8", Etag::of(format_args!("{page}")), || page.into())
}
