//! A vector as the model stores it: one signed byte per component.

use kaisatsu_model::splitmix::{INCREMENT, splitmix64};

/// The number of pairs of components that a sketch compares.
const PAIRS: usize = 512;

/// The largest Hamming distance of two sketches.
pub(crate) const SKETCH_BITS: u16 = 512;

/// The most components of a vector. Sums of products of that many components fit into 32 bits.
const MAX_DIMS: usize = 8192;

/// One bit for each of a fixed list of pairs of components: whether the first is the greater one. Similar vectors agree
/// in most bits. A sketch depends on its own vector alone, unlike an index that is fitted to all vectors.
pub(crate) type Sketch = [u64; PAIRS / 64];

/// A vector with its mean subtracted, quantised to bytes. All vectors of one network share much of the mean, so it does
/// not help to tell them apart.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantisedVector {
    components: Box<[i8]>,
    scaling: Scaling,
}

/// What beside the components is needed to restore a vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scaling {
    /// The factor that turns the components into a unit vector.
    pub(crate) unit: f32,
    /// The mean that was subtracted.
    mean: f32,
    /// The norm after the mean was subtracted.
    norm: f32,
}

impl QuantisedVector {
    /// Returns `None` if the vector is empty, constant, longer than 8192 components, or not finite.
    #[must_use]
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "rounded to a byte on purpose")]
    pub fn new(vector: &[f32]) -> Option<Self> {
        let mean = vector.iter().sum::<f32>() / vector.len().max(1) as f32;
        let norm = vector.iter().map(|value| (value - mean).powi(2)).sum::<f32>().sqrt();
        let largest = vector.iter().map(|value| (value - mean).abs()).fold(0.0, f32::max);
        if !norm.is_finite() || norm <= 1e-6 || vector.len() > MAX_DIMS {
            return None;
        }
        let quantise = |value: &f32| ((value - mean) / largest * 127.0).round() as i8;
        let components: Box<[i8]> = vector.iter().map(quantise).collect();
        let square: i64 = components.iter().map(|component| i64::from(*component).pow(2)).sum();
        Some(Self { components, scaling: Scaling { unit: 1.0 / (square as f32).sqrt(), mean, norm } })
    }

    pub(crate) fn from_parts(components: &[i8], scaling: Scaling) -> Self {
        Self { components: components.into(), scaling }
    }

    pub(crate) fn dims(&self) -> usize {
        self.components.len()
    }

    pub(crate) fn components(&self) -> &[i8] {
        &self.components
    }

    pub(crate) fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// The original vector, within the rounding error.
    #[must_use]
    pub fn dequantise(&self) -> Vec<f32> {
        let Scaling { unit, mean, norm } = self.scaling;
        self.components.iter().map(|component| f32::from(*component) * unit * norm + mean).collect()
    }

    pub(crate) fn sketch(&self) -> Sketch {
        let mut sketch = [0; PAIRS / 64];
        let mut state = 0u64;
        for pair in 0..PAIRS {
            let (one, other) = (next_index(&mut state, self.dims()), next_index(&mut state, self.dims()));
            sketch[pair / 64] |= u64::from(self.components[one] > self.components[other]) << (pair % 64);
        }
        sketch
    }
}

/// The next index of a fixed pseudorandom sequence (`SplitMix64`).
fn next_index(state: &mut u64, dims: usize) -> usize {
    let drawn = splitmix64(*state);
    *state = state.wrapping_add(INCREMENT);
    usize::try_from(drawn % dims as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::QuantisedVector;

    #[test]
    fn empty_constant_and_infinite_vectors_are_refused() {
        for vector in [&[][..], &[0.0, 0.0], &[0.5, 0.5], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0]] {
            assert_eq!(QuantisedVector::new(vector), None, "{vector:?}");
        }
    }

    proptest! {
        #[test]
        fn a_vector_is_restored_within_the_rounding_error(vector in proptest::collection::vec(-1.0f32..1.0, 2..200)) {
            let Some(quantised) = QuantisedVector::new(&vector) else { return Ok(()) };
            let largest = vector.iter().map(|value| value.abs()).fold(0.0, f32::max);
            for (one, other) in vector.iter().zip(quantised.dequantise()) {
                prop_assert!((one - other).abs() <= largest * 0.05, "{one} {other}");
            }
        }

        #[test]
        fn the_norm_does_not_change_the_components(
            vector in proptest::collection::vec(-1.0f32..1.0, 2..50),
            times in 1u8..9,
        ) {
            let longer: Vec<f32> = vector.iter().map(|value| value * f32::from(1u16 << times)).collect();
            let direction = |vector: QuantisedVector| (vector.components, vector.scaling.unit);
            let (one, other) = (QuantisedVector::new(&vector), QuantisedVector::new(&longer));
            prop_assert_eq!(one.map(direction), other.map(direction));
        }
    }
}
