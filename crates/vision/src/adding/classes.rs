//! The names of the classes, from the files in which they usually come.

use std::{collections::HashSet, path::Path};

use serde_json::Value;

use super::{Finding, finding};
use crate::{labels::Labels, manifest::Fault};

/// The classes as they will be in the model's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Classes {
    /// `labels.tsv`.
    text: String,
    count: usize,
    /// The file, or `None` for classes that are numbered.
    file: Option<String>,
}

/// Reads `labels.tsv` as it is, a list in JSON, `id2label` of a `config.json`, or one name a line.
pub(super) fn read(path: &Path) -> Result<Classes, Fault> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let told = |error: &dyn std::fmt::Display| Fault(format!("--labels {}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| told(&error))?;
    let text = if text.starts_with("id\t") {
        text
    } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        let value: Value = serde_json::from_str(&text).map_err(|error| told(&error))?;
        let names = names_in(&value).ok_or_else(|| told(&"expected a list of names, or id2label with 0, 1, 2 …"))?;
        table(names.iter().map(String::as_str))
    } else {
        table(text.trim_start_matches('\u{feff}').trim_end().lines())
    };
    let labels = Labels::parse(&text).map_err(|error| told(&error))?;
    Ok(Classes { text, count: labels.len(), file: Some(name) })
}

fn names_in(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(names) => names.iter().map(|name| name.as_str().map(str::to_owned)).collect(),
        Value::Object(members) => match members.get("id2label") {
            Some(names) => names_in(names),
            None => (0..members.len()).map(|at| members.get(&at.to_string())?.as_str().map(str::to_owned)).collect(),
        },
        _ => None,
    }
}

/// A name is also the id of its class. Two classes may share a name but not an id.
fn table<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut ids = HashSet::new();
    let mut text = "id\tname\n".to_owned();
    for (at, name) in names.enumerate() {
        let name = name.replace('\t', " ").trim().to_owned();
        let id = if ids.insert(name.clone()) { name.clone() } else { format!("{name} ({at})") };
        text.extend([&id, "\t", &name, "\n"]);
    }
    text
}

impl Classes {
    /// Classes of which nobody has said the names.
    pub(super) fn numbered(count: usize) -> Self {
        let names: Vec<String> = (0..count).map(|at| at.to_string()).collect();
        Self { text: table(names.iter().map(String::as_str)), count, file: None }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn finding(&self) -> Finding {
        let why = match &self.file {
            Some(file) => format!("named in {file}"),
            None => "called by their numbers; --labels FILE names them".to_owned(),
        };
        finding("classes", self.count.to_string(), why)
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn names_come_from_the_usual_files() {
        let folder = tempfile::tempdir().unwrap();
        let expected = "id\tname\ncrane\tcrane\ncat\tcat\ncrane (2)\tcrane\n";
        for (file, text) in [
            ("names.txt", "crane\ncat\r\ncrane\n\n"),
            ("names.json", r#"["crane", "cat", "crane"]"#),
            ("config.json", r#"{"x": 1, "id2label": {"1": "cat", "0": "crane", "2": "crane"}}"#),
            ("labels.tsv", expected),
        ] {
            let path = folder.path().join(file);
            std::fs::write(&path, text).unwrap();
            let classes = read(&path).unwrap();
            assert_eq!((classes.text(), classes.len()), (expected, 3), "{file}");
        }
        let holes = folder.path().join("holes.json");
        std::fs::write(&holes, r#"{"id2label": {"0": "crane", "2": "cat"}}"#).unwrap();
        assert!(read(&holes).unwrap_err().0.ends_with("expected a list of names, or id2label with 0, 1, 2 …"));
        let gap = folder.path().join("gap.txt");
        std::fs::write(&gap, "crane\n\ncat\n").unwrap();
        assert!(read(&gap).unwrap_err().0.contains("line 3"), "an empty line would move all names after it");
    }
}
