//! The recogniser: the engine, the store, and what the operator has decided.

use std::{sync::Arc, time::Duration};

use kaisatsu_model::Clock;
use kaisatsu_store::Store;
use kaisatsu_vision::{
    Bounds, Engine,
    manifest::{Parts, Task},
    registry::Model,
};

use crate::{
    RecognitionError,
    catalogue::CatalogueIndex,
    collections::Collections,
    error::{NOT_INSTALLED, NOT_LOADED},
    follow::Followed,
    keep::Keeping,
    learning::Learning,
    slots::Slots,
    tally::Tally,
    users::{UserSettings, Users},
};

/// What the operator has decided.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Pictures that may wait for a thread.
    pub waiting: usize,
    /// The most pixels of an image.
    pub max_pixels: u64,
    /// How long recognitions are kept.
    pub keep: Duration,
    /// Whether pictures are kept with them.
    pub keep_pictures: bool,
    /// How many applications have to agree before feedback acts for all.
    pub quorum: usize,
}

/// A model as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// Its name.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// The licence of its weights.
    pub licence: String,
    /// Whether it can be used now.
    pub usable: bool,
}

/// The door to image recognition.
pub struct Recogniser {
    pub(crate) slots: Slots,
    pub(crate) keeping: Keeping,
    pub(crate) bounds: Bounds,
    pub(crate) collections: Collections,
    pub(crate) catalogue: CatalogueIndex,
    pub(crate) followed: Followed,
    pub(crate) learning: Arc<Learning>,
    pub(crate) tally: Tally,
    pub(crate) users: Users,
}

impl Recogniser {
    /// Puts the parts together.
    #[must_use]
    pub fn new(engine: Engine, store: Store, clock: Arc<dyn Clock>, settings: &Settings, users: UserSettings) -> Self {
        Self {
            slots: Slots::new(engine, settings.waiting),
            keeping: Keeping::new(store, clock, settings.keep, settings.keep_pictures),
            bounds: Bounds { max_pixels: settings.max_pixels },
            collections: Collections::default(),
            catalogue: CatalogueIndex::default(),
            followed: Followed::default(),
            learning: Arc::new(Learning::new(settings.quorum)),
            tally: Tally::default(),
            users: Users::new(users),
        }
    }

    /// Why no picture can be looked at yet, if none can.
    #[must_use]
    pub fn not_ready(&self) -> Option<&'static str> {
        if !self.slots.engine().is_warm() {
            Some("the models are being loaded")
        } else if !self.followed.is_loaded() {
            Some("collections and catalogue are being loaded")
        } else if !self.has_learned() {
            Some("feedback is being loaded")
        } else {
            None
        }
    }

    /// The models of a task, usable or not.
    #[must_use]
    pub fn models(&self, task: Task) -> Vec<ModelInfo> {
        self.listed(|model| model.task() == task)
    }

    /// The models that turn pictures into vectors, for similar image search.
    #[must_use]
    pub fn embedders(&self) -> Vec<ModelInfo> {
        self.listed(Model::embeds)
    }

    fn listed(&self, wanted: impl Fn(&Model) -> bool) -> Vec<ModelInfo> {
        let models = self.slots.engine().registry().models().filter(|model| wanted(model));
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
    pub(crate) fn model(&self, name: &str, task: Task) -> Result<Arc<Model>, RecognitionError> {
        let engine = self.slots.engine();
        let Some(entry) = engine.registry().entry(name) else {
            let known = self.models(task).into_iter().filter(|model| model.usable).map(|model| model.name).collect();
            // A default that is missing is a server without its models, not a mistake of the caller.
            if name == default_of(task) {
                let reason = "it is not installed; `make models` installs it".to_owned();
                return Err(RecognitionError::Unusable { model: name.to_owned(), fault: NOT_INSTALLED, reason });
            }
            return Err(RecognitionError::NoSuchModel { asked: name.to_owned(), known });
        };
        let unusable =
            |reason: String| RecognitionError::Unusable { model: name.to_owned(), fault: NOT_LOADED, reason };
        let model = entry.model.as_ref().map_err(|fault| unusable(fault.0.clone()))?;
        if model.task() != task {
            let known = self.models(task).into_iter().map(|model| model.name).collect();
            return Err(RecognitionError::NoSuchModel { asked: name.to_owned(), known });
        }
        match self.fault(model) {
            Some(reason) => Err(unusable(reason)),
            None => Ok(Arc::clone(model)),
        }
    }

    /// Why a model cannot run: its own fault, or that of the model it was taught on.
    fn fault(&self, model: &Model) -> Option<String> {
        let name = match &model.manifest.parts {
            Parts::Probe(parts) => &parts.probe.base,
            _ => &model.manifest.about.name,
        };
        self.slots.engine().fault(name).map(|fault| fault.0)
    }
}

/// The model that answers when none is named.
pub(crate) fn default_of(task: Task) -> &'static str {
    match task {
        Task::Classify => "general",
        Task::Detect => "coco",
        Task::ReadText => "text",
        Task::LocalFeatures => "local-features",
    }
}
