//! The neighbour graph: links each vector with near ones that lie in different directions.

use std::thread;

use super::{
    beam_search::{BeamSearch, Candidate},
    codes::Codes,
    duplicates::{Duplicates, digest},
    kernels::{CodeBlock, FloatBlock},
    neighbours::{Links, prune},
    quantise::{Code, square},
    rows::{Rows, index},
    slot_set::SlotSet,
    sweep::Sweep,
};

/// Beam of the search for the neighbours of a new vector.
const BUILD_BEAM: usize = 96;

/// Vectors linked in one batch of a build. They do not see one another, so a batch is at most this share of the graph.
const BATCH_SHARE: usize = 32;
const BATCH_MOST: usize = 512;

/// A graph of one level. Where HNSW descends through upper levels, a search starts from the nearest of √n ∕ 2 entry
/// points. Every search reads them, so they stay in the processor's cache, and they lead into each of many clusters.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    codes: Codes,
    links: Vec<Links>,
    entry_points: Vec<u32>,
    live: SlotSet,
    live_len: usize,
    pub(super) duplicates: Duplicates,
    pub(super) sweep: Sweep,
}

/// Code and neighbours of a new vector, for the graph that computed them.
#[derive(Debug)]
pub(super) struct Plan {
    code: Vec<CodeBlock>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// Links the vectors at `slots`. The result depends on their order, but not on the number of threads.
    pub(super) fn build(vectors: &Rows<FloatBlock>, slots: &[u32], dims: usize, threads: usize) -> Self {
        let mut graph = Self {
            codes: Codes::fit(vectors, slots, dims),
            links: vec![Links::EMPTY; vectors.len()],
            entry_points: Vec::new(),
            live: SlotSet::default(),
            live_len: 0,
            duplicates: Duplicates::default(),
            sweep: Sweep::default(),
        };
        let mut searches: Vec<BeamSearch> = (0..threads.max(1)).map(|_| BeamSearch::default()).collect();
        let mut rest = slots;
        while !rest.is_empty() {
            let size = (graph.live_len / BATCH_SHARE).clamp(1, BATCH_MOST).min(rest.len());
            let (batch, after) = rest.split_at(size);
            let neighbours = graph.neighbours_of_batch(batch, &mut searches);
            for (&slot, neighbours) in batch.iter().zip(&neighbours) {
                graph.add_node(slot, neighbours);
            }
            rest = after;
        }
        graph
    }

    fn neighbours_of_batch(&self, batch: &[u32], searches: &mut [BeamSearch]) -> Vec<Vec<u32>> {
        let mut found = vec![Vec::new(); batch.len()];
        let share = batch.len().div_ceil(searches.len());
        thread::scope(|scope| {
            let mut parts = batch.chunks(share).zip(found.chunks_mut(share)).zip(searches);
            let own = parts.next();
            for part in parts {
                scope.spawn(move || self.neighbours_of_part(part));
            }
            if let Some(part) = own {
                self.neighbours_of_part(part);
            }
        });
        found
    }

    fn neighbours_of_part(&self, ((slots, found), search): ((&[u32], &mut [Vec<u32>]), &mut BeamSearch)) {
        for (&slot, found) in slots.iter().zip(found) {
            *found = self.neighbours_for(self.codes.get(slot), search);
        }
    }

    /// The same graph over newly fitted codes, for when there are many more vectors than before.
    pub(super) fn refitted(&self, vectors: &Rows<FloatBlock>, slots: &[u32], dims: usize) -> Self {
        let codes = Codes::fit(vectors, slots, dims);
        let representatives = (0..self.slots()).map(index).filter(|&slot| self.is_live(slot));
        let duplicates =
            self.duplicates.with_representatives(representatives.map(|slot| (digest(codes.get(slot).blocks), slot)));
        Self { codes, duplicates, ..self.clone() }
    }

    pub(super) fn codes(&self) -> &Codes {
        &self.codes
    }

    pub(super) fn slots(&self) -> usize {
        self.links.len()
    }

    pub(super) fn live_len(&self) -> usize {
        self.live_len
    }

    pub(super) fn is_live(&self, slot: u32) -> bool {
        self.live.contains(slot)
    }

    pub(super) fn entry_points(&self) -> &[u32] {
        &self.entry_points
    }

    pub(super) fn neighbours(&self, slot: u32) -> &[u32] {
        self.links[slot as usize].as_slice()
    }

    /// Finds code and neighbours of a new vector. Apart from [`Graph::insert`], because searches can run meanwhile.
    pub(super) fn plan(&self, vector: &[FloatBlock]) -> Plan {
        let code = self.codes.encode(vector);
        let neighbours = self.neighbours_for(Code { blocks: &code, square: square(&code) }, &mut BeamSearch::default());
        Plan { code, neighbours }
    }

    fn neighbours_for(&self, code: Code<'_>, search: &mut BeamSearch) -> Vec<u32> {
        if self.duplicate_of(code.blocks).is_some() {
            return Vec::new();
        }
        let near: Vec<Candidate> = search.towards(self, code, BUILD_BEAM).collect();
        prune(&self.codes, &near)
    }

    fn duplicate_of(&self, code: &[CodeBlock]) -> Option<u32> {
        self.duplicates
            .representative(digest(code))
            .filter(|&representative| self.codes.get(representative).blocks == code)
    }

    /// Adds a vector with the neighbours of its plan.
    pub(super) fn insert(&mut self, slot: u32, mut plan: Plan) {
        self.codes.set(slot, &plan.code);
        if slot as usize == self.links.len() {
            self.links.push(Links::EMPTY);
        }
        // The vector that this one replaces was removed after the planning; it may have been the only neighbour.
        plan.neighbours.retain(|&neighbour| self.is_live(neighbour));
        if plan.neighbours.is_empty() {
            plan.neighbours = self.neighbours_for(self.codes.get(slot), &mut BeamSearch::default());
        }
        self.add_node(slot, &plan.neighbours);
    }

    fn add_node(&mut self, slot: u32, neighbours: &[u32]) {
        let code = self.codes.get(slot).blocks;
        let digest = digest(code);
        if let Some(representative) = self.duplicate_of(code) {
            self.duplicates.add_member(representative, slot);
            return;
        }
        self.duplicates.add_group(digest, slot);
        self.links[slot as usize] = Links::new(neighbours);
        self.live.insert(slot);
        self.live_len += 1;
        self.add_entry_point(slot);
        for &neighbour in neighbours {
            self.link(neighbour, slot);
        }
    }

    /// Makes a slot an entry point if there are too few. Any slot will do, because slots are in no particular order.
    pub(super) fn add_entry_point(&mut self, slot: u32) {
        if self.entry_points.len() < self.live_len.isqrt().div_ceil(2) && !self.entry_points.contains(&slot) {
            self.entry_points.push(slot);
        }
    }

    fn link(&mut self, from: u32, to: u32) {
        if !self.links[from as usize].add(to) {
            let mut around = self.live_around(from);
            around.push(to);
            self.links[from as usize] = self.chosen(from, &around);
        }
    }

    /// Live neighbours, with a removed one replaced by its own live neighbours.
    pub(super) fn live_around(&self, slot: u32) -> Vec<u32> {
        let mut around = Vec::new();
        for &near in self.neighbours(slot) {
            if self.is_live(near) {
                around.push(near);
            } else {
                around.extend(self.neighbours(near).iter().filter(|&&far| far != slot && self.is_live(far)));
            }
        }
        around
    }

    /// The best links of a slot to some of the others.
    pub(super) fn chosen(&self, slot: u32, others: &[u32]) -> Links {
        let mut distances = Vec::new();
        self.codes.distances(self.codes.get(slot), others, &mut distances);
        let pairs = distances.into_iter().zip(others);
        let mut candidates: Vec<Candidate> = pairs.map(|(distance, &slot)| Candidate { distance, slot }).collect();
        candidates.sort_unstable();
        candidates.dedup();
        Links::new(&prune(&self.codes, &candidates))
    }

    pub(super) fn set_links(&mut self, slot: u32, links: Links) {
        self.links[slot as usize] = links;
    }

    /// Marks a slot as removed: searches do not return it, but pass through it until the sweep has replaced all links
    /// to it.
    pub(super) fn retire(&mut self, slot: u32) {
        self.live.remove(slot);
        self.live_len -= 1;
        self.duplicates.dissolve(digest(self.codes.get(slot).blocks), slot);
    }

    /// Clears a removed slot that no live slot links to.
    pub(super) fn forget(&mut self, slot: u32) {
        self.links[slot as usize] = Links::EMPTY;
        self.entry_points.retain(|&entry_point| entry_point != slot);
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.codes.heap_bytes() + self.links.capacity() * size_of::<Links>()
    }
}
