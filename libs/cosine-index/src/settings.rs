//! When the graph is used, and how far it is walked.

/// Settings that trade speed for completeness.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// From this number of vectors on, the graph is used.
    pub graph_from: usize,
    /// Vectors that a walk keeps in view; more find more of the nearest, and take longer.
    pub beam: usize,
}

impl Default for Settings {
    /// Measured with 1280 components on one core of a Xeon with AVX-512 (bench/nearest, `crossover`), in µs:
    ///
    /// | vectors | each compared | graph |
    /// |---|---|---|
    /// | 250 | 33 | 32 |
    /// | 500 | 88 | 34 |
    /// | 1000 | 226 | 54 |
    /// | 4000 | 1979 | 115 |
    ///
    /// The graph is faster from 250 on, but up to 1000 a complete answer is worth the fifth of a millisecond.
    fn default() -> Self {
        Self { graph_from: 1_000, beam: 48 }
    }
}
