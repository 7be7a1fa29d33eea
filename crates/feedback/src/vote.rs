//! The vote of the exemplars near a query: for each subject the weighted mean of their verdicts and of a prior at zero.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use crate::{
    exemplars::ExemplarSet,
    kernel::{Centre, MIN_COSINE, Query, UNIT_WEIGHT, kernel_end, weight},
};

/// The weight of the prior at zero, where 1 is an exemplar with a cosine of 1.
const PRIOR_WEIGHT: f32 = 0.6;

/// The total weight at which the coverage is one half, in the same unit.
const HALF_COVERAGE: f32 = 0.05;

/// One verdict's part in an estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// The rated picture. `None` if another application rated it.
    pub exemplar: Option<Arc<str>>,
    /// The verdict.
    pub valid: bool,
    /// The signed part of the estimate that this verdict accounts for.
    pub amount: f32,
}

/// The estimate for a subject and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Between -1 and 1, exclusive.
    pub value: f32,
    /// The verdicts behind it, largest weight first. Their amounts add up to the value.
    pub contributions: Vec<Contribution>,
}

/// An exemplar within the kernel's widest reach of the query.
pub(crate) struct Neighbour<'a> {
    pub(crate) key: &'a Arc<str>,
    pub(crate) application: u32,
    pub(crate) cosine: f32,
    pub(crate) verdicts: &'a [(u32, bool)],
}

/// The weighted votes by subject.
#[derive(Default)]
pub(crate) struct Tally {
    subjects: HashMap<u32, SubjectTally>,
    /// The total weight of all neighbours under the widest kernel.
    weight: i64,
}

#[derive(Default)]
struct SubjectTally {
    /// The weight in favour minus the weight against.
    balance: i64,
    /// The weight in favour plus the weight against.
    weight: i64,
    /// Exemplar, verdict and weight.
    votes: Vec<(Option<Arc<str>>, bool, u32)>,
}

impl Tally {
    /// Counts the votes of the exemplars in `sets` on a query, without those for which `exclude` returns true.
    ///
    /// Every exemplar of the application `own` votes and is named. Of any other application only the nearest exemplar
    /// with the same verdict votes, so repeating a verdict does not add weight.
    pub(crate) fn new(
        sets: &[&ExemplarSet],
        query: &Query,
        own: Option<u32>,
        exclude: impl Fn(usize, u32, &str) -> bool,
    ) -> Self {
        let centre = Centre::new(sets, query);
        let neighbours: Vec<Neighbour<'_>> = (sets.iter().enumerate())
            .flat_map(|(at, set)| set.neighbours(query, &centre, |application, key| exclude(at, application, key)))
            .collect();
        let end = kernel_end(&counted_cosines(&neighbours, own));
        let mut tally = Self::default();
        let mut nearest: BTreeMap<(u32, u32, bool), u32> = BTreeMap::new();
        for neighbour in &neighbours {
            tally.weight += i64::from(weight(neighbour.cosine, MIN_COSINE));
            let weight = weight(neighbour.cosine, end);
            for (subject, valid) in neighbour.verdicts.iter().filter(|_| weight > 0) {
                if own == Some(neighbour.application) {
                    tally.add(*subject, *valid, weight, Some(Arc::clone(neighbour.key)));
                } else {
                    let most = nearest.entry((*subject, neighbour.application, *valid)).or_default();
                    *most = weight.max(*most);
                }
            }
        }
        for ((subject, _, valid), weight) in nearest {
            tally.add(subject, valid, weight, None);
        }
        tally
    }

    fn add(&mut self, subject: u32, valid: bool, weight: u32, exemplar: Option<Arc<str>>) {
        let tally = self.subjects.entry(subject).or_default();
        tally.balance += if valid { i64::from(weight) } else { -i64::from(weight) };
        tally.weight += i64::from(weight);
        tally.votes.push((exemplar, valid, weight));
    }

    /// How well exemplars cover the query: 0 without neighbours, rising quickly towards 1 with their total weight.
    #[allow(clippy::cast_precision_loss, reason = "weights")]
    pub(crate) fn coverage(&self) -> f32 {
        let weight = self.weight as f32;
        weight / (HALF_COVERAGE * UNIT_WEIGHT + weight)
    }

    /// The subjects with at least one vote.
    pub(crate) fn subjects(&self) -> impl Iterator<Item = u32> {
        self.subjects.keys().copied()
    }

    /// The estimate for a subject, between -1 and 1; 0 without votes.
    #[allow(clippy::cast_precision_loss, reason = "weights")]
    pub(crate) fn value(&self, subject: u32) -> f32 {
        self.subjects.get(&subject).map_or(0.0, |tally| tally.balance as f32 / tally.weight_with_prior())
    }

    /// The estimate for a subject with the verdicts behind it.
    #[allow(clippy::cast_precision_loss, reason = "weights")]
    pub(crate) fn estimate(&self, subject: u32) -> Estimate {
        let Some(tally) = self.subjects.get(&subject) else {
            return Estimate { value: 0.0, contributions: Vec::new() };
        };
        let mut votes: Vec<_> = tally.votes.iter().collect();
        votes.sort_by(|a, b| b.2.cmp(&a.2).then(a.0.cmp(&b.0)).then(a.1.cmp(&b.1)));
        let contribution = |(exemplar, valid, weight): &(Option<Arc<str>>, bool, u32)| Contribution {
            exemplar: exemplar.clone(),
            valid: *valid,
            amount: *weight as f32 / tally.weight_with_prior() * if *valid { 1.0 } else { -1.0 },
        };
        Estimate { value: self.value(subject), contributions: votes.into_iter().map(contribution).collect() }
    }
}

/// The cosines that determine where the kernel ends: those of all own exemplars, and of any other application the
/// largest, so that repeating a verdict does not narrow the kernel either.
fn counted_cosines(neighbours: &[Neighbour<'_>], own: Option<u32>) -> Vec<f32> {
    let mut others: BTreeMap<u32, f32> = BTreeMap::new();
    let mut cosines = Vec::with_capacity(neighbours.len());
    for neighbour in neighbours {
        if own == Some(neighbour.application) {
            cosines.push(neighbour.cosine);
        } else {
            let largest = others.entry(neighbour.application).or_insert(neighbour.cosine);
            *largest = largest.max(neighbour.cosine);
        }
    }
    cosines.extend(others.into_values());
    cosines
}

impl SubjectTally {
    #[allow(clippy::cast_precision_loss, reason = "weights")]
    fn weight_with_prior(&self) -> f32 {
        PRIOR_WEIGHT * UNIT_WEIGHT + self.weight as f32
    }
}
