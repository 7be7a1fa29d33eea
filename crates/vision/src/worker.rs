//! What one thread of the engine holds: a network for every model, ready to run.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crate::{
    Classifier, Detector, Picture, Resizer,
    labels::Labels,
    manifest::{Fault, Parts, Task},
    object,
    registry::{Model, ModelRegistry},
    runtime::{Runtime, RuntimeError},
    text,
};

/// The networks of one thread.
pub struct Worker {
    /// Resizes pictures; it keeps its buffers.
    pub resizer: Resizer,
    networks: BTreeMap<String, Loaded>,
    readers: Arc<Readers>,
}

/// The readers of text. All threads share them: they are the largest networks and the least needed.
#[derive(Default)]
pub struct Readers(OnceLock<BTreeMap<String, Result<Mutex<text::Reader>, Fault>>>);

impl Readers {
    /// The readers among the models, loaded by whoever asks first.
    fn of(&self, models: &ModelRegistry) -> &BTreeMap<String, Result<Mutex<text::Reader>, Fault>> {
        let read = |model: &Arc<Model>| {
            let Parts::Text(parts) = &model.manifest.parts else { return None };
            let library = models.runtime.as_ref().map_err(Clone::clone);
            let loaded = library.and_then(|library| text::Reader::load(library, &model.folder, parts));
            Some((model.manifest.about.name.clone(), loaded.map(Mutex::new)))
        };
        self.0.get_or_init(|| models.models().filter_map(read).collect())
    }
}

enum Loaded {
    Classifier(Box<Classifier>),
    Detector(Box<Detector>),
    Objects(Box<object::Recogniser>),
}

impl Worker {
    /// Loads every whole model of the registry, and says which could not be loaded.
    #[must_use]
    pub fn load(registry: &ModelRegistry, readers: &Arc<Readers>) -> (Self, Vec<(String, Fault)>) {
        let unreadable =
            |(name, reader): (&String, &Result<_, Fault>)| Some((name.clone(), reader.as_ref().err()?.clone()));
        let mut faults: Vec<_> = readers.of(registry).iter().filter_map(unreadable).collect();
        let mut worker = Self { resizer: Resizer::new(), networks: BTreeMap::new(), readers: Arc::clone(readers) };
        for model in registry.models() {
            match worker.take(&registry.runtime, model) {
                Ok(()) => {}
                Err(fault) => faults.push((model.manifest.about.name.clone(), fault)),
            }
        }
        (worker, faults)
    }

    /// Loads a single model.
    ///
    /// # Errors
    /// When it is not there or cannot be loaded.
    pub fn load_only(registry: &ModelRegistry, name: &str) -> Result<Self, Fault> {
        let entry = registry.entry(name).ok_or_else(|| Fault(format!("there is no model '{name}'")))?;
        let model = entry.model.as_ref().map_err(Clone::clone)?;
        let mut worker = Self { resizer: Resizer::new(), networks: BTreeMap::new(), readers: Arc::default() };
        if model.task() == Task::ReadText
            && let Some(Err(fault)) = worker.readers.of(registry).get(name)
        {
            return Err(fault.clone());
        }
        worker.take(&registry.runtime, model)?;
        Ok(worker)
    }

    fn take(&mut self, runtime: &Result<Runtime, Fault>, model: &Model) -> Result<(), Fault> {
        let runtime = runtime.as_ref().map_err(Clone::clone)?;
        let labels = || model.labels.clone().unwrap_or_else(|| Arc::new(Labels::plain([])));
        let loaded = match &model.manifest.parts {
            Parts::Picture(parts) if model.task() == Task::Detect => {
                Loaded::Detector(Box::new(Detector::load(runtime, &model.folder, parts, labels())?))
            }
            Parts::Picture(parts) => {
                Loaded::Classifier(Box::new(Classifier::load(runtime, &model.folder, parts, labels())?))
            }
            // A taught head runs on its base's network; readers are shared.
            Parts::Probe(_) | Parts::Text(_) => return Ok(()),
            Parts::LocalFeatures(_) => {
                let extractor = object::Extractor::load(runtime, model);
                let extractor = extractor.map_err(|error| Fault(error.to_string()))?;
                Loaded::Objects(Box::new(object::Recogniser::new(extractor)))
            }
        };
        self.networks.insert(model.manifest.about.name.clone(), loaded);
        Ok(())
    }

    /// What a classifier or a detector runs on, in words.
    #[must_use]
    pub fn runs_on(&self, name: &str) -> Option<&'static str> {
        match self.networks.get(name)? {
            Loaded::Classifier(classifier) => Some(classifier.runs_on()),
            Loaded::Detector(detector) => Some(detector.runs_on()),
            Loaded::Objects(_) => None,
        }
    }

    /// A classifier and the resizer to feed it with.
    pub fn classifier(&mut self, name: &str) -> Option<(&mut Classifier, &mut Resizer)> {
        match self.networks.get_mut(name) {
            Some(Loaded::Classifier(classifier)) => Some((classifier, &mut self.resizer)),
            _ => None,
        }
    }

    /// A recogniser of things in a catalogue, and the resizer to feed it with.
    pub fn objects(&mut self, name: &str) -> Option<(&mut object::Recogniser, &mut Resizer)> {
        match self.networks.get_mut(name) {
            Some(Loaded::Objects(recogniser)) => Some((recogniser, &mut self.resizer)),
            _ => None,
        }
    }

    /// The lines of text in a picture, in reading order; `None` when there is no such reader.
    pub fn read_text(
        &mut self,
        name: &str,
        picture: &Picture,
        limits: text::Limits,
    ) -> Option<Result<Vec<text::Line>, RuntimeError>> {
        let reader = self.readers.0.get()?.get(name)?.as_ref().ok()?;
        // What a panic left behind are buffers that the next picture fills anew.
        let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
        Some(reader.read(&mut self.resizer, picture, limits))
    }

    /// A detector and the resizer to feed it with.
    pub fn detector(&mut self, name: &str) -> Option<(&mut Detector, &mut Resizer)> {
        match self.networks.get_mut(name) {
            Some(Loaded::Detector(detector)) => Some((detector, &mut self.resizer)),
            _ => None,
        }
    }
}
