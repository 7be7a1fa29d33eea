//! The names of a model's classes, in every language its file has.

use std::{path::Path, sync::Arc};

use crate::manifest::Fault;

/// A class of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// What identifies it: a WordNet id, a COCO number, or the name itself. Two classes can share a word.
    pub id: String,
    /// Its names, in the order of [`Labels::languages`].
    names: Vec<String>,
}

impl Label {
    /// A class with one name, which is also its id.
    #[must_use]
    pub fn plain(name: &str) -> Self {
        Self { id: name.to_owned(), names: vec![name.to_owned()] }
    }

    /// Its names, in the order of [`Labels::languages`]; empty in a language that has none.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// The classes of a model, in the order of its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    languages: Vec<String>,
    rows: Vec<Label>,
}

impl Labels {
    /// Classes with names in no particular language.
    #[must_use]
    pub fn plain<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { languages: Vec::new(), rows: names.into_iter().map(Label::plain).collect() }
    }

    /// Reads a file: a header with `id` and a column for each language, then a row for each class.
    ///
    /// # Errors
    /// The line that is wrong.
    pub fn read(path: &Path) -> Result<Arc<Self>, Fault> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).map_err(|error| Fault(format!("{name} cannot be read: {error}")))?;
        Self::parse(&text).map(Arc::new).map_err(|fault| Fault(format!("{name}: {fault}")))
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
        let [id, languages @ ..] = header.as_slice() else { return Err("the file is empty".to_owned()) };
        if *id != "id" || languages.is_empty() {
            return Err("the first line must be 'id', a tab, and a language for each column".to_owned());
        }
        let mut rows = Vec::new();
        for (line, number) in lines.zip(2..) {
            let cells: Vec<&str> = line.split('\t').collect();
            // Only the first language has a name for everything.
            if cells.len() != header.len() || cells.iter().take(2).any(|cell| cell.trim().is_empty()) {
                return Err(format!(
                    "line {number}: expected an id and {} names, the first not empty",
                    languages.len()
                ));
            }
            rows.push(Label {
                id: cells[0].to_owned(),
                names: cells[1..].iter().map(|cell| (*cell).to_owned()).collect(),
            });
        }
        if rows.is_empty() {
            return Err("there is no class in it".to_owned());
        }
        Ok(Self { languages: languages.iter().map(|l| (*l).to_owned()).collect(), rows })
    }

    /// How many classes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The class at a position of the output.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Label> {
        self.rows.get(index)
    }

    /// Whether a class has that id, or that name in any language.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.rows.iter().any(|label| label.id == name || label.names.iter().any(|other| other == name))
    }

    /// These classes, and then those of others, in the languages of the others. These have one name for all languages.
    pub(crate) fn followed_by(&self, others: &Self) -> Self {
        let own = |label: &Label| {
            let name = label.names.first().unwrap_or(&label.id);
            Label { id: label.id.clone(), names: vec![name.clone(); others.languages.len().max(1)] }
        };
        let rows = self.rows.iter().map(own).chain(others.rows.iter().cloned()).collect();
        Self { languages: others.languages.clone(), rows }
    }

    /// The name of a class in a language, or the first one there is.
    #[must_use]
    pub fn name<'a>(&self, label: &'a Label, language: &str) -> &'a str {
        let column = self.languages.iter().position(|known| known == language).unwrap_or(0);
        let name = label.names.get(column).filter(|name| !name.is_empty());
        name.or(label.names.first()).map_or(label.id.as_str(), String::as_str)
    }

    /// The languages, the first of which has a name for everything.
    #[must_use]
    pub fn languages(&self) -> &[String] {
        &self.languages
    }
}

#[cfg(test)]
mod tests {
    use super::Labels;

    #[test]
    fn a_class_has_its_names() {
        let labels = Labels::parse("id\ten\tja\nn1\tespresso\tエスプレッソ\nn2\tKutia\t\n");
        let Ok(labels) = labels else { unreachable!() };
        let row = labels.get(0).unwrap_or_else(|| unreachable!());
        assert_eq!(
            (labels.name(row, "en"), labels.name(row, "ja"), labels.name(row, "fr")),
            ("espresso", "エスプレッソ", "espresso")
        );
        assert_eq!(labels.get(1).map(|row| labels.name(row, "ja")), Some("Kutia"), "without a Japanese name");
    }

    #[test]
    fn a_wrong_file_says_where() {
        for (text, told) in [
            ("", "the first line must be 'id', a tab, and a language for each column"),
            ("id\ten\n", "there is no class in it"),
            ("id\ten\nn1\ta\nn2\n", "line 3: expected an id and 1 names, the first not empty"),
        ] {
            assert_eq!(Labels::parse(text), Err(told.to_owned()), "{text:?}");
        }
    }
}
