//! Reads and writes a folder with `stations.csv` and `lines.csv`, the format for networks that people write by hand.

use std::{collections::HashMap, fs::File, path::Path};

use kaisatsu_model::{
    Prefecture, StationCode, StationName, TransportKind,
    text::{MAX_NAME, MAX_SYMBOL},
};

use crate::{
    Error, Network, Summary,
    geo::LatLon,
    palette,
    source_data::{SourceData, SourceLine, SourceStop},
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
/// The largest CSV file, in bytes: the same as for network files.
const MAX_FILE_BYTES: u64 = crate::file::MAX_BYTES as u64;
const LINE_COLUMNS: [&str; 8] = ["code", "name", "translation", "color", "symbol", "operator", "loop", "stations"];

/// Reads the folder and reports all problems at once.
pub(crate) fn read(folder: &Path, summary: &mut Summary) -> Result<SourceData, Error> {
    let mut data = SourceData { codes_are_fixed: true, keep_isolated: true, ..SourceData::default() };
    let mut errors = Vec::new();
    let rejected = read_stations(folder, &mut data, &mut errors)?;
    read_lines(folder, &mut data, &rejected, &mut errors)?;
    Error::from_all(errors)?;
    summary.count("stations read", data.stops.len());
    summary.count("lines read", data.lines.len());
    Ok(data)
}

fn open(folder: &Path, file: &str, known: &[&str]) -> Result<Table<File>, Error> {
    let opened = File::open(folder.join(file)).map_err(|error| Error::io(file, error))?;
    let table = Table::new(file, opened, MAX_FILE_BYTES)?;
    match table.unknown_column(known) {
        // Without this error, a misspelt column would be ignored silently.
        Some(name) => {
            Err(Error::line(file, 1, format!("column '{name}' is not known; the columns are {}", known.join(", "))))
        }
        None => Ok(table),
    }
}

/// The code and the name in a row that is rejected.
type Rejected = [String; 2];

/// Reads the stations. Returns the rows with a mistake: that a line stops there is no second mistake.
fn read_stations(folder: &Path, data: &mut SourceData, errors: &mut Vec<Error>) -> Result<Vec<Rejected>, Error> {
    let mut table = open(folder, "stations.csv", &STATION_COLUMNS)?;
    for required in ["name", "lat", "lon"] {
        table.required(required)?;
    }
    let columns = STATION_COLUMNS.map(|name| table.column(name));
    let mut seen: HashMap<StationCode, u64> = HashMap::new();
    let mut rejected = Vec::new();
    while let Some(row) = table.next()? {
        match station(&row, columns) {
            Err(error) => {
                let code = row.text(columns[0]);
                let number = code.parse().ok().and_then(|number| StationCode::new(number).ok());
                rejected.push([number.map_or_else(|| code.to_owned(), |code| code.to_string()), row.name(columns[1])]);
                errors.push(error);
            }
            Ok(mut stop) => {
                if let Some(code) = stop.code
                    && let Some(first) = seen.insert(code, row.line)
                {
                    errors.push(row.error(format!("code {code} is used before, at line {first}")));
                }
                stop.group = data.stops.len().to_string();
                data.stops.push(stop);
            }
        }
    }
    Ok(rejected)
}

fn station(row: &Row<'_>, columns: [Option<usize>; 9]) -> Result<SourceStop, Error> {
    let [code, name, yomi, translation, kind, prefecture, lat, lon, formerly] = columns;
    let number: Option<i64> = row.number_if_any(code, "code")?;
    let code = number.map(StationCode::new).transpose().map_err(|rule| row.error(rule.to_string()))?;
    let [name, yomi, translation, formerly] = [name, yomi, translation, formerly].map(|column| row.name(column));
    if StationName::fold(&name).is_empty() {
        return Err(row.error("a station needs a name"));
    }
    let formerly: Vec<String> = parts(&formerly, |c| c == ';').map(str::to_owned).collect();
    let mut texts = vec![("its name", &*name, MAX_NAME), ("its yomi", &yomi, MAX_NAME)];
    texts.push(("its translation", &translation, MAX_NAME));
    texts.extend(formerly.iter().map(|old| ("its former name", old.as_str(), MAX_NAME)));
    row.check_lengths(&texts)?;
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
    let position = LatLon { lat: row.number(lat, "lat")?, lon: row.number(lon, "lon")? };
    if !position.is_valid() {
        return Err(row.error(format!("lat {} and lon {} are no place on the earth", position.lat, position.lon)));
    }
    if let Some(same) = formerly.iter().find(|old| StationName::fold(old) == StationName::fold(&name)) {
        return Err(row.error(format!("formerly '{same}' is no other name")));
    }
    Ok(SourceStop {
        group: String::new(),
        key: String::new(),
        code,
        group_code: code,
        name,
        yomi,
        translation,
        kind,
        prefecture,
        position,
        formerly,
    })
}

fn parts(text: &str, separator: fn(char) -> bool) -> impl Iterator<Item = &str> {
    text.split(separator).map(str::trim).filter(|part| !part.is_empty())
}

fn read_lines(
    folder: &Path,
    data: &mut SourceData,
    rejected: &[Rejected],
    errors: &mut Vec<Error>,
) -> Result<(), Error> {
    let mut table = open(folder, "lines.csv", &LINE_COLUMNS)?;
    table.required("name")?;
    table.required("stations")?;
    let columns = LINE_COLUMNS.map(|name| table.column(name));
    let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, stop) in data.stops.iter().enumerate() {
        by_word.entry(stop.name.clone()).or_default().push(index);
    }
    // Codes are added last: if a word is the code of one station and the name of another, it means the code.
    for (index, stop) in data.stops.iter().enumerate() {
        by_word.extend(stop.code.map(|code| (code.to_string(), vec![index])));
    }
    // Rejected rows have numbers behind those of the stops. Nobody looks there, because the import fails.
    for (index, words) in (data.stops.len()..).zip(rejected) {
        for word in words.iter().filter(|word| !word.is_empty()) {
            by_word.entry(word.clone()).or_insert_with(|| vec![index]);
        }
    }
    while let Some(row) = table.next()? {
        match line(&row, columns, &by_word) {
            Err(error) => errors.push(error),
            Ok(line) => {
                let is_same = |known: &&mut SourceLine| match line.code {
                    Some(_) => known.code == line.code,
                    None => known.code.is_none() && known.name == line.name,
                };
                match data.lines.iter_mut().find(is_same) {
                    Some(known) if known.name != line.name || known.is_loop != line.is_loop => {
                        let message =
                            format!("line '{}' is named '{}' or closed otherwise before", line.name, known.name);
                        errors.push(row.error(message));
                    }
                    Some(known) => known.runs.extend(line.runs),
                    None => data.lines.push(line),
                }
            }
        }
    }
    Ok(())
}

fn line(
    row: &Row<'_>,
    columns: [Option<usize>; 8],
    by_word: &HashMap<String, Vec<usize>>,
) -> Result<SourceLine, Error> {
    let [code, name, translation, color, symbol, operator, is_loop, stations] = columns;
    let [name, translation, symbol, operator] = [name, translation, symbol, operator].map(|column| row.name(column));
    if name.is_empty() {
        return Err(row.error("a line needs a name"));
    }
    row.check_lengths(&[
        ("its name", &name, MAX_NAME),
        ("its translation", &translation, MAX_NAME),
        ("its symbol", &symbol, MAX_SYMBOL),
        ("its operator", &operator, MAX_NAME),
    ])?;
    let color = match row.text(color) {
        "" => None,
        text => Some(
            palette::normalise(text).ok_or_else(|| row.error(format!("color is '{text}'; it is written #rrggbb")))?,
        ),
    };
    let is_loop = match row.text(is_loop).to_ascii_lowercase().as_str() {
        "" | "false" | "no" | "0" => false,
        "true" | "yes" | "1" => true,
        other => return Err(row.error(format!("loop is '{other}'; it is true or false"))),
    };
    let listed = row.name(stations);
    // Names may contain spaces; then semicolons separate them.
    let words: Vec<&str> = if listed.contains(';') {
        parts(&listed, |c| c == ';').collect()
    } else {
        parts(&listed, char::is_whitespace).collect()
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
    Ok(SourceLine {
        key: String::new(),
        code: row.number_if_any(code, "code")?,
        name,
        translation,
        color,
        symbol,
        operator,
        runs: vec![run],
        is_loop,
    })
}

/// Writes a network as the texts of `stations.csv` and `lines.csv`.
///
/// # Errors
/// When a field cannot be written. Writing to memory does not fail.
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
            let [name, translation, color] = [&line.name, &line.translation, &line.color];
            lines.write_record([&code, name, translation, color, &line.symbol, &line.operator, is_loop, &codes])?;
        }
    }
    Ok([stations, lines].map(|writer| String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()))
}
