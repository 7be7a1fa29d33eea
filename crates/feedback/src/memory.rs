//! All spaces, for many threads.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use kaisatsu_model::AppId;

use crate::{
    Code,
    guard::{Example, Judgement, judge},
    hearing::{Chorus, Leaning, Query},
    space::{Change, Space, SpaceKey},
};

/// How a candidate has to stand for a picture to be no stranger.
const FAMILIAR: f32 = 0.3;

/// What all verdicts in force teach.
#[derive(Debug)]
pub struct Memory {
    spaces: RwLock<HashMap<SpaceKey, Arc<RwLock<Space>>>>,
    quorum: usize,
}

/// What the exemplars near a picture say.
pub struct Recollection {
    chorus: Chorus,
    /// The subjects that something is said of.
    subjects: HashMap<Arc<str>, u32>,
}

/// An exemplar that items are measured with.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// Its name.
    pub name: Arc<str>,
    /// Its vector.
    pub code: Code,
    /// What it was confirmed to be.
    pub right: Option<Arc<str>>,
}

impl Recollection {
    /// How a candidate stands, -1 to 1; 0 when nothing is said of it.
    #[must_use]
    pub fn lean(&self, subject: &str) -> f32 {
        self.subjects.get(subject).map_or(0.0, |number| self.chorus.lean(*number))
    }

    /// The same with the verdicts behind it; `None` when there are none.
    #[must_use]
    pub fn leaning(&self, subject: &str) -> Option<Leaning> {
        self.subjects.get(subject).map(|number| self.chorus.leaning(*number))
    }

    /// Whether something near enough was confirmed: then a picture is no stranger.
    #[must_use]
    pub fn is_familiar(&self) -> bool {
        self.subjects.values().any(|subject| self.chorus.lean(*subject) > FAMILIAR)
    }

    /// How much is heard at all, 0 to 1: next to nothing where the nearest exemplar is almost too far away.
    #[must_use]
    pub fn presence(&self) -> f32 {
        self.chorus.presence()
    }
}

impl Memory {
    /// An empty memory. Verdicts act for all when applications of `quorum` owners agree; for their own they act at once.
    #[must_use]
    pub fn new(quorum: usize) -> Self {
        Self { spaces: RwLock::default(), quorum }
    }

    /// Takes up a verdict that came, changed or went.
    pub fn apply(&self, change: &Change) {
        let known = self.space(&change.space);
        let space = known.unwrap_or_else(|| {
            let mut spaces = self.spaces.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(spaces.entry(change.space.clone()).or_default())
        });
        space.write().unwrap_or_else(PoisonError::into_inner).apply(change, self.quorum);
    }

    /// Forgets the spaces of a model, dataset or collection.
    pub fn forget(&self, model: &str) {
        self.spaces.write().unwrap_or_else(PoisonError::into_inner).retain(|key, _| key.model != model);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.spaces.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Whether any verdict on a task's model, dataset or collection is in force for an application. What is in force for
    /// others must not even change how much is looked at.
    #[must_use]
    pub fn speaks_to(&self, application: &AppId, task: &str, model: &str) -> bool {
        let meant: Vec<Arc<RwLock<Space>>> = {
            let spaces = self.spaces.read().unwrap_or_else(PoisonError::into_inner);
            let of = |key: &SpaceKey| key.task == task && key.model == model;
            spaces.iter().filter(|(key, _)| of(key)).map(|(_, space)| Arc::clone(space)).collect()
        };
        let heard = |space: &Arc<RwLock<Space>>| {
            let inside = read(space);
            !inside.books(inside.application(application)).is_empty()
        };
        meant.iter().any(heard)
    }

    /// Takes all that is known now as good: the guard has looked at it before.
    pub fn settle(&self) {
        for space in self.spaces.read().unwrap_or_else(PoisonError::into_inner).values() {
            space.write().unwrap_or_else(PoisonError::into_inner).settle();
        }
    }

    /// The datasets that something is known of: what never acts for others.
    #[must_use]
    pub fn data_sets(&self) -> Vec<String> {
        let all: Vec<(String, Arc<RwLock<Space>>)> = {
            let spaces = self.spaces.read().unwrap_or_else(PoisonError::into_inner);
            spaces.iter().map(|(key, space)| (key.model.clone(), Arc::clone(space))).collect()
        };
        let private = all.into_iter().filter(|(_, space)| read(space).is_private()).map(|(model, _)| model);
        let mut models: Vec<String> = private.collect();
        models.sort();
        models.dedup();
        models
    }

    /// What is said near a picture; `None` when nothing is, and nothing is to be moved.
    #[must_use]
    pub fn ask(&self, key: &SpaceKey, application: &AppId, look: &[f32]) -> Option<Recollection> {
        let space = self.space(key)?;
        let inside = read(&space);
        let own = inside.application(application);
        if inside.books(own).is_empty() {
            return None;
        }
        let chorus = inside.hear(own, &Query::new(Code::of(look)?), |_| false);
        if chorus.presence() == 0.0 {
            return None;
        }
        let subjects = chorus.subjects().map(|number| (inside.name(number), number)).collect();
        Some(Recollection { chorus, subjects })
    }

    /// At most `most` exemplars that an application hears, by name: what items are standardised with.
    #[must_use]
    pub fn sample(&self, key: &SpaceKey, application: &AppId, most: usize) -> Vec<Sampled> {
        let Some(space) = self.space(key) else { return Vec::new() };
        let inside = read(&space);
        let books = inside.books(inside.application(application));
        let sampled = |(name, code, right): (&Arc<str>, Code, Option<u32>)| Sampled {
            name: Arc::clone(name),
            code,
            right: right.map(|subject| inside.name(subject)),
        };
        let mut drawn: Vec<Sampled> = books.iter().flat_map(|(book, _)| book.sample(most)).map(sampled).collect();
        drawn.sort_by(|a, b| a.name.cmp(&b.name));
        drawn.dedup_by(|a, b| a.name == b.name);
        drawn
    }

    /// Looks whether what came lately does harm, once enough came: the verdicts to be held back, and what was found.
    /// `application` is who gave them; `None` looks at what acts for all. `others` are further examples whose right
    /// answer is known.
    #[must_use]
    pub fn guard(
        &self,
        key: &SpaceKey,
        application: Option<&AppId>,
        others: &[Example],
    ) -> Option<(Vec<(String, String)>, Judgement)> {
        let space = self.space(key)?;
        let inside = read(&space);
        let scope = match application {
            Some(application) => Some(inside.application(application)?),
            None => None,
        };
        let (judgement, harmful) = judge(&inside, scope, others)?;
        let judged = inside.fresh(scope, 0).cloned().unwrap_or_default();
        let held = harmful.then(|| (inside.verdicts(&judged), judgement));
        drop(inside);
        space.write().unwrap_or_else(PoisonError::into_inner).seen(scope, &judged);
        held
    }

    fn space(&self, key: &SpaceKey) -> Option<Arc<RwLock<Space>>> {
        self.spaces.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }
}

// A panic while a verdict is taken up leaves a book without it, which is no reason to forget the others.
fn read(space: &RwLock<Space>) -> std::sync::RwLockReadGuard<'_, Space> {
    space.read().unwrap_or_else(PoisonError::into_inner)
}
