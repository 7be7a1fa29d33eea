//! `railmapData`: the picture of a window of a map.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::{MapLanguage, StationCode, Window};
use kaisatsu_railmap::{RouteMap, Selection};
use kaisatsu_render::{Lettering, MAX_PIXELS, MIN_SCALE, Picture, Style, pixel_sides};

use super::{
    response::{Refusals, error},
    station::language,
    window::{map_in, window},
    wire::ErrorAnswer,
};
use crate::{
    Cacheable, Etag, Failure, Gateway, Kind, Query,
    drawings::{Client, DrawError},
    gateway::API_KEY,
    response,
};

const PARAMETERS: [&str; 12] =
    [API_KEY, "id", "x", "y", "width", "height", "format", "scale", "style", "language", "course", "text"];

/// The most stations of a way.
const MOST_STATIONS: usize = 200;

/// The most map units on a side of a picture. A map of all of Japan has some 60,000.
const MAX_SIDE: i64 = 200_000;

/// The largest scale.
const MAX_SCALE: f64 = 3.0;

/// Long enough for a page that shows the same windows again. A replaced map is seen after this time.
const CACHE_CONTROL: &str = "private, max-age=300";

/// An SVG must not load or run anything. Its own colours are in a style sheet inside it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// The picture of a window of a route map
///
/// `id` alone selects the whole map, `x` and `y` alone everything from there to the far edges, as in railmapDetail: the
/// shapes it answers with are where they are in the picture. A PNG has at most 16,777,216 pixels. Below scale 1, names
/// and marks that would be too small are left out of a PNG. A PDF is one page for printing.
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
        ("format" = Option<String>, Query, description = "png (default), svg or pdf", pattern = "^(png|svg|pdf)$",
            nullable = false),
        ("scale" = Option<f64>, Query, minimum = 0.1, maximum = 3,
            description = "Pixels for one unit of the map, rounded to two decimals; 1 when left out",
            nullable = false),
        ("style" = Option<String>, Query, description = "light (default) or dark", pattern = "^(light|dark)$",
            nullable = false),
        ("language" = Option<String>, Query, description = "Language of the names, which is laid out for itself: ja (default), en or \
            ja-en",
            pattern = "^(ja|en|ja-en)$", nullable = false),
        ("course" = Option<String>, Query, description = "Codes of the stations of a way, separated by commas: \
            everything else is dimmed. Stations that are passed may be left out", example = "1130208,1130101",
            nullable = false),
        ("text" = Option<bool>, Query, description = "true writes letters as text that can be searched and copied, \
            instead of outlines; for format=svg only", nullable = false),
    ),
    security(("APIKEY" = [])),
    responses(
        (status = 200, description = "The picture, with an ETag", content((Vec<u8> = "image/png"),
            (String = "image/svg+xml;charset=UTF-8"), (Vec<u8> = "application/pdf"))),
        (status = 304, description = "The caller has it already, by the ETag in If-None-Match"),
        (status = 404, description = "W404: no such map or station", body = ErrorAnswer,
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
    let Request { id, selection, format, scale, style, language, course, lettering } = Request::read(query)?;
    let loaded = map_in(gateway, id, language)?;
    let extent = loaded.map.extent;
    let window = selection.window(&extent).unwrap_or(extent);
    check(&window, &extent, format, scale)?;
    on_map(&loaded.map, &course)?;
    let map = loaded.prepared.etag();
    // The tag of the map is that of its layout in the language.
    let looks = (window, format, scale, style, lettering, &course);
    let etag = Etag::of(format_args!("railmapData {map} {looks:?}"));
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
        let scale = scale.pixels();
        let picture = Picture { scale, style, course: &course, lettering, ..Picture::new(&loaded.map, window) };
        Ok(match format {
            Format::Png => kaisatsu_render::png(&picture)?.into(),
            Format::Svg => kaisatsu_render::svg(&picture).into(),
            Format::Pdf => kaisatsu_render::pdf(&picture)?.into(),
        })
    };
    Ok(cacheable.ok(gateway.drawings.get(Client::Api, etag, draw).await?))
}

/// Refuses an empty window, a PNG with too many pixels, and a window far beyond any map.
fn check(window: &Window, extent: &Window, format: Format, scale: Scale) -> Result<(), Failure> {
    if window.width == 0 || window.height == 0 {
        let rule = format!(
            "the window is empty: x must be less than {} and y less than {} on this map, unless width and height are \
                given",
            extent.width, extent.height
        );
        return Err(Failure::new(Kind::OutOfRange, rule));
    }
    let (width, height) = pixel_sides(window, scale.pixels());
    if format == Format::Png && width.saturating_mul(height) > MAX_PIXELS {
        return Err(DrawError::TooLarge.into());
    }
    if window.width.max(window.height) > MAX_SIDE {
        let rule = format!(
            "the window is {} by {}; a picture has at most {MAX_SIDE} map units on a side: give x and y that are on the \
             map, or width and height",
            window.width, window.height
        );
        return Err(Failure::new(Kind::OutOfRange, rule));
    }
    Ok(())
}

/// Refuses a way through a station that is not on the map.
fn on_map(map: &RouteMap, course: &[StationCode]) -> Result<(), Failure> {
    let missing = course.iter().find(|code| map.select(&Selection::Code(**code)).is_none());
    let rule =
        |code| Failure::new(Kind::NotFound, format!("query parameter course: station code {code} is not on this map"));
    missing.map_or(Ok(()), |code| Err(rule(code)))
}

/// Pixels per map unit, in hundredths: 10 to 300. Finer differences cannot be seen, and would fill the cache with equal
/// pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Scale(u16);

impl Scale {
    fn pixels(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    fn read(query: &Query<'_>) -> Result<Self, Failure> {
        let Some(text) = query.text("scale")? else { return Ok(Self(100)) };
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(decimals) {
            let rule = "query parameter scale must be a number from 0.1 to 3, such as 2 or 0.25";
            return Err(Failure::new(Kind::ParameterInvalid, rule));
        }
        let scale = text.parse::<f64>().ok().filter(|scale| (MIN_SCALE..=MAX_SCALE).contains(scale));
        let rule = "query parameter scale must be from 0.1 to 3";
        let scale = scale.ok_or_else(|| Failure::new(Kind::OutOfRange, rule))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 10 to 300")]
        Ok(Self((scale * 100.0).round() as u16))
    }
}

/// The formats of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Png,
    Svg,
    Pdf,
}

impl Format {
    fn content_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Svg => "image/svg+xml;charset=UTF-8",
            Self::Pdf => "application/pdf",
        }
    }
}

/// The parameters of a valid request.
#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    id: &'a str,
    selection: Selection,
    format: Format,
    scale: Scale,
    style: Style,
    language: MapLanguage,
    course: Vec<StationCode>,
    lettering: Lettering,
}

impl<'a> Request<'a> {
    fn read(query: &'a Query<'_>) -> Result<Self, Failure> {
        let id = query.required("id")?;
        let selection = window(query)?;
        let format = match query.text("format")? {
            None | Some("png") => Format::Png,
            Some("svg") => Format::Svg,
            Some("pdf") => Format::Pdf,
            Some(_) => return Err(one_of("format", "png, svg or pdf")),
        };
        let scale = Scale::read(query)?;
        let style = match query.text("style")? {
            None | Some("light") => Style::Light,
            Some("dark") => Style::Dark,
            Some(_) => return Err(one_of("style", "light or dark")),
        };
        let (language, course) = (language(query)?, course(query)?);
        let lettering = match query.text("text")? {
            None | Some("false") => Lettering::Outlines,
            Some("true") if format == Format::Svg => Lettering::Text,
            Some("true") => return Err(Failure::new(Kind::ParameterInvalid, "query parameter text needs format=svg")),
            Some(_) => return Err(one_of("text", "true or false")),
        };
        Ok(Self { id, selection, format, scale, style, language, course, lettering })
    }
}

/// `course`: the codes of at least two stations.
fn course(query: &Query<'_>) -> Result<Vec<StationCode>, Failure> {
    let Some(text) = query.text("course")? else { return Ok(Vec::new()) };
    let code = |part: &str| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse().ok().filter(|_| digits).and_then(|number| StationCode::new(number).ok())
    };
    let codes: Option<Vec<StationCode>> = text.split(',').map(code).collect();
    let rule = format!("query parameter course must be 2 to {MOST_STATIONS} station codes, separated by commas");
    let codes = codes.filter(|codes| (2..=MOST_STATIONS).contains(&codes.len()));
    codes.ok_or_else(|| Failure::new(Kind::ParameterInvalid, rule))
}

fn one_of(name: &str, words: &str) -> Failure {
    Failure::new(Kind::ParameterInvalid, format!("query parameter {name} must be {words}"))
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::Window;
    use kaisatsu_railmap::Selection;
    use kaisatsu_render::Style;

    use super::{Format, PARAMETERS, Request, Scale, check};
    use crate::Query;

    #[test]
    fn omitted_parameters_have_their_defaults() {
        let read = |raw: &str| {
            let query = Query::read(Some(raw), &PARAMETERS);
            let read = Request::read(&query).map_err(|failure| failure.message);
            read.map(|request| (request.selection, request.format, request.scale, request.style))
        };
        assert_eq!(read("id=m"), Ok((Selection::From(0, 0), Format::Png, Scale(100), Style::Light)));
        let all = read("id=m&x=1&y=2&format=svg&scale=3&style=dark&stationName=a");
        assert_eq!(all, Ok((Selection::From(1, 2), Format::Svg, Scale(300), Style::Dark)));
        assert_eq!(read("id=m&format=PNG"), Err("query parameter format must be png, svg or pdf".to_owned()));
        let good = [("0.1", 10), ("0.25", 25), ("1", 100), ("1.5", 150), ("3.00", 300), ("003", 300), ("2.000", 200)];
        let rounded = [("0.125", 13), ("0.3333333", 33), ("1.994", 199), ("2.9999999999999999999", 300)];
        for (text, hundredths) in good.into_iter().chain(rounded) {
            assert_eq!(read(&format!("id=m&scale={text}")).map(|read| read.2), Ok(Scale(hundredths)), "{text}");
        }
        for text in ["4", "0", "0.09", "0.0999", "3.01", "3.001", "99999999999999", &"9".repeat(400)] {
            let rule = "query parameter scale must be from 0.1 to 3";
            assert_eq!(read(&format!("id=m&scale={text}")), Err(rule.to_owned()), "{text}");
        }
        for text in ["-1", "1e1", ".5", "1.", "one", "1,5", "1.-5"] {
            let rule = "query parameter scale must be a number from 0.1 to 3, such as 2 or 0.25";
            assert_eq!(read(&format!("id=m&scale={text}")), Err(rule.to_owned()), "{text}");
        }
        assert_eq!(
            read("id=m&style="),
            Err("query parameter style is empty; leave it out or give it a value".to_owned())
        );
    }

    #[test]
    fn a_way_is_two_stations_or_more() {
        let read = |raw: &str| {
            let query = Query::read(Some(raw), &PARAMETERS);
            let read = Request::read(&query).map_err(|failure| failure.message);
            read.map(|request| request.course.iter().map(|code| code.get()).collect::<Vec<_>>())
        };
        assert_eq!(read("id=m"), Ok(Vec::new()));
        assert_eq!(read("id=m&course=1130208,1130101"), Ok(vec![1_130_208, 1_130_101]));
        let many = vec!["1"; 201].join(",");
        for bad in ["1", "1,", "1,x", "1,-2", "1, 2", "0,1", many.as_str()] {
            let rule = "query parameter course must be 2 to 200 station codes, separated by commas";
            assert_eq!(read(&format!("id=m&course={bad}")), Err(rule.to_owned()), "{bad}");
        }
        let needs_svg = "query parameter text needs format=svg".to_owned();
        assert_eq!(read("id=m&text=true"), Err(needs_svg));
        assert!(read("id=m&text=true&format=svg").is_ok() && read("id=m&text=yes&format=svg").is_err());
    }

    #[test]
    fn the_limit_applies_to_the_pixels_of_a_png() {
        let extent = Window { x: 0, y: 0, width: 4_096, height: 4_096 };
        assert!(check(&extent, &extent, Format::Png, Scale(100)).is_ok());
        assert!(
            check(&extent, &extent, Format::Png, Scale(200)).is_err_and(|failure| failure.message.contains("16777216"))
        );
        assert!(check(&extent, &extent, Format::Svg, Scale(300)).is_ok());
        let far = Window { width: i64::MAX, ..extent };
        assert!(check(&far, &extent, Format::Png, Scale(300)).is_err());
        let empty = Window { height: 0, ..extent };
        assert!(
            check(&empty, &extent, Format::Svg, Scale(100)).is_err_and(|failure| failure.message.contains("is empty"))
        );
    }
}
