//! The mean vector of each class, around the mean of all classes and by itself.

use crate::vector::{dot, normalise};

/// The means of some pictures. A class without a picture has a mean of zeros, which is like nothing.
pub(super) struct Means {
    /// The mean of all classes, each of which weighs the same.
    pub(super) centre: Vec<f32>,
    /// The unit vector from the centre to the mean of each class.
    pub(super) around: Vec<Vec<f32>>,
    /// The unit vector of each mean itself.
    pub(super) plain: Vec<Vec<f32>>,
}

impl Means {
    pub(super) fn new<'a>(pictures: impl Iterator<Item = (&'a [f32], usize)>, classes: usize, dims: usize) -> Self {
        let mut sums = vec![vec![0.0f32; dims]; classes];
        let mut sizes = vec![0.0f32; classes];
        for (vector, class) in pictures {
            sums[class].iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
            sizes[class] += 1.0;
        }
        for (sum, size) in sums.iter_mut().zip(&sizes).filter(|(_, size)| **size > 0.0) {
            for value in sum.iter_mut() {
                *value /= size;
            }
        }
        let present = sizes.iter().fold(0.0, |count, size| count + size.min(1.0)).max(1.0);
        let mut centre = vec![0.0f32; dims];
        for mean in &sums {
            centre.iter_mut().zip(mean).for_each(|(sum, value)| *sum += value / present);
        }
        let around = sums.iter().zip(&sizes).map(|(mean, size)| match size {
            0.0 => vec![0.0; dims],
            _ => unit(mean.iter().zip(&centre).map(|(value, centre)| value - centre).collect()),
        });
        Self { around: around.collect(), centre, plain: sums.into_iter().map(unit).collect() }
    }

    /// A score for each class.
    pub(super) fn scores(&self, vector: &[f32]) -> Vec<f32> {
        let centred: Vec<f32> = vector.iter().zip(&self.centre).map(|(value, centre)| value - centre).collect();
        self.around.iter().map(|mean| dot(mean, &centred)).collect()
    }

    /// The cosine with the mean of each class.
    pub(super) fn cosines(&self, vector: &[f32]) -> Vec<f32> {
        self.plain.iter().map(|mean| dot(mean, vector)).collect()
    }
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    normalise(&mut vector);
    vector
}
