//! The instruction sets that the tests of inner loops run with. The tests of `kaisatsu-feedback` and `cosine-index`
//! have the same lines: a crate for them would be one more to publish with a library, for tests alone.

use fearless_simd::Level;

/// What this processor has, and what lesser ones have.
pub(super) fn levels() -> Vec<Level> {
    let best = Level::new();
    #[cfg(target_arch = "x86_64")]
    let lesser =
        [best.as_avx2().map(Level::Avx2), best.as_sse4_2().map(Level::Sse4_2), best.as_sse2().map(Level::Sse2)];
    #[cfg(not(target_arch = "x86_64"))]
    let lesser = [None];
    [Some(best)].into_iter().chain(lesser).flatten().collect()
}
