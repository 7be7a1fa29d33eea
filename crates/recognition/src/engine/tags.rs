//! The tags that models can answer with.

use std::collections::BTreeSet;

use kaisatsu_vision::{Label, Vocabulary};

use super::Models;
use crate::RecognitionError;

/// A tag that a model can answer with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// What identifies it.
    pub id: String,
    /// Its name in the language that was asked for.
    pub name: String,
    /// Its names by language; a language that has no name for it is left out.
    pub names: Vec<(String, String)>,
}

impl Models {
    /// The tags that a classifier or a detector can answer with, in the order of its vocabulary: those of which a name
    /// in any language, or the id, contains `text`.
    ///
    /// # Errors
    /// When there is no such model.
    pub fn tags(&self, name: &str, language: &str, text: &str) -> Result<Vec<Tag>, RecognitionError> {
        let model = self.usable(name, |model| model.vocabulary.is_some(), false)?;
        let Some(vocabulary) = &model.vocabulary else { return Ok(Vec::new()) };
        let wanted = text.to_lowercase();
        let contains = |name: &str| name.to_lowercase().contains(&wanted);
        let tag = |class| {
            let (label, name) = vocabulary.name(class, language)?;
            let names = vocabulary.labels().languages().iter().zip(label.names());
            let names: Vec<_> = names
                .filter(|(_, name)| !name.is_empty())
                .map(|(language, name)| (language.clone(), name.clone()))
                .collect();
            (contains(&label.id) || names.iter().any(|(_, name)| contains(name))).then(|| Tag {
                id: label.id.clone(),
                name: name.to_owned(),
                names,
            })
        };
        Ok(vocabulary.answers().filter_map(tag).collect())
    }

    /// The id of the tag of a model that somebody calls so: by its id, or by its name in any language.
    pub(crate) fn tag_id(&self, model: &str, called: &str) -> Result<String, RecognitionError> {
        let found = self.usable(model, |model| model.vocabulary.is_some(), false)?;
        let ids = found.vocabulary.as_ref().map(|known| called_so(known, called)).unwrap_or_default();
        let mut ids = ids.into_iter();
        match (ids.next(), ids.next()) {
            (Some(id), None) => Ok(id),
            (None, _) => Err(RecognitionError::UnknownTag { tag: called.to_owned(), model: model.to_owned() }),
            (Some(first), Some(second)) => {
                let ids = [first, second].into_iter().chain(ids).collect();
                Err(RecognitionError::AmbiguousTag { tag: called.to_owned(), ids })
            }
        }
    }
}

/// The ids of all tags of that id or, if there is none, of that name in any language. Case is ignored where nothing has
/// exactly that name.
fn called_so(known: &Vocabulary, called: &str) -> BTreeSet<String> {
    if called.is_empty() {
        return BTreeSet::new();
    }
    let lower = called.to_lowercase();
    let rules: [&dyn Fn(&Label) -> bool; 3] =
        [&|label| label.id == called, &|label| label.names().iter().any(|name| name == called), &|label| {
            label.names().iter().any(|name| name.to_lowercase() == lower)
        }];
    let labels = || known.answers().filter_map(|class| known.name(class, "")).map(|(label, _)| label);
    let by =
        |rule: &&dyn Fn(&Label) -> bool| labels().filter(|label| rule(label)).map(|label| label.id.clone()).collect();
    rules.iter().map(by).find(|ids: &BTreeSet<String>| !ids.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kaisatsu_vision::{Labels, Vocabulary};

    use super::called_so;

    #[test]
    fn a_tag_is_found_by_its_id_or_else_by_its_name() {
        let known = Vocabulary::of(Arc::new(Labels::plain(["Crane", "crane", "Heron"])));
        let found = |called: &str| called_so(&known, called).into_iter().collect::<Vec<_>>();
        assert_eq!(found("crane"), ["crane"], "case counts where a tag is called exactly so");
        assert_eq!(found("CRANE"), ["Crane", "crane"]);
        assert_eq!(found("heron"), ["Heron"]);
        assert!(found("her").is_empty());
        assert!(found("").is_empty());
    }
}
