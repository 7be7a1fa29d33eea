//! The quantised vectors that the graph search compares, by slot.

use super::{
    kernels::{CodeBlock, FloatBlock, blocks, code_dots},
    quantise::{Code, Quantiser, square},
    rows::{Rows, index},
};

/// Codes of all slots, with the quantiser that made them.
#[derive(Clone, Debug)]
pub(super) struct Codes {
    quantiser: Quantiser,
    rows: Rows<CodeBlock>,
    squares: Vec<u32>,
    /// Vectors there were when the quantiser was fitted.
    fitted_to: usize,
}

impl Codes {
    /// Fits a quantiser to the vectors at `slots`, and encodes every row.
    pub(super) fn fit(vectors: &Rows<FloatBlock>, slots: &[u32], dims: usize) -> Self {
        let quantiser = Quantiser::fit(vectors, slots, dims);
        let rows = Rows::new(blocks::<CodeBlock>(dims));
        let mut codes = Self { quantiser, rows, squares: Vec::new(), fitted_to: slots.len() };
        for slot in (0..vectors.len()).map(index) {
            let code = codes.quantiser.encode(vectors.row(slot));
            codes.set(slot, &code);
        }
        codes
    }

    pub(super) fn fitted_to(&self) -> usize {
        self.fitted_to
    }

    pub(super) fn encode(&self, vector: &[FloatBlock]) -> Vec<CodeBlock> {
        self.quantiser.encode(vector)
    }

    /// Writes the code of `slot`, which is an existing one or the next.
    pub(super) fn set(&mut self, slot: u32, code: &[CodeBlock]) {
        self.rows.set(slot, code);
        let square = square(code);
        match self.squares.get_mut(slot as usize) {
            Some(place) => *place = square,
            None => self.squares.push(square),
        }
    }

    pub(super) fn get(&self, slot: u32) -> Code<'_> {
        Code { blocks: self.rows.row(slot), square: self.squares[slot as usize] }
    }

    /// Squared distances from `code` to the codes at `slots`.
    pub(super) fn distances(&self, code: Code<'_>, slots: &[u32], out: &mut Vec<u32>) {
        code_dots(code.blocks, &self.rows, slots, out);
        for (distance, &slot) in out.iter_mut().zip(slots) {
            *distance = code.square + self.squares[slot as usize] - 2 * *distance;
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.rows.heap_bytes() + self.squares.capacity() * size_of::<u32>()
    }
}
