//! Which pictures are left out together, and which are judged at all.

use std::collections::HashMap;

use super::groups::groups;

/// The parts that the pictures are divided into. Each part is judged by what was trained on the others.
const FOLDS: usize = 5;

/// How the pictures of a set are judged.
pub(super) struct Folds {
    /// The pictures that are divided, in an order whose beginnings have equally many of every class.
    pub(super) divided: Vec<usize>,
    /// The part of each of them; `None` for pictures that are never left out, because their class has nothing else.
    parts: Vec<Option<usize>>,
    /// Further pictures, none of which is a near-duplicate of a divided one.
    pub(super) others: Vec<usize>,
}

impl Folds {
    /// Divides at most `most` pictures. Near-duplicates come into the same part, and the pictures of a class into all
    /// parts alike.
    pub(super) fn new(vectors: &[&[f32]], labels: &[usize], classes: usize, most: usize) -> Self {
        let groups = groups(vectors);
        let mut sizes = vec![0usize; classes];
        let mut ranks = Vec::with_capacity(labels.len());
        for label in labels {
            sizes[*label] += 1;
            ranks.push(sizes[*label]);
        }
        let mut divided: Vec<usize> = (0..labels.len()).collect();
        divided.sort_by_key(|at| ranks[*at]);
        let others = divided.split_off(divided.len().min(most));

        let mut part_of: HashMap<usize, usize> = HashMap::new();
        let mut next = vec![0usize; classes];
        for at in &divided {
            part_of.entry(groups[*at]).or_insert_with(|| {
                let label = labels[*at];
                next[label] += 1;
                (next[label] - 1) % FOLDS
            });
        }
        let mut of_class: Vec<Option<usize>> = vec![None; classes];
        let mut spread = vec![false; classes];
        for at in &divided {
            let (label, part) = (labels[*at], part_of[&groups[*at]]);
            spread[label] |= of_class[label].is_some_and(|first| first != part);
            of_class[label].get_or_insert(part);
        }
        // In a set of bursts, the few pictures that lie outside their burst are no sample of fresh ones.
        let several = sizes.iter().filter(|size| **size > 1).count();
        if spread.iter().filter(|spread| **spread).count() * 2 < several {
            spread.fill(false);
        }
        let part = |at: &usize| spread[labels[*at]].then(|| part_of[&groups[*at]]);
        let parts = divided.iter().map(part).collect();
        let others = others.into_iter().filter(|at| !part_of.contains_key(&groups[*at])).collect();
        Self { divided, parts, others }
    }

    /// For each part the divided pictures to train on and those to judge, among the first `most`. Both are positions in
    /// [`Self::divided`].
    pub(super) fn splits(&self, most: usize) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> {
        let parts = &self.parts[..most.min(self.parts.len())];
        (0..FOLDS)
            .map(move |fold| (0..parts.len()).partition(|at| parts[*at] != Some(fold)))
            .filter(|(_, judged): &(Vec<usize>, Vec<usize>)| !judged.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::Folds;

    /// A burst of class 0, two pictures of class 1, and a class that has nothing but a burst.
    #[test]
    fn a_burst_is_left_out_as_a_whole_or_not_at_all() {
        let axis = |at: usize, tilt: f32| -> Vec<f32> {
            (0..8).map(|d| if d == at { 1.0 } else { tilt * f32::from(u8::from(d == 7)) }).collect()
        };
        let pictures = [
            (axis(0, 0.0), 0),
            (axis(0, 0.1), 0),
            (axis(1, 0.0), 0),
            (axis(2, 0.0), 1),
            (axis(3, 0.0), 1),
            (axis(4, 0.0), 2),
            (axis(4, 0.1), 2),
        ];
        let vectors: Vec<&[f32]> = pictures.iter().map(|(vector, _)| &vector[..]).collect();
        let labels: Vec<usize> = pictures.iter().map(|(_, label)| *label).collect();
        let folds = Folds::new(&vectors, &labels, 3, 100);
        let mut judged = Vec::new();
        for (train, test) in folds.splits(usize::MAX) {
            let name = |at: &usize| folds.divided[*at];
            let (train, test): (Vec<_>, Vec<_>) = (train.iter().map(name).collect(), test.iter().map(name).collect());
            assert_eq!(test.contains(&0), test.contains(&1), "twins stay together");
            assert!(train.contains(&5) && train.contains(&6), "the only group of a class is never left out");
            judged.extend(test);
        }
        judged.sort_unstable();
        assert_eq!(judged, [0, 1, 2, 3, 4]);
        assert!(folds.others.is_empty());

        // Of two bursts and one class of two different pictures, nothing is judged.
        let bursts = Folds::new(
            &[vectors[0], vectors[1], vectors[5], vectors[6], vectors[2], vectors[3]],
            &[0, 0, 1, 1, 2, 2],
            3,
            9,
        );
        assert_eq!(bursts.splits(usize::MAX).count(), 0);
    }
}
