//! The networks of one engine thread, one for every model, ready to run.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use crate::{
    Classifier, Detector, Embedder, Picture, Resizer,
    labels::Labels,
    manifest::{Fault, Fit, Load, Member, Parts, Task},
    object,
    registry::{Model, ModelRegistry},
    residency::Residency,
    runtime::{Runtime, RuntimeError},
    text,
    text_encoder::TextError,
    vector,
};

/// The networks of one thread.
pub struct Worker {
    /// Resizes pictures; it keeps its buffers.
    pub resizer: Resizer,
    networks: BTreeMap<String, Loaded>,
    readers: Arc<Readers>,
    on_demand: Option<OnDemand>,
}

/// The networks that a thread of the engine loads when they are first asked for.
struct OnDemand {
    registry: Arc<ModelRegistry>,
    residency: Arc<Residency>,
    last_used: BTreeMap<String, Instant>,
}

/// The text readers of all threads.
#[derive(Default)]
pub struct Readers(OnceLock<BTreeMap<String, Result<text::ReaderPool, Fault>>>);

impl Readers {
    /// The text readers among the models; the first caller loads them.
    fn of(&self, models: &ModelRegistry) -> &BTreeMap<String, Result<text::ReaderPool, Fault>> {
        let read = |model: &Arc<Model>| {
            let Parts::Text(parts) = &model.manifest.parts else { return None };
            let library = models.runtime.as_ref().map_err(Clone::clone);
            let loaded = library.and_then(|library| text::ReaderPool::open(library, model.folder.clone(), parts));
            Some((model.manifest.about.name.clone(), loaded))
        };
        self.0.get_or_init(|| models.models().filter_map(read).collect())
    }
}

enum Loaded {
    Classifier(Box<Classifier>),
    Embedder(Box<Embedder>),
    Detector(Box<Detector>),
    Objects(Box<object::Recogniser>),
    /// Runs on the networks of its members.
    Ensemble(Vec<Member>),
}

impl Worker {
    /// Loads every usable model of the registry, but for those that are loaded when first asked for, and notes the
    /// faults of those that cannot be loaded. When `is_stopped` says so, the rest is left out.
    #[must_use]
    pub fn load(
        registry: &Arc<ModelRegistry>,
        readers: &Arc<Readers>,
        residency: &Arc<Residency>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Self {
        for (name, reader) in readers.of(registry) {
            if let Err(fault) = reader {
                residency.add_fault(name, fault);
            }
        }
        let on_demand =
            OnDemand { registry: Arc::clone(registry), residency: Arc::clone(residency), last_used: BTreeMap::new() };
        let mut worker = Self {
            resizer: Resizer::new(),
            networks: BTreeMap::new(),
            readers: Arc::clone(readers),
            on_demand: Some(on_demand),
        };
        let at_start = registry.models().filter(|model| model.manifest.about.load == Load::Start);
        for model in at_start.take_while(|_| !is_stopped()) {
            if let Err(fault) = worker.take(&registry.runtime, model) {
                residency.add_fault(&model.manifest.about.name, &fault);
            }
        }
        for (name, fault) in worker.incomplete() {
            residency.add_fault(&name, &fault);
        }
        worker
    }

    /// Loads a single model.
    ///
    /// # Errors
    /// When it is not there or cannot be loaded.
    pub fn load_only(registry: &ModelRegistry, name: &str) -> Result<Self, Fault> {
        let entry = registry.entry(name).ok_or_else(|| Fault(format!("there is no model '{name}'")))?;
        let model = entry.model.as_ref().map_err(Clone::clone)?;
        let mut worker =
            Self { resizer: Resizer::new(), networks: BTreeMap::new(), readers: Arc::default(), on_demand: None };
        if model.task() == Task::ReadText
            && let Some(Err(fault)) = worker.readers.of(registry).get(name)
        {
            return Err(fault.clone());
        }
        worker.take(&registry.runtime, model)?;
        for needed in needed(model) {
            if let Some(needed) = registry.entry(needed).and_then(|entry| entry.model.as_ref().ok()) {
                worker.take(&registry.runtime, needed)?;
            }
        }
        match worker.incomplete().pop() {
            Some((_, fault)) => Err(fault),
            None => Ok(worker),
        }
    }

    /// Loads a network that is loaded when first asked for, and notes that it is used.
    fn demand(&mut self, name: &str) {
        let Some(OnDemand { registry, residency, last_used }) = &mut self.on_demand else { return };
        let Some(Ok(model)) = registry.entry(name).map(|entry| &entry.model) else { return };
        if model.manifest.about.load == Load::Start {
            return;
        }
        last_used.insert(name.to_owned(), Instant::now());
        if self.networks.contains_key(name) {
            return;
        }
        let (registry, residency, model) = (Arc::clone(registry), Arc::clone(residency), Arc::clone(model));
        match self.take(&registry.runtime, &model) {
            Ok(()) => residency.loaded(name),
            Err(fault) => residency.add_fault(name, &fault),
        }
    }

    /// Unloads the networks that were loaded on demand and have not been used for `idle`.
    pub(crate) fn unload_unused(&mut self, now: Instant, idle: Duration) {
        let Some(OnDemand { residency, last_used, .. }) = &mut self.on_demand else { return };
        last_used.retain(|name, used| {
            let keep = now.saturating_duration_since(*used) < idle;
            if !keep && self.networks.remove(name).is_some() {
                residency.unloaded(name);
            }
            keep
        });
    }

    /// Removes the ensembles of which a member is not loaded.
    fn incomplete(&mut self) -> Vec<(String, Fault)> {
        let missing = |(name, loaded): (&String, &Loaded)| {
            let Loaded::Ensemble(members) = loaded else { return None };
            let lost = |member: &&Member| {
                !matches!(self.networks.get(&member.model), Some(Loaded::Classifier(_) | Loaded::Embedder(_)))
            };
            let member = &members.iter().find(lost)?.model;
            Some((name.clone(), Fault(format!("its member '{member}' cannot be used"))))
        };
        let faults: Vec<_> = self.networks.iter().filter_map(missing).collect();
        for (name, _) in &faults {
            self.networks.remove(name);
        }
        faults
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
            Parts::Embedder(parts) => Loaded::Embedder(Box::new(Embedder::load(runtime, &model.folder, parts)?)),
            Parts::Ensemble(ensemble) => Loaded::Ensemble(ensemble.members.clone()),
            // Probes and views run on the networks of other models; text readers are shared.
            Parts::Probe(_) | Parts::View(_) | Parts::Instances(_) | Parts::Text(_) => return Ok(()),
            Parts::LocalFeatures(_) => {
                let failed = |error: RuntimeError| Fault(error.to_string());
                let extractor = object::Extractor::load(runtime, &model.folder, &model.manifest).map_err(failed)?;
                let matcher = object::Matcher::load(runtime, &model.folder, &model.manifest).map_err(failed)?;
                Loaded::Objects(Box::new(object::Recogniser::new(extractor, matcher)))
            }
        };
        self.networks.insert(model.manifest.about.name.clone(), loaded);
        Ok(())
    }

    /// The name of what a network runs on.
    #[must_use]
    pub fn runs_on(&self, name: &str) -> Option<&'static str> {
        match self.networks.get(name)? {
            Loaded::Classifier(classifier) => Some(classifier.runs_on()),
            Loaded::Embedder(embedder) => Some(embedder.runs_on()),
            Loaded::Detector(detector) => Some(detector.runs_on()),
            Loaded::Objects(_) | Loaded::Ensemble(_) => None,
        }
    }

    /// The shorter side that a model that classifies or makes vectors needs of a picture.
    #[must_use]
    pub fn short_side(&mut self, name: &str) -> Option<u32> {
        self.demand(name);
        match self.networks.get(name)? {
            Loaded::Classifier(classifier) => Some(classifier.short_side()),
            Loaded::Embedder(embedder) => Some(embedder.short_side()),
            Loaded::Ensemble(members) => {
                let members = members.clone();
                members.iter().filter_map(|member| self.short_side(&member.model)).max()
            }
            Loaded::Detector(_) | Loaded::Objects(_) => None,
        }
    }

    /// The unit vector of a picture by a model; `None` when there is none of that name that makes vectors.
    pub fn embed(&mut self, name: &str, picture: &Picture) -> Option<Result<Vec<f32>, RuntimeError>> {
        self.demand(name);
        let members = match self.networks.get_mut(name)? {
            Loaded::Ensemble(members) => members.clone(),
            _ => return self.embed_as(name, picture, None),
        };
        let mut joined = Vec::new();
        for member in members {
            self.demand(&member.model);
            match self.embed_as(&member.model, picture, member.fit)? {
                Ok(part) => member.append(&mut joined, part),
                Err(error) => return Some(Err(error)),
            }
        }
        vector::normalise(&mut joined);
        Some(Ok(joined))
    }

    /// The unit vector of a picture by a network, which sees it with another fit than its own if one is given.
    fn embed_as(
        &mut self,
        network: &str,
        picture: &Picture,
        fit: Option<Fit>,
    ) -> Option<Result<Vec<f32>, RuntimeError>> {
        match self.networks.get_mut(network)? {
            Loaded::Classifier(classifier) => Some(classifier.embed(&mut self.resizer, picture, fit)),
            Loaded::Embedder(embedder) => Some(embedder.embed(&mut self.resizer, picture, fit)),
            Loaded::Ensemble(_) | Loaded::Detector(_) | Loaded::Objects(_) => None,
        }
    }

    /// The unit vector of a text by a model, comparable with its vectors of pictures; `None` when there is none of that
    /// name that has a text encoder.
    pub fn embed_text(&mut self, name: &str, text: &str) -> Option<Result<Vec<f32>, TextError>> {
        self.demand(name);
        match self.networks.get_mut(name)? {
            Loaded::Embedder(embedder) => embedder.embed_text(text),
            _ => None,
        }
    }

    /// A classifier and the resizer for its input.
    pub fn classifier(&mut self, name: &str) -> Option<(&mut Classifier, &mut Resizer)> {
        self.demand(name);
        match self.networks.get_mut(name) {
            Some(Loaded::Classifier(classifier)) => Some((classifier, &mut self.resizer)),
            _ => None,
        }
    }

    /// A recogniser of catalogue items and the resizer for its input.
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
        language: Option<text::Language>,
    ) -> Option<Result<Vec<text::Line>, RuntimeError>> {
        let readers = self.readers.0.get()?.get(name)?.as_ref().ok()?;
        Some(readers.read(&mut self.resizer, picture, limits, language))
    }

    /// A detector and the resizer for its input.
    pub fn detector(&mut self, name: &str) -> Option<(&mut Detector, &mut Resizer)> {
        match self.networks.get_mut(name) {
            Some(Loaded::Detector(detector)) => Some((detector, &mut self.resizer)),
            _ => None,
        }
    }
}

/// The models whose networks a model needs beside its own.
fn needed(model: &Model) -> Vec<&str> {
    let gate = model.gate.iter().map(|gate| gate.rule.model.as_str());
    let networks = match &model.manifest.parts {
        Parts::Ensemble(ensemble) => ensemble.members.iter().map(|member| member.model.as_str()).collect(),
        Parts::View(view) => vec![view.of.as_str()],
        Parts::Instances(parts) => vec![parts.features.model.as_str()],
        _ => Vec::new(),
    };
    networks.into_iter().chain(gate).collect()
}
