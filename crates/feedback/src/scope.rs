//! One scope: all verdicts whose vectors and candidates are comparable, and which of them apply to whom.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use kaisatsu_model::{AccountId, AppId, Function};

use crate::{
    exemplars::ExemplarSet,
    guard::Recent,
    kernel::Query,
    quantised::QuantisedVector,
    quorum::{QuorumIndex, Voter},
    size,
    vote::Tally,
};

/// The most exemplars on probation. Beyond that the harm is too small to matter.
const MAX_ON_PROBATION: usize = 128;

/// Identifies a scope: verdicts with equal keys have comparable vectors and candidates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeKey {
    /// The function whose candidates are rated.
    pub function: Function,
    /// The model, dataset or collection.
    pub model: String,
    /// The hash of the network that computed the vectors.
    pub engine: String,
    /// The class of the candidate, where each candidate has a vector of its own; otherwise empty.
    pub class: String,
}

impl ScopeKey {
    /// What it takes on the heap.
    pub(crate) fn bytes(&self) -> usize {
        [&self.model, &self.engine, &self.class].map(|text| size::allocation(text.len())).iter().sum()
    }
}

/// A candidate of a rated picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its id within the recognition.
    pub id: String,
    /// What it stands for: a class, a tag, an image or an item of the catalogue.
    pub subject: String,
    /// The engine's score without feedback.
    pub base_score: f32,
}

/// A verdict that was given, changed or withdrawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The scope it belongs to.
    pub scope: ScopeKey,
    /// Whether it can apply to other applications. Verdicts on a dataset never do.
    pub shared: bool,
    /// The application that gave it.
    pub application: AppId,
    /// The owner of that application. An application without one is its own owner.
    pub owner: Option<AccountId>,
    /// The key of the exemplar: the recognition, or the candidate where each candidate has a vector of its own.
    pub exemplar: String,
    /// The recognition and candidate as stored in the database; the candidate is empty for the whole result.
    pub verdict: (String, String),
    /// The verdict, or `None` if it is not in force.
    pub valid: Option<bool>,
    /// The candidates, best first.
    pub candidates: Vec<Candidate>,
    /// What the verdict is on, if that is none of the candidates.
    pub named: Option<String>,
    /// The vector of the exemplar.
    pub descriptor: Vec<f32>,
}

#[derive(Debug, Default)]
pub(crate) struct Scope {
    subject_ids: HashMap<Arc<str>, u32>,
    subject_names: Vec<Arc<str>>,
    application_ids: HashMap<AppId, u32>,
    /// The owner of each application at the time of its first verdict. A later change of owner is ignored, so that a
    /// verdict is removed from the quorum under the same owner under which it was inserted.
    owners: HashMap<u32, String>,
    owner_ids: HashMap<String, u32>,
    rated: HashMap<Arc<str>, RatedPicture>,
    /// The exemplars of each application.
    own: HashMap<u32, ExemplarSet>,
    /// The exemplars with a verdict that has a quorum. They apply to all applications.
    common: ExemplarSet,
    quorum_index: QuorumIndex,
    /// The exemplars that the guard has not judged yet, by application; `None` for those that apply to all.
    unjudged: HashMap<Option<u32>, BTreeSet<Arc<str>>>,
    /// Those that it has judged and may still hold back, together with later ones.
    on_probation: HashMap<Option<u32>, BTreeSet<Arc<str>>>,
    /// What the rated pictures and the names of subjects take on the heap.
    text_bytes: usize,
}

/// Subjects, and whether they are right.
type Verdicts<'a> = &'a [(u32, bool)];

/// A rated picture.
#[derive(Debug)]
pub(crate) struct RatedPicture {
    application: u32,
    /// Subject and base score of its candidates, best first.
    candidates: Vec<(u32, f32)>,
    candidate_ids: Vec<String>,
    /// The rated subjects that are none of the candidates, by the id under which they were rated.
    named: BTreeMap<String, u32>,
    /// The ratings as given, by candidate id; the empty id for the whole result.
    ratings: BTreeMap<String, bool>,
    recognition: String,
    /// The verdicts that follow from the ratings, by subject.
    verdicts: Vec<(u32, bool)>,
}

impl RatedPicture {
    /// Derives the verdicts. The rating of a candidate overrides that of the whole result. A wrong result means that
    /// every candidate is wrong; a right one means that the first is right.
    fn derive_verdicts(&mut self) {
        let whole = self.ratings.get("").copied();
        let verdict = |(at, id): (usize, &String)| {
            let rating = self.ratings.get(id).copied();
            Some((self.candidates[at].0, rating.or(whole.filter(|valid| !valid || at == 0))?))
        };
        let mut verdicts: Vec<(u32, bool)> = Vec::new();
        for (subject, valid) in self.candidate_ids.iter().enumerate().filter_map(verdict) {
            // Several candidates can have the same subject; the first one decides.
            if verdicts.iter().all(|(known, _)| *known != subject) {
                verdicts.push((subject, valid));
            }
        }
        let named = self.named.iter().filter_map(|(id, subject)| Some((*subject, *self.ratings.get(id)?)));
        verdicts.extend(named);
        self.verdicts = verdicts;
    }

    /// What it takes on the heap, with its key.
    fn bytes(&self, key: &str) -> usize {
        let texts = self.candidate_ids.iter().chain(self.ratings.keys()).chain(self.named.keys());
        let texts = texts.chain([&self.recognition]).map(|text| size::allocation(text.len()));
        size::shared_text(key)
            + size::vector(&self.candidates)
            + size::vector(&self.candidate_ids)
            + size::tree(self.named.len(), size_of::<(String, u32)>())
            + size::tree(self.ratings.len(), size_of::<(String, bool)>())
            + size::vector(&self.verdicts)
            + texts.sum::<usize>()
    }

    /// Subject and base score of everything that was answered or rated. What was not answered has no base score.
    pub(crate) fn scores(&self) -> Vec<(u32, f32)> {
        self.candidates.iter().copied().chain(self.named.values().map(|subject| (*subject, 0.0))).collect()
    }
}

impl Scope {
    /// The memory that the scope takes.
    pub(crate) fn bytes(&self) -> usize {
        let applications = self.application_ids.keys().map(|id| size::allocation(id.as_str().len()));
        let owners = self.owners.values().chain(self.owner_ids.keys()).map(|owner| size::allocation(owner.len()));
        let recent = self.unjudged.values().chain(self.on_probation.values()).map(size::keys);
        size::table(&self.subject_ids)
            + size::vector(&self.subject_names)
            + size::table(&self.application_ids)
            + size::table(&self.owners)
            + size::table(&self.owner_ids)
            + size::table(&self.rated)
            + size::table(&self.own)
            + self.own.values().map(ExemplarSet::bytes).sum::<usize>()
            + self.common.bytes()
            + self.quorum_index.bytes()
            + size::table(&self.unjudged)
            + size::table(&self.on_probation)
            + applications.chain(owners).chain(recent).sum::<usize>()
            + self.text_bytes
    }

    /// Applies a change. A verdict applies to all applications once `quorum` owners agree on it.
    pub(crate) fn apply(&mut self, change: &Change, quorum: usize) {
        let Some(vector) = QuantisedVector::new(&change.descriptor) else { return };
        let key: Arc<str> = Arc::from(change.exemplar.as_str());
        let application = intern(&mut self.application_ids, &change.application);
        let mut rated = match self.rated.remove(&key) {
            Some(rated) => {
                self.text_bytes -= rated.bytes(&key);
                rated
            }
            None => self.new_rated_picture(application, change),
        };
        if let Some(subject) = &change.named {
            let subject = self.intern_subject(subject);
            rated.named.insert(change.verdict.1.clone(), subject);
        }
        match change.valid {
            Some(valid) => rated.ratings.insert(change.verdict.1.clone(), valid),
            None => rated.ratings.remove(&change.verdict.1),
        };
        let before = std::mem::take(&mut rated.verdicts);
        rated.derive_verdicts();
        if rated.verdicts != before {
            self.own.entry(application).or_default().set(&key, application, &vector, rated.verdicts.clone());
            if change.valid.is_some() {
                self.unjudged.entry(Some(application)).or_default().insert(Arc::clone(&key));
            }
        }
        let after = rated.verdicts.clone();
        if !rated.ratings.is_empty() {
            self.text_bytes += rated.bytes(&key);
            self.rated.insert(Arc::clone(&key), rated);
        }
        if change.shared {
            let name = || change.owner.as_ref().map_or(change.application.as_str(), AccountId::as_str).to_owned();
            let owner = self.owners.entry(application).or_insert_with(name).clone();
            let owner = intern(&mut self.owner_ids, &owner);
            self.update_common(&key, Voter { application, owner }, &vector, (&before, &after), quorum);
        }
    }

    fn new_rated_picture(&mut self, application: u32, change: &Change) -> RatedPicture {
        let candidates = change.candidates.iter();
        RatedPicture {
            application,
            candidates: candidates.map(|one| (self.intern_subject(&one.subject), one.base_score)).collect(),
            named: BTreeMap::new(),
            candidate_ids: change.candidates.iter().map(|candidate| candidate.id.clone()).collect(),
            ratings: BTreeMap::new(),
            recognition: change.verdict.0.clone(),
            verdicts: Vec::new(),
        }
    }

    fn intern_subject(&mut self, subject: &str) -> u32 {
        let subject: Arc<str> = Arc::from(subject);
        let id = intern(&mut self.subject_ids, &subject);
        if id as usize == self.subject_names.len() {
            self.text_bytes += size::shared_text(&subject);
            self.subject_names.push(subject);
        }
        id
    }

    /// Updates the quorum of the verdicts that changed on one exemplar, and with it the common exemplars.
    fn update_common(
        &mut self,
        key: &Arc<str>,
        voter: Voter,
        vector: &QuantisedVector,
        (before, after): (Verdicts<'_>, Verdicts<'_>),
        quorum: usize,
    ) {
        let mut changed: BTreeSet<Arc<str>> = BTreeSet::from([Arc::clone(key)]);
        let own = &self.own;
        let is_similar = |application: u32, key: &str| {
            own.get(&application).is_some_and(|set| QuorumIndex::is_similar(set.cosine(key, vector)))
        };
        for verdict in before.iter().filter(|verdict| !after.contains(verdict)) {
            changed.extend(self.quorum_index.remove(*verdict, key, voter, is_similar));
        }
        for verdict in after.iter().filter(|verdict| !before.contains(verdict)) {
            changed.extend(self.quorum_index.insert(*verdict, key, voter, is_similar));
        }
        for key in changed {
            let Some(rated) = self.rated.get(&key) else {
                self.common.remove(&key);
                continue;
            };
            let has_quorum = |verdict: &&(u32, bool)| self.quorum_index.has_quorum(**verdict, &key, quorum);
            let verdicts: Vec<(u32, bool)> = rated.verdicts.iter().filter(has_quorum).copied().collect();
            let Some(vector) = self.own.get(&rated.application).and_then(|set| set.vector(&key)) else { continue };
            if !verdicts.is_empty() && self.common.vector(&key).is_none() {
                self.unjudged.entry(None).or_default().insert(Arc::clone(&key));
            }
            self.common.set(&key, rated.application, &vector, verdicts);
        }
    }

    pub(crate) fn subject_id(&self, name: &str) -> Option<u32> {
        self.subject_ids.get(name).copied()
    }

    pub(crate) fn subject_name(&self, subject: u32) -> Arc<str> {
        self.subject_names.get(subject as usize).cloned().unwrap_or_else(|| Arc::from(""))
    }

    pub(crate) fn application_id(&self, id: &AppId) -> Option<u32> {
        self.application_ids.get(id).copied()
    }

    pub(crate) fn rated(&self, key: &str) -> Option<&RatedPicture> {
        self.rated.get(key)
    }

    /// The vote on a query of the exemplars that apply to an application, except those for which `exclude` returns
    /// true. `None` stands for an application that has given no verdict.
    pub(crate) fn vote(&self, application: Option<u32>, query: &Query, exclude: impl Fn(&str) -> bool) -> Tally {
        let sets = self.exemplars(application);
        let exemplars: Vec<&ExemplarSet> = sets.iter().map(|(set, _)| *set).collect();
        // The application's own exemplars among the common ones already vote in its own set.
        let is_duplicate = |at: usize, by: u32| !sets[at].1 && application == Some(by);
        Tally::new(&exemplars, query, application, |at, by, key| is_duplicate(at, by) || exclude(key))
    }

    /// The sets of exemplars that apply to an application, without empty ones: its own (marked true) and the common
    /// one.
    pub(crate) fn exemplars(&self, application: Option<u32>) -> Vec<(&ExemplarSet, bool)> {
        let own = application.and_then(|application| self.own.get(&application)).map(|set| (set, true));
        own.into_iter().chain([(&self.common, false)]).filter(|(set, _)| set.len() > 0).collect()
    }

    /// The exemplars that the guard has not judged yet, if there are at least `least`, and those on probation.
    pub(crate) fn recent(&self, application: Option<u32>, least: usize) -> Option<BTreeSet<Arc<str>>> {
        let unjudged = self.unjudged.get(&application).filter(|unjudged| unjudged.len() >= least)?;
        Some(self.on_probation.get(&application).into_iter().flatten().chain(unjudged).cloned().collect())
    }

    pub(crate) fn mark_all_judged(&mut self) {
        self.unjudged.clear();
        self.on_probation.clear();
    }

    /// What the guard has not finished with, by application.
    pub(crate) fn unjudged(&self) -> Vec<(Option<AppId>, Recent)> {
        let names: HashMap<u32, &AppId> = self.application_ids.iter().map(|(id, number)| (*number, id)).collect();
        let whose: BTreeSet<Option<u32>> = self.unjudged.keys().chain(self.on_probation.keys()).copied().collect();
        let keys = |of: &HashMap<_, BTreeSet<Arc<str>>>, whose| of.get(&whose).cloned().unwrap_or_default();
        let recent = |whose: Option<u32>| {
            let application = match whose {
                Some(number) => Some((*names.get(&number)?).clone()),
                None => None,
            };
            let (unjudged, on_probation) = (keys(&self.unjudged, whose), keys(&self.on_probation, whose));
            Some((application, Recent { unjudged, on_probation }))
        };
        let is_empty = |recent: &Recent| recent.unjudged.is_empty() && recent.on_probation.is_empty();
        whose.into_iter().filter_map(recent).filter(|(_, recent)| !is_empty(recent)).collect()
    }

    /// The inverse of [`Scope::unjudged`], after the same verdicts were applied and marked as judged.
    pub(crate) fn restore_unjudged(&mut self, application: Option<&AppId>, recent: &Recent) {
        let application = application.map(|application| intern(&mut self.application_ids, application));
        self.unjudged.entry(application).or_default().extend(recent.unjudged.iter().cloned());
        if !recent.on_probation.is_empty() {
            self.on_probation.insert(application, recent.on_probation.clone());
        }
    }

    /// Marks exemplars as judged. Those added since stay unjudged.
    pub(crate) fn mark_judged(&mut self, application: Option<u32>, judged: BTreeSet<Arc<str>>, on_probation: bool) {
        if let Some(unjudged) = self.unjudged.get_mut(&application) {
            unjudged.retain(|key| !judged.contains(key));
        }
        if on_probation && judged.len() <= MAX_ON_PROBATION {
            self.on_probation.insert(application, judged);
        } else {
            self.on_probation.remove(&application);
        }
    }

    /// The verdicts on exemplars, as recognition and candidate.
    pub(crate) fn verdicts(&self, keys: &BTreeSet<Arc<str>>) -> Vec<(String, String)> {
        let ratings = |rated: &RatedPicture| -> Vec<(String, String)> {
            rated.ratings.keys().map(|candidate| (rated.recognition.clone(), candidate.clone())).collect()
        };
        keys.iter().filter_map(|key| self.rated.get(key)).flat_map(ratings).collect()
    }
}

/// The id of a name; an unknown name gets the next id.
fn intern<T: Clone + Eq + std::hash::Hash>(ids: &mut HashMap<T, u32>, name: &T) -> u32 {
    let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
    *ids.entry(name.clone()).or_insert(next)
}
