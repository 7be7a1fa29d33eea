//! Checks the stations of a map file.

use std::{
    collections::HashMap,
    ops::{Range, RangeInclusive},
};

use kaisatsu_model::{Circle, Position, Prefecture, Rect, Shape, StationCode, StationName, Window};
use toml::Spanned;

use super::{
    report::Report,
    text_length::{self, MAX_NAME, MAX_NUMBERS, MAX_ROWS, MAX_SYMBOL},
};
use crate::{
    Label, Mark, Station,
    datum::is_in_japan,
    file::{LabelEntry, MarkEntry, StationEntry},
};

/// The font sizes that a label may have, in map units.
const LABEL_SIZES: RangeInclusive<u8> = 6..=48;

/// Where the file has each station.
pub(super) type StationSpans = HashMap<StationCode, Range<usize>>;

/// Checks every station. Returns the usable ones, each with its span in the file, and the spans of all codes: that a
/// line stops at a station with a mistake is no second mistake.
pub(super) fn check(
    entries: &[Spanned<StationEntry>],
    width: i64,
    height: i64,
    report: &mut Report,
) -> (Vec<(Station, Range<usize>)>, StationSpans) {
    let extent = Window { x: 0, y: 0, width, height };
    let mut seen = StationSpans::new();
    let mut stations = Vec::with_capacity(entries.len());
    // A map on which no station has a prefecture does without them.
    let has_prefectures = entries.iter().any(|entry| entry.get_ref().prefecture.is_some());
    for spanned in entries {
        let (at, entry) = (spanned.span(), spanned.get_ref());
        let who = format!("station {} {}", entry.code, text_length::abbreviate(&entry.name));
        match StationCode::new(entry.code) {
            Err(rule) => report.error(&at, format!("{who}: {rule}")),
            Ok(code) => {
                if let Some(first) = seen.insert(code, at.clone()) {
                    let first = report.lines.number(&first);
                    report.error(&at, format!("{who}: the code is used before, at line {first}"));
                    continue;
                }
                check_names(entry, &who, &at, report);
                check_lengths(entry, &who, &at, report);
                if has_prefectures && entry.prefecture.is_none() && is_in_japan(entry.lat, entry.lon) {
                    report.warning(&at, format!("{who}: it is in Japan, but its prefecture is missing"));
                }
                if let Some(station) = check_station(entry, code, &extent, &who, &at, report) {
                    stations.push((station, at));
                }
            }
        }
    }
    if entries.is_empty() {
        report.error(&(0..0), "a map needs a station");
    }
    (stations, seen)
}

fn check_names(entry: &StationEntry, who: &str, at: &Range<usize>, report: &mut Report) {
    if StationName::fold(&entry.name).is_empty() {
        report.error(at, format!("{who}: a station needs a name"));
    }
    for old in &entry.formerly {
        if StationName::fold(old).is_empty() || StationName::fold(old) == StationName::fold(&entry.name) {
            report.error(at, format!("{who}: formerly '{}' is no other name", text_length::abbreviate(old)));
        }
    }
    match entry.yomi.as_deref() {
        None | Some("") if !is_japanese(&entry.name) => {}
        None | Some("") => report.warning(at, format!("{who}: the reading (yomi) is missing")),
        Some(yomi) if !yomi.chars().all(is_kana) => {
            report.warning(at, format!("{who}: the reading '{}' is not kana", text_length::abbreviate(yomi)));
        }
        Some(_) => {}
    }
}

fn check_lengths(entry: &StationEntry, who: &str, at: &Range<usize>, report: &mut Report) {
    let main_texts =
        [("name", Some(&entry.name)), ("reading", entry.yomi.as_ref()), ("translation", entry.translation.as_ref())];
    let main_texts = main_texts.into_iter().filter_map(|(word, text)| Some((word, text?)));
    let former = entry.formerly.iter().map(|old| ("former name", old));
    let (rows, small) = entry.label.as_ref().map_or((&[][..], &[][..]), |label| (&label.rows[..], &label.small[..]));
    let written = rows.iter().chain(small).map(|row| ("label's row", row));
    for (word, text) in main_texts.chain(former).chain(written) {
        text_length::check_name(text, MAX_NAME, &format!("{who}: its {word}"), at, report);
    }
    for number in &entry.numbers {
        text_length::check_name(number, MAX_SYMBOL, &format!("{who}: its number"), at, report);
    }
    if entry.numbers.len() > MAX_NUMBERS {
        report.error(at, format!("{who}: it has {} numbers; at most {MAX_NUMBERS} are taken", entry.numbers.len()));
    }
    let count = rows.len() + small.len();
    if count > MAX_ROWS {
        report.error(
            at,
            format!("{who}: its label has {count} rows; at most {MAX_ROWS} are taken, rows and small together"),
        );
    }
}

/// Whether a name contains characters that need a reading.
fn is_japanese(name: &str) -> bool {
    name.chars().any(|c| matches!(c, 'ぁ'..='ヺ' | '\u{3400}'..='\u{9FFF}'))
}

/// Whether a character is hiragana, katakana, the prolonged sound mark or the middle dot.
fn is_kana(c: char) -> bool {
    matches!(c, 'ぁ'..='ゖ' | 'ァ'..='ヺ' | 'ー' | '・')
}

fn check_station(
    entry: &StationEntry,
    code: StationCode,
    extent: &Window,
    who: &str,
    at: &Range<usize>,
    report: &mut Report,
) -> Option<Station> {
    let prefecture = entry.prefecture.and_then(Prefecture::from_code);
    if let (Some(number), None) = (entry.prefecture, prefecture) {
        report.error(at, format!("{who}: prefecture is {number}; the codes are 1 to 47"));
    }
    let position = Position::new(entry.lat, entry.lon);
    if position.is_none() {
        report.error(at, format!("{who}: lat {} and lon {} are no place on the earth", entry.lat, entry.lon));
    }
    let marks: Vec<Mark> = entry.marks.iter().filter_map(|mark| check_mark(mark, extent, who, at, report)).collect();
    if entry.marks.is_empty() {
        report.error(at, format!("{who}: it has no mark, so it is nowhere on the map"));
    } else {
        if !entry.marks.iter().any(|mark| mark.text) {
            report.warning(at, format!("{who}: no mark carries its name (text = true)"));
        }
        if entry.marks.iter().all(|mark| mark.text) {
            report.warning(at, format!("{who}: it has a name but no mark of its own"));
        }
    }
    let label = match &entry.label {
        None => Label::plain(&entry.name),
        Some(label) if label.rows.iter().all(|row| row.trim().is_empty()) => {
            report.error(at, format!("{who}: its label has no row"));
            Label::plain(&entry.name)
        }
        Some(LabelEntry { rows, small, down, size }) => {
            let size = size.unwrap_or(Label::SIZE);
            if !LABEL_SIZES.contains(&size) {
                let (least, most) = (LABEL_SIZES.start(), LABEL_SIZES.end());
                report.error(at, format!("{who}: the size of its label is {size}; sizes are {least} to {most}"));
            }
            Label { rows: rows.clone(), small: small.clone(), down: *down, size }
        }
    };
    let numbers_at = entry.numbers_at.and_then(|[x, y, width, height]| {
        // Each number is checked by itself first: the sum of two unchecked numbers could overflow.
        let is_near = [x, y, width, height].iter().all(|number| (0..=super::MAX_SIDE).contains(number));
        let bounds = Window { x, y, width, height };
        let is_on_map = is_near && width > 0 && height > 0 && extent.contains(&bounds);
        if !is_on_map {
            report.error(at, format!("{who}: its numbers are not on the map"));
        }
        is_on_map.then_some(bounds)
    });
    Some(Station {
        code,
        name: entry.name.clone(),
        yomi: entry.yomi.clone().unwrap_or_default(),
        translation: entry.translation.clone().unwrap_or_default(),
        kind: entry.kind,
        prefecture,
        position: position?,
        formerly: entry.formerly.clone(),
        numbers: entry.numbers.clone(),
        numbers_at,
        label,
        marks,
    })
}

fn check_mark(mark: &MarkEntry, extent: &Window, who: &str, at: &Range<usize>, report: &mut Report) -> Option<Mark> {
    let shape = match shape_of(mark) {
        Ok(shape) => shape,
        Err(message) => {
            report.error(at, format!("{who}: {message}"));
            return None;
        }
    };
    let b = shape.bounds();
    if b.x < 0 || b.y < 0 || b.right() > extent.width || b.bottom() > extent.height {
        let message = format!(
            "{who}: its {} at ({}, {}) is off the map, which is {} by {}",
            mark.shape, mark.x, mark.y, extent.width, extent.height
        );
        report.error(at, message);
    }
    Some(Mark { shape, chamfering: mark.chamfering, is_text: mark.text })
}

fn shape_of(mark: &MarkEntry) -> Result<Shape, String> {
    let within = |word: &str, number: i64| {
        i32::try_from(number).map_err(|_| format!("the {word} of a mark is {number}, which is off every map"))
    };
    let size = |word: &str, number: Option<i64>| match number {
        Some(n) if n >= 1 => within(word, n),
        Some(n) => Err(format!("the {word} of a mark is {n}; it is at least 1")),
        None => Err(format!("a {} needs {word}", mark.shape)),
    };
    let (x, y) = (within("x", mark.x)?, within("y", mark.y)?);
    match mark.shape.as_str() {
        "rect" if mark.r.is_some() => Err("a rect has no r".to_owned()),
        "rect" => {
            Ok(Shape::Rect(Rect { x, y, width: size("width", mark.width)?, height: size("height", mark.height)? }))
        }
        "circle" if mark.width.is_some() || mark.height.is_some() => Err("a circle has no width or height".to_owned()),
        "circle" => Ok(Shape::Circle(Circle { x, y, r: size("r", mark.r)? })),
        other => Err(format!("a mark's shape is rect or circle, not '{other}'")),
    }
}
