//! Models that need others: ensembles, probes, views and gates.

use std::sync::Arc;

use super::{Entry, Model, ModelGate};
use crate::{
    manifest::{Fault, Member, Parts, ProbeParts, Task},
    vocabulary::{Vocabulary, positions, read_ids},
};

/// Refuses models that build on a model that is missing or has other weights: their vectors and scores would mean
/// nothing. Ensembles first, because a probe may be taught on one.
pub(super) fn check(entries: &mut [Entry]) {
    let networks = bases(entries, |parts| matches!(parts, Parts::Picture(_) | Parts::Embedder(_)));
    for entry in &mut *entries {
        let Some(Parts::Ensemble(ensemble)) = parts(entry) else { continue };
        let missing = ensemble.members.iter().find(|member| !has(&networks, &member.model, &member.sha256));
        if let Some(Member { model, .. }) = missing {
            entry.model = Err(Fault(format!("its member '{model}' is not here, has changed, or makes no vectors")));
        }
    }
    let bases = bases(entries, |_| true);
    let finders: Vec<(String, String)> = entries
        .iter()
        .filter_map(|entry| entry.model.as_ref().ok())
        .filter(|model| model.task() == Task::LocalFeatures)
        .map(|model| (model.manifest.about.name.clone(), model.weights.clone()))
        .collect();
    for entry in entries {
        if let Some(Parts::Instances(instances)) = parts(entry) {
            let (vectors, features) = (&instances.vectors, &instances.features);
            let missing = if !has(&bases, &vectors.model, &vectors.model_sha256) {
                Some(&vectors.model)
            } else if !has(&finders, &features.model, &features.model_sha256) {
                Some(&features.model)
            } else {
                None
            };
            if let Some(model) = missing {
                entry.model = Err(Fault(format!(
                    "it was taught with model '{model}', which is not here or has changed; teach it again"
                )));
            }
            continue;
        }
        let Some(Parts::Probe(ProbeParts { probe, .. })) = parts(entry) else { continue };
        if !has(&bases, &probe.base, &probe.base_sha256) {
            let base = &probe.base;
            entry.model = Err(Fault(format!(
                "it was taught on model '{base}', which is not here or has changed; teach it again"
            )));
        }
    }
}

/// Gives views the classes, and gates the scores, of the models that they name.
pub(super) fn resolve(entries: &mut [Entry]) {
    // Gates first: a view may be of a model that has one.
    for views in [false, true] {
        for at in 0..entries.len() {
            let part = parts(&entries[at]);
            let is_view = matches!(part, Some(Parts::View(_) | Parts::Probe(ProbeParts { extends: Some(_), .. })));
            if is_view == views
                && let Some(resolved) = resolved(&entries[at], entries)
            {
                entries[at].model = resolved.map(Arc::new);
            }
        }
    }
}

/// The model with what it takes from others; `None` for a model that takes nothing.
fn resolved(entry: &Entry, entries: &[Entry]) -> Option<Result<Model, Fault>> {
    let model = entry.model.as_ref().ok()?;
    let rebuilt = |vocabulary: Vocabulary, weights: &str, gate: Option<ModelGate>| Model {
        manifest: model.manifest.clone(),
        folder: model.folder.clone(),
        labels: Some(Arc::clone(vocabulary.labels())),
        vocabulary: Some(vocabulary),
        weights: weights.to_owned(),
        gate,
        probe: model.probe.clone(),
        instances: None,
    };
    match &model.manifest.parts {
        Parts::View(view) => {
            let only = || {
                let base = classifier(entries, &view.of)?;
                let vocabulary = vocabulary(base)?.only(&read_ids(&model.folder, &view.classes)?)?;
                Ok(rebuilt(vocabulary, &base.weights, base.gate.clone()))
            };
            Some(only())
        }
        Parts::Probe(ProbeParts { extends: Some(extended), .. }) => {
            let both = || {
                let (base, own) = (classifier(entries, &extended.model)?, vocabulary(model)?.labels());
                let known = vocabulary(base)?;
                let mut ids = (0..own.len()).filter_map(|class| own.get(class)).map(|label| label.id.as_str());
                if let Some(id) = ids.find(|id| known.labels().has(id)) {
                    return Err(Fault(format!("'{}' has a class '{id}' already", extended.model)));
                }
                Ok(rebuilt(known.preceded_by(own), &model.weights, base.gate.clone()))
            };
            Some(both())
        }
        Parts::Picture(parts) => {
            let (gate, own) = (parts.gate.as_ref()?, model.vocabulary.clone()?);
            let classes = || {
                let ids = read_ids(&model.folder, &gate.classes)?;
                let known = vocabulary(classifier(entries, &gate.model)?)?;
                let missing = |id| Fault(format!("[gate]: '{}' has no class '{id}'", gate.model));
                positions(ids.iter().map(String::as_str), known.labels()).map_err(missing)
            };
            let gated = |classes| rebuilt(own, &model.weights, Some(ModelGate { rule: gate.clone(), classes }));
            Some(classes().map(gated))
        }
        _ => None,
    }
}

/// A classifier with a network of its own.
fn classifier<'a>(entries: &'a [Entry], name: &str) -> Result<&'a Model, Fault> {
    let model = entries.iter().find(|entry| entry.name == name).and_then(|entry| entry.model.as_deref().ok());
    let network = model.filter(|model| matches!(model.manifest.parts, Parts::Picture(_)));
    network
        .filter(|model| model.task() == Task::Classify)
        .ok_or_else(|| Fault(format!("it needs the classifier '{name}', which is not here or cannot be used")))
}

fn vocabulary(model: &Model) -> Result<&Vocabulary, Fault> {
    model.vocabulary.as_ref().ok_or_else(|| Fault("the classifier that it needs has no classes".to_owned()))
}

fn parts(entry: &Entry) -> Option<&Parts> {
    entry.model.as_ref().ok().map(|model| &model.manifest.parts)
}

/// The models that make vectors, with what identifies these.
fn bases(entries: &[Entry], wanted: impl Fn(&Parts) -> bool) -> Vec<(String, String)> {
    let models = entries.iter().filter_map(|entry| entry.model.as_ref().ok());
    let models = models.filter(|model| wanted(&model.manifest.parts));
    let base =
        |model: &Arc<Model>| Some((model.manifest.about.name.clone(), model.manifest.embedding_sha256()?.to_owned()));
    models.filter_map(base).collect()
}

fn has(bases: &[(String, String)], name: &str, sha256: &str) -> bool {
    bases.iter().any(|(known, weights)| known == name && weights.eq_ignore_ascii_case(sha256))
}
