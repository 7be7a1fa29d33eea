//! From which cosine on a picture is like the images of a set at all.
//!
//! Unrelated photographs have cosines of 0.4 to 0.7 with the nearest image of a set, so no cosine suits all sets. What
//! suits one is learned from how near its own images are to each other ([decision 27]).
//!
//! [decision 27]: ../../../../docs/decisions/0027-calibration.md

use std::collections::HashMap;

use cosine_index::Match;
use kaisatsu_store::{Store, StoreError, VectorPart};

use super::nearest::fetch_nearest;

/// Images from this cosine on are near-duplicates of each other. They say nothing about other pictures.
const DUPLICATE: f32 = 0.9;

/// The nearest neighbours that are looked at for one that is not a near-duplicate.
const NEIGHBOURS: usize = 16;

/// The images that are compared with the others.
const SAMPLED: usize = 256;

/// With fewer images, every picture may be like them.
const FEWEST: usize = 16;

/// Images of a set in the database that are listed at once.
const PAGE: i64 = 10_000;

/// How much less alike than the images of the set a picture may be: queries are often of another kind than the set.
const SLACK: f32 = 0.05;

/// Some images of a set. Which ones depends neither on the order in which they come nor on the others.
#[derive(Default)]
pub(super) struct Sample(Vec<(u64, Vec<f32>)>);

impl Sample {
    /// Takes an image into account.
    pub(super) fn insert(&mut self, id: u64, vector: &[f32]) {
        self.remove(id);
        let at = self.0.partition_point(|(other, _)| rank(*other) < rank(id));
        if at < SAMPLED {
            self.0.insert(at, (id, vector.to_vec()));
            self.0.truncate(SAMPLED);
        }
    }

    /// Forgets an image.
    pub(super) fn remove(&mut self, id: u64) {
        self.0.retain(|(other, _)| *other != id);
    }

    /// The least cosine with the nearest image at which a picture is like the set: somewhat below the first percentile
    /// of the set's own images, each without itself and its near-duplicates. Zero, so that every picture is, when the
    /// images are few.
    pub(super) fn threshold(&self, search: impl Fn(&[f32], usize) -> Vec<Match>) -> f32 {
        self.threshold_of(|_, vector| search(vector, NEIGHBOURS + 1))
    }

    /// As [`Self::threshold`]; `nearest` gives the [`NEIGHBOURS`] nearest images to an image, and the image itself.
    fn threshold_of(&self, nearest: impl Fn(u64, &[f32]) -> Vec<Match>) -> f32 {
        let nearest = |(id, vector): &(u64, Vec<f32>)| {
            let found = nearest(*id, vector);
            found.iter().filter(|found| found.id != *id).map(|found| found.score).find(|score| *score < DUPLICATE)
        };
        let mut cosines: Vec<f32> = self.0.iter().filter_map(nearest).collect();
        if cosines.len() < FEWEST {
            return 0.0;
        }
        cosines.sort_by(f32::total_cmp);
        (cosines[cosines.len() / 100] - SLACK).max(0.0)
    }
}

/// The threshold of a set in the database.
pub(crate) async fn unlike_below(store: &Store, part: &VectorPart) -> Result<f32, StoreError> {
    let (mut chosen, mut after) = (Sample::default(), 0);
    loop {
        let page = store.part_images(part, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = *last;
        for number in page {
            chosen.insert(number.unsigned_abs(), &[]);
        }
    }
    let numbers: Vec<i64> = chosen.0.iter().filter_map(|(id, _)| i64::try_from(*id).ok()).collect();
    let (mut sample, mut nearest) = (Sample::default(), HashMap::new());
    for (number, vector) in store.image_vectors(&numbers).await? {
        let near = fetch_nearest(store, part, &vector, NEIGHBOURS + 1).await?;
        nearest.insert(number.unsigned_abs(), near.map(|fetched| fetched.found).unwrap_or_default());
        sample.insert(number.unsigned_abs(), &vector);
    }
    Ok(sample.threshold_of(|id, _| nearest.get(&id).cloned().unwrap_or_default()))
}

/// A position that has nothing to do with when an image was added.
fn rank(id: u64) -> u64 {
    let mixed = (id ^ (id >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[cfg(test)]
mod tests {
    use cosine_index::{Settings, VectorIndex};

    use super::{SAMPLED, Sample};

    /// The threshold of pictures at some angles, in degrees.
    fn threshold(degrees: impl Iterator<Item = f32>) -> f32 {
        let vectors = degrees.map(|degrees| vec![degrees.to_radians().cos(), degrees.to_radians().sin()]);
        let numbered: Vec<(u64, Vec<f32>)> = (0..).zip(vectors).collect();
        let mut sample = Sample::default();
        for (id, vector) in &numbered {
            sample.insert(*id, vector);
        }
        let index = VectorIndex::build(2, Settings::default(), numbered).unwrap();
        sample.threshold(|vector, most| index.search(vector, most).unwrap())
    }

    #[test]
    fn it_lies_below_what_the_images_have_among_each_other() {
        // Each is 30 degrees from its neighbours, with two near-duplicates, which do not count.
        let apart = threshold((0..12u8).flat_map(|at| [0.0, 1.0].map(|more| f32::from(at) * 30.0 + more)));
        assert!((apart - (29f32.to_radians().cos() - 0.05)).abs() < 1e-3, "{apart}");
        assert!(threshold((0..12u8).map(|at| f32::from(at) * 30.0)).abs() < 1e-6, "twelve images are too few");
        assert!(threshold((0..40u8).map(|at| f32::from(at) * 0.1)).abs() < 1e-6, "a burst says nothing");
    }

    #[test]
    fn the_sample_does_not_depend_on_the_order() {
        let (mut up, mut down) = (Sample::default(), Sample::default());
        for id in 0..1_000u16 {
            up.insert(id.into(), &[f32::from(id)]);
            down.insert((999 - id).into(), &[f32::from(999 - id)]);
        }
        down.insert(0, &[0.0]);
        assert!(up.0 == down.0 && up.0.len() == SAMPLED);
        let (first, _) = up.0[0].clone();
        up.remove(first);
        assert!(up.0.len() == SAMPLED - 1 && up.0.iter().all(|(id, _)| *id != first));
    }
}
