//! Ridge regression on class indicators, with its leave-one-out scores.
//!
//! Every class weighs the same, however many pictures it has. The smaller of two equal systems is solved: one unknown a
//! picture, or one a dimension. See Rifkin and Lippert, "Notes on Regularized Least Squares" (2007), for the closed
//! form of leave-one-out; the centre is computed without the picture too, because it would otherwise leak the
//! picture. The system is set up once for all penalties, and only the scores of each picture are kept.

use crate::vector::dot;

/// A fitted function and its leave-one-out scores.
pub(super) struct Fitted {
    /// One row a class.
    pub(super) weights: Vec<Vec<f64>>,
    /// The intercept of every class.
    pub(super) bias: f64,
    /// One row a picture, one column a class.
    pub(super) left_out: Vec<Vec<f64>>,
}

/// Labelled vectors, weighted and centred.
pub(super) struct System<'a> {
    vectors: Vec<&'a [f32]>,
    labels: Vec<usize>,
    /// The weight of a picture of each class; the weights of all pictures sum up to their number.
    weights: Vec<f64>,
    /// The weighted mean of the vectors.
    pub(super) centre: Vec<f64>,
    /// The weighted mean squared length of a centred vector.
    pub(super) spread: f64,
    /// Products of the vectors with each other, or of the dimensions when they are fewer; the lower triangle.
    products: Vec<Vec<f64>>,
}

impl<'a> System<'a> {
    /// Sets the system up; `None` without vectors.
    #[allow(clippy::cast_precision_loss, reason = "counts of pictures")]
    pub(super) fn new(vectors: Vec<&'a [f32]>, labels: Vec<usize>, classes: usize) -> Option<Self> {
        let (count, dims) = (vectors.len(), vectors.first()?.len());
        let size = |class| labels.iter().filter(|label| **label == class).count().max(1);
        let weights: Vec<f64> = (0..classes).map(|class| count as f64 / (classes * size(class)) as f64).collect();
        let mut centre = vec![0.0; dims];
        for (vector, label) in vectors.iter().zip(&labels) {
            for (sum, value) in centre.iter_mut().zip(*vector) {
                *sum += f64::from(*value) * weights[*label] / count as f64;
            }
        }
        let mut system = Self { vectors, labels, weights, centre, spread: 0.0, products: Vec::new() };
        system.products = if system.is_dual() { system.of_pictures() } else { system.of_dimensions() };
        let diagonal = system.products.iter().enumerate().map(|(at, row)| row[at]).sum::<f64>();
        system.spread = diagonal / count as f64;
        Some(system)
    }

    fn is_dual(&self) -> bool {
        self.vectors.len() <= self.centre.len()
    }

    /// The weight of a picture.
    fn weight(&self, row: usize) -> f64 {
        self.weights[self.labels[row]]
    }

    /// A picture's vector from the centre, times the root of its weight.
    fn scaled(&self, row: usize) -> Vec<f64> {
        let root = self.weight(row).sqrt();
        self.vectors[row].iter().zip(&self.centre).map(|(value, centre)| root * (f64::from(*value) - centre)).collect()
    }

    fn of_pictures(&self) -> Vec<Vec<f64>> {
        let vectors: Vec<Vec<f64>> = (0..self.vectors.len()).map(|row| self.scaled(row)).collect();
        (0..vectors.len()).map(|a| (0..=a).map(|b| dot(&vectors[a], &vectors[b])).collect()).collect()
    }

    /// Some pictures at a time, turned so that every product is one of two rows.
    fn of_dimensions(&self) -> Vec<Vec<f64>> {
        let dims = self.centre.len();
        let mut products: Vec<Vec<f64>> = (0..dims).map(|d| vec![0.0; d + 1]).collect();
        for start in (0..self.vectors.len()).step_by(BLOCK) {
            let rows: Vec<Vec<f64>> =
                (start..self.vectors.len().min(start + BLOCK)).map(|row| self.scaled(row)).collect();
            let columns: Vec<Vec<f64>> = (0..dims).map(|d| rows.iter().map(|row| row[d]).collect()).collect();
            for (a, row) in products.iter_mut().enumerate() {
                for (b, product) in row.iter_mut().enumerate() {
                    *product += dot(&columns[a], &columns[b]);
                }
            }
        }
        products
    }

    /// The intercept of every class: all are equally likely.
    #[allow(clippy::cast_precision_loss, reason = "a number of classes")]
    fn bias(&self) -> f64 {
        1.0 / self.weights.len() as f64
    }

    fn target(&self, row: usize, class: usize) -> f64 {
        f64::from(u8::from(self.labels[row] == class)) - self.bias()
    }

    /// Fits indicators of the classes; `None` when the system cannot be solved.
    pub(super) fn fit(&self, penalty: f64) -> Option<Fitted> {
        let inverse = inverted(self.products.len(), |a, b| self.products[a][b] + if a == b { penalty } else { 0.0 })?;
        Some(if self.is_dual() { self.fit_dual(&inverse, penalty) } else { self.fit_primal(&inverse) })
    }

    #[allow(clippy::cast_precision_loss, reason = "counts of pictures")]
    fn fit_dual(&self, inverse: &[Vec<f64>], penalty: f64) -> Fitted {
        let (count, dims, classes) = (self.vectors.len(), self.centre.len(), self.weights.len());
        let mut weights = vec![vec![0.0; dims]; classes];
        let mut left_out = vec![vec![0.0; classes]; count];
        for (class, weights) in weights.iter_mut().enumerate() {
            let targets: Vec<f64> = (0..count).map(|row| self.target(row, class) * self.weight(row).sqrt()).collect();
            for row in 0..count {
                let root = self.weight(row).sqrt();
                // How much this picture contributes to the function.
                let part = dot(&inverse[row], &targets);
                for (total, value) in weights.iter_mut().zip(self.scaled(row)) {
                    *total += part * value;
                }
                // The second term removes the influence of the picture on the centre.
                let own = inverse[row][row] - self.weight(row) / (count as f64 * penalty);
                left_out[row][class] = (targets[row] - part / own.max(1e-12)) / root + self.bias();
            }
        }
        Fitted { weights, bias: self.bias(), left_out }
    }

    #[allow(clippy::cast_precision_loss, reason = "counts of pictures")]
    fn fit_primal(&self, inverse: &[Vec<f64>]) -> Fitted {
        let (count, dims, classes) = (self.vectors.len(), self.centre.len(), self.weights.len());
        // The moment of a class is the sum of its own vectors, because the sum of all centred vectors is zero.
        let mut moments = vec![vec![0.0; dims]; classes];
        for row in 0..count {
            let root = self.weight(row).sqrt();
            for (sum, value) in moments[self.labels[row]].iter_mut().zip(self.scaled(row)) {
                *sum += root * value;
            }
        }
        let weights: Vec<Vec<f64>> =
            moments.iter().map(|moment| inverse.iter().map(|line| dot(line, moment)).collect()).collect();
        let left = |row: usize| {
            let (vector, root) = (self.scaled(row), self.weight(row).sqrt());
            let own: f64 = vector.iter().zip(inverse).map(|(value, line)| value * dot(line, &vector)).sum();
            // The second term removes the influence of the picture on the centre.
            let own = (own + self.weight(row) / count as f64).min(1.0 - 1e-9);
            let answer = |class: usize| {
                (dot(&weights[class], &vector) / root - own * self.target(row, class)) / (1.0 - own) + self.bias()
            };
            (0..classes).map(answer).collect()
        };
        let left_out = (0..count).map(left).collect();
        Fitted { weights, bias: self.bias(), left_out }
    }
}

/// Pictures whose products are added up at once.
const BLOCK: usize = 256;

/// The inverse of a symmetric positive matrix by Cholesky's method; `None` when it is not positive.
fn inverted(size: usize, entry: impl Fn(usize, usize) -> f64) -> Option<Vec<Vec<f64>>> {
    // Row by row, so that every inner step is a dot product of two rows.
    let mut lower: Vec<Vec<f64>> = Vec::with_capacity(size);
    for i in 0..size {
        let mut row = Vec::with_capacity(i + 1);
        for j in 0..i {
            let sum = dot(&row[..j], &lower[j][..j]);
            row.push((entry(i, j) - sum) / lower[j][j]);
        }
        let rest = entry(i, i) - dot(&row, &row);
        if rest <= 0.0 || !rest.is_finite() {
            return None;
        }
        row.push(rest.sqrt());
        lower.push(row);
    }
    // Column c of the triangle's inverse, kept as row c: `half[c][i - c]` for i from c down the triangle.
    let mut half: Vec<Vec<f64>> = Vec::with_capacity(size);
    for c in 0..size {
        let mut column: Vec<f64> = Vec::with_capacity(size - c);
        column.push(1.0 / lower[c][c]);
        for (i, row) in lower.iter().enumerate().skip(c + 1) {
            column.push(-dot(&row[c..i], &column) / row[i]);
        }
        half.push(column);
    }
    // The inverse is the triangle's inverse, transposed, times itself.
    let mut inverse = vec![vec![0.0; size]; size];
    for a in 0..size {
        for b in a..size {
            let value = dot(&half[a][b - a..], &half[b]);
            inverse[a][b] = value;
            inverse[b][a] = value;
        }
    }
    Some(inverse)
}

#[cfg(test)]
#[allow(clippy::cast_precision_loss, clippy::needless_range_loop, reason = "small matrices, written as in a book")]
mod tests {
    use super::{System, inverted};
    use crate::vector::dot;

    #[test]
    fn an_inverse_undoes_its_matrix() {
        let matrix = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]];
        let inverse = inverted(3, |a, b| matrix[a][b]).unwrap_or_default();
        for (a, row) in matrix.iter().enumerate() {
            for b in 0..3 {
                let value: f64 = (0..3).map(|k| row[k] * inverse[k][b]).sum();
                assert!((value - f64::from(u8::from(a == b))).abs() < 1e-12);
            }
        }
        assert!(inverted(2, |_, _| 1.0).is_none(), "a singular matrix has none");
    }

    /// The closed form against fitting without the picture, centre included. Both systems, and classes of different
    /// sizes.
    #[test]
    fn leaving_one_out_is_what_it_says() {
        for dims in [3, 12] {
            let noise = |row: usize, d: usize| ((row * 7 + d * 13) % 11) as f32 / 11.0;
            let labels = [0, 0, 0, 0, 1, 1, 1, 2, 2];
            let vectors: Vec<Vec<f32>> = (0..labels.len())
                .map(|row| (0..dims).map(|d| f32::from(u8::from(labels[row] == d)) + noise(row, d)).collect())
                .collect();
            let rows = vectors.iter().map(Vec::as_slice).collect();
            let Some(system) = System::new(rows, labels.to_vec(), 3) else { unreachable!() };
            let Some(all) = system.fit(0.5) else { unreachable!() };
            for row in 0..labels.len() {
                let long = long_way(&system, row, 0.5);
                for (class, expected) in long.iter().enumerate() {
                    assert!((all.left_out[row][class] - expected).abs() < 1e-9, "{dims} {row} {class}");
                }
            }
        }
    }

    /// The scores of a picture from a fit to the others: their own centre, target means and function. The weights stay.
    fn long_way(system: &System<'_>, left_out: usize, penalty: f64) -> Vec<f64> {
        let others: Vec<usize> = (0..system.vectors.len()).filter(|row| *row != left_out).collect();
        let total: f64 = others.iter().map(|row| system.weight(*row)).sum();
        let mean = |value: &dyn Fn(usize) -> f64| {
            others.iter().map(|row| system.weight(*row) * value(*row)).sum::<f64>() / total
        };
        let dims = system.centre.len();
        let centre: Vec<f64> = (0..dims).map(|d| mean(&|row| f64::from(system.vectors[row][d]))).collect();
        let centred = |row: usize| -> Vec<f64> {
            system.vectors[row].iter().zip(&centre).map(|(value, centre)| f64::from(*value) - centre).collect()
        };
        let product = |a: usize, b: usize| {
            let (one, two) = (centred(others[a]), centred(others[b]));
            (system.weight(others[a]) * system.weight(others[b])).sqrt() * dot(&one, &two)
                + if a == b { penalty } else { 0.0 }
        };
        let Some(inverse) = inverted(others.len(), product) else { unreachable!() };
        let asked = centred(left_out);
        let answer = |class: usize| {
            let share = mean(&|row| f64::from(u8::from(system.labels[row] == class)));
            let target =
                |row: usize| system.weight(row).sqrt() * (f64::from(u8::from(system.labels[row] == class)) - share);
            let targets: Vec<f64> = others.iter().map(|row| target(*row)).collect();
            let parts: Vec<f64> = inverse.iter().map(|line| dot(line, &targets)).collect();
            let said = others
                .iter()
                .zip(&parts)
                .map(|(row, part)| part * system.weight(*row).sqrt() * dot(&centred(*row), &asked));
            said.sum::<f64>() + share
        };
        (0..3).map(answer).collect()
    }

    /// Adding up blocks of pictures gives the same products as all of them at once.
    #[test]
    fn many_pictures_are_added_up_in_blocks() {
        let vectors: Vec<Vec<f32>> =
            (0..600).map(|row| (0..5).map(|d| ((row * 31 + d * 17) % 97) as f32 / 97.0).collect()).collect();
        let rows = vectors.iter().map(Vec::as_slice).collect();
        let Some(system) = System::new(rows, (0..600).map(|row| row % 3).collect(), 3) else { unreachable!() };
        for a in 0..5 {
            for b in 0..=a {
                let all: f64 = (0..600).map(|row| system.scaled(row)[a] * system.scaled(row)[b]).sum();
                assert!((system.products[a][b] - all).abs() < 1e-9);
            }
        }
    }
}
