//! What vectors are made of in memory: blocks of one cache line.

/// Sixteen components; the alignment keeps every load within one cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(64))]
pub(super) struct FloatBlock(pub(super) [f32; 16]);

/// Sixty-four quantised components, each at most 127: such a byte is the same number signed and unsigned, and two
/// products fit in 16 bits, which the multiply-add instructions of x86 require.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub(super) struct CodeBlock(pub(super) [u8; 64]);

/// What rows are made of.
pub(super) trait Block: Copy + Send + Sync {
    /// Components in one block.
    const LANES: usize;
}

impl Block for FloatBlock {
    const LANES: usize = 16;
}

impl Block for CodeBlock {
    const LANES: usize = 64;
}

/// Blocks needed for a vector of `dims` components.
pub(super) fn blocks<B: Block>(dims: usize) -> usize {
    dims.div_ceil(B::LANES)
}
