//! Ridge regression on class indicators. Every class weighs the same, however many pictures it has.
//!
//! With few pictures there is one unknown a picture: then the products of all pairs are computed once, and every
//! selection of pictures and every penalty is solved from them. With many there is one unknown a dimension.

use super::cholesky::Factor;
use crate::vector::dot;

/// The products of all pairs of vectors.
pub(super) struct Products(Vec<Vec<f32>>);

impl Products {
    pub(super) fn new(vectors: &[&[f32]]) -> Self {
        let mut rows: Vec<Vec<f32>> = Vec::with_capacity(vectors.len());
        for (a, vector) in vectors.iter().enumerate() {
            let mut row: Vec<f32> = rows.iter().map(|other| other[a]).collect();
            row.extend(vectors[a..].iter().map(|other| dot(vector, other)));
            rows.push(row);
        }
        Self(rows)
    }
}

/// Some of the pictures, weighted and centred.
pub(super) struct Selection<'a> {
    products: &'a Products,
    /// Which pictures.
    rows: Vec<usize>,
    labels: Vec<usize>,
    classes: usize,
    /// The weight of each picture; they sum up to their number.
    weights: Vec<f64>,
    /// The product of each picture with the centre, and of the centre with itself.
    with_centre: Vec<f64>,
    centre_square: f64,
    /// Products of the weighted and centred pictures; the lower triangle.
    centred: Vec<Vec<f64>>,
    /// The mean of its diagonal.
    spread: f64,
    /// The intercept of every class: all that are here are equally likely.
    bias: f64,
}

/// The share of each picture of a selection in the function of each class.
pub(super) struct Shares {
    by_class: Vec<Vec<f64>>,
    sums: Vec<f64>,
    with_centre: Vec<f64>,
}

impl<'a> Selection<'a> {
    pub(super) fn new(products: &'a Products, rows: Vec<usize>, labels: &[usize], classes: usize) -> Self {
        let labels: Vec<usize> = rows.iter().map(|row| labels[*row]).collect();
        let weights = weights(&labels, classes);
        let count = real(rows.len().max(1));
        let centre_of = |row: usize| {
            let sum: f64 = rows.iter().zip(&weights).map(|(at, w)| w * f64::from(products.0[row][*at])).sum();
            sum / count
        };
        let with_centre: Vec<f64> = rows.iter().map(|row| centre_of(*row)).collect();
        let centre_square = dot(&with_centre, &weights) / count;
        let centred: Vec<Vec<f64>> = (0..rows.len())
            .map(|a| {
                let product = |b: usize| {
                    let plain = f64::from(products.0[rows[a]][rows[b]]);
                    (weights[a] * weights[b]).sqrt() * (plain - with_centre[a] - with_centre[b] + centre_square)
                };
                (0..=a).map(product).collect()
            })
            .collect();
        let spread = centred.iter().enumerate().map(|(at, row)| row[at]).sum::<f64>() / count;
        let bias = 1.0 / real(present(&labels, classes));
        Self { products, rows, labels, classes, weights, with_centre, centre_square, centred, spread, bias }
    }

    /// Fits with a penalty, given as a share of the mean squared length; `None` when that cannot be solved.
    pub(super) fn fit(&self, share: f64) -> Option<Shares> {
        let factor = Factor::new(&self.centred, share * self.spread.max(1e-9))?;
        let fit = |class: usize| {
            let target = |(label, weight): (&usize, &f64)| (indicator(*label == class) - self.bias) * weight.sqrt();
            let mut values: Vec<f64> = self.labels.iter().zip(&self.weights).map(target).collect();
            factor.solve(&mut values);
            values.iter().zip(&self.weights).map(|(value, weight)| value * weight.sqrt()).collect()
        };
        let by_class: Vec<Vec<f64>> = (0..self.classes).map(fit).collect();
        let sums = by_class.iter().map(|shares| shares.iter().sum()).collect();
        let with_centre = by_class.iter().map(|shares| dot(shares, &self.with_centre)).collect();
        Some(Shares { by_class, sums, with_centre })
    }

    /// The scores of a picture, one a class.
    pub(super) fn scores(&self, shares: &Shares, picture: usize) -> Vec<f32> {
        let products: Vec<f64> = self.rows.iter().map(|at| f64::from(self.products.0[picture][*at])).collect();
        let off = dot(&products, &self.weights) / real(self.rows.len().max(1)) - self.centre_square;
        let score = |class: usize| {
            let plain = dot(&products, &shares.by_class[class]);
            narrow(plain - shares.with_centre[class] - off * shares.sums[class] + self.bias)
        };
        (0..self.classes).map(score).collect()
    }

    /// The function of each class, and the centre that is subtracted first.
    pub(super) fn function(&self, shares: &Shares, vectors: &[&[f32]]) -> Function {
        let dims = vectors.first().map_or(0, |vector| vector.len());
        let chosen: Vec<&[f32]> = self.rows.iter().map(|row| vectors[*row]).collect();
        let count = real(self.rows.len().max(1));
        let sum = |parts: &[f64]| {
            let mut sum = vec![0.0; dims];
            for (vector, part) in chosen.iter().zip(parts) {
                add(&mut sum, vector, *part);
            }
            sum
        };
        let centre: Vec<f64> = sum(&self.weights).into_iter().map(|value| value / count).collect();
        let row = |(shares, total): (&Vec<f64>, &f64)| {
            let mut row = sum(shares);
            row.iter_mut().zip(&centre).for_each(|(value, centre)| *value -= total * centre);
            narrowed(&row)
        };
        let weights = shares.by_class.iter().zip(&shares.sums).flat_map(row).collect();
        Function { weights, centre: narrowed(&centre), bias: narrow(self.bias) }
    }
}

/// A linear function for each class.
pub(super) struct Function {
    /// One row a class.
    pub(super) weights: Vec<f32>,
    pub(super) centre: Vec<f32>,
    pub(super) bias: f32,
}

/// Pictures whose products are added up at once.
const BLOCK: usize = 256;

/// Fits many pictures: the time grows with their number, and the memory with the dimensions alone.
pub(super) fn fit_many(vectors: &[&[f32]], labels: &[usize], classes: usize, share: f64) -> Option<Function> {
    let (count, dims) = (real(vectors.len()), vectors.first()?.len());
    let (weights, bias) = (weights(labels, classes), 1.0 / real(present(labels, classes)));
    let mut centre = vec![0.0; dims];
    for (vector, weight) in vectors.iter().zip(&weights) {
        add(&mut centre, vector, weight / count);
    }
    let scaled = |row: usize| -> Vec<f64> {
        let root = weights[row].sqrt();
        vectors[row].iter().zip(&centre).map(|(value, centre)| root * (f64::from(*value) - centre)).collect()
    };
    let mut products: Vec<Vec<f64>> = (0..dims).map(|d| vec![0.0; d + 1]).collect();
    // The moment of a class is the sum of its own vectors, because the sum of all centred vectors is zero.
    let mut moments = vec![vec![0.0; dims]; classes];
    for start in (0..vectors.len()).step_by(BLOCK) {
        // Turned, so that every product is one of two rows.
        let rows: Vec<Vec<f64>> = (start..vectors.len().min(start + BLOCK)).map(scaled).collect();
        let columns: Vec<Vec<f64>> = (0..dims).map(|d| rows.iter().map(|row| row[d]).collect()).collect();
        for (a, row) in products.iter_mut().enumerate() {
            for (b, product) in row.iter_mut().enumerate() {
                *product += dot(&columns[a], &columns[b]);
            }
        }
        for (at, row) in rows.iter().enumerate() {
            let root = weights[start + at].sqrt();
            moments[labels[start + at]].iter_mut().zip(row).for_each(|(sum, value)| *sum += root * value);
        }
    }
    let spread = products.iter().enumerate().map(|(at, row)| row[at]).sum::<f64>() / count;
    let factor = Factor::new(&products, share * spread.max(1e-9))?;
    for moment in &mut moments {
        factor.solve(moment);
    }
    let weights = moments.iter().flat_map(|row| narrowed(row)).collect();
    Some(Function { weights, centre: narrowed(&centre), bias: narrow(bias) })
}

/// The weight of each picture: all classes that are here weigh the same.
fn weights(labels: &[usize], classes: usize) -> Vec<f64> {
    let mut sizes = vec![0usize; classes];
    for label in labels {
        sizes[*label] += 1;
    }
    let each = real(labels.len()) / real(present(labels, classes));
    labels.iter().map(|label| each / real(sizes[*label])).collect()
}

fn present(labels: &[usize], classes: usize) -> usize {
    let mut seen = vec![false; classes];
    for label in labels {
        seen[*label] = true;
    }
    seen.into_iter().filter(|seen| *seen).count().max(1)
}

fn add(sum: &mut [f64], vector: &[f32], part: f64) {
    sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += part * f64::from(*value));
}

fn indicator(is: bool) -> f64 {
    f64::from(u8::from(is))
}

#[allow(clippy::cast_precision_loss, reason = "counts of pictures and classes")]
fn real(count: usize) -> f64 {
    count as f64
}

fn narrowed(values: &[f64]) -> Vec<f32> {
    values.iter().map(|value| narrow(*value)).collect()
}

#[allow(clippy::cast_possible_truncation, reason = "the numbers of a probe are small")]
fn narrow(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::{Products, Selection, fit_many};
    use crate::vector::dot;

    fn vectors() -> (Vec<Vec<f32>>, Vec<usize>) {
        let number = |at: usize, d: usize| f32::from(u16::try_from((at * 7919 + d * 104_729) % 97).unwrap_or(0)) / 97.0;
        let vector = |at: usize| (0..6).map(|d| number(at, d) + if d == at % 3 { 1.0 } else { 0.0 }).collect();
        // One class is larger than the others.
        (0..14).map(|at| (vector(at), if at < 12 { at % 3 } else { 0 })).unzip()
    }

    /// Both ways of solving give the same function, and the scores are those of the function.
    #[test]
    fn one_unknown_a_picture_and_one_a_dimension_agree() {
        let (vectors, labels) = vectors();
        let rows: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        let products = Products::new(&rows);
        let selection = Selection::new(&products, (0..14).collect(), &labels, 3);
        for share in [0.03, 1.0] {
            let Some(shares) = selection.fit(share) else { unreachable!() };
            let (few, many) = (selection.function(&shares, &rows), fit_many(&rows, &labels, 3, share));
            let Some(many) = many else { unreachable!() };
            for (a, b) in few.weights.iter().zip(&many.weights) {
                assert!((a - b).abs() < 1e-4, "{a} {b}");
            }
            let scores = selection.scores(&shares, 4);
            let centred: Vec<f32> = rows[4].iter().zip(&few.centre).map(|(value, centre)| value - centre).collect();
            for (score, row) in scores.iter().zip(few.weights.chunks_exact(6)) {
                assert!((score - dot(row, &centred) - few.bias).abs() < 1e-4);
            }
        }
    }
}
