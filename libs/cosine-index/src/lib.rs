//! Finds the stored vectors that are most similar to a given one, by cosine.
//!
//! A small index compares the query with every vector. A large one searches a graph over codes of one byte per
//! component and compares the best candidates in full precision. A score is therefore always the exact cosine, and only
//! whether a vector is found is approximate.
//!
//! ```
//! use cosine_index::{Settings, VectorIndex};
//!
//! let mut index = VectorIndex::new(2, Settings::default());
//! index.insert(7, &[3.0, 4.0])?;
//! index.insert(8, &[4.0, -3.0])?;
//! let found = index.search(&[0.6, 0.8], 1)?;
//! assert_eq!((found[0].id, found[0].score), (7, 1.0));
//! # Ok::<(), cosine_index::Error>(())
//! ```

mod beam_search;
mod block;
mod codes;
mod duplicates;
mod error;
mod few;
mod graph;
mod id_map;
mod kernels;
mod neighbours;
mod normalise;
mod quantise;
mod rows;
mod settings;
mod shared;
mod slot_set;
mod sweep;
#[cfg(test)]
mod tests;

use std::thread;

use beam_search::BeamSearch;
use graph::{Graph, Plan};
use id_map::IdMap;
use kernels::{FloatBlock, blocks, float_dots};
use normalise::normalised;
use quantise::{Code, square};
use rows::Rows;
use sweep::Repairs;

pub use error::Error;
pub use few::FewVectors;
pub use settings::Settings;
pub use shared::SharedVectorIndex;

/// The codes are fitted again when there are this many times the vectors that they were fitted to.
const REFIT_GROWTH: usize = 4;

/// A search result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// The id under which it was stored.
    pub id: u64,
    /// Its cosine with the query, from -1 to 1.
    pub score: f32,
}

/// An index of vectors by id.
///
/// The same calls in the same order give the same answers. After [`VectorIndex::build`], the order in which the vectors
/// were given does not matter either.
#[derive(Clone, Debug)]
pub struct VectorIndex {
    dims: usize,
    settings: Settings,
    vectors: Rows<FloatBlock>,
    id_map: IdMap,
    graph: Option<Graph>,
}

/// The `k` best, best first, those of equal scores by their ids.
fn nearest_first(mut matches: Vec<Match>, k: usize) -> Vec<Match> {
    let order = |left: &Match, right: &Match| right.score.total_cmp(&left.score).then(left.id.cmp(&right.id));
    if k < matches.len() {
        matches.select_nth_unstable_by(k, order);
        matches.truncate(k);
    }
    matches.sort_unstable_by(order);
    matches
}

/// An insertion that was computed on an index, to be applied before any other change.
#[derive(Debug)]
struct Insertion {
    id: u64,
    vector: Vec<FloatBlock>,
    /// A new graph, if one is due.
    graph: Option<Box<Graph>>,
    plan: Option<Plan>,
}

impl VectorIndex {
    /// Creates an empty index for vectors of `dims` components.
    #[must_use]
    pub fn new(dims: usize, settings: Settings) -> Self {
        let vectors = Rows::new(blocks::<FloatBlock>(dims));
        Self { dims, settings, vectors, id_map: IdMap::default(), graph: None }
    }

    /// Builds an index of many vectors, which is much faster than inserting them. Of several with the same id, the last
    /// one counts.
    ///
    /// # Errors
    ///
    /// If a vector is refused.
    pub fn build<V: AsRef<[f32]>>(
        dims: usize,
        settings: Settings,
        vectors: impl IntoIterator<Item = (u64, V)>,
    ) -> Result<Self, Error> {
        // Without a graph an insertion only stores the vector.
        let mut index = Self::new(dims, Settings { graph_from: usize::MAX, ..settings });
        for (id, vector) in vectors {
            index.insert(id, vector.as_ref())?;
        }
        index.settings = settings;
        index.id_map.shuffle(&mut index.vectors);
        index.graph = index.needs_graph(index.len()).then(|| index.new_graph());
        Ok(index)
    }

    /// Number of ids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.id_map.len()
    }

    /// Number of components of its vectors.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Whether there are no vectors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an id has a vector.
    #[must_use]
    pub fn contains(&self, id: u64) -> bool {
        self.id_map.slot_of(id).is_some()
    }

    /// The ids, in ascending order.
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        self.id_map.ids().into_iter()
    }

    /// Changes [`Settings::beam`].
    pub fn set_beam(&mut self, beam: usize) {
        self.settings.beam = beam;
    }

    /// Changes [`Settings::spare`].
    pub fn set_spare(&mut self, spare: usize) {
        self.settings.spare = spare;
    }

    /// Memory taken by vectors, codes and links.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.vectors.heap_bytes() + self.graph.as_ref().map_or(0, Graph::heap_bytes)
    }

    /// Stores a vector, in place of the one that the id had. Its length does not matter, only its direction.
    ///
    /// # Errors
    ///
    /// If the vector is refused.
    pub fn insert(&mut self, id: u64, vector: &[f32]) -> Result<(), Error> {
        let insertion = self.plan_insertion(id, vector)?;
        if self.apply_insertion(insertion) {
            self.sweep();
        }
        Ok(())
    }

    /// Removes a vector; false if the id has none. No later search returns the id.
    pub fn remove(&mut self, id: u64) -> bool {
        let removed = self.take_out(id);
        if removed {
            self.sweep();
        }
        removed
    }

    /// The `k` vectors most similar to the query, best first, and of equally similar ones the lower id first.
    ///
    /// # Errors
    ///
    /// If the query is refused.
    pub fn search(&self, query: &[f32], k: usize) -> Result<Vec<Match>, Error> {
        let query = normalised(query, self.dims)?;
        let wanted = k.min(self.len());
        // A beam as wide as a quarter of the graph would visit nearly all of it.
        let beam = self.settings.beam.max(k.saturating_add(self.settings.spare));
        if let Some(graph) = self.graph.as_ref().filter(|graph| beam < graph.live_len() / 4) {
            let found = self.search_graph(graph, &query, wanted, beam);
            if found.len() == wanted {
                return Ok(found);
            }
        }
        Ok(self.best(&query, &self.id_map.in_use(), k))
    }

    /// As [`VectorIndex::search`], but by comparison with every vector.
    ///
    /// # Errors
    ///
    /// If the query is refused.
    pub fn search_exactly(&self, query: &[f32], k: usize) -> Result<Vec<Match>, Error> {
        Ok(self.best(&normalised(query, self.dims)?, &self.id_map.in_use(), k))
    }

    /// The exact cosine of the query with the vector of an id; `None` if the id has none, or the query is refused.
    #[must_use]
    pub fn cosine(&self, id: u64, query: &[f32]) -> Option<f32> {
        self.cosines(&[id], query).first().copied().flatten()
    }

    /// As [`VectorIndex::cosine`] for many ids, in their order.
    #[must_use]
    pub fn cosines(&self, ids: &[u64], query: &[f32]) -> Vec<Option<f32>> {
        let Ok(query) = normalised(query, self.dims) else { return vec![None; ids.len()] };
        let slots: Vec<Option<u32>> = ids.iter().map(|&id| self.id_map.slot_of(id)).collect();
        let stored: Vec<u32> = slots.iter().copied().flatten().collect();
        let mut scores = self.scores(&query, &stored).into_iter();
        slots.iter().map(|slot| slot.and_then(|_| scores.next())).collect()
    }

    fn search_graph(&self, graph: &Graph, query: &[FloatBlock], k: usize, beam: usize) -> Vec<Match> {
        let code = graph.codes().encode(query);
        let code = Code { blocks: &code, square: square(&code) };
        let mut search = BeamSearch::default();
        let near = search.towards(graph, code, beam).take(k + self.settings.spare);
        let representatives: Vec<u32> = near.map(|near| near.slot).collect();
        let slots: Vec<u32> = representatives
            .iter()
            .flat_map(|representative| graph.duplicates.members(representative))
            .copied()
            .collect();
        self.best(query, &slots, k)
    }

    fn scores(&self, query: &[FloatBlock], slots: &[u32]) -> Vec<f32> {
        let mut scores = Vec::with_capacity(slots.len());
        float_dots(query, &self.vectors, slots, &mut scores);
        // Rounding can exceed the range of a cosine.
        for score in &mut scores {
            *score = score.clamp(-1.0, 1.0);
        }
        scores
    }

    fn best(&self, query: &[FloatBlock], slots: &[u32], k: usize) -> Vec<Match> {
        let matches = slots
            .iter()
            .zip(self.scores(query, slots))
            .filter_map(|(&slot, score)| Some(Match { id: self.id_map.id_of(slot)?, score }))
            .collect();
        nearest_first(matches, k)
    }

    fn plan_insertion(&self, id: u64, vector: &[f32]) -> Result<Insertion, Error> {
        let vector = normalised(vector, self.dims)?;
        if !self.id_map.has_room() {
            return Err(Error::Full);
        }
        let graph = match &self.graph {
            None if self.needs_graph(self.len() + 1) => Some(Box::new(self.new_graph())),
            Some(graph) if self.len() >= REFIT_GROWTH * graph.codes().fitted_to() => {
                Some(Box::new(graph.refitted(&self.vectors, &self.id_map.in_use(), self.dims)))
            }
            _ => None,
        };
        let plan = graph.as_deref().or(self.graph.as_ref()).map(|graph| graph.plan(&vector));
        Ok(Insertion { id, vector, graph, plan })
    }

    /// Returns whether the id had a vector before.
    fn apply_insertion(&mut self, insertion: Insertion) -> bool {
        let Insertion { id, vector, graph, plan } = insertion;
        if let Some(graph) = graph {
            self.graph = Some(*graph);
        }
        let replaced = self.take_out(id);
        let slot = self.id_map.add(id, &vector, &mut self.vectors);
        if let (Some(graph), Some(plan)) = (&mut self.graph, plan) {
            graph.insert(slot, plan);
        }
        replaced
    }

    fn take_out(&mut self, id: u64) -> bool {
        let Some(slot) = self.id_map.remove(id) else { return false };
        let free = self.graph.as_mut().is_none_or(|graph| graph.remove(slot));
        self.id_map.release(free.then_some(slot));
        // At half, so that inserting and removing one vector does not build the graph each time.
        if self.graph.is_some() && self.len() < self.settings.graph_from / 2 {
            self.graph = None;
            self.id_map.release_all();
        }
        true
    }

    fn sweep(&mut self) {
        if let Some(repairs) = self.plan_repairs() {
            self.apply_repairs(repairs);
        }
    }

    fn plan_repairs(&self) -> Option<Repairs> {
        self.graph.as_ref().map(Graph::plan_repairs)
    }

    fn apply_repairs(&mut self, repairs: Repairs) {
        if let Some(graph) = &mut self.graph {
            let free = graph.apply(repairs);
            self.id_map.release(free);
        }
    }

    fn needs_graph(&self, vectors: usize) -> bool {
        vectors >= self.settings.graph_from.max(2)
    }

    fn new_graph(&self) -> Graph {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Graph::build(&self.vectors, &self.id_map.in_use(), self.dims, threads)
    }
}
