//! Exemplars and what was said of their candidates, and which of them may be near a picture.

use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use kaisatsu_model::mix::scatter;

use crate::{
    code::{Code, SKETCH_BITS, Sketch},
    hearing::{Centre, Query, Voice},
    kernel::{at_most, differences, dot, two_dots},
};

/// As many exemplars are all measured. Of more, so many are whose sketches differ least.
const FEW: usize = 512;
const MEASURED: usize = 256;

/// Distances that are looked at together.
const CHUNK: usize = 256;

/// The unit of the sums behind a centre.
pub(crate) const FINE: f32 = 16_384.0;

/// The exemplars of one scope.
#[derive(Debug, Clone, Default)]
pub(crate) struct Book {
    keys: Vec<Arc<str>>,
    entries: Vec<Entry>,
    /// One row of bytes an exemplar.
    parts: Vec<i8>,
    sketches: Vec<Sketch>,
    slots: HashMap<Arc<str>, usize>,
    /// The keys in an order that has nothing to do with them, for drawing some.
    lots: BTreeSet<(u64, Arc<str>)>,
    /// Of all unit vectors, in whole numbers.
    sum: Vec<i64>,
}

#[derive(Debug, Clone)]
struct Entry {
    application: u32,
    lot: u64,
    rest: [f32; 3],
    /// Subjects, and whether they are right.
    verdicts: Vec<(u32, bool)>,
}

impl Book {
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn dims(&self) -> usize {
        self.sum.len()
    }

    pub(crate) fn code(&self, key: &str) -> Option<Code> {
        let slot = *self.slots.get(key)?;
        Some(Code::again(self.row(slot), self.entries[slot].rest))
    }

    fn row(&self, slot: usize) -> &[i8] {
        &self.parts[slot * self.dims()..(slot + 1) * self.dims()]
    }

    /// Puts an exemplar in, in place of the one of that key; without verdicts it is taken out. A vector of another
    /// length than those there are is of another network, and has nothing to say here.
    pub(crate) fn set(&mut self, key: &Arc<str>, application: u32, code: &Code, verdicts: Vec<(u32, bool)>) {
        self.remove(key);
        if self.keys.is_empty() {
            self.sum = vec![0; code.dims()];
        }
        if verdicts.is_empty() || code.dims() != self.dims() {
            return;
        }
        self.slots.insert(Arc::clone(key), self.keys.len());
        let lot = lot(key);
        self.entries.push(Entry { application, lot: lot.0, rest: code.rest(), verdicts });
        self.lots.insert(lot);
        self.keys.push(Arc::clone(key));
        self.parts.extend_from_slice(code.parts());
        self.sketches.push(code.sketch());
        self.count(self.keys.len() - 1, 1);
    }

    pub(crate) fn remove(&mut self, key: &str) {
        let Some(slot) = self.slots.remove(key) else { return };
        self.lots.remove(&lot(&self.keys[slot]));
        self.count(slot, -1);
        let (last, dims) = (self.keys.len() - 1, self.dims());
        self.keys.swap_remove(slot);
        self.entries.swap_remove(slot);
        self.sketches.swap_remove(slot);
        self.parts.copy_within(last * dims..(last + 1) * dims, slot * dims);
        self.parts.truncate(last * dims);
        if let Some(moved) = self.keys.get(slot) {
            self.slots.insert(Arc::clone(moved), slot);
        }
    }

    #[allow(clippy::cast_possible_truncation, reason = "a unit vector in units of 1/16384")]
    fn count(&mut self, slot: usize, times: i64) {
        let (from, scale) = (slot * self.dims(), self.entries[slot].rest[0]);
        for (at, sum) in self.sum.iter_mut().enumerate() {
            *sum += times * (f32::from(self.parts[from + at]) * scale * FINE).round() as i64;
        }
    }

    /// At most `most` exemplars of which one thing was confirmed, and not several, with it. Which ones depends on their
    /// names alone.
    pub(crate) fn confirmed(&self, most: usize) -> Vec<(&Arc<str>, u32)> {
        let alone = |key: &Arc<str>| {
            let entry = &self.entries[*self.slots.get(key)?];
            let mut right = entry.verdicts.iter().filter(|(_, valid)| *valid);
            right.next().filter(|_| right.next().is_none()).map(|(subject, _)| *subject)
        };
        self.lots.iter().filter_map(|(_, key)| Some((key, alone(key)?))).take(most).collect()
    }

    /// At most `most` exemplars, and what each was confirmed to be. Which ones depends on their names alone.
    pub(crate) fn sample(&self, most: usize) -> impl Iterator<Item = (&Arc<str>, Code, Option<u32>)> {
        self.lots.iter().take(most).filter_map(|(_, key)| Some((key, self.code(key)?, self.right(key))))
    }

    /// The subject that was confirmed, if one was.
    fn right(&self, key: &str) -> Option<u32> {
        let slot = *self.slots.get(key)?;
        self.entries[slot].verdicts.iter().find(|(_, valid)| *valid).map(|(subject, _)| *subject)
    }

    /// The exemplars worth measuring.
    fn nearest(&self, query: &Query) -> Vec<u32> {
        let all = 0..u32::try_from(self.len()).unwrap_or(u32::MAX);
        if self.len() <= FEW {
            return all.collect();
        }
        let mut distances = Vec::new();
        differences(&self.sketches, &query.sketch, &mut distances);
        // The least distance within which there are more than enough.
        let last =
            (0..SKETCH_BITS).collect::<Vec<u16>>().partition_point(|within| at_most(&distances, *within) <= MEASURED);
        let last = u16::try_from(last).unwrap_or(SKETCH_BITS);
        let (mut near, mut ties) = (Vec::with_capacity(MEASURED), Vec::new());
        for (slots, distances) in (0..).step_by(CHUNK).zip(distances.chunks(CHUNK)) {
            // Most have none, which is seen for many at once.
            if at_most(distances, last) == 0 {
                continue;
            }
            for (slot, distance) in (slots..).zip(distances) {
                match distance.cmp(&last) {
                    Ordering::Less => near.push(slot),
                    Ordering::Equal => ties.push(slot),
                    Ordering::Greater => {}
                }
            }
        }
        // Of those that differ equally, by lot: not by their place, which depends on what has been and is gone.
        let left = MEASURED - near.len();
        if left > 0 && left < ties.len() {
            let by_lot = |a: &u32, b: &u32| {
                let (a, b) = (*a as usize, *b as usize);
                self.entries[a].lot.cmp(&self.entries[b].lot).then_with(|| self.keys[a].cmp(&self.keys[b]))
            };
            ties.select_nth_unstable_by(left, by_lot);
        }
        near.extend(ties.into_iter().take(left));
        near
    }

    /// The sums of its unit vectors, in whole numbers.
    pub(crate) fn sum(&self) -> &[i64] {
        &self.sum
    }

    /// The cosine of an exemplar with a vector, around nothing.
    #[allow(clippy::cast_precision_loss, reason = "a sum of bytes")]
    pub(crate) fn cosine(&self, key: &str, code: &Code) -> f32 {
        let Some(slot) = self.slots.get(key) else { return 0.0 };
        // The two scales first: the same for the two pictures the other way round, to the bit.
        dot(self.row(*slot), code.parts()) as f32 * (self.entries[*slot].rest[0] * code.scale())
    }

    /// Hears every exemplar that is near, but for those that `deaf` names.
    pub(crate) fn hear(
        &self,
        query: &Query,
        centre: &Centre,
        deaf: impl Fn(u32, &str) -> bool,
        mut heard: impl FnMut(Voice<'_>),
    ) {
        if query.code.dims() != self.dims() {
            return;
        }
        let slots = self.nearest(query);
        let mut dots = Vec::with_capacity(slots.len());
        two_dots(&self.parts, &slots, &query.wide, &centre.parts, &mut dots);
        for (slot, dots) in slots.into_iter().zip(dots) {
            let (key, entry) = (&self.keys[slot as usize], &self.entries[slot as usize]);
            let weight = centre.weight(query, dots, entry.rest[0]);
            if weight > 0 && !deaf(entry.application, key) {
                heard(Voice { key, application: entry.application, weight, verdicts: &entry.verdicts });
            }
        }
    }
}

fn lot(key: &Arc<str>) -> (u64, Arc<str>) {
    (key.bytes().fold(0, |hash, byte| scatter(hash ^ u64::from(byte))), Arc::clone(key))
}
