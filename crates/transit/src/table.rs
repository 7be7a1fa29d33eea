//! Reads CSV files by column name, with the line number of each row.

mod limited_reader;

use std::{io::Read, str::FromStr};

use csv::StringRecord;

use limited_reader::LimitedReader;

use kaisatsu_model::text::{check_length, tidy};

use crate::Error;

/// A CSV file with a header.
pub(crate) struct Table<R> {
    file: String,
    reader: csv::Reader<LimitedReader<R>>,
    header: Vec<String>,
    record: StringRecord,
}

/// The index of a column; `None` if the file does not have it.
pub(crate) type Column = Option<usize>;

/// One row.
pub(crate) struct Row<'a> {
    file: &'a str,
    record: &'a StringRecord,
    pub(crate) line: u64,
    /// The byte offset of the row in the file.
    pub(crate) byte: u64,
}

impl<R: Read> Table<R> {
    /// Starts reading a file of at most `max_bytes`.
    pub(crate) fn new(file: &str, reader: R, max_bytes: u64) -> Result<Self, Error> {
        let reader = LimitedReader::new(reader, max_bytes);
        // With "\r\n" as the end of a row, rows would be numbered by the lines before them. All cells are trimmed.
        let end = csv::Terminator::Any(b'\n');
        let builder = &mut csv::ReaderBuilder::new();
        let mut reader = builder.flexible(true).terminator(end).buffer_capacity(1 << 16).from_reader(reader);
        let names = reader.headers().map_err(|error| csv_error(file, 1, &error))?;
        // Editors on Windows write a byte order mark before the first column name.
        let header: Vec<String> =
            names.iter().map(|name| name.trim().trim_start_matches('\u{feff}').to_ascii_lowercase()).collect();
        // Spreadsheets in countries with decimal commas separate the columns by semicolons.
        if let [only] = header.as_slice()
            && let Some((_, word)) = [(';', "semicolons"), ('\t', "tabs")].iter().find(|(sign, _)| only.contains(*sign))
        {
            let message = format!("the columns are separated by {word}; save the table with commas instead");
            return Err(Error::line(file, 1, message));
        }
        Ok(Self { file: file.to_owned(), reader, header, record: StringRecord::new() })
    }

    pub(crate) fn column(&self, name: &str) -> Column {
        self.header.iter().position(|known| known == name)
    }

    pub(crate) fn required(&self, name: &str) -> Result<Column, Error> {
        match self.column(name) {
            None => Err(Error::line(&self.file, 1, format!("there is no column {name}"))),
            found => Ok(found),
        }
    }

    /// The first column that is not among the known ones.
    pub(crate) fn unknown_column(&self, known: &[&str]) -> Option<&str> {
        self.header.iter().find(|name| !known.contains(&name.as_str())).map(String::as_str)
    }

    pub(crate) fn next(&mut self) -> Result<Option<Row<'_>>, Error> {
        loop {
            let (line, byte) = (self.reader.position().line(), self.reader.position().byte());
            self.reader.get_mut().begin_record(byte);
            match self.reader.read_record(&mut self.record) {
                Err(error) => return Err(csv_error(&self.file, line, &error)),
                Ok(false) => return Ok(None),
                // A row that contains only white space is ignored.
                Ok(true) if self.record.iter().all(|field| field.trim().is_empty()) => {}
                Ok(true) => break,
            }
        }
        let (line, byte) = self.record.position().map_or((0, 0), |at| (at.line(), at.byte()));
        Ok(Some(Row { file: &self.file, record: &self.record, line, byte }))
    }
}

impl Row<'_> {
    /// The text of a column; empty if the column does not exist.
    pub(crate) fn text(&self, column: Column) -> &str {
        column.and_then(|at| self.record.get(at)).map_or("", str::trim)
    }

    /// The text of a column that is shown to people.
    pub(crate) fn name(&self, column: Column) -> String {
        tidy(self.text(column))
    }

    /// Refuses texts that no map could have: each with what it is, and its most characters.
    pub(crate) fn check_lengths(&self, texts: &[(&str, &str, usize)]) -> Result<(), Error> {
        let check = |(what, text, most): &(&str, &str, usize)| check_length(text, *most, what);
        texts.iter().try_for_each(check).map_err(|message| self.error(message))
    }

    pub(crate) fn number<N: FromStr>(&self, column: Column, name: &str) -> Result<N, Error> {
        let text = self.text(column);
        text.parse().map_err(|_| self.error(format!("{name} is '{text}', which is no number")))
    }

    pub(crate) fn number_if_any<N: FromStr>(&self, column: Column, name: &str) -> Result<Option<N>, Error> {
        if self.text(column).is_empty() { Ok(None) } else { self.number(column, name).map(Some) }
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        Error::line(self.file, self.line, message)
    }
}

const NOT_UTF_8: &str = "the text is not UTF-8; save the table as “CSV UTF-8”, as spreadsheets call it";

/// Converts an error in the record that begins at a line.
fn csv_error(file: &str, line: u64, error: &csv::Error) -> Error {
    let is_utf8 = !matches!(error.kind(), csv::ErrorKind::Utf8 { .. });
    let message = if is_utf8 { error.to_string() } else { NOT_UTF_8.to_owned() };
    Error::line(file, error.position().map_or(line, csv::Position::line), message)
}

#[cfg(test)]
mod tests {
    use super::Table;

    /// The number of rows of a text, or the error.
    fn rows(text: &[u8], max_bytes: u64) -> Result<usize, String> {
        let mut table = Table::new("t.csv", text, max_bytes).map_err(|error| error.to_string())?;
        let mut count = 0;
        while table.next().map_err(|error| error.to_string())?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    #[test]
    fn a_file_has_at_most_as_many_bytes_as_are_allowed() {
        let text = b"name\na\nb\n";
        assert_eq!(rows(text, 9), Ok(2));
        assert_eq!(rows(text, 8), Err("t.csv:1: the file has more than 8 bytes; so much is not read".to_owned()));
        // The limit is for all reads together.
        let long = "a\n".repeat(100_000);
        assert_eq!(rows(long.as_bytes(), 200_000), Ok(99_999));
        assert!(rows(long.as_bytes(), 199_999).unwrap_err().ends_with("more than 199999 bytes; so much is not read"));
    }

    #[test]
    fn a_record_is_too_long_if_more_than_1_mib_of_it_were_read_before() {
        // Files are read 64 KiB at a time.
        let header = |bytes: usize| rows(format!("{}\n", "x".repeat(bytes)).as_bytes(), u64::MAX);
        assert_eq!(header((1 << 20) + 10), Ok(0));
        let error = Err("t.csv:1: a record is over 1 MiB: is a quote not closed?".to_owned());
        assert_eq!(header((1 << 20) + (1 << 16) + 10), error);
        let many = "short\n".repeat(400_000);
        assert_eq!(rows(many.as_bytes(), u64::MAX), Ok(399_999), "records that are short may be as many as they like");
    }

    #[test]
    fn rows_of_white_space_are_no_rows() {
        assert_eq!(rows(b"name,lat\n , \na,1\n\n,\n", 100), Ok(1));
    }

    #[test]
    fn text_that_is_not_utf_8_is_told_with_its_line() {
        let told = rows(b"name\na\n\xe9\n", 100).unwrap_err();
        assert_eq!(told, "t.csv:3: the text is not UTF-8; save the table as “CSV UTF-8”, as spreadsheets call it");
    }

    #[test]
    fn a_table_without_commas_is_told() {
        for (text, word) in [("code;name\n1;a\n", "semicolons"), ("code\tname\n1\ta\n", "tabs")] {
            let told = format!("t.csv:1: the columns are separated by {word}; save the table with commas instead");
            assert_eq!(rows(text.as_bytes(), 100), Err(told));
        }
        assert_eq!(rows(b"name,\"a;b\"\n1,2\n", 100), Ok(1));
    }
}
