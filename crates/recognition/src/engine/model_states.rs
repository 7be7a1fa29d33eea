//! How each model is: ready or not, why, and what its networks run on.

use std::path::Path;

use kaisatsu_vision::{
    manifest::{Load, Task},
    registry::{Entry, Model},
};

use super::{
    Models,
    models::{default_model, network},
};

/// What a network of a model runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkKernels {
    /// The file of the network.
    pub file: String,
    /// The kernels.
    pub kernels: &'static str,
    /// Why these.
    pub reason: String,
}

/// Whether a model can answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelReadiness {
    /// It can.
    Ready,
    /// It is loaded with the next request for it.
    OnDemand,
    /// It is being loaded.
    Loading,
    /// It cannot be used, for this reason.
    Broken(String),
}

/// How a model is, for whoever runs the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelState {
    /// Its name.
    pub name: String,
    /// What it does; nothing when its manifest cannot be read.
    pub task: Option<Task>,
    /// Its title.
    pub title: String,
    /// Whether it can answer.
    pub readiness: ModelReadiness,
    /// The model whose network it runs on, if it has none of its own.
    pub runs_on_model: Option<String>,
    /// What its networks run on, as far as they are loaded.
    pub networks: Vec<NetworkKernels>,
}

/// The tasks whose default model a server has if it has any model.
const TASKS: [Task; 4] = [Task::Classify, Task::Detect, Task::ReadText, Task::LocalFeatures];

impl Models {
    /// How every model of the folder is, by name.
    #[must_use]
    pub fn states(&self) -> Vec<ModelState> {
        self.0.registry().entries.iter().map(|entry| self.state(entry)).collect()
    }

    /// The default models that are not installed. All of them are missing on a server without models.
    #[must_use]
    pub fn missing_defaults(&self) -> Vec<&'static str> {
        let missing = |name: &&str| self.0.registry().entry(name).is_none();
        TASKS.into_iter().map(default_model).filter(missing).collect()
    }

    /// Whether there is no model at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.registry().entries.is_empty()
    }

    /// The names of the models that are installed and cannot be used.
    #[must_use]
    pub fn broken(&self) -> Vec<String> {
        let broken = |entry: &&Entry| matches!(self.state(entry).readiness, ModelReadiness::Broken(_));
        self.0.registry().entries.iter().filter(broken).map(|entry| entry.name.clone()).collect()
    }

    fn state(&self, entry: &Entry) -> ModelState {
        match &entry.model {
            Err(fault) => ModelState {
                name: entry.name.clone(),
                task: None,
                title: String::new(),
                readiness: ModelReadiness::Broken(fault.0.clone()),
                runs_on_model: None,
                networks: Vec::new(),
            },
            Ok(model) => ModelState {
                name: entry.name.clone(),
                task: Some(model.task()),
                title: model.manifest.about.title.clone(),
                readiness: self.readiness(model),
                runs_on_model: Some(network(model)).filter(|other| *other != entry.name).map(str::to_owned),
                networks: self.networks(&model.folder),
            },
        }
    }

    fn readiness(&self, model: &Model) -> ModelReadiness {
        let runs = network(model);
        if let Some(fault) = self.0.fault(runs) {
            return ModelReadiness::Broken(fault.0);
        }
        if self.0.is_loaded(runs) {
            ModelReadiness::Ready
        } else if self.0.is_warm() && model.manifest.about.load == Load::FirstUse {
            ModelReadiness::OnDemand
        } else {
            ModelReadiness::Loading
        }
    }

    fn networks(&self, folder: &Path) -> Vec<NetworkKernels> {
        let Ok(runtime) = &self.0.registry().runtime else { return Vec::new() };
        let name = |file: &Path| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let row = |(file, kernels): (std::path::PathBuf, kaisatsu_vision::Kernels)| NetworkKernels {
            file: name(&file),
            kernels: kernels.name,
            reason: kernels.reason,
        };
        runtime.kernels(folder).into_iter().map(row).collect()
    }
}
