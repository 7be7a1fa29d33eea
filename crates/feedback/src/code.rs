//! A vector as it is remembered: a byte a component.

use kaisatsu_model::mix::{STEP, scatter};

/// Pairs of components that a sketch compares.
const PAIRS: usize = 512;

/// The most in which two sketches can differ.
pub(crate) const SKETCH_BITS: u16 = 512;

/// The longest vector that is remembered: sums of products of its bytes fit into 32 bits.
const LONGEST: usize = 8192;

/// Which of two components is the greater, for many pairs: vectors that are near agree in most of them. It depends on
/// the vector alone, unlike anything that is fitted to the vectors there are.
pub(crate) type Sketch = [u64; PAIRS / 64];

/// A vector with its mean taken out: all vectors of a network share much of it, and it says nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Code {
    parts: Box<[i8]>,
    /// Makes the parts a unit vector.
    scale: f32,
    /// What was taken out, and how long the rest was.
    mean: f32,
    length: f32,
}

impl Code {
    /// `None` when there is nothing to be told from it: it is empty, all the same, not of numbers, or too long.
    #[must_use]
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "rounded to a byte on purpose")]
    pub fn of(vector: &[f32]) -> Option<Self> {
        let mean = vector.iter().sum::<f32>() / vector.len().max(1) as f32;
        let length = vector.iter().map(|value| (value - mean).powi(2)).sum::<f32>().sqrt();
        let widest = vector.iter().map(|value| (value - mean).abs()).fold(0.0, f32::max);
        // Not `length <= …`: what is no number is refused too.
        if !(length.is_finite() && length > 1e-6) || vector.len() > LONGEST {
            return None;
        }
        let parts: Box<[i8]> = vector.iter().map(|value| ((value - mean) / widest * 127.0).round() as i8).collect();
        let square: i64 = parts.iter().map(|part| i64::from(*part).pow(2)).sum();
        Some(Self { parts, scale: 1.0 / (square as f32).sqrt(), mean, length })
    }

    /// Puts a code together again.
    pub(crate) fn again(parts: &[i8], [scale, mean, length]: [f32; 3]) -> Self {
        Self { parts: parts.into(), scale, mean, length }
    }

    /// What there is beside the parts.
    pub(crate) fn rest(&self) -> [f32; 3] {
        [self.scale, self.mean, self.length]
    }

    /// How long the vector is.
    pub(crate) fn dims(&self) -> usize {
        self.parts.len()
    }

    pub(crate) fn parts(&self) -> &[i8] {
        &self.parts
    }

    pub(crate) fn scale(&self) -> f32 {
        self.scale
    }

    /// The vector, as well as it is remembered.
    #[must_use]
    pub fn vector(&self) -> Vec<f32> {
        self.parts.iter().map(|part| f32::from(*part) * self.scale * self.length + self.mean).collect()
    }

    pub(crate) fn sketch(&self) -> Sketch {
        let mut sketch = [0; PAIRS / 64];
        let mut state = 0u64;
        for pair in 0..PAIRS {
            let (one, other) = (draw(&mut state, self.dims()), draw(&mut state, self.dims()));
            sketch[pair / 64] |= u64::from(self.parts[one] > self.parts[other]) << (pair % 64);
        }
        sketch
    }
}

/// The next of a fixed row of places: the `SplitMix64` generator.
fn draw(state: &mut u64, dims: usize) -> usize {
    let drawn = scatter(*state);
    *state = state.wrapping_add(STEP);
    usize::try_from(drawn % dims as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Code;

    #[test]
    fn what_says_nothing_is_refused() {
        for vector in [&[][..], &[0.0, 0.0], &[0.5, 0.5], &[f32::NAN, 1.0], &[f32::INFINITY, 1.0]] {
            assert_eq!(Code::of(vector), None, "{vector:?}");
        }
    }

    proptest! {
        #[test]
        fn a_vector_comes_back_nearly_as_it_was(vector in proptest::collection::vec(-1.0f32..1.0, 2..200)) {
            let Some(code) = Code::of(&vector) else { return Ok(()) };
            let widest = vector.iter().map(|value| value.abs()).fold(0.0, f32::max);
            for (one, other) in vector.iter().zip(code.vector()) {
                prop_assert!((one - other).abs() <= widest * 0.05, "{one} {other}");
            }
        }

        #[test]
        fn length_does_not_matter(vector in proptest::collection::vec(-1.0f32..1.0, 2..50), times in 1u8..9) {
            let longer: Vec<f32> = vector.iter().map(|value| value * f32::from(1u16 << times)).collect();
            let (one, other) = (Code::of(&vector), Code::of(&longer));
            prop_assert_eq!(one.map(|code| (code.parts, code.scale)), other.map(|code| (code.parts, code.scale)));
        }
    }
}
