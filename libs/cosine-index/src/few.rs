//! A few vectors that are compared one by one.

use super::{
    Error, Match,
    kernels::{FloatBlock, float_dots_of},
    nearest_first,
    normalise::normalised,
};

/// A few vectors by id, compared with a query one by one: the scores, to the bit, and the order of an index, without
/// the cost of making one.
#[derive(Clone, Debug)]
pub struct FewVectors {
    dims: usize,
    ids: Vec<u64>,
    vectors: Vec<Vec<FloatBlock>>,
}

impl FewVectors {
    /// Takes vectors of `dims` components, each with an id of its own.
    ///
    /// # Errors
    ///
    /// If a vector is refused.
    pub fn new<V: AsRef<[f32]>>(dims: usize, vectors: impl IntoIterator<Item = (u64, V)>) -> Result<Self, Error> {
        let mut few = Self { dims, ids: Vec::new(), vectors: Vec::new() };
        for (id, vector) in vectors {
            few.vectors.push(normalised(vector.as_ref(), dims)?);
            few.ids.push(id);
        }
        Ok(few)
    }

    /// The `k` vectors with the highest cosines, best first, those of equal scores by their ids.
    ///
    /// # Errors
    ///
    /// If the query is refused.
    pub fn nearest(&self, query: &[f32], k: usize) -> Result<Vec<Match>, Error> {
        let query = normalised(query, self.dims)?;
        let scores = float_dots_of(&query, self.vectors.iter().map(Vec::as_slice));
        let matches = self.ids.iter().zip(scores).map(|(&id, score)| Match { id, score: score.clamp(-1.0, 1.0) });
        Ok(nearest_first(matches.collect(), k))
    }

    /// The exact cosine of the query with the vector of each id; `None` for an id that has none, and if the query is
    /// refused.
    #[must_use]
    pub fn cosines(&self, ids: &[u64], query: &[f32]) -> Vec<Option<f32>> {
        let Ok(query) = normalised(query, self.dims) else { return vec![None; ids.len()] };
        let scores = float_dots_of(&query, self.vectors.iter().map(Vec::as_slice));
        let score_of = |id| Some(scores.get(self.ids.iter().position(|known| known == id)?)?.clamp(-1.0, 1.0));
        ids.iter().map(score_of).collect()
    }
}
