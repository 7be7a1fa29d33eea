//! `railmapData`: the picture of a window of a map.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::Window;
use kaisatsu_railmap::Selection;
use kaisatsu_render::{MAX_PIXELS, Picture, Style};

use super::{
    response::{Refusals, error},
    window::{map, window},
    wire::ErrorAnswer,
};
use crate::{
    Cacheable, Etag, Failure, Gateway, Kind, Query,
    drawings::{Client, DrawError},
    gateway::API_KEY,
    response,
};

const PARAMETERS: [&str; 9] = [API_KEY, "id", "x", "y", "width", "height", "format", "scale", "style"];

/// Long enough for a page that shows the same windows again. A replaced map is seen after this time.
const CACHE_CONTROL: &str = "private, max-age=300";

/// An SVG must not load or run anything. Its own colours are in a style sheet inside it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// The picture of a window of a route map
///
/// `id` alone selects the whole map, `x` and `y` alone everything from there to the far edges, as in railmapDetail: the
/// shapes it answers with are where they are in the picture. A PNG has at most 16,777,216 pixels.
#[utoipa::path(
    get, path = "/railmapData", operation_id = "railmapData", tag = "Route map",
    params(
        ("id" = String, Query, description = "Route map id", example = "tokyo"),
        ("x" = Option<i32>, Query, description = "X of the window start; 0 when left out", nullable = false),
        ("y" = Option<i32>, Query, description = "Y of the window start; 0 when left out", nullable = false),
        ("width" = Option<i32>, Query, minimum = 1, maximum = 500, description = "Width from x; needs height",
            example = 500, nullable = false),
        ("height" = Option<i32>, Query, minimum = 1, maximum = 500, description = "Height from y; needs width",
            example = 500, nullable = false),
        ("format" = Option<String>, Query, description = "png (default) or svg", pattern = "^(png|svg)$",
            nullable = false),
        ("scale" = Option<i32>, Query, minimum = 1, maximum = 3,
            description = "Pixels for one unit of the map; 1 when left out", nullable = false),
        ("style" = Option<String>, Query, description = "light (default) or dark", pattern = "^(light|dark)$",
            nullable = false),
    ),
    security(("APIKEY" = [])),
    responses(
        (status = 200, description = "The picture, with an ETag", content((Vec<u8> = "image/png"),
            (String = "image/svg+xml;charset=UTF-8"))),
        (status = 304, description = "The caller has it already, by the ETag in If-None-Match"),
        (status = 404, description = "W404: no such map", body = ErrorAnswer,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
    )
)]
pub(crate) async fn railmap_data(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Query::read(raw.as_deref(), &PARAMETERS);
    match gateway.admit(&query, &headers).await {
        Ok(caller) => response::with_caller(caller, picture(&gateway, &query, &headers).await.unwrap_or_else(error)),
        Err(failure) => error(failure),
    }
}

async fn picture(gateway: &Gateway, query: &Query<'_>, headers: &HeaderMap) -> Result<Response, Failure> {
    let Request { id, selection, format, scale, style } = Request::read(query)?;
    let loaded = map(gateway, id)?;
    let extent = loaded.map.extent;
    let window = selection.window(&extent).unwrap_or(extent);
    check(&window, &extent, format, scale)?;
    let map = loaded.prepared.etag();
    let etag = Etag::of(format_args!("railmapData {map} {window:?} {format:?} {scale} {style:?}"));
    let cacheable = Cacheable {
        etag,
        content_type: format.content_type(),
        cache_control: CACHE_CONTROL,
        content_security_policy: POLICY,
    };
    if cacheable.is_current(headers) {
        return Ok(cacheable.not_modified());
    }
    let draw = move || {
        let picture = Picture { map: &loaded.map, window, scale, style };
        Ok(match format {
            Format::Png => kaisatsu_render::png(&picture)?.into(),
            Format::Svg => kaisatsu_render::svg(&picture).into(),
        })
    };
    Ok(cacheable.ok(gateway.drawings.get(Client::Api, etag, draw).await?))
}

/// Refuses an empty window and a PNG with too many pixels.
fn check(window: &Window, extent: &Window, format: Format, scale: u8) -> Result<(), Failure> {
    if window.width == 0 || window.height == 0 {
        let rule = format!(
            "the window is empty: x must be less than {} and y less than {} on this map, unless width and height are \
                given",
            extent.width, extent.height
        );
        return Err(Failure::new(Kind::OutOfRange, rule));
    }
    let scale = i64::from(scale);
    let pixels = window.width.saturating_mul(window.height).saturating_mul(scale * scale);
    if format == Format::Png && pixels > MAX_PIXELS {
        return Err(DrawError::TooLarge.into());
    }
    Ok(())
}

/// The formats of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Png,
    Svg,
}

impl Format {
    fn content_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Svg => "image/svg+xml;charset=UTF-8",
        }
    }
}

/// The parameters of a valid request.
#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    id: &'a str,
    selection: Selection,
    format: Format,
    scale: u8,
    style: Style,
}

impl<'a> Request<'a> {
    fn read(query: &'a Query<'_>) -> Result<Self, Failure> {
        let id = query.required("id")?;
        let selection = window(query)?;
        let format = match query.text("format")? {
            None | Some("png") => Format::Png,
            Some("svg") => Format::Svg,
            Some(_) => return Err(one_of("format", "png or svg")),
        };
        let scale = query.integer("scale", 1..=3)?.and_then(|scale| u8::try_from(scale).ok()).unwrap_or(1);
        let style = match query.text("style")? {
            None | Some("light") => Style::Light,
            Some("dark") => Style::Dark,
            Some(_) => return Err(one_of("style", "light or dark")),
        };
        Ok(Self { id, selection, format, scale, style })
    }
}

fn one_of(name: &str, words: &str) -> Failure {
    Failure::new(Kind::ParameterInvalid, format!("query parameter {name} must be {words}"))
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::Window;
    use kaisatsu_railmap::Selection;
    use kaisatsu_render::Style;

    use super::{Format, PARAMETERS, Request, check};
    use crate::Query;

    #[test]
    fn omitted_parameters_have_their_defaults() {
        let read = |raw: &str| {
            let query = Query::read(Some(raw), &PARAMETERS);
            let read = Request::read(&query).map_err(|failure| failure.message);
            read.map(|request| (request.selection, request.format, request.scale, request.style))
        };
        assert_eq!(read("id=m"), Ok((Selection::From(0, 0), Format::Png, 1, Style::Light)));
        let all = read("id=m&x=1&y=2&format=svg&scale=3&style=dark&stationName=a");
        assert_eq!(all, Ok((Selection::From(1, 2), Format::Svg, 3, Style::Dark)));
        assert_eq!(read("id=m&format=PNG"), Err("query parameter format must be png or svg".to_owned()));
        assert_eq!(read("id=m&scale=4"), Err("query parameter scale must be from 1 to 3".to_owned()));
        assert_eq!(
            read("id=m&style="),
            Err("query parameter style is empty; leave it out or give it a value".to_owned())
        );
    }

    #[test]
    fn the_limit_applies_to_the_pixels_of_a_png() {
        let extent = Window { x: 0, y: 0, width: 4_096, height: 4_096 };
        assert!(check(&extent, &extent, Format::Png, 1).is_ok());
        assert!(check(&extent, &extent, Format::Png, 2).is_err_and(|failure| failure.message.contains("16777216")));
        assert!(check(&extent, &extent, Format::Svg, 3).is_ok());
        let far = Window { width: i64::MAX, ..extent };
        assert!(check(&far, &extent, Format::Png, 3).is_err());
        let empty = Window { height: 0, ..extent };
        assert!(check(&empty, &extent, Format::Svg, 1).is_err_and(|failure| failure.message.contains("is empty")));
    }
}
