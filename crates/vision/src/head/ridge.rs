//! Ridge regression on class indicators, with its leave-one-out answers.
//!
//! The smaller of two equal systems is solved: one unknown a picture, or one a dimension. See Rifkin and Lippert,
//! "Notes on Regularized Least Squares" (2007), for the closed form of leave-one-out. The system is set up once for all
//! penalties, and nothing is kept for each picture but its answers.

/// A fitted function and what it would have said of each picture without having seen it.
pub(super) struct Fitted {
    /// One row a class.
    pub(super) weights: Vec<Vec<f64>>,
    pub(super) bias: Vec<f64>,
    /// One row a picture, one column a class.
    pub(super) left_out: Vec<Vec<f64>>,
}

/// Labelled vectors, centred.
pub(super) struct System<'a> {
    vectors: Vec<&'a [f32]>,
    labels: Vec<usize>,
    /// The mean of the vectors.
    pub(super) centre: Vec<f64>,
    /// The mean squared length of a centred vector.
    pub(super) spread: f64,
    /// The share of each class.
    shares: Vec<f64>,
    /// Products of the vectors with each other, or of the dimensions when they are fewer; the lower triangle.
    products: Vec<Vec<f64>>,
}

impl<'a> System<'a> {
    /// Sets the system up; `None` without vectors.
    #[allow(clippy::cast_precision_loss, reason = "counts of pictures")]
    pub(super) fn new(vectors: Vec<&'a [f32]>, labels: Vec<usize>, classes: usize) -> Option<Self> {
        let (count, dims) = (vectors.len(), vectors.first()?.len());
        let mut centre = vec![0.0; dims];
        for vector in &vectors {
            for (sum, value) in centre.iter_mut().zip(*vector) {
                *sum += f64::from(*value) / count as f64;
            }
        }
        let share = |class| labels.iter().filter(|label| **label == class).count() as f64 / count as f64;
        let shares = (0..classes).map(share).collect();
        let mut system = Self { vectors, labels, centre, spread: 0.0, shares, products: Vec::new() };
        system.products = if system.is_dual() { system.of_pictures() } else { system.of_dimensions() };
        let diagonal = system.products.iter().enumerate().map(|(at, row)| row[at]).sum::<f64>();
        system.spread = diagonal / count as f64;
        Some(system)
    }

    fn is_dual(&self) -> bool {
        self.vectors.len() <= self.centre.len()
    }

    fn centred(&self, row: usize) -> Vec<f64> {
        self.vectors[row].iter().zip(&self.centre).map(|(value, centre)| f64::from(*value) - centre).collect()
    }

    fn of_pictures(&self) -> Vec<Vec<f64>> {
        let vectors: Vec<Vec<f64>> = (0..self.vectors.len()).map(|row| self.centred(row)).collect();
        (0..vectors.len()).map(|a| (0..=a).map(|b| dot(&vectors[a], &vectors[b])).collect()).collect()
    }

    /// Some pictures at a time, turned so that every product is one of two rows.
    fn of_dimensions(&self) -> Vec<Vec<f64>> {
        let dims = self.centre.len();
        let mut products: Vec<Vec<f64>> = (0..dims).map(|d| vec![0.0; d + 1]).collect();
        for start in (0..self.vectors.len()).step_by(BLOCK) {
            let rows: Vec<Vec<f64>> =
                (start..self.vectors.len().min(start + BLOCK)).map(|row| self.centred(row)).collect();
            let columns: Vec<Vec<f64>> = (0..dims).map(|d| rows.iter().map(|row| row[d]).collect()).collect();
            for (a, row) in products.iter_mut().enumerate() {
                for (b, product) in row.iter_mut().enumerate() {
                    *product += dot(&columns[a], &columns[b]);
                }
            }
        }
        products
    }

    fn target(&self, row: usize, class: usize) -> f64 {
        f64::from(u8::from(self.labels[row] == class)) - self.shares[class]
    }

    /// Fits indicators of the classes; `None` when the system cannot be solved.
    pub(super) fn fit(&self, penalty: f64) -> Option<Fitted> {
        let inverse = inverted(self.products.len(), |a, b| self.products[a][b] + if a == b { penalty } else { 0.0 })?;
        Some(if self.is_dual() { self.fit_dual(&inverse) } else { self.fit_primal(&inverse) })
    }

    fn fit_dual(&self, inverse: &[Vec<f64>]) -> Fitted {
        let (count, dims, classes) = (self.vectors.len(), self.centre.len(), self.shares.len());
        let mut weights = vec![vec![0.0; dims]; classes];
        let mut left_out = vec![vec![0.0; classes]; count];
        for (class, weights) in weights.iter_mut().enumerate() {
            let targets: Vec<f64> = (0..count).map(|row| self.target(row, class)).collect();
            for row in 0..count {
                // The weight of this picture in the function.
                let dual = dot(&inverse[row], &targets);
                for (total, (value, centre)) in weights.iter_mut().zip(self.vectors[row].iter().zip(&self.centre)) {
                    *total += dual * (f64::from(*value) - centre);
                }
                left_out[row][class] = targets[row] - dual / inverse[row][row] + self.shares[class];
            }
        }
        Fitted { weights, bias: self.shares.clone(), left_out }
    }

    fn fit_primal(&self, inverse: &[Vec<f64>]) -> Fitted {
        let (count, dims, classes) = (self.vectors.len(), self.centre.len(), self.shares.len());
        // A class's moment is what its own vectors sum up to: centred vectors sum up to nothing.
        let mut moments = vec![vec![0.0; dims]; classes];
        for row in 0..count {
            for (sum, value) in moments[self.labels[row]].iter_mut().zip(self.centred(row)) {
                *sum += value;
            }
        }
        let weights: Vec<Vec<f64>> =
            moments.iter().map(|moment| inverse.iter().map(|line| dot(line, moment)).collect()).collect();
        let left = |row: usize| {
            let vector = self.centred(row);
            let own: f64 = vector.iter().zip(inverse).map(|(value, line)| value * dot(line, &vector)).sum();
            let own = own.min(1.0 - 1e-9);
            let answer = |class: usize| (dot(&weights[class], &vector) - own * self.target(row, class)) / (1.0 - own);
            (0..classes).map(|class| answer(class) + self.shares[class]).collect()
        };
        let left_out = (0..count).map(left).collect();
        Fitted { weights, bias: self.shares.clone(), left_out }
    }
}

/// Pictures whose products are added up at once.
const BLOCK: usize = 256;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0f64; 8];
    let (mut left, mut right) = (a.chunks_exact(8), b.chunks_exact(8));
    for (x, y) in left.by_ref().zip(right.by_ref()) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

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

    /// The closed form against the long way: fit without the picture, then ask about it. Both systems.
    #[test]
    fn leaving_one_out_is_what_it_says() {
        for dims in [3, 12] {
            let noise = |row: usize, d: usize| ((row * 7 + d * 13) % 11) as f32 / 11.0;
            let labels = [0, 0, 0, 1, 1, 1, 2, 2];
            let vectors: Vec<Vec<f32>> = (0..labels.len())
                .map(|row| (0..dims).map(|d| f32::from(u8::from(labels[row] == d)) + noise(row, d)).collect())
                .collect();
            let rows = vectors.iter().map(Vec::as_slice).collect();
            let Some(system) = System::new(rows, labels.to_vec(), 3) else { unreachable!() };
            let Some(all) = system.fit(0.5) else { unreachable!() };
            // The bias is the share of a class and the centre is that of all; with both fixed the closed form is exact.
            let centred: Vec<Vec<f64>> = (0..labels.len()).map(|row| system.centred(row)).collect();
            for row in 0..labels.len() {
                let (others, rest): (Vec<_>, Vec<_>) = centred
                    .iter()
                    .zip(labels)
                    .enumerate()
                    .filter(|(other, _)| *other != row)
                    .map(|(_, (v, l))| (v.clone(), l))
                    .unzip();
                let long = long_way(&others, &rest, &system.shares, 0.5, &centred[row]);
                for (class, expected) in long.iter().enumerate() {
                    assert!((all.left_out[row][class] - expected).abs() < 1e-9, "{dims} {row} {class}");
                }
            }
        }
    }

    /// Blocks of pictures add up to what all of them at once come to.
    #[test]
    fn many_pictures_are_added_up_in_blocks() {
        let vectors: Vec<Vec<f32>> =
            (0..600).map(|row| (0..5).map(|d| ((row * 31 + d * 17) % 97) as f32 / 97.0).collect()).collect();
        let rows = vectors.iter().map(Vec::as_slice).collect();
        let Some(system) = System::new(rows, (0..600).map(|row| row % 3).collect(), 3) else { unreachable!() };
        for a in 0..5 {
            for b in 0..=a {
                let all: f64 = (0..600).map(|row| system.centred(row)[a] * system.centred(row)[b]).sum();
                assert!((system.products[a][b] - all).abs() < 1e-9);
            }
        }
    }

    fn long_way(vectors: &[Vec<f64>], labels: &[usize], shares: &[f64], penalty: f64, asked: &[f64]) -> Vec<f64> {
        let n = vectors.len();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let Some(inverse) = inverted(n, |a, b| dot(&vectors[a], &vectors[b]) + if a == b { penalty } else { 0.0 })
        else {
            unreachable!()
        };
        shares
            .iter()
            .enumerate()
            .map(|(class, share)| {
                let targets: Vec<f64> = labels.iter().map(|l| f64::from(u8::from(*l == class)) - share).collect();
                let alpha: Vec<f64> = inverse.iter().map(|row| dot(row, &targets)).collect();
                vectors.iter().zip(&alpha).map(|(v, a)| a * dot(v, asked)).sum::<f64>() + share
            })
            .collect()
    }
}
