//! Turns vectors into codes of seven bits per component, which keep distances nearly as they were.

use super::{
    kernels::{Block, CodeBlock, FloatBlock, blocks},
    rows::Rows,
};

/// Rows looked at to choose the step; more change the third digit of it.
const SAMPLE: usize = 512;

/// The code of the centre, in the middle of 0..=127.
const MIDDLE: f32 = 64.0;

/// Steps on the shorter side of the centre.
const REACH: f32 = 63.0;

/// Embeddings after a rectifier are not centred, so each component has its own centre. The step is the same for all:
/// differing steps would weigh the components differently and thereby change which vectors are near.
#[derive(Clone, Debug)]
pub(super) struct Quantiser {
    centre: Vec<f32>,
    per_step: f32,
}

/// A quantised vector and its squared length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code<'a> {
    pub(super) blocks: &'a [CodeBlock],
    pub(super) square: u32,
}

impl Quantiser {
    /// Chooses centre and step for the rows at `slots`.
    pub(super) fn fit(rows: &Rows<FloatBlock>, slots: &[u32], dims: usize) -> Self {
        let centre = mean(rows, slots, dims);
        let every = slots.len().div_ceil(SAMPLE).max(1);
        let offsets: Vec<f32> = slots
            .iter()
            .step_by(every)
            .flat_map(|&slot| components(rows.row(slot)).zip(&centre).map(|(value, middle)| value - middle))
            .collect();
        let per_step = REACH / best_clip(&offsets);
        Self { centre, per_step }
    }

    /// The code of a vector.
    pub(super) fn encode(&self, vector: &[FloatBlock]) -> Vec<CodeBlock> {
        let mut code = vec![CodeBlock([0; 64]); blocks::<CodeBlock>(self.centre.len())];
        for (at, (value, middle)) in components(vector).zip(&self.centre).enumerate() {
            code[at / CodeBlock::LANES].0[at % CodeBlock::LANES] = step((value - middle) * self.per_step);
        }
        code
    }
}

/// The squared length of a code.
pub(super) fn square(code: &[CodeBlock]) -> u32 {
    code.iter().flat_map(|block| block.0).map(|value| u32::from(value) * u32::from(value)).sum()
}

/// The nearest step; the conversion saturates at zero.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn step(offset: f32) -> u8 {
    ((offset + MIDDLE + 0.5) as u8).min(127)
}

fn components(row: &[FloatBlock]) -> impl Iterator<Item = f32> + '_ {
    row.iter().flat_map(|block| block.0)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // A mean needs no more digits than its values.
fn mean(rows: &Rows<FloatBlock>, slots: &[u32], dims: usize) -> Vec<f32> {
    let mut sums = vec![0.0_f64; dims];
    for &slot in slots {
        for (sum, value) in sums.iter_mut().zip(components(rows.row(slot))) {
            *sum += f64::from(value);
        }
    }
    sums.iter().map(|sum| (sum / slots.len().max(1) as f64) as f32).collect()
}

/// The distance from the centre beyond which values are clipped, chosen for the least squared error on the sample: a
/// wide range wastes codes on rare values, a narrow one cuts them off.
fn best_clip(offsets: &[f32]) -> f32 {
    let widest = offsets.iter().fold(f32::EPSILON, |widest, offset| widest.max(offset.abs()));
    let mut best = (f64::INFINITY, widest);
    let mut clip = widest;
    for _ in 0..16 {
        let per_step = REACH / clip;
        let error: f64 = offsets.iter().map(|&offset| f64::from(lost(offset, per_step)).powi(2)).sum();
        if error < best.0 {
            best = (error, clip);
        }
        clip *= 0.8;
    }
    best.1
}

fn lost(offset: f32, per_step: f32) -> f32 {
    (f32::from(step(offset * per_step)) - MIDDLE) / per_step - offset
}
