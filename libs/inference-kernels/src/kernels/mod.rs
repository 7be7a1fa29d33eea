//! The inner loops. Channels lie in blocks of sixteen, one block of all pixels after the other; unused lanes of the
//! last block have no effect, because their weights are zero.

// An instruction set is enabled for a function and for what is inlined into it.
#![allow(clippy::inline_always)]

pub(crate) mod bottleneck;
pub(crate) mod buffer;
pub(crate) mod depthwise;
pub(crate) mod direct;
pub(crate) mod elementwise;
pub(crate) mod matmul;
pub(crate) mod pixels;
pub(crate) mod planes;
pub(crate) mod rows;
pub(crate) mod target;
pub(crate) mod tiles;

use fearless_simd::{Level, Simd, SimdBase, SimdFloat, f32x16};

pub(crate) use buffer::Buffer;

/// A block: sixteen values.
pub(crate) type Lanes = [f32; LANES];

pub(crate) const LANES: usize = 16;

/// Whether a block is one register, and there are 32 of them, in the instruction set that a kernel is compiled for.
#[inline]
pub(crate) fn is_wide(level: Level) -> bool {
    #[cfg(target_arch = "x86_64")]
    let wide = matches!(level, Level::Avx512(_));
    #[cfg(not(target_arch = "x86_64"))]
    let wide = {
        let _ = level;
        false
    };
    wide
}

/// How many blocks hold so many values.
pub(crate) fn blocks(values: usize) -> usize {
    values.div_ceil(LANES)
}

/// Values in blocks, the last one filled up with zeros.
pub(crate) fn in_blocks(values: &[f32]) -> Buffer {
    let mut filled = Buffer::default();
    filled.grow(blocks(values.len()));
    filled.as_flattened_mut()[..values.len()].copy_from_slice(values);
    filled
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Activation {
    None,
    Clip {
        low: f32,
        high: f32,
    },
    /// x · clip(alpha · x + beta, 0, 1)
    HardSwish {
        alpha: f32,
        beta: f32,
    },
}

impl Activation {
    #[inline(always)]
    pub(crate) fn of<S: Simd>(self, simd: S, value: f32x16<S>) -> f32x16<S> {
        let splat = |value| f32x16::splat(simd, value);
        match self {
            Self::None => value,
            Self::Clip { low, high } => value.max(splat(low)).min(splat(high)),
            Self::HardSwish { alpha, beta } => {
                value * value.mul_add(splat(alpha), splat(beta)).max(splat(0.0)).min(splat(1.0))
            }
        }
    }
}

/// Bias, addend and activation of the sums of a convolution.
#[derive(Clone, Copy)]
pub(crate) struct Finish<'a> {
    pub(crate) bias: &'a [Lanes],
    pub(crate) activation: Activation,
    /// Pixels that are added before the activation.
    pub(crate) add: Option<&'a [Lanes]>,
}

impl Finish<'_> {
    /// `block` is where the sum goes among the output's blocks, `column` where among its pixel's.
    #[inline(always)]
    pub(crate) fn of<S: Simd>(&self, simd: S, sum: f32x16<S>, block: usize, column: usize) -> Lanes {
        self.with(simd, sum + f32x16::from_slice(simd, &self.bias[column]), block)
    }

    /// The same for a sum that has its bias.
    #[inline(always)]
    pub(crate) fn with<S: Simd>(&self, simd: S, mut sum: f32x16<S>, block: usize) -> Lanes {
        if let Some(add) = self.add {
            sum += f32x16::from_slice(simd, &add[block]);
        }
        self.activation.of(simd, sum).into()
    }
}
