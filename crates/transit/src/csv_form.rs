//! The plain form for people who draw by hand: a folder with `stations.csv` and `lines.csv`.

use std::{collections::HashMap, fs::File, path::Path};

use kaisatsu_model::{Prefecture, StationCode, StationName, TransportKind};

use crate::{
    Error, Network, Summary,
    geo::Place,
    palette,
    raw::{Raw, RawLine, Stop},
    table::{Row, Table},
};

const STATION_COLUMNS: [&str; 9] =
    ["code", "name", "yomi", "translation", "type", "prefecture", "lat", "lon", "formerly"];
const KINDS: [TransportKind; 6] = [
    TransportKind::Train,
    TransportKind::Plane,
    TransportKind::Ship,
    TransportKind::Bus,
    TransportKind::Walk,
    TransportKind::Strange,
];
/// Nobody writes more by hand, and no network file holds more.
const LARGEST_FILE: u64 = crate::file::MAX_BYTES as u64;
const LINE_COLUMNS: [&str; 6] = ["code", "name", "translation", "color", "loop", "stations"];

/// Reads the folder. Everything that is wrong is told at once.
pub(crate) fn read(folder: &Path, summary: &mut Summary) -> Result<Raw, Error> {
    let mut raw = Raw { codes_are_fixed: true, keep_lonely: true, ..Raw::default() };
    let mut wrong = Vec::new();
    read_stations(folder, &mut raw, &mut wrong)?;
    read_lines(folder, &mut raw, &mut wrong)?;
    Error::from_all(wrong)?;
    summary.read("stations read", raw.stops.len());
    summary.read("lines read", raw.lines.len());
    Ok(raw)
}

fn open(folder: &Path, file: &str, known: &[&str]) -> Result<Table<File>, Error> {
    let opened = File::open(folder.join(file)).map_err(|error| Error::io(file, error))?;
    let table = Table::new(file, opened, LARGEST_FILE)?;
    match table.unknown(known) {
        // A misspelt column would be left out without a word.
        Some(name) => {
            Err(Error::line(file, 1, format!("column '{name}' is not known; the columns are {}", known.join(", "))))
        }
        None => Ok(table),
    }
}

fn read_stations(folder: &Path, raw: &mut Raw, wrong: &mut Vec<Error>) -> Result<(), Error> {
    let mut table = open(folder, "stations.csv", &STATION_COLUMNS)?;
    for needed in ["name", "lat", "lon"] {
        table.needed(needed)?;
    }
    let columns = STATION_COLUMNS.map(|name| table.column(name));
    let mut seen: HashMap<StationCode, u64> = HashMap::new();
    while let Some(row) = table.next()? {
        match station(&row, columns) {
            Err(error) => wrong.push(error),
            Ok(mut stop) => {
                if let Some(code) = stop.code
                    && let Some(first) = seen.insert(code, row.line)
                {
                    wrong.push(row.error(format!("code {code} is used before, at line {first}")));
                }
                stop.group = raw.stops.len().to_string();
                raw.stops.push(stop);
            }
        }
    }
    Ok(())
}

fn station(row: &Row<'_>, columns: [Option<usize>; 9]) -> Result<Stop, Error> {
    let [code, name, yomi, translation, kind, prefecture, lat, lon, formerly] = columns;
    let number: Option<i64> = row.number_if_any(code, "code")?;
    let code = number.map(StationCode::new).transpose().map_err(|rule| row.error(rule.to_string()))?;
    let name = row.text(name);
    if StationName::fold(name).is_empty() {
        return Err(row.error("a station needs a name"));
    }
    let kind = match row.text(kind) {
        "" => TransportKind::default(),
        text => KINDS.into_iter().find(|kind| kind.word() == text).ok_or_else(|| {
            row.error(format!("type is '{text}'; it is one of {}", KINDS.map(TransportKind::word).join(", ")))
        })?,
    };
    let number: Option<i64> = row.number_if_any(prefecture, "prefecture")?;
    let prefecture = number.and_then(Prefecture::from_code);
    if let (Some(number), None) = (number, prefecture) {
        return Err(row.error(format!("prefecture is {number}; the codes are 1 to 47")));
    }
    let place = Place { lat: row.number(lat, "lat")?, lon: row.number(lon, "lon")? };
    if !place.is_valid() {
        return Err(row.error(format!("lat {} and lon {} are no place on the earth", place.lat, place.lon)));
    }
    let formerly: Vec<String> = parts(row.text(formerly), |c| c == ';').map(str::to_owned).collect();
    if let Some(same) = formerly.iter().find(|old| StationName::fold(old) == StationName::fold(name)) {
        return Err(row.error(format!("formerly '{same}' is no other name")));
    }
    Ok(Stop {
        group: String::new(),
        key: String::new(),
        code,
        group_code: code,
        name: name.to_owned(),
        yomi: row.text(yomi).to_owned(),
        translation: row.text(translation).to_owned(),
        kind,
        prefecture,
        place,
        formerly,
    })
}

fn parts(text: &str, separator: fn(char) -> bool) -> impl Iterator<Item = &str> {
    text.split(separator).map(str::trim).filter(|part| !part.is_empty())
}

fn read_lines(folder: &Path, raw: &mut Raw, wrong: &mut Vec<Error>) -> Result<(), Error> {
    let mut table = open(folder, "lines.csv", &LINE_COLUMNS)?;
    table.needed("name")?;
    table.needed("stations")?;
    let columns = LINE_COLUMNS.map(|name| table.column(name));
    let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, stop) in raw.stops.iter().enumerate() {
        by_word.entry(stop.name.clone()).or_default().push(index);
    }
    // After all names: a word that is the code of one station and the name of another is the code.
    for (index, stop) in raw.stops.iter().enumerate() {
        by_word.extend(stop.code.map(|code| (code.to_string(), vec![index])));
    }
    while let Some(row) = table.next()? {
        match line(&row, columns, &by_word) {
            Err(error) => wrong.push(error),
            Ok(line) => {
                let is_same = |known: &&mut RawLine| match line.code {
                    Some(_) => known.code == line.code,
                    None => known.code.is_none() && known.name == line.name,
                };
                match raw.lines.iter_mut().find(is_same) {
                    Some(known) if known.name != line.name || known.is_loop != line.is_loop => {
                        let message =
                            format!("line '{}' is named '{}' or closed otherwise before", line.name, known.name);
                        wrong.push(row.error(message));
                    }
                    Some(known) => known.runs.extend(line.runs),
                    None => raw.lines.push(line),
                }
            }
        }
    }
    Ok(())
}

fn line(row: &Row<'_>, columns: [Option<usize>; 6], by_word: &HashMap<String, Vec<usize>>) -> Result<RawLine, Error> {
    let [code, name, translation, color, is_loop, stations] = columns;
    let name = row.text(name);
    if name.is_empty() {
        return Err(row.error("a line needs a name"));
    }
    let color = match row.text(color) {
        "" => None,
        text => {
            Some(palette::normal(text).ok_or_else(|| row.error(format!("color is '{text}'; it is written #rrggbb")))?)
        }
    };
    let is_loop = match row.text(is_loop).to_ascii_lowercase().as_str() {
        "" | "false" | "no" | "0" => false,
        "true" | "yes" | "1" => true,
        other => return Err(row.error(format!("loop is '{other}'; it is true or false"))),
    };
    let listed = row.text(stations);
    // Names may hold spaces; then the separator is a semicolon.
    let words: Vec<&str> = if listed.contains(';') {
        parts(listed, |c| c == ';').collect()
    } else {
        parts(listed, char::is_whitespace).collect()
    };
    let mut run = Vec::with_capacity(words.len());
    for word in words {
        match by_word.get(word).map(Vec::as_slice) {
            Some([one]) => run.push(*one),
            Some(_) => return Err(row.error(format!("several stations are called {word}: use their codes"))),
            None => return Err(row.error(format!("stops at {word}, which is not in stations.csv"))),
        }
    }
    if run.len() < 2 {
        return Err(row.error("a run joins two stations or more"));
    }
    if run.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(row.error("a station follows itself"));
    }
    Ok(RawLine {
        key: String::new(),
        code: row.number_if_any(code, "code")?,
        name: name.to_owned(),
        translation: row.text(translation).to_owned(),
        color,
        runs: vec![run],
        is_loop,
    })
}

/// A network in this form: the texts of `stations.csv` and of `lines.csv`.
///
/// # Errors
/// When a field cannot be written, which does not happen with texts of our own.
pub fn write(network: &Network) -> Result<[String; 2], csv::Error> {
    let mut stations = csv::Writer::from_writer(Vec::new());
    stations.write_record(STATION_COLUMNS)?;
    for station in &network.stations {
        stations.write_record([
            &station.code.to_string(),
            &station.name,
            &station.yomi,
            &station.translation,
            station.kind.word(),
            &station.prefecture.map_or_else(String::new, |prefecture| prefecture.code().to_string()),
            &format!("{}", station.lat),
            &format!("{}", station.lon),
            &station.formerly.join(";"),
        ])?;
    }
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record(LINE_COLUMNS)?;
    for line in &network.lines {
        for run in &line.runs {
            let codes: Vec<_> = run.iter().map(ToString::to_string).collect();
            let (code, codes) = (line.code.to_string(), codes.join(" "));
            let is_loop = if line.is_loop { "true" } else { "" };
            lines.write_record([&code, &line.name, &line.translation, &line.color, is_loop, &codes])?;
        }
    }
    Ok([stations, lines].map(|writer| String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()))
}
