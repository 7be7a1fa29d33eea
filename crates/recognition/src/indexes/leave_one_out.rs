//! Leave-one-out examples of a dataset for the guard over feedback: each image is classified without itself, so that
//! the answer to it is not simply itself.

use kaisatsu_feedback::Example;
use kaisatsu_vision::{
    probe::DEFAULT_TEMPERATURE,
    vector::{dot, normalise},
};

/// The most examples, spread over the dataset.
const MOST_EXAMPLES: usize = 128;

/// The examples. The only image of a tag cannot be one.
pub(super) fn examples(vectors: &[(u64, Vec<f32>)], classes: &[usize], tags: &[String]) -> Vec<Example> {
    let dims = vectors.first().map_or(0, |(_, vector)| vector.len());
    let mut sums = vec![vec![0.0f32; dims]; tags.len()];
    let mut sizes = vec![0usize; tags.len()];
    for ((_, vector), class) in vectors.iter().zip(classes) {
        sums[*class].iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
        sizes[*class] += 1;
    }
    let unit = |sum: &[f32]| {
        let mut mean = sum.to_vec();
        normalise(&mut mean);
        mean
    };
    let means: Vec<Vec<f32>> = sums.iter().map(|sum| unit(sum)).collect();
    let usable: Vec<_> = vectors.iter().zip(classes).filter(|(_, class)| sizes[**class] > 1).collect();
    let every = usable.len().div_ceil(MOST_EXAMPLES).max(1);
    let example = |((_, vector), class): &(&(u64, Vec<f32>), &usize)| {
        let rest: Vec<f32> = sums[**class].iter().zip(vector).map(|(sum, value)| sum - value).collect();
        let own = unit(&rest);
        let score = |at: usize| dot(if at == **class { &own } else { &means[at] }, vector) / DEFAULT_TEMPERATURE;
        let scores: Vec<f32> = (0..tags.len()).map(score).collect();
        let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total: f32 = scores.iter().map(|score| (score - top).exp()).sum();
        let listed = tags.iter().cloned().zip(scores.iter().map(|score| (score - top).exp() / total)).collect();
        Example { descriptor: vector.clone(), right: tags[**class].clone(), scores: listed }
    };
    usable.iter().step_by(every).map(example).collect()
}
