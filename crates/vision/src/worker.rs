//! What one thread of the engine holds: a network for every model, ready to run.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    Classifier, Detector, Resizer,
    labels::Labels,
    manifest::{Fault, Parts, Task},
    object,
    runtime::Runtime,
    shelf::{Model, Shelf},
};

/// The networks of one thread.
pub struct Worker {
    /// Resizes pictures; it keeps its buffers.
    pub resizer: Resizer,
    networks: BTreeMap<String, Loaded>,
}

enum Loaded {
    Classifier(Box<Classifier>),
    Detector(Box<Detector>),
    Objects(Box<object::Recogniser>),
}

impl Worker {
    /// Loads every whole model of the shelf, and says which could not be loaded.
    #[must_use]
    pub fn load(shelf: &Shelf) -> (Self, Vec<(String, Fault)>) {
        let mut worker = Self { resizer: Resizer::new(), networks: BTreeMap::new() };
        let mut faults = Vec::new();
        for model in shelf.models() {
            match worker.take(&shelf.runtime, model) {
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
    pub fn load_only(shelf: &Shelf, name: &str) -> Result<Self, Fault> {
        let entry = shelf.entry(name).ok_or_else(|| Fault(format!("there is no model '{name}'")))?;
        let mut worker = Self { resizer: Resizer::new(), networks: BTreeMap::new() };
        worker.take(&shelf.runtime, entry.model.as_ref().map_err(Clone::clone)?)?;
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
            // A taught head runs on its base's network.
            Parts::Taught(_) | Parts::Text(_) => return Ok(()),
            Parts::LocalFeatures(parts) => {
                let extractor = object::Extractor::load(runtime, &model.folder.join(&parts.weights.file));
                let extractor = extractor.map_err(|error| Fault(error.to_string()))?;
                Loaded::Objects(Box::new(object::Recogniser::new(extractor)))
            }
        };
        self.networks.insert(model.manifest.about.name.clone(), loaded);
        Ok(())
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

    /// A detector and the resizer to feed it with.
    pub fn detector(&mut self, name: &str) -> Option<(&mut Detector, &mut Resizer)> {
        match self.networks.get_mut(name) {
            Some(Loaded::Detector(detector)) => Some((detector, &mut self.resizer)),
            _ => None,
        }
    }
}
