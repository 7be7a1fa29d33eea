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
        Ok(model.vocabulary.as_ref().map(|vocabulary| containing(vocabulary, language, text)).unwrap_or_default())
    }

    /// The id of the tag of a model that somebody calls so: by its id, or by its name in any language.
    pub(crate) fn tag_id(&self, model: &str, called: &str) -> Result<String, RecognitionError> {
        let found = self.usable(model, |model| model.vocabulary.is_some(), false)?;
        let ids = found.vocabulary.as_ref().map(|known| called_so(known, called)).unwrap_or_default();
        only_one(ids, model, called)
    }
}

/// The tags of which a name in any language, or the id, contains `text`, whatever its case.
fn containing(vocabulary: &Vocabulary, language: &str, text: &str) -> Vec<Tag> {
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
    vocabulary.answers().filter_map(tag).collect()
}

/// The one tag that is called so.
fn only_one(ids: BTreeSet<String>, model: &str, called: &str) -> Result<String, RecognitionError> {
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

    use super::{Tag, called_so, containing, only_one};
    use crate::RecognitionError;

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

    #[test]
    fn tags_are_listed_by_a_part_of_any_name_or_of_the_id() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("labels.tsv");
        std::fs::write(&file, "id\tja\ten\nn01\tツル\tcrane\nn02\tサギ\tHeron\nn03\tトキ\t\n").unwrap();
        let known = Vocabulary::of(Labels::read(&file).unwrap());
        let ids = |text: &str| containing(&known, "en", text).into_iter().map(|tag| tag.id).collect::<Vec<_>>();
        assert_eq!(ids("ERO"), ["n02"]);
        assert_eq!(ids("サ"), ["n02"]);
        assert_eq!(ids("N0"), ["n01", "n02", "n03"]);
        assert_eq!(ids(""), ["n01", "n02", "n03"]);
        assert!(ids("owl").is_empty());
        let names = |names: &[(&str, &str)]| names.iter().map(|(l, n)| ((*l).to_owned(), (*n).to_owned())).collect();
        let ibis = Tag { id: "n03".to_owned(), name: "トキ".to_owned(), names: names(&[("ja", "トキ")]) };
        assert_eq!(containing(&known, "en", "n03"), [ibis]);
    }

    #[test]
    fn a_name_that_is_of_no_tag_or_of_several_is_refused() {
        let one = |ids: &[&str]| only_one(ids.iter().map(|id| (*id).to_owned()).collect(), "general", "crane");
        assert_eq!(one(&["n01"]).unwrap(), "n01");
        let unknown = one(&[]).unwrap_err();
        assert!(
            matches!(&unknown, RecognitionError::UnknownTag { tag, model } if tag == "crane" && model == "general")
        );
        let ambiguous = one(&["n01", "n02", "n03"]).unwrap_err();
        assert!(matches!(&ambiguous, RecognitionError::AmbiguousTag { ids, .. } if ids == &["n01", "n02", "n03"]));
    }
}
