//! What the processor can do.

use crate::kernels::tiles::Tiles;

/// The instructions that the kernels are compiled for. On ARM they would run, but were never measured.
#[cfg(target_arch = "x86_64")]
pub(crate) type Instructions = fearless_simd::Avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) type Instructions = fearless_simd::Neon;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) type Instructions = fearless_simd::Fallback;

/// A processor with the instructions that the kernels are written for.
#[derive(Debug, Clone, Copy)]
pub struct Processor {
    pub(crate) instructions: Instructions,
    pub(crate) tiles: Option<Tiles>,
}

impl Processor {
    /// This one, if it has AVX-512 as Intel has it since 2019 and AMD since 2022. On others ONNX Runtime is not slower.
    #[must_use]
    pub fn here() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        let instructions = fearless_simd::Level::new().as_avx512();
        #[cfg(not(target_arch = "x86_64"))]
        let instructions = None;
        instructions.map(|instructions| Self { instructions, tiles: Tiles::enable() })
    }

    /// The same without its matrix tiles.
    #[must_use]
    pub fn without_tiles(self) -> Self {
        Self { tiles: None, ..self }
    }

    /// In words.
    #[must_use]
    pub fn name(self) -> &'static str {
        if self.tiles.is_some() { "AVX-512 and AMX" } else { "AVX-512" }
    }
}
