//! Solving symmetric positive systems by Cholesky's method.

use crate::vector::dot;

/// The lower triangle of a factor, row by row.
pub(super) struct Factor(Vec<Vec<f64>>);

impl Factor {
    /// Factors a matrix given by its lower triangle, with `penalty` added to its diagonal; `None` when it is not
    /// positive.
    pub(super) fn new(matrix: &[Vec<f64>], penalty: f64) -> Option<Self> {
        // Row by row, so that every inner step is a dot product of two rows.
        let mut lower: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
        for (i, given) in matrix.iter().enumerate() {
            let mut row = Vec::with_capacity(i + 1);
            for (j, other) in lower.iter().enumerate() {
                row.push((given[j] - dot(&row[..j], &other[..j])) / other[j]);
            }
            let rest = given[i] + penalty - dot(&row, &row);
            if rest <= 0.0 || !rest.is_finite() {
                return None;
            }
            row.push(rest.sqrt());
            lower.push(row);
        }
        Some(Self(lower))
    }

    /// Solves the system for one right-hand side, in place.
    pub(super) fn solve(&self, values: &mut [f64]) {
        for (i, row) in self.0.iter().enumerate() {
            values[i] = (values[i] - dot(&row[..i], &values[..i])) / row[i];
        }
        for (i, row) in self.0.iter().enumerate().rev() {
            values[i] /= row[i];
            let value = values[i];
            for (sum, factor) in values[..i].iter_mut().zip(row) {
                *sum -= factor * value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Factor;

    #[test]
    fn a_solution_solves_the_system() {
        let matrix = vec![vec![4.0], vec![1.0, 3.0], vec![0.5, -1.0, 5.0]];
        let mut values = vec![1.0, 2.0, 3.0];
        let Some(factor) = Factor::new(&matrix, 0.5) else { unreachable!() };
        factor.solve(&mut values);
        let full = [[4.5, 1.0, 0.5], [1.0, 3.5, -1.0], [0.5, -1.0, 5.5]];
        for (row, expected) in full.iter().zip([1.0, 2.0, 3.0]) {
            let sum: f64 = row.iter().zip(&values).map(|(a, b)| a * b).sum();
            assert!((sum - expected).abs() < 1e-12);
        }
        assert!(Factor::new(&[vec![-1.0]], 0.5).is_none());
    }
}
