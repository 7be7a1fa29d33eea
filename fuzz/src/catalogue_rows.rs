//! The importers of catalogues: any file gives rows, and each row is an item or a reason that can be printed.
//!
//! The first byte chooses the format; the rest is the file.

use std::fs;

use kaisatsu_recognition::import::{Format, rows};

const FORMATS: [Format; 4] = [Format::Csv, Format::Jsonl, Format::OpenLibrary, Format::OpenFoodFacts];

pub(crate) fn run(bytes: &[u8]) {
    let Some((chosen, content)) = bytes.split_first() else { return };
    let format = match chosen {
        b'c' => Format::Csv,
        b'j' => Format::Jsonl,
        b'l' => Format::OpenLibrary,
        b'f' => Format::OpenFoodFacts,
        other => FORMATS[usize::from(*other) % FORMATS.len()],
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("catalogue");
    fs::write(&path, content).expect("a file");
    let Ok(rows) = rows(&path, format) else { return };
    let lines = content.split(|byte| *byte == b'\n').count();
    for row in rows {
        assert!(row.line <= lines, "row {} of a file with {lines} lines", row.line);
        match row.entry {
            Ok(entry) => {
                assert!(!entry.id.is_empty() && !entry.name.is_empty());
                assert!(
                    entry.codes.iter().all(|code| code.len() == 13 && code.bytes().all(|digit| digit.is_ascii_digit()))
                );
            }
            Err(reason) => assert!(!reason.is_empty()),
        }
    }
}
