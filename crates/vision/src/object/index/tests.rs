use std::collections::HashSet;

use proptest::prelude::*;

use super::Index;
use crate::object::{
    encoded::EncodedReference,
    features::{DIMENSIONS, Descriptor, Features, Point, Reference},
    random::Random,
    segment::vote_over,
    vocabulary::{QueryFeature, Vocabulary},
    vote::{ItemId, PictureId},
};

/// A descriptor in a random direction.
fn descriptor(random: &mut Random) -> Descriptor {
    let numbers: [f64; DIMENSIONS] =
        std::array::from_fn(|_| (0..4).map(|_| f64::from(random.next().to_le_bytes()[0]) - 127.5).sum());
    let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    #[allow(clippy::cast_possible_truncation, reason = "a component of a vector of length 127")]
    numbers.map(|number| (number / length * 127.0).round() as i8)
}

/// A reference picture whose features follow from its number.
fn features(seed: u64, count: usize) -> Features {
    let mut random = Random::new(seed);
    let features = (0..count).map(|_| (Point { x: 0, y: 0 }, descriptor(&mut random))).collect();
    Features::new(1, 1, features).unwrap()
}

pub(in crate::object) fn encoded(seed: u64) -> EncodedReference {
    let views = vec![features(seed, 60), features(seed + 1_000_000, 40)];
    Vocabulary::default().encode(&Reference::new(views).unwrap())
}

/// The features of the picture of this number, as a query that sees nothing else.
pub(in crate::object) fn asked(seed: u64) -> Vec<QueryFeature> {
    Vocabulary::default().encode_query(&features(seed, 60))
}

fn filled(items: impl IntoIterator<Item = u64>) -> Index {
    let mut index = Index::default();
    for item in items {
        index.insert(ItemId(item), PictureId(item + 500), &encoded(item));
    }
    index
}

#[test]
fn the_right_view_of_the_right_picture_comes_first() {
    let index = filled(0..50);
    for item in [0, 7, 49] {
        let best = index.vote(&asked(item), 3)[0];
        assert_eq!((best.item, best.picture, best.view), (ItemId(item), PictureId(item + 500), 0));
        let smaller = Vocabulary::default().encode_query(&features(item + 1_000_000, 40));
        assert_eq!(index.vote(&smaller, 1)[0].view, 1);
    }
}

/// As [`encoded`], read in four turns.
pub(in crate::object) fn encoded_in_turns(seed: u64) -> EncodedReference {
    let views = (0..4).map(|turn| features(seed + 1_000_000 * turn, 60)).collect();
    Vocabulary::default().encode(&Reference::new(views).unwrap())
}

#[test]
fn a_catalogue_is_turned_as_long_as_each_of_its_pictures_is() {
    let mut index = Index::default();
    index.insert(ItemId(1), PictureId(1), &encoded_in_turns(1));
    assert!(index.is_turned());
    index.insert(ItemId(2), PictureId(2), &encoded(2));
    index.insert(ItemId(3), PictureId(3), &encoded(3));
    assert!(!index.is_turned());
    index.remove_picture(PictureId(2));
    assert!(!index.is_turned());
    index.insert(ItemId(3), PictureId(3), &encoded_in_turns(3));
    assert!(index.is_turned());
    index.insert(ItemId(4), PictureId(4), &encoded(4));
    index.remove_items(&HashSet::from([ItemId(4)]));
    assert!(index.is_turned());
}

#[test]
fn an_item_of_many_pictures_leaves_room_for_others() {
    let mut index = filled(0..4);
    for picture in 0..20 {
        index.insert(ItemId(9), PictureId(picture), &encoded(9));
    }
    let votes = index.vote(&[asked(9), asked(2)].concat(), 16);
    let of = |item: u64| votes.iter().filter(|vote| vote.item == ItemId(item)).count();
    assert_eq!((of(9), of(2) > 0), (3, true), "{votes:?}");
}

#[test]
fn a_category_leaves_the_others_out_and_changes_no_score() {
    let mut index = filled(0..4);
    index.insert_in("book", ItemId(9), PictureId(9), &encoded(9));
    let query = [asked(9), asked(2)].concat();
    let among = |category| vote_over(&index, &[], &query, 40, category).unwrap();
    let (books, others): (Vec<_>, Vec<_>) = among(None).into_iter().partition(|vote| vote.item == ItemId(9));
    assert!(!books.is_empty() && !others.is_empty());
    assert_eq!((among(Some("book")), among(Some(""))), (books, others));
    assert_eq!(among(Some("food")), []);
}

#[test]
fn an_empty_index_and_an_empty_query_name_nothing() {
    assert!(Index::default().vote(&asked(1), 5).is_empty());
    assert!(filled(0..3).vote(&[], 5).is_empty());
    assert!(filled(0..3).vote(&asked(1), 0).is_empty());
}

#[test]
fn a_feature_that_repeats_has_one_vote() {
    let one = features(3, 1);
    let many = Features::new(1, 1, vec![(Point { x: 0, y: 0 }, one.descriptors()[0]); 30]).unwrap();
    let vocabulary = Vocabulary::default();
    let mut index = Index::default();
    let mut insert = |id: u64, view: &Features| {
        index.insert(ItemId(id), PictureId(id), &vocabulary.encode(&Reference::new(vec![view.clone()]).unwrap()));
    };
    insert(1, &one);
    insert(2, &many);
    let votes = index.vote(&vocabulary.encode_query(&one), 2);
    assert_eq!(votes[0].item, ItemId(1), "the wallpaper must not win: {votes:?}");
}

#[test]
fn a_picture_put_in_again_replaces_itself() {
    let mut index = filled(0..10);
    index.insert(ItemId(3), PictureId(503), &encoded(77));
    assert_eq!((index.items(), index.pictures()), (10, 10));
    assert_eq!(index.vote(&asked(77), 1)[0].item, ItemId(3));
    let old = filled(0..10).vote(&asked(3), 1)[0].score;
    assert!(index.vote(&asked(3), 30).iter().all(|vote| vote.score < old / 4.0));
}

#[test]
fn a_picture_goes_and_the_item_stays() {
    let mut index = filled(0..5);
    index.insert(ItemId(2), PictureId(900), &encoded(90));
    index.remove_picture(PictureId(502));
    assert_eq!((index.items(), index.pictures()), (5, 5));
    assert_eq!(index.vote(&asked(90), 1)[0].picture, PictureId(900));
    index.remove_picture(PictureId(900));
    assert_eq!(index.items(), 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is put in and taken out, in whatever order: what is out is never named, what is in is found, and the
    /// answer is that of an index that never knew of the rest.
    #[test]
    fn removed_items_are_never_named(
        gone in proptest::collection::btree_set(0..20_u64, 0..20),
        at_once: bool,
    ) {
        let mut index = filled(0..20);
        if at_once {
            index.remove_items(&gone.iter().map(|item| ItemId(*item)).collect());
        } else {
            for item in &gone {
                index.remove_item(ItemId(*item));
            }
        }
        prop_assert_eq!(index.items(), 20 - gone.len());
        let never = filled((0..20).filter(|item| !gone.contains(item)));
        prop_assert_eq!(index.vote(&asked(5), 40), never.vote(&asked(5), 40));
        // The places of what is gone are taken again.
        index.insert(ItemId(30), PictureId(530), &encoded(30));
        prop_assert_eq!(index.vote(&asked(30), 1)[0].item, ItemId(30));
        index.remove_item(ItemId(30));
        prop_assert_eq!(index.vote(&asked(30), 40), never.vote(&asked(30), 40));
        for item in 0..20 {
            let votes = index.vote(&asked(item), 40);
            prop_assert!(votes.iter().all(|vote| !gone.contains(&vote.item.0)));
            if !gone.contains(&item) {
                prop_assert_eq!(votes[0].item, ItemId(item));
            }
        }
    }

    #[test]
    fn the_order_of_filling_does_not_matter(order in Just((0..12_u64).collect::<Vec<_>>()).prop_shuffle()) {
        prop_assert_eq!(filled(order).vote(&asked(4), 24), filled(0..12).vote(&asked(4), 24));
    }
}
