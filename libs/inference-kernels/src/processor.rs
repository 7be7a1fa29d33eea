//! The instruction sets that the kernels are compiled for.

use fearless_simd::Level;
#[cfg(target_arch = "x86_64")]
use fearless_simd::{Avx2, Avx512};

use crate::kernels::tiles::Tiles;

/// What every processor of the architecture has.
#[cfg(target_arch = "x86_64")]
pub(crate) type Baseline = fearless_simd::Sse2;
#[cfg(target_arch = "aarch64")]
pub(crate) type Baseline = fearless_simd::Neon;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) type Baseline = fearless_simd::Fallback;

/// An instruction set, and the proof that the processor has it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    Baseline(Baseline),
}

/// The instructions that a network is arranged for and run with.
#[derive(Debug, Clone, Copy)]
pub struct Processor {
    pub(crate) instructions: Instructions,
    pub(crate) tiles: Option<Tiles>,
}

impl Processor {
    /// This processor, if the kernels are clearly faster on it than ONNX Runtime: with AVX-512, as Intel has it since
    /// 2019 and AMD since 2022, with and without matrix tiles. The README has the figures.
    #[must_use]
    pub fn worthwhile() -> Option<Self> {
        Self::available().pop().filter(|processor| processor.has_wide_registers())
    }

    /// What every processor of this architecture has: SSE2 on x86-64, NEON on ARM.
    #[must_use]
    pub fn baseline() -> Self {
        #[cfg(target_arch = "x86_64")]
        let baseline = Level::baseline().as_sse2();
        #[cfg(target_arch = "aarch64")]
        let baseline = Level::baseline().as_neon();
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let baseline = match Level::baseline() {
            Level::Fallback(fallback) => Some(fallback),
        };
        let baseline = baseline.unwrap_or_else(|| unreachable!("the compiler requires it"));
        Self { instructions: Instructions::Baseline(baseline), tiles: None }
    }

    /// Every instruction set that the kernels can use here, from the baseline to the fastest.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let mut available = vec![Self::baseline()];
        #[cfg(target_arch = "x86_64")]
        {
            let level = Level::new();
            let plain = |instructions| Self { instructions, tiles: None };
            available.extend(level.as_avx2().map(|simd| plain(Instructions::Avx2(simd))));
            if let Some(simd) = level.as_avx512() {
                available.push(plain(Instructions::Avx512(simd)));
                let tiles =
                    Tiles::enable().map(|tiles| Self { tiles: Some(tiles), ..plain(Instructions::Avx512(simd)) });
                available.extend(tiles);
            }
        }
        available
    }

    /// The name of the instruction set.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(_) => {
                if self.tiles.is_some() {
                    "AVX-512 and AMX"
                } else {
                    "AVX-512"
                }
            }
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(_) => "AVX2",
            Instructions::Baseline(_) => "baseline",
        }
    }

    /// Whether a block of sixteen numbers is one register, and there are 32 of them.
    pub(crate) fn has_wide_registers(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let wide = matches!(self.instructions, Instructions::Avx512(_));
        #[cfg(not(target_arch = "x86_64"))]
        let wide = false;
        wide
    }
}
