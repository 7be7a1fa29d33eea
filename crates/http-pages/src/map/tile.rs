//! `/map/{id}/{tag}/{style}/{z}/{x}/{y}.png`: a tile. The tag of the map in its language is in the address, so a tile
//! never changes.

use std::sync::Arc;

use axum::{
    extract::{Path, RawQuery, State, rejection::PathRejection},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use kaisatsu_model::MapLanguage;
use kaisatsu_railmap::{LoadedMap, RouteMap};
use kaisatsu_render::{Picture, PictureError, Style};

use super::{
    NotFound, map,
    pyramid::{DEEPEST, Pyramid, TILE, Tile, number},
};
use kaisatsu_http::{Cacheable, Etag, Gateway, PreparedMap, Query, map_language, plain_error};

type Address = (String, String, String, String, String, String);

const IMMUTABLE: &str = "public, max-age=31536000, immutable";

pub(super) async fn tile(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    path: Result<Path<Address>, PathRejection>,
    request: HeaderMap,
) -> Response {
    let language = match map_language(&Query::read(raw.as_deref(), &["language"])) {
        Ok(language) => language,
        Err(failure) => return plain_error(failure),
    };
    let (loaded, style, tile) = match found(&gateway, path, language) {
        Ok(found) => found,
        Err(missing) => return missing.into_response(),
    };
    let etag = Etag::of(format_args!("tile {} {style:?} {:?}", loaded.prepared.etag(), tile));
    let cacheable = Cacheable {
        etag,
        content_type: "image/png",
        cache_control: IMMUTABLE,
        content_security_policy: "default-src 'none'",
    };
    if cacheable.is_current(&request) {
        return cacheable.not_modified();
    }
    match gateway.draw_for_page(etag, move || draw(&loaded.map, style, &tile)).await {
        Ok(picture) => cacheable.ok(picture),
        Err(failure) => plain_error(failure),
    }
}

fn found(
    gateway: &Gateway,
    path: Result<Path<Address>, PathRejection>,
    language: MapLanguage,
) -> Result<(Arc<LoadedMap<PreparedMap>>, Style, Tile), NotFound> {
    const NONE: NotFound = NotFound("this map has no such tile");
    let Path((id, tag, style, z, x, file)) = path?;
    let loaded = map(gateway, &id, language)?;
    if tag != loaded.prepared.etag().to_string() {
        return Err(NotFound("the map has changed; load the page again"));
    }
    let style = match style.as_str() {
        "light" => Style::Light,
        "dark" => Style::Dark,
        _ => return Err(NONE),
    };
    let y = file.strip_suffix(".png").and_then(number);
    let address = number(&z).zip(number(&x)).zip(y);
    let tile = address.and_then(|((z, x), y)| Pyramid::of(&loaded.map.extent).tile(z, x, y)).ok_or(NONE)?;
    Ok((loaded, style, tile))
}

/// The two deepest levels are drawn as railmapData draws them, the levels above as overviews.
fn draw(map: &RouteMap, style: Style, tile: &Tile) -> Result<Bytes, PictureError> {
    let scale = DEEPEST >> tile.below.min(7);
    let picture = Picture { scale: scale.into(), style, ..Picture::new(map, tile.window) };
    let drawn =
        if scale == 0 { kaisatsu_render::overview(&picture, TILE, TILE) } else { kaisatsu_render::png(&picture) };
    Ok(drawn?.into())
}
