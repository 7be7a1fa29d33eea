//! Ridge regression on class indicators, with its leave-one-out answers.
//!
//! The smaller of two equal systems is solved: one unknown a picture, or one a dimension. See Rifkin and Lippert,
//! "Notes on Regularized Least Squares" (2007), for the closed form of leave-one-out.

/// A fitted function and what it would have said of each picture without having seen it.
pub(super) struct Fitted {
    /// One row a class.
    pub(super) weights: Vec<Vec<f64>>,
    pub(super) bias: Vec<f64>,
    /// One row a picture, one column a class.
    pub(super) left_out: Vec<Vec<f64>>,
}

/// Fits indicators of `classes` to centred `vectors`; `None` when the system cannot be solved.
pub(super) fn fit(vectors: &[Vec<f64>], labels: &[usize], classes: usize, penalty: f64) -> Option<Fitted> {
    let count = vectors.len();
    let bias: Vec<f64> = (0..classes).map(|class| share(labels, class)).collect();
    let target = |row: usize, class: usize| f64::from(u8::from(labels[row] == class)) - bias[class];
    let dims = vectors.first()?.len();
    if count <= dims {
        let inverse = inverted(count, |a, b| dot(&vectors[a], &vectors[b]) + if a == b { penalty } else { 0.0 })?;
        // The dual weights of each picture, class by class.
        let dual: Vec<Vec<f64>> = (0..classes)
            .map(|class| {
                let targets: Vec<f64> = (0..count).map(|row| target(row, class)).collect();
                inverse.iter().map(|row| dot(row, &targets)).collect()
            })
            .collect();
        let weights = dual.iter().map(|alpha| combined(vectors, alpha, dims)).collect();
        let left = |row: usize, class: usize| target(row, class) - dual[class][row] / inverse[row][row] + bias[class];
        let left_out = (0..count).map(|row| (0..classes).map(|class| left(row, class)).collect()).collect();
        Some(Fitted { weights, bias, left_out })
    } else {
        let columns: Vec<Vec<f64>> = (0..dims).map(|d| vectors.iter().map(|vector| vector[d]).collect()).collect();
        let inverse = inverted(dims, |a, b| dot(&columns[a], &columns[b]) + if a == b { penalty } else { 0.0 })?;
        let weights: Vec<Vec<f64>> = (0..classes)
            .map(|class| {
                let targets: Vec<f64> = (0..count).map(|row| target(row, class)).collect();
                let moment: Vec<f64> = columns.iter().map(|column| dot(column, &targets)).collect();
                inverse.iter().map(|row| dot(row, &moment)).collect()
            })
            .collect();
        let left_out = vectors
            .iter()
            .enumerate()
            .map(|(row, vector)| {
                let through: Vec<f64> = inverse.iter().map(|line| dot(line, vector)).collect();
                let own = dot(vector, &through).min(1.0 - 1e-9);
                let left = |class: usize| (dot(&weights[class], vector) - own * target(row, class)) / (1.0 - own);
                (0..classes).map(|class| left(class) + bias[class]).collect()
            })
            .collect();
        Some(Fitted { weights, bias, left_out })
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of pictures")]
fn share(labels: &[usize], class: usize) -> f64 {
    labels.iter().filter(|label| **label == class).count() as f64 / labels.len().max(1) as f64
}

fn combined(vectors: &[Vec<f64>], factors: &[f64], dims: usize) -> Vec<f64> {
    let mut sum = vec![0.0; dims];
    for (vector, factor) in vectors.iter().zip(factors) {
        for (total, value) in sum.iter_mut().zip(vector) {
            *total += factor * value;
        }
    }
    sum
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
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
    use super::{fit, inverted};

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
            let noise = |row: usize, d: usize| ((row * 7 + d * 13) % 11) as f64 / 11.0;
            let labels = [0, 0, 0, 1, 1, 1, 2, 2];
            let vectors: Vec<Vec<f64>> = (0..labels.len())
                .map(|row| (0..dims).map(|d| f64::from(u8::from(labels[row] == d)) + noise(row, d)).collect())
                .collect();
            // The bias is the share of a class; with it fixed for all, the closed form is exact.
            let Some(all) = fit(&vectors, &labels, 3, 0.5) else { unreachable!() };
            for row in 0..labels.len() {
                let (others, rest): (Vec<_>, Vec<_>) = vectors
                    .iter()
                    .zip(labels)
                    .enumerate()
                    .filter(|(other, _)| *other != row)
                    .map(|(_, (v, l))| (v.clone(), l))
                    .unzip();
                let shares: Vec<f64> =
                    (0..3).map(|c| labels.iter().filter(|l| **l == c).count() as f64 / 8.0).collect();
                let long = long_way(&others, &rest, &shares, 0.5, &vectors[row]);
                for (class, expected) in long.iter().enumerate() {
                    assert!((all.left_out[row][class] - expected).abs() < 1e-9, "{dims} {row} {class}");
                }
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
