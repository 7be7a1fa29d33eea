//! A graph that joins each vector with some near ones in differing directions; walked to find the nearest to a query.

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

/// Beam of the walk that looks for neighbours of a new vector.
const BUILD_BEAM: usize = 96;

/// Vectors linked at once in bulk: they are not offered to one another, so at most this share of those present.
const BATCH_SHARE: usize = 32;
const BATCH_MOST: usize = 512;

/// One level only. In place of the upper levels of an HNSW graph, a walk starts from the nearest of √n ∕ 2 entry_points:
/// these are read at every search and so stay in the processor's cache, and lead into each of many clusters.
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

/// Where a vector is to go in the graph that this was planned on.
#[derive(Debug)]
pub(super) struct Plan {
    code: Vec<CodeBlock>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// Links the vectors at `slots`. The outcome depends on their order, but not on the number of threads.
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
        let mut walks: Vec<BeamSearch> = (0..threads.max(1)).map(|_| BeamSearch::default()).collect();
        let mut rest = slots;
        while !rest.is_empty() {
            let size = (graph.live_len / BATCH_SHARE).clamp(1, BATCH_MOST).min(rest.len());
            let (batch, after) = rest.split_at(size);
            let neighbours = graph.neighbours_of_batch(batch, &mut walks);
            for (&slot, neighbours) in batch.iter().zip(&neighbours) {
                graph.join(slot, neighbours);
            }
            rest = after;
        }
        graph
    }

    fn neighbours_of_batch(&self, batch: &[u32], walks: &mut [BeamSearch]) -> Vec<Vec<u32>> {
        let mut found = vec![Vec::new(); batch.len()];
        let share = batch.len().div_ceil(walks.len());
        thread::scope(|scope| {
            let mut parts = batch.chunks(share).zip(found.chunks_mut(share)).zip(walks);
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

    fn neighbours_of_part(&self, ((slots, found), walk): ((&[u32], &mut [Vec<u32>]), &mut BeamSearch)) {
        for (&slot, found) in slots.iter().zip(found) {
            *found = self.neighbours_for(self.codes.get(slot), walk);
        }
    }

    /// The same graph over codes fitted anew, for when the vectors have become many more.
    pub(super) fn refitted(&self, vectors: &Rows<FloatBlock>, slots: &[u32], dims: usize) -> Self {
        let codes = Codes::fit(vectors, slots, dims);
        let heads = (0..self.slots()).map(index).filter(|&slot| self.is_live(slot));
        let duplicates = self.duplicates.with_heads(heads.map(|slot| (digest(codes.get(slot).blocks), slot)));
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

    /// Works out where a vector is to go. Apart from [`Graph::insert`], because searches need not wait for it.
    pub(super) fn plan(&self, vector: &[FloatBlock]) -> Plan {
        let code = self.codes.encode(vector);
        let neighbours = self.neighbours_for(Code { blocks: &code, square: square(&code) }, &mut BeamSearch::default());
        Plan { code, neighbours }
    }

    fn neighbours_for(&self, code: Code<'_>, walk: &mut BeamSearch) -> Vec<u32> {
        if self.duplicate_of(code.blocks).is_some() {
            return Vec::new();
        }
        let near: Vec<Candidate> = walk.towards(self, code, BUILD_BEAM).collect();
        prune(&self.codes, &near)
    }

    fn duplicate_of(&self, code: &[CodeBlock]) -> Option<u32> {
        self.duplicates.head(digest(code)).filter(|&head| self.codes.get(head).blocks == code)
    }

    /// Adds a vector where it was planned to go.
    pub(super) fn insert(&mut self, slot: u32, mut plan: Plan) {
        self.codes.set(slot, &plan.code);
        if slot as usize == self.links.len() {
            self.links.push(Links::EMPTY);
        }
        // The vector that this one replaces is gone since the planning, perhaps the only neighbour or twin.
        plan.neighbours.retain(|&neighbour| self.is_live(neighbour));
        if plan.neighbours.is_empty() {
            plan.neighbours = self.neighbours_for(self.codes.get(slot), &mut BeamSearch::default());
        }
        self.join(slot, &plan.neighbours);
    }

    fn join(&mut self, slot: u32, neighbours: &[u32]) {
        let code = self.codes.get(slot).blocks;
        let digest = digest(code);
        if let Some(head) = self.duplicate_of(code) {
            self.duplicates.join(head, slot);
            return;
        }
        self.duplicates.found(digest, slot);
        self.links[slot as usize] = Links::new(neighbours);
        self.live.insert(slot);
        self.live_len += 1;
        self.add_entry_point(slot);
        for &neighbour in neighbours {
            self.link(neighbour, slot);
        }
    }

    /// Makes a slot a entry_point if there are too few. They need not be chosen, for slots come in no particular order.
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

    /// The links of a slot if it could be joined with these only.
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

    /// Marks a slot as removed: no result, but still walked through, until the sweep has led all links past it.
    pub(super) fn retire(&mut self, slot: u32) {
        self.live.remove(slot);
        self.live_len -= 1;
        self.duplicates.dissolve(digest(self.codes.get(slot).blocks), slot);
    }

    /// Forgets a removed slot that no live one leads to.
    pub(super) fn forget(&mut self, slot: u32) {
        self.links[slot as usize] = Links::EMPTY;
        self.entry_points.retain(|&entry_point| entry_point != slot);
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.codes.heap_bytes() + self.links.capacity() * size_of::<Links>()
    }
}
