//! Prints tables with aligned columns.

/// The number of characters after which a cell is cut.
const SHORT: usize = 60;

/// Prints rows under their headings, each column as wide as its widest cell.
pub(super) fn print<const N: usize>(heads: [&str; N], rows: &[[String; N]]) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([heads[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |cells: [&str; N]| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, &wide)| format!("{cell:wide$}")).collect();
        outln!("{}", padded.join("  ").trim_end());
    };
    line(heads);
    for row in rows {
        line(std::array::from_fn(|column| row[column].as_str()));
    }
}

/// Prints the rows as a table, or as JSON: one object a line, whose names are those of the columns. A value that is a
/// whole number in every way is written as one.
pub(super) fn list<const N: usize>(json: bool, heads: [&str; N], rows: &[[String; N]]) {
    if !json {
        return print(heads, rows);
    }
    let names = heads.map(camel_case);
    for row in rows {
        let object: serde_json::Map<String, serde_json::Value> =
            names.iter().zip(row).map(|(name, value)| (name.clone(), number_or_text(value))).collect();
        outln!("{}", serde_json::Value::Object(object));
    }
}

/// Text from somebody else on one line, without control characters that a terminal would obey.
pub(super) fn short(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHORT) {
        Some(_) => line.chars().take(SHORT - 1).chain(['…']).collect(),
        None => line,
    }
}

fn number_or_text(value: &str) -> serde_json::Value {
    value.parse::<i64>().ok().filter(|number| number.to_string() == value).map_or_else(|| value.into(), Into::into)
}

/// `SIGNED IN` is `signedIn`.
fn camel_case(head: &str) -> String {
    let mut name = String::new();
    for (at, word) in head.split(' ').enumerate() {
        let word = word.to_lowercase();
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if at > 0 => name.extend(first.to_uppercase().chain(letters)),
            _ => name.push_str(&word),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{camel_case, number_or_text, short};

    #[test]
    fn names_of_columns_become_names_in_json() {
        assert_eq!(camel_case("SIGNED IN"), "signedIn");
        assert_eq!(camel_case("MODEL"), "model");
        assert_eq!(number_or_text("12"), 12);
        assert_eq!(number_or_text("007"), "007");
        assert_eq!(number_or_text("general"), "general");
    }
    #[test]
    fn text_from_others_stays_on_one_line() {
        assert_eq!(short(" a\n\tb\u{1b}[31mc "), "a b [31mc");
        assert_eq!(short(&"字".repeat(60)).chars().count(), 60);
        let long = short(&"字".repeat(61));
        assert!(long.chars().count() == 60 && long.ends_with('…'), "{long}");
    }
}
