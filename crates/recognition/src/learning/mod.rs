//! What feedback has taught, and what that does to scores.
//!
//! A recognition asks on the thread that made the image's descriptor. Where no verdict is in force for the caller
//! nothing changes: the answer has the bits that it would have without feedback.

mod adjust;
mod score_cache;

pub(crate) use adjust::Adjustment;
use kaisatsu_feedback::{FeedbackModel, ScopeKey};
use kaisatsu_model::{AppId, Function, Source};
use score_cache::ScoreCache;

/// The verdicts in force, as exemplars.
pub(crate) struct LearnedFeedback {
    pub(crate) model: FeedbackModel,
    scores: ScoreCache,
}

impl LearnedFeedback {
    /// Verdicts act for all when `quorum` applications agree.
    pub(crate) fn new(quorum: usize) -> Self {
        Self { model: FeedbackModel::new(quorum), scores: ScoreCache::default() }
    }

    /// Whether any verdict on a source is in force for an application.
    pub(crate) fn has_verdicts(&self, application: &AppId, function: Function, source: &Source) -> bool {
        self.model.has_feedback_for(application, function, scope_name(source))
    }

    /// Forgets what was learned of a dataset.
    pub(crate) fn forget(&self, dataset: &str) {
        self.model.forget(dataset);
        self.scores.forget(dataset);
    }
}

/// Who asks for feedback, on which source, and with whose vectors.
#[derive(Debug, Clone)]
pub(crate) struct FeedbackQuery {
    pub(crate) application: AppId,
    pub(crate) scope: ScopeKey,
}

impl FeedbackQuery {
    pub(crate) fn new(application: &AppId, function: Function, source: &Source, weights: &str) -> Self {
        Self { application: application.clone(), scope: scope(function, source, weights, "") }
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
    use kaisatsu_model::{Function, Source};

    use super::{scope, scope_source};

    #[test]
    fn all_categories_of_the_catalogue_share_one_scope() {
        let of = |source: &Source| scope(Function::RecogniseObject, source, "w", "");
        let (whole, books) = (of(&Source::Catalogue(None)), of(&Source::Catalogue(Some("book".to_owned()))));
        assert_eq!(whole, books);
        assert_eq!((whole.function, scope_source(&whole)), (Function::RecogniseObject, None));
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
}
