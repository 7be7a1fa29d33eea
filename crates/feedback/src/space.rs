//! One space: the vectors of one engine for one kind of candidates, everybody's verdicts in it, and which of them act
//! for whom.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use kaisatsu_model::{AccountId, AppId};

use crate::{
    agreement::{Agreement, Voter},
    book::Book,
    code::Code,
    hearing::{Chorus, Query},
};

/// Which vectors can be compared, and which candidates they are about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpaceKey {
    /// The task.
    pub task: String,
    /// The model, dataset or collection.
    pub model: String,
    /// What made the vectors.
    pub engine: String,
    /// The kind of candidate, where each has a vector of its own; otherwise empty.
    pub part: String,
}

/// A candidate of a rated picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Its id.
    pub id: String,
    /// What it stands for.
    pub subject: String,
    /// How sure the engine was without any feedback.
    pub base: f32,
}

/// A verdict that came, changed or went.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Where it belongs.
    pub space: SpaceKey,
    /// Whether it may act for other applications when they agree.
    pub shared: bool,
    /// Who gave it.
    pub application: AppId,
    /// Whose application that is; it is its own where nobody is named.
    pub owner: Option<AccountId>,
    /// The name of the exemplar: the recognition, or the candidate where each has a vector of its own.
    pub exemplar: String,
    /// The recognition and the candidate, as the database names them; an empty one for the whole result.
    pub verdict: (String, String),
    /// Whether it is in force, and then what it says.
    pub valid: Option<bool>,
    /// The candidates, best first.
    pub items: Vec<Item>,
    /// The vector.
    pub look: Vec<f32>,
}

#[derive(Debug, Default)]
pub(crate) struct Space {
    private: bool,
    numbers: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
    applications: HashMap<AppId, u32>,
    /// Whose each application is, as it was when it first said something: a vote must leave as it came.
    owners: HashMap<u32, String>,
    owner_numbers: HashMap<String, u32>,
    rated: HashMap<Arc<str>, Rated>,
    books: HashMap<u32, Book>,
    agreed: Book,
    agreement: Agreement,
    /// What came since the guard last looked, by application; `None` for what acts for all.
    fresh: HashMap<Option<u32>, BTreeSet<Arc<str>>>,
}

/// Subjects, and whether they are right.
type Verdicts<'a> = &'a [(u32, bool)];

/// A picture that was rated.
#[derive(Debug)]
pub(crate) struct Rated {
    application: u32,
    pub(crate) listed: Vec<(u32, f32)>,
    ids: Vec<String>,
    /// By candidate, the empty name for the whole result.
    said: BTreeMap<String, bool>,
    recognition: String,
    /// What follows for each subject.
    verdicts: Vec<(u32, bool)>,
}

impl Rated {
    /// What is said of a candidate goes before what is said of the whole. A result that is wrong as a whole has no
    /// right candidate; of one that is right, the first is meant.
    fn follow(&mut self) {
        let whole = self.said.get("").copied();
        let of = |(at, id): (usize, &String)| {
            let said = self.said.get(id).copied();
            Some((self.listed[at].0, said.or(whole.filter(|valid| !valid || at == 0))?))
        };
        let mut verdicts: Vec<(u32, bool)> = Vec::new();
        for (subject, valid) in self.ids.iter().enumerate().filter_map(of) {
            // The same thing may be listed twice; it is remembered once.
            if verdicts.iter().all(|(known, _)| *known != subject) {
                verdicts.push((subject, valid));
            }
        }
        self.verdicts = verdicts;
    }
}

impl Space {
    /// Whether it is one application's alone.
    pub(crate) fn is_private(&self) -> bool {
        self.private
    }

    /// Takes up a verdict that came, changed or went. Applications of `quorum` owners have to agree before it acts for all.
    pub(crate) fn apply(&mut self, change: &Change, quorum: usize) {
        let Some(code) = Code::of(&change.look) else { return };
        self.private = !change.shared;
        let key: Arc<str> = Arc::from(change.exemplar.as_str());
        let application = number(&mut self.applications, &change.application);
        let mut rated = self.rated.remove(&key).unwrap_or_else(|| {
            let subjects = change.items.iter().map(|item| Arc::from(item.subject.as_str()));
            let listed = subjects.zip(&change.items).map(|(subject, item)| {
                let number = number(&mut self.numbers, &subject);
                if number as usize == self.names.len() {
                    self.names.push(subject);
                }
                (number, item.base)
            });
            Rated {
                application,
                listed: listed.collect(),
                ids: change.items.iter().map(|item| item.id.clone()).collect(),
                said: BTreeMap::new(),
                recognition: change.verdict.0.clone(),
                verdicts: Vec::new(),
            }
        });
        match change.valid {
            Some(valid) => rated.said.insert(change.verdict.1.clone(), valid),
            None => rated.said.remove(&change.verdict.1),
        };
        let before = std::mem::take(&mut rated.verdicts);
        rated.follow();
        if rated.verdicts != before {
            self.books.entry(application).or_default().set(&key, application, &code, rated.verdicts.clone());
            if change.valid.is_some() {
                self.fresh.entry(Some(application)).or_default().insert(Arc::clone(&key));
            }
        }
        let after = rated.verdicts.clone();
        if !rated.said.is_empty() {
            self.rated.insert(Arc::clone(&key), rated);
        }
        if change.shared {
            let named = || change.owner.as_ref().map_or(change.application.as_str(), AccountId::as_str).to_owned();
            let owner = self.owners.entry(application).or_insert_with(named).clone();
            let owner = number(&mut self.owner_numbers, &owner);
            self.agree(&key, Voter { application, owner }, &code, (&before, &after), quorum);
        }
    }

    /// Sees who agrees now, and brings the book of what acts for all up to date.
    fn agree(
        &mut self,
        key: &Arc<str>,
        by: Voter,
        code: &Code,
        (before, after): (Verdicts<'_>, Verdicts<'_>),
        quorum: usize,
    ) {
        let mut touched: BTreeSet<Arc<str>> = BTreeSet::from([Arc::clone(key)]);
        let books = &self.books;
        let near =
            |other: u32, name: &str| books.get(&other).is_some_and(|book| Agreement::is_near(book.cosine(name, code)));
        for verdict in before.iter().filter(|verdict| !after.contains(verdict)) {
            touched.extend(self.agreement.leave(*verdict, key, by, near));
        }
        for verdict in after.iter().filter(|verdict| !before.contains(verdict)) {
            touched.extend(self.agreement.join(*verdict, key, by, near));
        }
        for name in touched {
            let Some(rated) = self.rated.get(&name) else {
                self.agreed.remove(&name);
                continue;
            };
            let agreed = |verdict: &&(u32, bool)| self.agreement.is_agreed(**verdict, &name, quorum);
            let verdicts: Vec<(u32, bool)> = rated.verdicts.iter().filter(agreed).copied().collect();
            let Some(code) = self.books.get(&rated.application).and_then(|book| book.code(&name)) else { continue };
            if !verdicts.is_empty() && self.agreed.code(&name).is_none() {
                self.fresh.entry(None).or_default().insert(Arc::clone(&name));
            }
            self.agreed.set(&name, rated.application, &code, verdicts);
        }
    }

    pub(crate) fn subject(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    pub(crate) fn name(&self, subject: u32) -> Arc<str> {
        self.names.get(subject as usize).cloned().unwrap_or_else(|| Arc::from(""))
    }

    pub(crate) fn application(&self, id: &AppId) -> Option<u32> {
        self.applications.get(id).copied()
    }

    pub(crate) fn rated(&self, key: &str) -> Option<&Rated> {
        self.rated.get(key)
    }

    /// What those whom an application hears say of a picture, but for the exemplars that `deaf` names. `None` stands for
    /// an application that has said nothing itself.
    pub(crate) fn hear(&self, application: Option<u32>, query: &Query, deaf: impl Fn(&str) -> bool) -> Chorus {
        let books = self.books(application);
        let shelves: Vec<&Book> = books.iter().map(|(book, _)| *book).collect();
        // What an application said itself it has heard already in its own book.
        let twice = |at: usize, by: u32| !books[at].1 && application == Some(by);
        Chorus::of(&shelves, query, application, |at, by, key| twice(at, by) || deaf(key))
    }

    /// The books that an application hears: its own, and what acts for all. Those that hold nothing are left out.
    pub(crate) fn books(&self, application: Option<u32>) -> Vec<(&Book, bool)> {
        let own = application.and_then(|application| self.books.get(&application)).map(|book| (book, true));
        own.into_iter().chain([(&self.agreed, false)]).filter(|(book, _)| book.len() > 0).collect()
    }

    /// The exemplars that came since the guard last looked, if they are `many` or more.
    pub(crate) fn fresh(&self, scope: Option<u32>, many: usize) -> Option<&BTreeSet<Arc<str>>> {
        self.fresh.get(&scope).filter(|fresh| fresh.len() >= many)
    }

    pub(crate) fn settle(&mut self) {
        self.fresh.clear();
    }

    /// The guard has looked at these; what came meanwhile it has not.
    pub(crate) fn seen(&mut self, scope: Option<u32>, judged: &BTreeSet<Arc<str>>) {
        if let Some(fresh) = self.fresh.get_mut(&scope) {
            fresh.retain(|key| !judged.contains(key));
        }
    }

    /// The verdicts on exemplars, as the database names them.
    pub(crate) fn verdicts(&self, keys: &BTreeSet<Arc<str>>) -> Vec<(String, String)> {
        let of = |rated: &Rated| rated.said.keys().map(|item| (rated.recognition.clone(), item.clone())).collect();
        keys.iter().filter_map(|key| self.rated.get(key)).flat_map(|rated| -> Vec<_> { of(rated) }).collect()
    }
}

/// The number of a name, a new one for a new name.
fn number<T: Clone + Eq + std::hash::Hash>(numbers: &mut HashMap<T, u32>, name: &T) -> u32 {
    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    *numbers.entry(name.clone()).or_insert(next)
}
