//! Pictures of every shape become a tensor.
#![allow(clippy::unwrap_used, reason = "tests")]

use kaisatsu_resize::Resizer;

use super::prepare;
use crate::{
    Picture,
    manifest::{Channels, Filter, Fit, Input, Layout},
};

fn input(side: u32, fit: Fit, crop_fraction: f64) -> Input {
    Input {
        name: "input".to_owned(),
        width: side,
        height: side,
        layout: Layout::Nchw,
        channels: Channels::Rgb,
        fit,
        crop_fraction,
        filter: Filter::Bicubic,
        pad_value: 0,
        mean: [0.0; 3],
        std: [1.0; 3],
        scale_factor: None,
        original_size: None,
    }
}

/// Sides of 3, 6, 12, 14 and 24 pixels were refused: the crop reached beyond the picture by a rounding.
#[test]
fn a_picture_of_any_size_becomes_a_tensor() {
    let mut resizer = Resizer::new();
    let inputs = [
        input(260, Fit::Crop, 0.875),
        input(224, Fit::Crop, 0.875),
        input(192, Fit::Crop, 0.9),
        input(416, Fit::Stretch, 1.0),
        input(640, Fit::Pad, 1.0),
    ];
    let short = (1..=32).chain([37, 55, 99, 127, 199]);
    for (short, long) in short.flat_map(|short| [short, short + 1, short * 3 + 1, 211].map(|long| (short, long))) {
        for (width, height) in [(short, long), (long, short)] {
            let picture = Picture::new(width, height, vec![200; (width * height * 3) as usize]).unwrap();
            for input in &inputs {
                let prepared = prepare(&mut resizer, &picture, input, None).map(|prepared| prepared.tensor);
                let side = input.width as usize;
                assert_eq!(prepared.map(|tensor| tensor.len()), Some(3 * side * side), "{width}×{height} for {side}");
            }
        }
    }
}
