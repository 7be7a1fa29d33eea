//! Parameters that the operations share: the station, the geodetic system, and the language.

use kaisatsu_model::{Gcs, MapLanguage, StationCode, StationName};
use kaisatsu_railmap::Selection;

use crate::{Failure, Kind, Query};

/// `stationCode` or `stationName` as a selection, if one is present. [`exclusive`] has refused both before.
pub(crate) fn station(query: &Query<'_>) -> Result<Option<Selection>, Failure> {
    if let Some(number) = query.integer("stationCode", 1..=i64::from(u32::MAX))? {
        return StationCode::new(number)
            .map(|code| Some(Selection::Code(code)))
            .map_err(|rule| Failure::new(Kind::OutOfRange, rule.to_string()));
    }
    let Some(text) = query.text("stationName")? else { return Ok(None) };
    if StationName::fold(text).is_empty() {
        return Err(Failure::new(Kind::ParameterInvalid, "query parameter stationName holds no name"));
    }
    Ok(Some(Selection::Name(text.trim().to_owned())))
}

/// `gcs`, or its default.
pub(crate) fn gcs(query: &Query<'_>) -> Result<Gcs, Failure> {
    match query.text("gcs")? {
        None => Ok(Gcs::default()),
        Some(word) => Gcs::from_word(word)
            .ok_or_else(|| Failure::new(Kind::ParameterInvalid, "query parameter gcs must be tokyo or wgs84")),
    }
}

/// `language`, or its default.
///
/// # Errors
/// [`Kind::ParameterInvalid`] for another word than those of the contract.
pub fn language(query: &Query<'_>) -> Result<MapLanguage, Failure> {
    match query.text("language")? {
        None => Ok(MapLanguage::default()),
        Some(word) => MapLanguage::from_word(word)
            .ok_or_else(|| Failure::new(Kind::ParameterInvalid, "query parameter language must be ja, en or ja-en")),
    }
}

/// A number of degrees: digits with an optional sign and decimal point.
pub(crate) fn decimal_degrees(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.len() <= 20 && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| plain)
}

/// Refuses `one` beside any of `others`.
pub(crate) fn exclusive(query: &Query<'_>, one: &str, others: &[&str]) -> Result<(), Failure> {
    match others.iter().find(|other| query.has(one) && query.has(other)) {
        None => Ok(()),
        Some(other) => Err(Failure::new(
            Kind::ParameterInvalid,
            format!("query parameters {one} and {other} exclude each other: give one of them"),
        )),
    }
}

/// The error of a selection that finds no station.
pub(crate) fn not_found(selection: &Selection, place: &str) -> Failure {
    let what = match selection {
        Selection::Code(code) => format!("station code {code}"),
        _ => "a station of that stationName".to_owned(),
    };
    Failure::new(Kind::NotFound, format!("{what} is not on {place}"))
}
