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

#[cfg(test)]
mod tests {
    use kaisatsu_feedback::Example;

    use super::{MOST_EXAMPLES, examples};

    fn of(vectors: &[[f32; 2]], classes: &[usize]) -> Vec<Example> {
        let numbered: Vec<(u64, Vec<f32>)> = (0..).zip(vectors).map(|(at, vector)| (at, vector.to_vec())).collect();
        examples(&numbered, classes, &["a".to_owned(), "b".to_owned()])
    }

    fn score(example: &Example, tag: &str) -> f32 {
        example.scores.iter().find(|(other, _)| other == tag).map(|(_, score)| *score).unwrap()
    }

    #[test]
    fn the_only_image_of_a_tag_is_no_example() {
        let found = of(&[[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], &[0, 0, 1]);
        assert_eq!(found.iter().map(|example| example.right.as_str()).collect::<Vec<_>>(), ["a", "a"]);
        assert!(found.iter().all(|example| example.scores.len() == 2), "but it is among the answers");
    }

    /// The first image of `a` lies with those of `b`: with itself in the mean of `a`, it would be right.
    #[test]
    fn an_image_is_classified_without_itself() {
        let found = of(&[[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.1, 0.995]], &[0, 0, 1, 1]);
        assert_eq!(found[0].right, "a");
        assert!(score(&found[0], "a") < 0.1 && score(&found[0], "b") > 0.9, "{:?}", found[0].scores);
        assert!(score(&found[2], "b") > 0.9, "the other image of its tag is like it: {:?}", found[2].scores);
        let sum: f32 = found[0].scores.iter().map(|(_, score)| score).sum();
        assert!((sum - 1.0).abs() < 1e-5);
    }

    #[test]
    fn scores_are_shares_of_one() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let found = of(&[[1.0, 0.0], [half, half], [0.0, 1.0], [0.0, 1.0]], &[0, 0, 1, 1]);
        assert!((score(&found[1], "a") - 0.5).abs() < 1e-5, "it is as near to both: {:?}", found[1].scores);
        assert!((score(&found[1], "b") - 0.5).abs() < 1e-5);
    }

    #[test]
    fn a_large_dataset_gives_examples_from_all_of_it() {
        let vectors: Vec<[f32; 2]> = (0..300u16).map(|at| if at < 150 { [1.0, 0.0] } else { [0.0, 1.0] }).collect();
        let classes: Vec<usize> = (0..300).map(|at| usize::from(at >= 150)).collect();
        let found = of(&vectors, &classes);
        assert_eq!(found.len(), 100, "every third, and at most {MOST_EXAMPLES}");
        assert_eq!(found.iter().filter(|example| example.right == "a").count(), 50);
        assert_eq!(of(&vectors[..128], &classes[..128]).len(), 128);
    }
}
