//! What is learned of one source: a model, a dataset, a collection or the catalogue, asked by one function.

use kaisatsu_feedback::{FeedbackModel, ScopeKey};
use kaisatsu_model::{DatasetId, Function, Source};

use super::score_cache::ScoreCache;

/// Identifies a source of answers. It is the unit that is loaded, followed and dropped.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SourceKey {
    pub(crate) function: Function,
    /// The name of the source in a scope.
    name: String,
}

/// The verdicts in force on a source, as exemplars.
pub(crate) struct LearnedSource {
    pub(crate) model: FeedbackModel,
    pub(super) scores: ScoreCache,
}

impl SourceKey {
    pub(crate) fn new(function: Function, source: &Source) -> Self {
        Self { function, name: scope_name(source).to_owned() }
    }

    /// The source that a scope belongs to.
    pub(crate) fn of(scope: &ScopeKey) -> Self {
        Self { function: scope.function, name: scope.model.clone() }
    }

    /// The name under which the verdicts are stored; none for the catalogue, which is one source whatever category of
    /// it was asked for.
    pub(super) fn stored_name(&self) -> Option<&str> {
        (!self.name.is_empty()).then_some(&self.name)
    }

    /// The dataset, if it is one.
    pub(super) fn dataset(&self) -> Option<DatasetId> {
        Source::from_text(self.function, self.stored_name()?).dataset().cloned()
    }

    /// What it takes in memory as a key, with the table that it is in.
    pub(super) fn bytes(&self) -> usize {
        3 * size_of::<Self>() + self.name.len()
    }
}

impl LearnedSource {
    /// Verdicts act for all when `quorum` owners agree.
    pub(crate) fn new(quorum: usize) -> Self {
        Self { model: FeedbackModel::new(quorum), scores: ScoreCache::default() }
    }
}

/// The scope in which exemplars are compared. Where each candidate has a vector of its own, each class has its own
/// scope.
pub(crate) fn scope(function: Function, source: &Source, weights: &str, class: &str) -> ScopeKey {
    let own = |text: &str| text.to_owned();
    ScopeKey { function, model: own(scope_name(source)), engine: own(weights), class: own(class) }
}

/// The name of a source in a scope. The catalogue is one source, whichever category of it was asked for.
fn scope_name(source: &Source) -> &str {
    match source {
        Source::Catalogue(_) => "",
        Source::Model(_) | Source::Collection(_) | Source::Dataset(_) => source.as_str(),
    }
}

/// The source of a scope; none for the catalogue.
pub(crate) fn scope_source(key: &ScopeKey) -> Option<Source> {
    (!key.model.is_empty()).then(|| Source::from_text(key.function, &key.model))
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{DatasetId, Function, Source};

    use super::{SourceKey, scope, scope_source};

    #[test]
    fn all_categories_of_the_catalogue_share_one_scope_and_are_one_source() {
        let (all, books) = (Source::Catalogue(None), Source::Catalogue(Some("book".to_owned())));
        let of = |source: &Source| scope(Function::RecogniseObject, source, "w", "");
        let whole = of(&all);
        assert_eq!(whole, of(&books));
        assert_eq!((whole.function, scope_source(&whole)), (Function::RecogniseObject, None));
        let key = SourceKey::new(Function::RecogniseObject, &books);
        assert_eq!((&key, key.stored_name(), key.dataset()), (&SourceKey::of(&whole), None, None));
    }

    #[test]
    fn other_sources_functions_weights_and_classes_have_their_own_scopes() {
        let model = |name: &str| Source::Model(name.to_owned());
        let one = scope(Function::Classify, &model("general"), "w", "");
        assert_ne!(one, scope(Function::Classify, &model("birds"), "w", ""));
        assert_ne!(one, scope(Function::Detect, &model("general"), "w", ""));
        assert_ne!(one, scope(Function::Classify, &model("general"), "v", ""));
        assert_ne!(one, scope(Function::Classify, &model("general"), "w", "cat"));
        assert_eq!((one.function, scope_source(&one)), (Function::Classify, Some(model("general"))));
    }

    #[test]
    fn weights_and_classes_belong_to_one_source_and_functions_do_not() {
        let model = Source::Model("general".to_owned());
        let key = SourceKey::new(Function::Detect, &model);
        for (weights, class) in [("w", "cat"), ("v", "dog")] {
            assert_eq!(SourceKey::of(&scope(Function::Detect, &model, weights, class)), key);
        }
        assert_ne!(SourceKey::new(Function::Classify, &model), key);
        assert_eq!((key.stored_name(), key.dataset()), (Some("general"), None));
        let id = DatasetId::from_random([1; 20]);
        let key = SourceKey::new(Function::Classify, &Source::Dataset(id.clone()));
        assert_eq!((key.stored_name(), key.dataset()), (Some(id.as_str()), Some(id.clone())));
    }
}
