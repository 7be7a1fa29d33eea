//! What one thread of the engine holds: a network for every model, ready to run.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    Classifier, Detector, Resizer,
    labels::Labels,
    manifest::{Fault, Parts, Task},
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
            Parts::Taught(_) | Parts::Text(_) | Parts::LocalFeatures(_) => return Ok(()),
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

    /// A detector and the resizer to feed it with.
    pub fn detector(&mut self, name: &str) -> Option<(&mut Detector, &mut Resizer)> {
        match self.networks.get_mut(name) {
            Some(Loaded::Detector(detector)) => Some((detector, &mut self.resizer)),
            _ => None,
        }
    }
}
