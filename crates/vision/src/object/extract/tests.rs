use super::{CELL, Plane, Sample, describe, heat_map, local_maxima, steps};
use crate::object::features::{DIMENSIONS, Point};

#[test]
fn the_channels_of_a_cell_are_its_pixels() {
    let (across, down) = (3, 2);
    let mut points = vec![0.0; 65 * across * down];
    // The pixel in row 5, column 2 of the cell in row 1, column 2.
    points[(5 * CELL + 2) * across * down + across + 2] = 0.7;
    // The last channel says "none" and is no pixel.
    points[64 * across * down] = 0.9;
    let heat = heat_map(&points, (across, down));
    assert_eq!(heat.len(), 24 * 16);
    let hot: Vec<usize> = (0..heat.len()).filter(|at| heat[*at] > 0.0).collect();
    assert_eq!(hot, vec![(8 + 5) * 24 + 16 + 2]);
}

#[test]
fn a_point_is_the_best_within_two_pixels() {
    let mut heat = vec![0.0; 20 * 10];
    heat[0] = 0.3;
    heat[5 * 20 + 10] = 0.4;
    heat[6 * 20 + 12] = 0.5; // Two pixels away, and better.
    heat[5 * 20 + 15] = 0.2; // Three away from that.
    heat[9 * 20 + 19] = 0.04; // Too weak.
    let points: Vec<(u16, u16)> = local_maxima(&heat, 20, 10, (0.05, 2)).iter().map(|(_, p, _)| (p.x, p.y)).collect();
    assert_eq!(points, vec![(0, 0), (15, 5), (12, 6)]);
}

#[test]
fn maps_are_read_between_the_centres_of_cells() {
    let map = [0.0, 1.0, 2.0, 3.0];
    let read = |x, y| Sample::new(Point { x, y }, (2, 2)).of(&map);
    assert!((read(0, 0) - 0.0).abs() < 1e-6);
    assert!((read(15, 15) - 3.0).abs() < 1e-6);
    assert!((read(8, 0) - 9.0 / 16.0).abs() < 1e-6);
}

#[test]
fn a_descriptor_is_one_long() {
    let maps: Vec<f32> = (0..DIMENSIONS).flat_map(|channel| [if channel < 4 { 3.0 } else { 0.0 }; 4]).collect();
    let descriptor = describe(&maps, 4, &Sample::new(Point { x: 4, y: 4 }, (2, 2)));
    assert_eq!(&descriptor[..5], &[64, 64, 64, 64, 0]);
    let nothing = describe(&vec![0.0; DIMENSIONS * 4], 4, &Sample::new(Point { x: 4, y: 4 }, (2, 2)));
    assert_eq!(nothing, [0; DIMENSIONS]);
}

#[test]
fn sides_are_multiples_of_thirty_two() {
    assert_eq!([0.0, 1.0, 47.0, 49.0, 640.0].map(steps), [32, 32, 32, 64, 640]);
}

#[test]
fn four_quarter_turns_are_none() {
    let plane = Plane { width: 3, height: 2, grey: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0] };
    assert_eq!(plane.turned(1).grey, vec![3.0, 0.0, 4.0, 1.0, 5.0, 2.0]);
    assert_eq!(plane.turned(1).turned(3), plane);
    assert_eq!(plane.turned(2).turned(2), plane);
}
