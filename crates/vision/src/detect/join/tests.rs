#![allow(clippy::cast_precision_loss, reason = "small pictures")]

use proptest::prelude::*;

use super::{Seen, join};
use crate::{
    Area, Detection, Picture,
    detect::tiles::{Accuracy, Tile, Tiles},
};

const OVERLAP: f32 = 0.6;

fn detection(score: f32, [x_min, y_min, x_max, y_max]: [f32; 4]) -> Detection {
    Detection { class: 7, score, area: Area { x_min, y_min, x_max, y_max }, row: 0 }
}

/// What a perfect detector sees of boxes in the whole picture and in every tile: what lies in each, cut at its edge.
fn views(picture: &Picture, tiles: &[Tile], boxes: &[([f32; 4], f32)], whole: bool) -> Vec<Seen> {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let mut seen = Vec::new();
    for (sides, score) in boxes {
        let [x_min, y_min, x_max, y_max] = *sides;
        if whole {
            seen.push(Seen::whole(
                detection(*score, [x_min / width, y_min / height, x_max / width, y_max / height]),
                0,
            ));
        }
        for (at, tile) in tiles.iter().enumerate() {
            let x = |x: f32| ((x - tile.left as f32) / tile.width as f32).clamp(0.0, 1.0);
            let y = |y: f32| ((y - tile.top as f32) / tile.height as f32).clamp(0.0, 1.0);
            let part = [x(x_min), y(y_min), x(x_max), y(y_max)];
            if part[2] - part[0] > 0.02 && part[3] - part[1] > 0.02 {
                seen.push(Seen::in_tile(detection(score * 1.05, part), at + 1, *tile, picture));
            }
        }
    }
    seen
}

fn picture(width: u32, height: u32) -> Picture {
    Picture::new(width, height, vec![0; (width * height * 3) as usize]).unwrap()
}

#[test]
fn a_thing_across_a_border_is_one_thing_and_its_whole_box_stays() {
    let picture = picture(1000, 1000);
    let tiles = Tiles::of((1000, 1000), Accuracy::High).cut(&picture);
    // Larger than what tiles share (200 pixels), across the middle: every tile cuts it, the whole picture does not.
    let thing = [350.0, 300.0, 650.0, 700.0];
    let joined = join(views(&picture, &tiles, &[(thing, 0.7)], true), OVERLAP);
    assert_eq!(joined.len(), 1, "{joined:?}");
    assert_eq!(joined[0].found.area, Area { x_min: 0.35, y_min: 0.3, x_max: 0.65, y_max: 0.7 });
    // Smaller: one tile has all of it, the next cuts it.
    let joined = join(views(&picture, &tiles, &[([560.0, 100.0, 700.0, 200.0], 0.7)], false), OVERLAP);
    assert_eq!(joined.len(), 1, "{joined:?}");
    assert!((joined[0].found.area.x_min - 0.56).abs() < 1e-3 && (joined[0].found.area.x_max - 0.7).abs() < 1e-3);
}

#[test]
fn what_no_view_shows_whole_is_put_together() {
    let picture = picture(6000, 400);
    let tiles = Tiles::of((6000, 400), Accuracy::Normal).cut(&picture);
    let train = [700.0, 100.0, 3100.0, 330.0];
    let joined = join(views(&picture, &tiles, &[(train, 0.6)], false), OVERLAP);
    assert_eq!(joined.len(), 1, "{joined:?}");
    let area = joined[0].found.area;
    assert!((area.x_min * 6000.0 - 700.0).abs() < 2.0 && (area.x_max * 6000.0 - 3100.0).abs() < 2.0, "{area:?}");
}

#[test]
fn a_box_of_which_the_network_is_hardly_sure_takes_no_pieces_away() {
    let picture = picture(6000, 400);
    let tiles = Tiles::of((6000, 400), Accuracy::Normal).cut(&picture);
    let mut seen = views(&picture, &tiles, &[([700.0, 100.0, 3100.0, 330.0], 0.8)], false);
    seen.push(Seen::whole(detection(0.05, [0.0, 0.0, 1.0, 1.0]), 0));
    let scores: Vec<f32> = join(seen, OVERLAP).iter().map(|one| one.found.score).collect();
    assert!(scores.len() == 2 && scores[1] > 0.8, "{scores:?}");
}

#[test]
fn a_piece_whose_rest_is_missing_is_dropped() {
    let picture = picture(1000, 1000);
    let tiles = Tiles::of((1000, 1000), Accuracy::High).cut(&picture);
    let mut seen = views(&picture, &tiles, &[([350.0, 100.0, 700.0, 200.0], 0.8)], false);
    seen.truncate(1);
    assert!(join(seen, OVERLAP).is_empty());
}

#[test]
fn neighbours_and_other_classes_stay_apart() {
    let picture = picture(1000, 1000);
    let tiles = Tiles::of((1000, 1000), Accuracy::High).cut(&picture);
    let boxes =
        [([100.0, 100.0, 180.0, 200.0], 0.9), ([190.0, 100.0, 270.0, 200.0], 0.8), ([700.0, 700.0, 900.0, 800.0], 0.7)];
    let mut seen = views(&picture, &tiles, &boxes, true);
    seen.extend(views(&picture, &tiles, &boxes[..1], true).into_iter().map(|mut one| {
        one.found.class = 8;
        one
    }));
    assert_eq!(join(seen, OVERLAP).len(), 4);
}

#[test]
fn what_only_the_whole_picture_shows_is_as_it_was() {
    let one = |score, x| Seen::whole(detection(score, [x, 0.0, x + 0.2, 0.2]), 0);
    let joined = join(vec![one(0.5, 0.0), one(0.9, 0.5), one(0.4, 0.52)], OVERLAP);
    let scores: Vec<f32> = joined.iter().map(|one| one.found.score).collect();
    assert_eq!(scores, [0.9, 0.5], "of two that overlap the surer stays");
}

proptest! {
    /// A single thing of any size and place is answered once, whether the whole picture shows it or not.
    #[test]
    fn one_thing_is_one_answer(
        (x, y) in (0.0f32..900.0, 0.0f32..900.0), (width, height) in (40.0f32..900.0, 40.0f32..900.0), whole: bool,
    ) {
        let picture = picture(1000, 1000);
        let tiles = Tiles::of((1000, 1000), Accuracy::High).cut(&picture);
        let thing = [x, y, (x + width).min(1000.0), (y + height).min(1000.0)];
        let joined = join(views(&picture, &tiles, &[(thing, 0.6)], whole), OVERLAP);
        prop_assert_eq!(joined.len(), 1, "{:?}", joined);
        let area = joined[0].found.area;
        let wanted = Area { x_min: x / 1000.0, y_min: y / 1000.0, x_max: thing[2] / 1000.0, y_max: thing[3] / 1000.0 };
        prop_assert!(area.overlap(wanted) > 0.9, "{:?} {:?}", area, wanted);
    }
}
