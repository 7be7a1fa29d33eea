//! Groups of near-duplicates: pictures of one burst, or one picture saved twice.
//!
//! A picture says nothing about fresh pictures when it is tested with a classifier that was trained on its twin, so
//! evaluation leaves whole groups out.

use cosine_index::{Settings, VectorIndex};

/// The cosine from which on two pictures belong to one group.
///
/// Between what light crops of one picture have among each other (95% have 0.92 or more) and what different pictures
/// of one class have (one pair in a thousand has 0.87 or more), on two sets of photographs.
const ALIKE: f32 = 0.9;

/// The nearest neighbours that are looked at: in a long burst, the first picture may not be the nearest.
const NEIGHBOURS: usize = 16;

/// The group of each vector: the position of its first picture, which all others of the group are like. Chains do not
/// count, because in a large set they would connect a whole class.
pub(super) fn groups(vectors: &[&[f32]]) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..vectors.len()).collect();
    let dims = vectors.first().map_or(1, |vector| vector.len());
    let numbered = vectors.iter().enumerate().map(|(at, vector)| (at as u64, *vector));
    // A vector without a direction cannot be indexed; then every picture stands for itself.
    let Ok(index) = VectorIndex::build(dims, Settings::default(), numbered) else { return groups };
    for (at, vector) in vectors.iter().enumerate() {
        let near = index.search(vector, NEIGHBOURS).unwrap_or_default();
        let before =
            near.iter().filter(|found| found.score >= ALIKE).filter_map(|found| usize::try_from(found.id).ok());
        let mut firsts = before.filter(|other| *other < at).map(|other| groups[other]);
        if let Some(first) = firsts.find(|first| index.cosine(*first as u64, vector).is_some_and(|c| c >= ALIKE)) {
            groups[at] = first;
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn a_group_is_like_its_first_picture() {
        // Each is 20 degrees from the next: its cosine with the next is 0.94, with the one after it 0.77.
        let turned = |degrees: f32| vec![degrees.to_radians().cos(), degrees.to_radians().sin()];
        let vectors = [turned(0.0), turned(90.0), turned(20.0), turned(40.0)];
        let vectors: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        assert_eq!(groups(&vectors), [0, 1, 0, 3]);
        assert_eq!(groups(&[]), [0usize; 0]);
        assert_eq!(groups(&[&[0.0, 0.0], &[0.0, 0.0]]), [0, 1], "without a direction nothing is alike");
    }
}
