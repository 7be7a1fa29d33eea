//! Arithmetic on vectors of floating-point numbers.

use std::ops::{Add, Mul};

/// Scales a vector to length one; a vector of zeros stays as it is.
pub fn normalise(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        for value in vector {
            *value /= length;
        }
    }
}

/// The dot product; of unit vectors, their cosine.
///
/// Eight sums side by side let the compiler use wide registers. Their order is fixed, so the result has the same bits
/// on every processor.
#[must_use]
pub fn dot<T>(a: &[T], b: &[T]) -> T
where
    T: Copy + Default + Add<Output = T> + Mul<Output = T>,
{
    let mut sums = [T::default(); 8];
    let (a_blocks, a_rest) = a.as_chunks::<8>();
    let (b_blocks, b_rest) = b.as_chunks::<8>();
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..8 {
            sums[lane] = sums[lane] + x[lane] * y[lane];
        }
    }
    let rest = a_rest.iter().zip(b_rest).fold(T::default(), |sum, (x, y)| sum + *x * *y);
    sums.into_iter().fold(T::default(), |sum, lane| sum + lane) + rest
}

#[cfg(test)]
mod tests {
    use super::{dot, normalise};

    /// Every length around the width of a block, in both precisions.
    #[test]
    fn a_dot_product_is_the_sum_of_all_products() {
        for length in 0..40u8 {
            let (a, b): (Vec<f64>, Vec<f64>) =
                (0..length).map(|at| (f64::from(at) - 7.0, f64::from(at % 5) * 0.5 + 1.0)).unzip();
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!((dot(&a, &b) - plain).abs() < 1e-9, "{length}");
            // Halves and small whole numbers are exact in both precisions.
            #[allow(clippy::cast_possible_truncation, reason = "small numbers")]
            let narrow = |values: &[f64]| values.iter().map(|value| *value as f32).collect::<Vec<f32>>();
            assert!((f64::from(dot(&narrow(&a), &narrow(&b))) - plain).abs() < 1e-3, "{length}");
        }
    }

    #[test]
    fn a_normalised_vector_has_length_one_and_zeros_stay() {
        let mut vector = [3.0, 0.0, -4.0];
        normalise(&mut vector);
        assert!((vector[0] - 0.6).abs() < 1e-6 && (vector[2] + 0.8).abs() < 1e-6);
        let mut zeros = [0.0; 9];
        normalise(&mut zeros);
        assert!(zeros.iter().all(|value| *value == 0.0));
    }
}
