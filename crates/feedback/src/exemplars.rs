//! A set of exemplars: their vectors and verdicts, and the search for those near a query.

use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use kaisatsu_model::splitmix::splitmix64;

use crate::{
    kernel::{Centre, MIN_COSINE, Query, weight},
    quantised::{QuantisedVector, SKETCH_BITS, Scaling, Sketch},
    simd::{count_within, dot, dot_pairs, hamming_distances},
    size,
    vote::Neighbour,
};

/// Up to this many exemplars, every one is compared with the query.
const EXHAUSTIVE_LIMIT: usize = 512;

/// Of more exemplars, this many are compared: those with the smallest Hamming distance of the sketches.
const SHORTLIST: usize = 256;

/// The number of Hamming distances that are skipped together when none is small enough.
const CHUNK: usize = 256;

/// The sums of unit vectors are integers in units of 1 / `SUM_SCALE`.
pub(crate) const SUM_SCALE: f32 = 16_384.0;

/// Exemplars by key, stored as one array per field.
#[derive(Debug, Default)]
pub(crate) struct ExemplarSet {
    keys: Vec<Arc<str>>,
    entries: Vec<Entry>,
    /// The components of all vectors, one row after the other.
    components: Vec<i8>,
    sketches: Vec<Sketch>,
    slots: HashMap<Arc<str>, usize>,
    /// The keys in a pseudorandom order, from which samples are drawn.
    sample_order: BTreeSet<(u64, Arc<str>)>,
    /// The sum of all unit vectors, in units of 1 / `SUM_SCALE`.
    sum: Vec<i64>,
    /// What the verdicts of all entries take on the heap.
    verdict_bytes: usize,
}

#[derive(Debug, Clone)]
struct Entry {
    application: u32,
    /// The hash that determines the position in `sample_order`.
    hash: u64,
    scaling: Scaling,
    /// Subjects, and whether they are right.
    verdicts: Vec<(u32, bool)>,
}

impl ExemplarSet {
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn dims(&self) -> usize {
        self.sum.len()
    }

    /// The memory that the set takes, without its keys: those belong to the rated pictures.
    pub(crate) fn bytes(&self) -> usize {
        size::vector(&self.keys)
            + size::vector(&self.entries)
            + size::vector(&self.components)
            + size::vector(&self.sketches)
            + size::table(&self.slots)
            + size::tree(self.sample_order.len(), size_of::<(u64, Arc<str>)>())
            + size::vector(&self.sum)
            + self.verdict_bytes
    }

    pub(crate) fn vector(&self, key: &str) -> Option<QuantisedVector> {
        let slot = *self.slots.get(key)?;
        Some(QuantisedVector::from_parts(self.row(slot), self.entries[slot].scaling))
    }

    fn row(&self, slot: usize) -> &[i8] {
        &self.components[slot * self.dims()..(slot + 1) * self.dims()]
    }

    /// Inserts or replaces an exemplar; without verdicts it is removed. A vector whose length differs from the others
    /// comes from another network and is ignored.
    pub(crate) fn set(
        &mut self,
        key: &Arc<str>,
        application: u32,
        vector: &QuantisedVector,
        verdicts: Vec<(u32, bool)>,
    ) {
        self.remove(key);
        if self.keys.is_empty() {
            self.sum = vec![0; vector.dims()];
        }
        if verdicts.is_empty() || vector.dims() != self.dims() {
            return;
        }
        self.slots.insert(Arc::clone(key), self.keys.len());
        let hash = sample_hash(key);
        self.verdict_bytes += size::vector(&verdicts);
        self.entries.push(Entry { application, hash, scaling: vector.scaling(), verdicts });
        self.sample_order.insert((hash, Arc::clone(key)));
        self.keys.push(Arc::clone(key));
        self.components.extend_from_slice(vector.components());
        self.sketches.push(vector.sketch());
        self.add_to_sum(self.keys.len() - 1, 1);
    }

    pub(crate) fn remove(&mut self, key: &str) {
        let Some(slot) = self.slots.remove(key) else { return };
        self.sample_order.remove(&(self.entries[slot].hash, Arc::clone(&self.keys[slot])));
        self.add_to_sum(slot, -1);
        self.verdict_bytes -= size::vector(&self.entries[slot].verdicts);
        let (last, dims) = (self.keys.len() - 1, self.dims());
        self.keys.swap_remove(slot);
        self.entries.swap_remove(slot);
        self.sketches.swap_remove(slot);
        self.components.copy_within(last * dims..(last + 1) * dims, slot * dims);
        self.components.truncate(last * dims);
        if let Some(moved) = self.keys.get(slot) {
            self.slots.insert(Arc::clone(moved), slot);
        }
    }

    #[allow(clippy::cast_possible_truncation, reason = "a unit vector in units of 1/16384")]
    fn add_to_sum(&mut self, slot: usize, times: i64) {
        let (from, unit) = (slot * self.dims(), self.entries[slot].scaling.unit);
        for (at, sum) in self.sum.iter_mut().enumerate() {
            *sum += times * (f32::from(self.components[from + at]) * unit * SUM_SCALE).round() as i64;
        }
    }

    /// A sample of at most `limit` exemplars with exactly one confirmed subject, and that subject, of those for which
    /// `include` returns true. The sample depends on the keys alone.
    pub(crate) fn confirmed(&self, limit: usize, include: impl Fn(&str) -> bool) -> Vec<(&Arc<str>, u32)> {
        let only_confirmed = |key: &Arc<str>| {
            let entry = &self.entries[*self.slots.get(key)?];
            let mut confirmed = entry.verdicts.iter().filter(|(_, valid)| *valid);
            confirmed.next().filter(|_| confirmed.next().is_none()).map(|(subject, _)| *subject)
        };
        let keys = self.sample_order.iter().map(|(_, key)| key).filter(|key| include(key));
        keys.filter_map(|key| Some((key, only_confirmed(key)?))).take(limit).collect()
    }

    /// A sample of at most `limit` exemplars, each with its first confirmed subject. The sample depends on the keys
    /// alone.
    pub(crate) fn sample(&self, limit: usize) -> impl Iterator<Item = (&Arc<str>, QuantisedVector, Option<u32>)> {
        let keys = self.sample_order.iter().map(|(_, key)| key).take(limit);
        keys.filter_map(|key| Some((key, self.vector(key)?, self.first_confirmed(key))))
    }

    fn first_confirmed(&self, key: &str) -> Option<u32> {
        let slot = *self.slots.get(key)?;
        self.entries[slot].verdicts.iter().find(|(_, valid)| *valid).map(|(subject, _)| *subject)
    }

    /// The slots of the exemplars that are compared with the query.
    fn shortlist(&self, query: &Query) -> Vec<u32> {
        let all = 0..u32::try_from(self.len()).unwrap_or(u32::MAX);
        if self.len() <= EXHAUSTIVE_LIMIT {
            return all.collect();
        }
        let mut distances = Vec::new();
        hamming_distances(&self.sketches, &query.sketch, &mut distances);
        // The smallest radius that holds more than SHORTLIST sketches. All sketches closer than that are taken, and
        // some of those at that distance.
        let radii: Vec<u16> = (0..SKETCH_BITS).collect();
        let radius = radii.partition_point(|radius| count_within(&distances, *radius) <= SHORTLIST);
        let radius = u16::try_from(radius).unwrap_or(SKETCH_BITS);
        let (mut closer, mut ties) = (Vec::with_capacity(SHORTLIST), Vec::new());
        for (slots, distances) in (0..).step_by(CHUNK).zip(distances.chunks(CHUNK)) {
            // Most chunks have none, and counting is faster than comparing one by one.
            if count_within(distances, radius) == 0 {
                continue;
            }
            for (slot, distance) in (slots..).zip(distances) {
                match distance.cmp(&radius) {
                    Ordering::Less => closer.push(slot),
                    Ordering::Equal => ties.push(slot),
                    Ordering::Greater => {}
                }
            }
        }
        // Ties are broken by the sample order and not by slot, because slots depend on earlier insertions and removals.
        // By the choice of the radius there are always more ties than vacant positions.
        let vacant = SHORTLIST - closer.len();
        ties.select_nth_unstable_by(vacant, |a: &u32, b: &u32| {
            let (a, b) = (*a as usize, *b as usize);
            self.entries[a].hash.cmp(&self.entries[b].hash).then_with(|| self.keys[a].cmp(&self.keys[b]))
        });
        closer.extend(ties.into_iter().take(vacant));
        closer
    }

    /// The sum of the unit vectors, in units of 1 / `SUM_SCALE`.
    pub(crate) fn sum(&self) -> &[i64] {
        &self.sum
    }

    /// The cosine of an exemplar with a vector, around the origin; 0 for an unknown key.
    #[allow(clippy::cast_precision_loss, reason = "a sum of bytes")]
    pub(crate) fn cosine(&self, key: &str, vector: &QuantisedVector) -> f32 {
        let Some(slot) = self.slots.get(key) else { return 0.0 };
        // The two factors are multiplied first, so that swapping the two pictures gives the same bits.
        dot(self.row(*slot), vector.components()) as f32 * (self.entries[*slot].scaling.unit * vector.scaling().unit)
    }

    /// The exemplars within the kernel's widest reach, except those for which `exclude` returns true.
    pub(crate) fn neighbours<'a>(
        &'a self,
        query: &Query,
        centre: &Centre,
        exclude: impl Fn(u32, &str) -> bool,
    ) -> Vec<Neighbour<'a>> {
        if query.vector.dims() != self.dims() {
            return Vec::new();
        }
        let slots = self.shortlist(query);
        let mut dots = Vec::with_capacity(slots.len());
        dot_pairs(&self.components, &slots, &query.components, &centre.components, &mut dots);
        let neighbour = |(slot, dots): (u32, (i32, i32))| {
            let (key, entry) = (&self.keys[slot as usize], &self.entries[slot as usize]);
            let cosine = centre.cosine(query, dots, entry.scaling.unit);
            let is_near = weight(cosine, MIN_COSINE) > 0 && !exclude(entry.application, key);
            is_near.then_some(Neighbour { key, application: entry.application, cosine, verdicts: &entry.verdicts })
        };
        slots.into_iter().zip(dots).filter_map(neighbour).collect()
    }
}

/// A hash of the key, by which samples are drawn and ties are broken.
fn sample_hash(key: &str) -> u64 {
    key.bytes().fold(0, |hash, byte| splitmix64(hash ^ u64::from(byte)))
}
