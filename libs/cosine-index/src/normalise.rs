//! Checks vectors, and brings them to length one, so that a cosine is a dot product.

use super::{
    Error,
    kernels::{Block, FloatBlock, blocks},
};

/// The vector at length one. In double precision, because the square of a large component exceeds an `f32`.
#[allow(clippy::cast_possible_truncation)] // A component divided by the length is at most one.
pub(super) fn normalised(vector: &[f32], dims: usize) -> Result<Vec<FloatBlock>, Error> {
    if vector.len() != dims {
        return Err(Error::Dimensions { expected: dims, found: vector.len() });
    }
    if !vector.iter().all(|value| value.is_finite()) {
        return Err(Error::NotFinite);
    }
    let length = vector.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(Error::Zero);
    }
    let mut row = vec![FloatBlock::default(); blocks::<FloatBlock>(dims)];
    for (at, &value) in vector.iter().enumerate() {
        row[at / FloatBlock::LANES].0[at % FloatBlock::LANES] = (f64::from(value) / length) as f32;
    }
    Ok(row)
}
