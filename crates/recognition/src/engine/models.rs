//! The models of this server: which there are, and which of them can be used.

use std::sync::Arc;

use kaisatsu_vision::{
    Engine,
    manifest::{Parts, Task},
    registry::Model,
};

use crate::{
    RecognitionError,
    error::{NOT_INSTALLED, NOT_LOADED, OTHER_VECTORS},
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
}

/// The models.
#[derive(Clone)]
pub struct Models(Arc<Engine>);

impl Models {
    pub(crate) fn new(engine: Arc<Engine>) -> Self {
        Self(engine)
    }

    /// Whether every thread of the engine has loaded its models.
    pub(crate) fn are_loaded(&self) -> bool {
        self.0.is_warm()
    }

    /// The models of a task, usable or not.
    #[must_use]
    pub fn of_task(&self, task: Task) -> Vec<ModelInfo> {
        self.list(|model| model.task() == task)
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
            ModelInfo {
                name: about.name.clone(),
                title: about.title.clone(),
                licence: about.licence.clone(),
                usable: self.fault(model).is_none(),
            }
        };
        models.map(info).collect()
    }

    /// The model of that name and task, if it can be used.
    pub(crate) fn find(&self, name: &str, task: Task) -> Result<Arc<Model>, RecognitionError> {
        let Some(entry) = self.0.registry().entry(name) else {
            let known = self.of_task(task).into_iter().filter(|model| model.usable).map(|model| model.name).collect();
            // A missing default is a server without its models, not a mistake of the caller.
            if name == default_model(task) {
                let reason = "it is not installed; `make models` installs it".to_owned();
                return Err(RecognitionError::Unusable { model: name.to_owned(), fault: NOT_INSTALLED, reason });
            }
            return Err(RecognitionError::NoSuchModel { asked: name.to_owned(), known });
        };
        let unusable =
            |reason: String| RecognitionError::Unusable { model: name.to_owned(), fault: NOT_LOADED, reason };
        let model = entry.model.as_ref().map_err(|fault| unusable(fault.0.clone()))?;
        if model.task() != task {
            let known = self.of_task(task).into_iter().map(|model| model.name).collect();
            return Err(RecognitionError::NoSuchModel { asked: name.to_owned(), known });
        }
        match self.fault(model) {
            Some(reason) => Err(unusable(reason)),
            None => Ok(Arc::clone(model)),
        }
    }

    /// The model of that name, if its vectors are those of these weights. Otherwise `reason` tells the operator why
    /// not.
    pub(crate) fn embedder(&self, name: &str, sha256: &str, reason: &str) -> Result<Arc<Model>, RecognitionError> {
        let model = self.find(name, Task::Classify)?;
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
        self.0.fault(network(model)).map(|fault| fault.0)
    }
}

fn embedding_weights(model: &Model) -> Option<(&str, &str)> {
    Some((&model.manifest.about.name, model.manifest.embedding_sha256()?))
}

/// The model that answers when none is named.
pub(crate) fn default_model(task: Task) -> &'static str {
    match task {
        Task::Classify => "general",
        Task::Detect => "coco",
        Task::ReadText => "text",
        Task::LocalFeatures => "local-features",
    }
}

/// The network that a model runs on: its own, or that of the model it was trained on.
pub(crate) fn network(model: &Model) -> &str {
    match &model.manifest.parts {
        Parts::Probe(parts) => &parts.probe.base,
        _ => &model.manifest.about.name,
    }
}

/// The hash of the weights that make a model's vectors: of its network, or of the network it was trained on.
pub(crate) fn weights(model: &Model) -> String {
    match &model.manifest.parts {
        Parts::Probe(parts) => parts.probe.base_sha256.clone(),
        _ => model.manifest.files().first().map(|(_, sha256)| (*sha256).to_owned()).unwrap_or_default(),
    }
}

/// The error for a model whose network is not on a thread of the engine.
pub(crate) fn not_loaded(model: &str) -> RecognitionError {
    let reason = "its network is not loaded".to_owned();
    RecognitionError::Unusable { model: model.to_owned(), fault: NOT_LOADED, reason }
}
