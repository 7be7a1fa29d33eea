//! The models of this server: which there are, and which of them can be used.

use std::sync::Arc;

use kaisatsu_vision::{
    Engine, ModelRegistry,
    manifest::{Extended, Parts, Task},
    registry::Model,
};

use crate::{
    RecognitionError,
    error::{NOT_INSTALLED, NOT_LOADED, OTHER_VECTORS, how_to_teach},
};

/// A model as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// Its name.
    pub name: String,
    /// Its title for people.
    pub title: String,
    /// The licence of its weights.
    pub licence: String,
    /// Whether it can be used now.
    pub usable: bool,
    /// What it knows and what it does not.
    pub description: String,
    /// The package that its weights come from, and its version.
    pub source: String,
    /// The languages of its tags, if it has any.
    pub languages: Vec<String>,
    /// How many tags it can answer with.
    pub tags: Option<usize>,
    /// The width and the height of its input in pixels.
    pub input: Option<(u32, u32)>,
    /// Whether its network is in memory.
    pub loaded: bool,
    /// Whether it turns texts into vectors too.
    pub text: bool,
}

/// The models.
#[derive(Clone)]
pub struct Models(pub(super) Arc<Engine>);

impl Models {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self(engine)
    }

    /// Whether every thread of the engine has loaded its models.
    pub(crate) fn are_loaded(&self) -> bool {
        self.0.is_warm()
    }

    /// The models of a task, usable or not: the default one, then the others by name.
    #[must_use]
    pub fn of_task(&self, task: Task) -> Vec<ModelInfo> {
        let mut models = self.list(|model| model.task() == task);
        if task == Task::Classify && self.0.registry().entry(LANDMARK).is_none() {
            models.push(untaught_landmark());
            models.sort_by(|a, b| a.name.cmp(&b.name));
        }
        models.sort_by_key(|model| model.name != default_model(task));
        models
    }

    /// The models that turn images into vectors, for similar image search.
    #[must_use]
    pub fn embedders(&self) -> Vec<ModelInfo> {
        self.list(Model::embeds)
    }

    /// Each model that turns images into vectors, with the hash of its weights.
    pub(crate) fn embedding_weights(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.registry().models().filter_map(|model| embedding_weights(model))
    }

    fn list(&self, wanted: impl Fn(&Model) -> bool) -> Vec<ModelInfo> {
        let models = self.0.registry().models().filter(|model| wanted(model));
        let info = |model: &Arc<Model>| {
            let about = &model.manifest.about;
            let input = match &model.manifest.parts {
                Parts::Picture(parts) => Some((parts.input.width, parts.input.height)),
                Parts::Embedder(parts) => Some((parts.input.width, parts.input.height)),
                _ => None,
            };
            let labels = model.labels.as_ref();
            let answers = model.vocabulary.as_ref().map(|vocabulary| vocabulary.answers().count());
            ModelInfo {
                name: about.name.clone(),
                title: about.title.clone(),
                licence: about.licence.clone(),
                usable: self.fault(model).is_none(),
                description: about.description.clone(),
                source: format!("{} {}", about.source.package, about.source.version),
                languages: labels.map(|labels| labels.languages().to_vec()).unwrap_or_default(),
                tags: answers,
                input,
                loaded: self.0.is_loaded(network(model)),
                text: model.manifest.text_encoder().is_some(),
            }
        };
        models.map(info).collect()
    }

    /// The model of that name and task, if it can be used.
    pub(crate) fn find(&self, name: &str, task: Task) -> Result<Arc<Model>, RecognitionError> {
        self.usable(name, |model| model.task() == task, name == default_model(task))
    }

    pub(super) fn usable(
        &self,
        name: &str,
        wanted: impl Fn(&Model) -> bool,
        is_default: bool,
    ) -> Result<Arc<Model>, RecognitionError> {
        let known = || self.list(&wanted).into_iter();
        let Some(entry) = self.0.registry().entry(name) else {
            // A missing default is a server without its models, not a mistake of the caller.
            if is_default {
                let reason = "it is not installed; `kaisatsu models install` installs it".to_owned();
                return Err(RecognitionError::Unusable { model: name.to_owned(), fault: NOT_INSTALLED, reason });
            }
            let known = known().filter(|model| model.usable).map(|model| model.name).collect();
            return Err(RecognitionError::NoSuchModel { asked: name.to_owned(), known });
        };
        let unusable =
            |reason: String| RecognitionError::Unusable { model: name.to_owned(), fault: NOT_LOADED, reason };
        let model = entry.model.as_ref().map_err(|fault| unusable(fault.0.clone()))?;
        if !wanted(model) {
            let known = known().map(|model| model.name).collect();
            return Err(RecognitionError::NoSuchModel { asked: name.to_owned(), known });
        }
        match self.fault(model) {
            Some(reason) => Err(unusable(reason)),
            None => Ok(Arc::clone(model)),
        }
    }

    /// The model whose vectors new datasets are made of: the best of the usual ones that can be used.
    pub(crate) fn default_embedder(&self) -> Result<Arc<Model>, RecognitionError> {
        let [best, plain] = DEFAULT_EMBEDDERS;
        self.usable(best, Model::embeds, true).or_else(|_| self.usable(plain, Model::embeds, true))
    }

    /// The model of that name, if it makes vectors.
    pub(crate) fn named_embedder(&self, name: &str) -> Result<Arc<Model>, RecognitionError> {
        self.usable(name, Model::embeds, false)
    }

    /// The model of that name, if its vectors are those of these weights. Otherwise `reason` tells the operator why
    /// not.
    pub(crate) fn embedder(&self, name: &str, sha256: &str, reason: &str) -> Result<Arc<Model>, RecognitionError> {
        // Vectors that cannot be made now are a fault of the server, whatever the name of their model.
        let model = self.usable(name, Model::embeds, true)?;
        if model.manifest.embedding_sha256() != Some(sha256) {
            return Err(RecognitionError::Unusable {
                model: name.to_owned(),
                fault: OTHER_VECTORS,
                reason: reason.to_owned(),
            });
        }
        Ok(model)
    }

    /// Why a model cannot run: its own fault, or that of the model it was trained on.
    fn fault(&self, model: &Model) -> Option<String> {
        let features = model.instances.as_ref().and_then(|things| self.0.fault(&things.features_of));
        self.0.fault(network(model)).or(features).map(|fault| fault.0)
    }
}

/// A model that clients ask for, and that only an operator's photographs can make.
const LANDMARK: &str = "landmark";

/// What is listed in its place.
fn untaught_landmark() -> ModelInfo {
    ModelInfo {
        name: LANDMARK.to_owned(),
        title: "Sights, not taught yet".to_owned(),
        licence: String::new(),
        usable: false,
        description: format!("There are no photographs of sights on this server{}.", how_to_teach(LANDMARK)),
        source: String::new(),
        languages: Vec::new(),
        tags: None,
        input: None,
        loaded: false,
        text: false,
    }
}

fn embedding_weights(model: &Model) -> Option<(&str, &str)> {
    Some((&model.manifest.about.name, model.manifest.embedding_sha256()?))
}

/// The models whose vectors are used when none is named, the best first: the second needs one network less.
const DEFAULT_EMBEDDERS: [&str; 2] = ["general-joined", "general"];

/// Models whose vectors may suit a dataset better than the usual ones, which are of the centre of a picture: the same
/// of the whole picture, of both, or joined with those of a network that knows one subject. Those that cost less come
/// first.
pub(crate) const SPECIAL_EMBEDDERS: [&str; 4] = ["general-whole", "general-food", "general-plant", "general-both"];

/// The model whose vectors are used when none is named, of those that are installed.
#[must_use]
pub fn default_embedder(registry: &ModelRegistry) -> &'static str {
    let [best, plain] = DEFAULT_EMBEDDERS;
    if registry.entry(best).is_some_and(|entry| entry.model.is_ok()) { best } else { plain }
}

/// The usual model whose datasets get the vectors of this one, if this is the best of the usual ones.
pub(crate) fn lesser_embedder(best: &Model) -> Option<&'static str> {
    let [name, plain] = DEFAULT_EMBEDDERS;
    (best.manifest.about.name == name).then_some(plain)
}

/// The model that answers when none is named.
pub(crate) fn default_model(task: Task) -> &'static str {
    match task {
        Task::Classify => "general",
        Task::Embed => DEFAULT_EMBEDDERS[0],
        Task::Detect => "coco",
        Task::ReadText => "text",
        Task::LocalFeatures => "local-features",
    }
}

/// The network that a model runs on: its own, or that of the model it was trained on.
pub(crate) fn network(model: &Model) -> &str {
    match &model.manifest.parts {
        Parts::Probe(parts) => &parts.probe.base,
        Parts::Instances(parts) => &parts.vectors.model,
        Parts::View(view) => &view.of,
        _ => &model.manifest.about.name,
    }
}

/// The classifier beside whose classes a taught model answers with its own.
pub(crate) fn extended(model: &Model) -> Option<&Extended> {
    match &model.manifest.parts {
        Parts::Probe(parts) => parts.extends.as_ref(),
        _ => None,
    }
}

/// The model whose scores a model answers with: itself, unless it is a view of another.
pub(crate) fn scored_by(model: &Model) -> &str {
    match &model.manifest.parts {
        Parts::View(view) => &view.of,
        _ => &model.manifest.about.name,
    }
}

/// The error for a model whose network is not on a thread of the engine.
pub(crate) fn not_loaded(model: &str) -> RecognitionError {
    let reason = "its network is not loaded".to_owned();
    RecognitionError::Unusable { model: model.to_owned(), fault: NOT_LOADED, reason }
}
