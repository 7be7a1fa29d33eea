//! `/map/{id}/{tag}/{style}/{z}/{x}/{y}.png`: a tile. The tag is in the address, so a tile never changes.

use std::sync::Arc;

use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use kaisatsu_railmap::{RouteMap, Shelved};
use kaisatsu_render::{Picture, Style};

use super::{
    Missing, map,
    pyramid::{DEEPEST, Pyramid, TILE, Tile, number},
    refuse,
};
use crate::{
    Gateway, Rendered,
    pictures::{Asker, Undrawn},
    tagged::{Tag, Tagged},
};

type Address = (String, String, String, String, String, String);

const FOR_EVER: &str = "public, max-age=31536000, immutable";

pub(super) async fn tile(
    State(gateway): State<Arc<Gateway>>,
    path: Result<Path<Address>, PathRejection>,
    request: HeaderMap,
) -> Response {
    let (shelved, style, tile) = match found(&gateway, path) {
        Ok(found) => found,
        Err(missing) => return missing.into_response(),
    };
    let tag = Tag::of(format_args!("tile {} {style:?} {:?}", shelved.prepared.tag, tile));
    let tagged = Tagged { tag, media: "image/png", keep: FOR_EVER, policy: "default-src 'none'" };
    if tagged.is_known(&request) {
        return tagged.unchanged();
    }
    match gateway.pictures.get(Asker::Page, tag, move || draw(&shelved.map, style, &tile)).await {
        Ok(picture) => tagged.whole(picture),
        Err(undrawn) => refuse(&undrawn.into()),
    }
}

fn found(
    gateway: &Gateway,
    path: Result<Path<Address>, PathRejection>,
) -> Result<(Arc<Shelved<Rendered>>, Style, Tile), Missing> {
    const NONE: Missing = Missing("this map has no such tile");
    let Path((id, tag, style, z, x, file)) = path?;
    let shelved = map(gateway, &id)?;
    if tag != shelved.prepared.tag.to_string() {
        return Err(Missing("the map has changed; load the page again"));
    }
    let style = match style.as_str() {
        "light" => Style::Light,
        "dark" => Style::Dark,
        _ => return Err(NONE),
    };
    let y = file.strip_suffix(".png").and_then(number);
    let address = number(&z).zip(number(&x)).zip(y);
    let tile = address.and_then(|((z, x), y)| Pyramid::of(&shelved.map.extent).tile(z, x, y)).ok_or(NONE)?;
    Ok((shelved, style, tile))
}

/// The deepest levels are drawn as railmapData draws, those above as from far away.
fn draw(map: &RouteMap, style: Style, tile: &Tile) -> Result<Bytes, Undrawn> {
    let scale = DEEPEST >> tile.below.min(7);
    let picture = Picture { map, window: tile.window, scale, style };
    let drawn =
        if scale == 0 { kaisatsu_render::overview(&picture, TILE, TILE) } else { kaisatsu_render::png(&picture) };
    Ok(drawn?.into())
}
