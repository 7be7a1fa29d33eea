//! When the graph is used, and how thoroughly it is searched.

/// Settings that trade speed for completeness.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// From this number of vectors on, the graph is used.
    pub graph_from: usize,
    /// Candidates that a graph search keeps. A wider beam finds more of the nearest and takes longer.
    pub beam: usize,
    /// Candidates beyond the number asked for that are compared exactly, because the graph compares rounded vectors.
    /// The beam is wider than the number asked for by at least as much.
    pub spare: usize,
}

impl Default for Settings {
    /// Measured with 1280 components on one core of a Xeon with AVX-512 (bench/nearest, `crossover`), in µs:
    ///
    /// | vectors | exhaustive | graph |
    /// |---|---|---|
    /// | 250 | 33 | 32 |
    /// | 500 | 88 | 34 |
    /// | 1000 | 226 | 54 |
    /// | 4000 | 1979 | 115 |
    ///
    /// The graph is faster from 250 on, but below 1000 an exact answer is worth a fifth of a millisecond.
    fn default() -> Self {
        Self { graph_from: 1_000, beam: 48, spare: 14 }
    }
}
