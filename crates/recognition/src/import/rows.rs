//! The files an import reads: CSV, JSON lines, and the dumps of Open Library and Open Food Facts.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use kaisatsu_vision::barcode::article_numbers;
use serde_json::{Map, Value, json};

use super::{Entry, is_address};

/// The categories of items.
pub const CATEGORIES: [&str; 6] = ["book", "cd", "dvd", "game", "software", "food"];

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values under a header.
    Csv,
    /// A JSON object a line.
    Jsonl,
    /// The dump of editions: five columns separated by tabs, the last one JSON.
    OpenLibrary,
    /// The dump of products: columns separated by tabs under a header, or JSON lines.
    OpenFoodFacts,
}

/// A row and its line.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The line it begins on, from 1.
    pub line: usize,
    /// The item, or why there is none.
    pub entry: Result<Entry, String>,
}

/// The rows of a file.
///
/// # Errors
/// When the file cannot be opened, or its header lacks a column.
pub fn rows(path: &Path, format: Format) -> io::Result<Box<dyn Iterator<Item = Row>>> {
    match format {
        Format::Csv => table(path, b',', &["id", "category", "name"], own),
        Format::Jsonl => lines(path, |line| own(&object(line)?)),
        Format::OpenLibrary => lines(path, |line| {
            let json = line.rsplit_once('\t').map_or(line, |(_, json)| json);
            edition(&object(json)?)
        }),
        Format::OpenFoodFacts => {
            let mut first = String::new();
            BufReader::new(File::open(path)?).read_line(&mut first)?;
            if first.trim_start().starts_with('{') {
                lines(path, |line| product(&object(line)?))
            } else {
                table(path, b'\t', &["code", "product_name"], product)
            }
        }
    }
}

pub(crate) type Fields = Map<String, Value>;
type Rows = Box<dyn Iterator<Item = Row>>;

fn lines(path: &Path, read: impl Fn(&str) -> Result<Entry, String> + 'static) -> io::Result<Rows> {
    let mut over = false;
    let lines = BufReader::new(File::open(path)?).lines().enumerate().map_while(move |(at, line)| {
        if over {
            return None;
        }
        // After a line that is not text there may be others; what cannot be read, such as a folder, fails for ever.
        over = line.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::InvalidData);
        Some((at, line))
    });
    let row = move |(at, line): (usize, io::Result<String>)| match line {
        Ok(line) if line.trim().is_empty() => None,
        Ok(line) => Some(Row { line: at + 1, entry: read(&line) }),
        Err(error) => Some(Row { line: at + 1, entry: Err(error.to_string()) }),
    };
    Ok(Box::new(lines.filter_map(row)))
}

/// The end of a row. With "\r\n" as one, the reader would number rows by the lines before them; all cells are trimmed.
pub(super) const LINE_FEED: csv::Terminator = csv::Terminator::Any(b'\n');

fn table(path: &Path, separator: u8, needed: &[&str], read: fn(&Fields) -> Result<Entry, String>) -> io::Result<Rows> {
    // Dumps separated by tabs do not quote: a quotation mark there is a quotation mark.
    let reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .quoting(separator == b',')
        .flexible(true)
        .terminator(LINE_FEED)
        .from_path(path);
    let mut reader = reader.map_err(io::Error::other)?;
    let header: Vec<String> =
        reader.headers().map_err(io::Error::other)?.iter().map(|name| name.trim().to_owned()).collect();
    let missing: Vec<&str> = needed.iter().copied().filter(|name| header.iter().all(|other| other != name)).collect();
    if !missing.is_empty() {
        let needed = needed.join(", ");
        let rule = format!("the first line names the columns, {needed} among them; missing: {}", missing.join(", "));
        return Err(io::Error::other(rule));
    }
    let row = move |record: Result<csv::StringRecord, csv::Error>| match record {
        Ok(record) if record.iter().all(|cell| cell.trim().is_empty()) => None,
        Ok(record) => {
            let line = record.position().map_or(0, |at| usize::try_from(at.line()).unwrap_or(0));
            let cells = header.iter().zip(&record).filter(|(_, cell)| !cell.trim().is_empty());
            let fields = cells.map(|(name, cell)| (name.clone(), Value::from(cell.trim()))).collect();
            Some(Row { line, entry: read(&fields) })
        }
        Err(error) => {
            let line = error.position().map_or(0, |at| usize::try_from(at.line()).unwrap_or(0));
            Some(Row { line, entry: Err(error.to_string()) })
        }
    };
    Ok(Box::new(reader.into_records().filter_map(row)))
}

fn object(line: &str) -> Result<Fields, String> {
    match serde_json::from_str(line) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err("expected a JSON object".to_owned()),
        Err(error) => Err(format!("not JSON: {error}")),
    }
}

/// Our own columns: id, category, name, and optional image, barcode, imageUrl, url; all others become details.
pub(crate) fn own(fields: &Fields) -> Result<Entry, String> {
    let category = required(fields, "category")?;
    if !CATEGORIES.contains(&category.as_str()) {
        return Err(format!("category is '{category}' and must be one of {}", CATEGORIES.join(", ")));
    }
    let known = ["id", "category", "name", "image", "images", "barcode", "barcodes", "imageUrl", "url", "sites"];
    let detail = fields.iter().filter(|(name, _)| !known.contains(&name.as_str()));
    let name = required(fields, "name")?;
    for field in ["imageUrl", "url"] {
        check_address(field, text(fields, field).as_deref())?;
    }
    let mut sites: Vec<Value> = fields.get("sites").and_then(Value::as_array).cloned().unwrap_or_default();
    for site in &sites {
        for field in ["url", "imageUrl"] {
            check_address(&format!("sites: {field}"), site.get(field).and_then(Value::as_str))?;
        }
    }
    if let Some(url) = text(fields, "url") {
        sites.push(json!({"url": url, "title": name, "imageUrl": text(fields, "imageUrl").unwrap_or_default()}));
    }
    let mut codes = Vec::new();
    for printed in list(fields, "barcode").chain(list(fields, "barcodes")) {
        let numbers = article_numbers(&printed);
        if numbers.is_empty() {
            return Err(format!("barcode '{printed}' has a wrong check digit or length"));
        }
        codes.extend(numbers);
    }
    Ok(Entry {
        id: required(fields, "id")?,
        category,
        name,
        detail: detail.map(|(name, value)| (name.clone(), value.clone())).collect(),
        image_url: text(fields, "imageUrl").unwrap_or_default(),
        sites,
        codes,
        images_are_guessed: false,
        images: list(fields, "image").chain(list(fields, "images")).map(PathBuf::from).collect(),
    })
}

/// An edition of Open Library. Its covers are looked for as `NUMBER.jpg`.
fn edition(fields: &Fields) -> Result<Entry, String> {
    let key = required(fields, "key")?;
    let title = required(fields, "title")?;
    let codes: Vec<String> =
        list(fields, "isbn_13").chain(list(fields, "isbn_10")).flat_map(|isbn| article_numbers(&isbn)).collect();
    let covers = fields.get("covers").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_i64);
    let covers: Vec<i64> = covers.filter(|number| *number > 0).collect();
    let mut detail = Map::new();
    // The publisher is also the maker, and its date the date of release: apps read these names of every category.
    for (ours, theirs) in [
        ("subtitle", "subtitle"),
        ("publisher", "publishers"),
        ("published", "publish_date"),
        ("maker", "publishers"),
        ("brand", "series"),
        ("releaseDate", "publish_date"),
    ] {
        let joined = list(fields, theirs).collect::<Vec<_>>().join(", ");
        if !joined.is_empty() {
            detail.insert(ours.to_owned(), Value::from(joined));
        }
    }
    let image = |number: &i64| format!("https://covers.openlibrary.org/b/id/{number}-L.jpg");
    let url = format!("https://openlibrary.org{key}");
    Ok(Entry {
        id: format!("openlibrary:{}", key.rsplit('/').next().unwrap_or(&key)),
        category: "book".to_owned(),
        sites: vec![json!({"url": url, "title": title, "imageUrl": ""})],
        name: title,
        detail,
        image_url: covers.first().map(image).unwrap_or_default(),
        codes,
        images_are_guessed: true,
        images: covers.iter().take(1).map(|number| PathBuf::from(format!("{number}.jpg"))).collect(),
    })
}

/// A product of Open Food Facts. Its picture is looked for as `CODE.jpg`.
fn product(fields: &Fields) -> Result<Entry, String> {
    let printed = required(fields, "code")?;
    let name = text(fields, "product_name").ok_or("product_name is missing")?;
    let mut detail = Map::new();
    for field in ["brands", "quantity", "categories", "countries"] {
        if let Some(value) = text(fields, field) {
            detail.insert(field.to_owned(), Value::from(value));
        }
    }
    let owner = text(fields, "brand_owner");
    // The first brand is that on the package; the others are those it belongs to.
    let brand = text(fields, "brands").and_then(|brands| brands.split(',').next().map(|first| first.trim().to_owned()));
    for (ours, value) in [("maker", owner.or_else(|| brand.clone())), ("brand", brand)] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            detail.insert(ours.to_owned(), Value::from(value));
        }
    }
    let url = format!("https://world.openfoodfacts.org/product/{printed}");
    Ok(Entry {
        id: format!("openfoodfacts:{printed}"),
        category: "food".to_owned(),
        sites: vec![json!({"url": url, "title": name, "imageUrl": ""})],
        name,
        detail,
        image_url: text(fields, "image_url").unwrap_or_default(),
        codes: article_numbers(&printed),
        images_are_guessed: true,
        images: vec![PathBuf::from(format!("{printed}.jpg"))],
    })
}

fn required(fields: &Fields, name: &str) -> Result<String, String> {
    let found = text(fields, name).ok_or_else(|| format!("{name} is missing"))?;
    if found.chars().any(char::is_control) || found.chars().count() > 1000 {
        return Err(format!("{name} has control characters or more than 1000 characters"));
    }
    Ok(found)
}

/// Apps open addresses: what is none, or runs a script, is refused.
fn check_address(field: &str, address: Option<&str>) -> Result<(), String> {
    match address {
        Some(address) if !address.is_empty() && !is_address(address) => {
            Err(format!("{field} '{address}' is no address; it begins with http:// or https://"))
        }
        _ => Ok(()),
    }
}

/// A field as text, if it is there and not empty.
fn text(fields: &Fields, name: &str) -> Option<String> {
    fields.get(name).and_then(written).filter(|found| !found.is_empty())
}

/// A text, or a number as it is written.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A field that holds a list, or a text with `|` between.
fn list(fields: &Fields, name: &str) -> std::vec::IntoIter<String> {
    let found: Vec<String> = match fields.get(name) {
        Some(Value::Array(values)) => values.iter().filter_map(written).collect(),
        Some(_) => text(fields, name).unwrap_or_default().split('|').map(|part| part.trim().to_owned()).collect(),
        None => Vec::new(),
    };
    found.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::{Format, edition, object, own, product, rows};

    #[test]
    fn a_folder_is_no_endless_file() {
        for format in [Format::Jsonl, Format::OpenLibrary] {
            let rows: Vec<_> = rows(std::path::Path::new("/"), format).unwrap().take(3).collect();
            assert_eq!(rows.len(), 1, "it is said once");
        }
    }

    #[test]
    fn a_table_without_a_column_that_it_needs_is_refused_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("items.csv");
        for (header, format, told) in [
            (
                "id,Category,title",
                Format::Csv,
                "the first line names the columns, id, category, name among them; missing: category, name",
            ),
            (
                "code\tname",
                Format::OpenFoodFacts,
                "the first line names the columns, code, product_name among them; missing: product_name",
            ),
        ] {
            std::fs::write(&file, format!("{header}\n1\tfood\tTea\n")).unwrap();
            assert_eq!(rows(&file, format).err().map(|error| error.to_string()).as_deref(), Some(told));
        }
        std::fs::write(&file, "\u{feff}name, id ,category\nTea,1,food\n").unwrap();
        let found: Vec<_> = rows(&file, Format::Csv).unwrap().collect();
        assert!(found.len() == 1 && found[0].entry.is_ok(), "{found:?}");
    }

    #[test]
    fn rows_have_the_numbers_of_their_lines_and_blank_lines_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("items.jsonl");
        let row = r#"{"id":"1","category":"food","name":"Tea"}"#;
        std::fs::write(&file, [row.as_bytes(), b"\n \n\n\xff\n", row.as_bytes(), b"\n"].concat()).unwrap();
        let found: Vec<_> = rows(&file, Format::Jsonl).unwrap().map(|row| (row.line, row.entry.is_ok())).collect();
        assert_eq!(found, [(1, true), (4, false), (5, true)]);
    }

    #[test]
    fn quotation_marks_quote_where_commas_separate() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("items");
        let names = |format, text: &str| -> Vec<String> {
            std::fs::write(&file, text).unwrap();
            rows(&file, format).unwrap().map(|row| row.entry.unwrap().name).collect()
        };
        let csv = "id,category,name\n1,food,\"Tea, green\"\n , ,\n2,food,Milk\n";
        assert_eq!(names(Format::Csv, csv), ["Tea, green", "Milk"], "a row of empty cells is none");
        let tabs = "code\tproduct_name\n4901234567894\t\"Tea\n4901234567894\tMilk\n";
        assert_eq!(names(Format::OpenFoodFacts, tabs), ["\"Tea", "Milk"]);
    }

    #[test]
    fn our_own_rows() {
        let row = r#"{"id":"b1","category":"book","name":"吾輩は猫である","barcode":"978-4-10-101001-4",
            "image":"a.jpg|b.jpg","author":"夏目漱石"}"#;
        let entry = object(row).and_then(|fields| own(&fields)).unwrap();
        assert_eq!(entry.codes, ["9784101010014"]);
        assert_eq!((entry.images.len(), entry.detail["author"].as_str()), (2, Some("夏目漱石")));
        for (row, told) in [
            (r#"{"id":"1","name":"x"}"#, "category is missing"),
            (
                r#"{"id":"1","name":"x","category":"car"}"#,
                "category is 'car' and must be one of book, cd, dvd, game, software, food",
            ),
            (
                r#"{"id":"1","name":"x","category":"food","barcode":"4901234567890"}"#,
                "barcode '4901234567890' has a wrong check digit or length",
            ),
            ("[1]", "expected a JSON object"),
            (
                r#"{"id":"1","name":"x","category":"food","imageUrl":"not an address"}"#,
                "imageUrl 'not an address' is no address; it begins with http:// or https://",
            ),
            (
                r#"{"id":"1","name":"x","category":"food","sites":[{"url":"javascript:alert(1)"}]}"#,
                "sites: url 'javascript:alert(1)' is no address; it begins with http:// or https://",
            ),
        ] {
            assert_eq!(object(row).and_then(|fields| own(&fields)), Err(told.to_owned()), "{row}");
        }
    }

    #[test]
    fn addresses_are_kept_and_names_have_a_limit() {
        let entry = |name: &str, address: &str| {
            let row = serde_json::json!({"id": "1", "category": "food", "name": name, "imageUrl": address});
            own(row.as_object().unwrap())
        };
        assert_eq!(entry("Tea", "https://example.org/tea.jpg").unwrap().image_url, "https://example.org/tea.jpg");
        assert!(entry(&"茶".repeat(1000), "").is_ok());
        for name in ["茶".repeat(1001), "Tea\u{7}".to_owned()] {
            let told = entry(&name, "").unwrap_err();
            assert_eq!(told, "name has control characters or more than 1000 characters");
        }
    }

    #[test]
    fn numbers_may_be_written_as_numbers() {
        for barcode in ["4901234567894", "[4901234567894]", r#"["4901234567894"]"#, r#""4901234567894""#] {
            let row = format!(r#"{{"id":7,"category":"food","name":"Tea","barcode":{barcode}}}"#);
            let entry = object(&row).and_then(|fields| own(&fields)).unwrap();
            assert_eq!((entry.id.as_str(), entry.codes), ("7", vec!["4901234567894".to_owned()]), "{row}");
        }
    }

    /// What the reader answers for a symbol of UPC-E is found however the catalogue writes it.
    #[test]
    fn an_article_may_be_listed_in_any_form() {
        for listed in ["425261", "0425261", "04252614", "042100005264", "0042100005264", "00042100005264", "4252614"] {
            let row = format!(r#"{{"id":"7","category":"food","name":"Tea","barcode":"{listed}"}}"#);
            assert_eq!(object(&row).and_then(|fields| own(&fields)).unwrap().codes[0], "0042100005264", "{listed}");
            let row = format!(r#"{{"code":"{listed}","product_name":"Tea"}}"#);
            assert_eq!(object(&row).and_then(|fields| product(&fields)).unwrap().codes[0], "0042100005264", "{listed}");
        }
        let row = r#"{"id":"7","category":"book","name":"Kokoro","barcode":"4101010013|19784101010011"}"#;
        let codes = object(row).and_then(|fields| own(&fields)).unwrap().codes;
        assert_eq!(codes, ["9784101010014", "9784101010014"]);
    }

    #[test]
    fn rows_of_the_two_dumps() {
        let row = r#"{"key":"/books/OL1M","title":"Kokoro","isbn_10":["080442957X"],"covers":[-1,0,42],
            "publishers":["A","B"],"publish_date":"1914"}"#;
        let entry = object(row).and_then(|fields| edition(&fields)).unwrap();
        assert_eq!((&entry.detail["maker"], &entry.detail["releaseDate"]), (&"A, B".into(), &"1914".into()));
        assert_eq!((entry.id.as_str(), entry.codes[0].as_str()), ("openlibrary:OL1M", "9780804429573"));
        assert_eq!((entry.images[0].to_str(), entry.detail["publisher"].as_str()), (Some("42.jpg"), Some("A, B")));
        let row = r#"{"code":"4901234567894","product_name":"Tea","brands":"X, Y"}"#;
        let entry = object(row).and_then(|fields| product(&fields)).unwrap();
        assert_eq!((entry.category.as_str(), entry.codes[0].as_str()), ("food", "4901234567894"));
        assert_eq!((&entry.detail["maker"], &entry.detail["brand"]), (&"X".into(), &"X".into()));
    }
}
