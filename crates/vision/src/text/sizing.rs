//! Pictures and lines at the sizes that the networks of a text reader want, and as their numbers.

use kaisatsu_resize::{Method, Resizer};

use crate::{
    Picture,
    manifest::{Channels, TextDetect, TextPicture},
};

/// A picture within the bounds of the reader, and how it came about.
pub(super) struct Bounded {
    pub(super) picture: Picture,
    /// Pixels of the picture as given for one of this, across and down.
    pub(super) scale: (f32, f32),
    /// Rows of black above it.
    pub(super) above: u32,
}

/// Both sides scaled and rounded to multiples of `of`, at least one of them.
fn rounded((width, height): (u32, u32), scale: f64, of: u32) -> (u32, u32) {
    let side = |side: u32| {
        let multiples = ((f64::from(side) * scale).floor() / f64::from(of)).round_ties_even();
        multiples.max(1.0) as u32 * of
    };
    (side(width), side(height))
}

/// A picture that is neither too large nor too small, with black bars where it is a narrow strip: a detector that
/// enlarges the shorter side would make a strip enormous.
pub(super) fn bounded(resizer: &mut Resizer, given: &Picture, rules: &TextPicture, of: u32) -> Option<Bounded> {
    let (long, short) = (given.width().max(given.height()), given.width().min(given.height()));
    let scale = if long > rules.max_side {
        f64::from(rules.max_side) / f64::from(long)
    } else if short < rules.min_side {
        f64::from(rules.min_side) / f64::from(short)
    } else {
        1.0
    };
    let mut picture = given.clone();
    if long > rules.max_side || short < rules.min_side {
        // A strip of one pixel must not become longer than the longest side.
        let (width, height) = rounded((given.width(), given.height()), scale, of);
        let longest = rules.max_side.max(of);
        picture = resized(resizer, given, (width.min(longest), height.min(longest)))?;
    }
    let ratio = |given: u32, now: u32| given as f32 / now as f32;
    let scale = (ratio(given.width(), picture.width()), ratio(given.height(), picture.height()));
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let mut above = 0;
    if picture.height() <= rules.min_height || width / height > rules.wide_ratio {
        let wanted = (width / rules.wide_ratio).floor().max(rules.min_height as f32) * 2.0;
        above = ((wanted - height).abs() / 2.0) as u32;
        let bar = vec![0; above as usize * picture.width() as usize * 3];
        let rgb = [bar.as_slice(), picture.rgb(), bar.as_slice()].concat();
        picture = Picture::new(picture.width(), picture.height() + 2 * above, rgb)?;
    }
    Some(Bounded { picture, scale, above })
}

/// The size at which a detector looks at a picture: its shorter side is enlarged, but the longer one never beyond
/// `longest`.
pub(super) fn detector_size(picture: &Picture, rules: &TextDetect, longest: u32) -> (u32, u32) {
    let (long, short) = (picture.width().max(picture.height()), picture.width().min(picture.height()));
    let wanted = (f64::from(rules.short_side) / f64::from(short)).max(1.0);
    let most = f64::from(longest.max(rules.multiple_of)) / f64::from(long);
    rounded((picture.width(), picture.height()), wanted.min(most), rules.multiple_of)
}

/// A picture at another size: plain bilinear as in training, but with every pixel counted where it shrinks to half or
/// less.
pub(super) fn resized(resizer: &mut Resizer, picture: &Picture, (width, height): (u32, u32)) -> Option<Picture> {
    if (width, height) == (picture.width(), picture.height()) {
        return Some(picture.clone());
    }
    shrink_or_grow(resizer, picture, (width, height), picture.width() >= 2 * width && picture.height() >= 2 * height)
}

fn shrink_or_grow(
    resizer: &mut Resizer,
    picture: &Picture,
    (width, height): (u32, u32),
    smooth: bool,
) -> Option<Picture> {
    let method = if smooth { Method::Bilinear } else { Method::Interpolated };
    let rgb = resizer.resize(picture.pixels(), picture.pixels().whole(), (width, height), method)?;
    Picture::new(width, height, rgb)
}

/// How the values of a tensor are made of pixels.
#[derive(Debug, Clone)]
pub(super) struct Scale {
    /// For each channel of the tensor, the value of every byte.
    tables: [Vec<f32>; 3],
    order: [usize; 3],
}

impl Scale {
    pub(super) fn new(channels: Channels, mean: [f32; 3], std: [f32; 3]) -> Self {
        let order = match channels {
            Channels::Rgb => [0, 1, 2],
            Channels::Bgr => [2, 1, 0],
        };
        let table =
            |channel: usize| (0..=u8::MAX).map(|value| (f32::from(value) - mean[channel]) / std[channel]).collect();
        Self { tables: std::array::from_fn(table), order }
    }

    /// Adds a picture to a tensor, plane after plane; to the right it is filled up with zeros to `width`.
    pub(super) fn append(&self, tensor: &mut Vec<f32>, picture: &Picture, width: usize) {
        let own = picture.width() as usize;
        for (table, &channel) in self.tables.iter().zip(&self.order) {
            for row in picture.rgb().chunks_exact(own * 3) {
                let values = row.chunks_exact(3).take(width).filter_map(|pixel| pixel.get(channel));
                tensor.extend(values.filter_map(|value| table.get(usize::from(*value))));
                tensor.extend(std::iter::repeat_n(0.0, width.saturating_sub(own)));
            }
        }
    }
}

/// A line at the height of a network, with its proportions but no wider than `widest`.
pub(super) fn line(resizer: &mut Resizer, cut: &Picture, height: u32, widest: u32) -> Option<Picture> {
    let ratio = f64::from(cut.width()) / f64::from(cut.height());
    let width = ((f64::from(height) * ratio).ceil() as u32).clamp(1, widest.max(1));
    shrink_or_grow(resizer, cut, (width, height), false)
}

#[cfg(test)]
mod tests {
    use kaisatsu_resize::Resizer;

    use super::{Scale, bounded, detector_size};
    use crate::{
        Picture,
        manifest::{Channels, TextPicture},
    };

    const RULES: TextPicture = TextPicture { max_side: 2000, min_side: 30, wide_ratio: 8.0, min_height: 30 };

    fn grey(width: u32, height: u32) -> Picture {
        Picture::new(width, height, vec![90; (width * height * 3) as usize]).unwrap()
    }

    #[test]
    fn a_large_picture_shrinks_to_multiples() {
        let bounded = bounded(&mut Resizer::new(), &grey(4000, 3000), &RULES, 32).unwrap();
        assert_eq!((bounded.picture.width(), bounded.picture.height(), bounded.above), (1984, 1504, 0));
        assert!((bounded.scale.0 - 4000.0 / 1984.0).abs() < 1e-4);
    }

    #[test]
    fn a_strip_gets_bars_above_and_below() {
        let bounded = bounded(&mut Resizer::new(), &grey(400, 40), &RULES, 32).unwrap();
        // 400 / 8 · 2 = 100 rows, of which 40 are the picture.
        assert_eq!((bounded.picture.height(), bounded.above), (100, 30));
        assert_eq!(bounded.picture.rgb()[0], 0);
    }

    #[test]
    fn no_shape_of_picture_becomes_too_large() {
        for (width, height) in [(1, 1), (1, 3000), (3000, 1), (2, 5), (2000, 2000), (17, 900)] {
            let bounded = bounded(&mut Resizer::new(), &grey(width, height), &RULES, 32).unwrap();
            assert!(bounded.picture.width() <= 2016 && bounded.picture.height() <= 2016, "{width} {height}");
        }
    }

    #[test]
    fn the_detector_sees_short_sides_enlarged_and_long_ones_limited() {
        let rules = crate::manifest::TextDetect {
            file: "x".into(),
            sha256: String::new(),
            input: String::new(),
            output: String::new(),
            channels: Channels::Bgr,
            mean: [0.0; 3],
            std: [1.0; 3],
            short_side: 736,
            multiple_of: 32,
            threshold: 0.3,
            box_floor: 0.5,
            candidates: 10,
            unclip: 1.6,
            dilate: true,
        };
        assert_eq!(detector_size(&grey(640, 480), &rules, 2000), (992, 736));
        assert_eq!(detector_size(&grey(640, 480), &rules, 960), (960, 704));
        assert_eq!(detector_size(&grey(1984, 1504), &rules, 960), (960, 736));
        assert_eq!(detector_size(&grey(5, 5), &rules, 960), (736, 736));
    }

    #[test]
    fn channels_are_exchanged_and_the_rest_is_nothing() {
        let picture = Picture::new(1, 1, vec![10, 20, 30]).unwrap();
        let mut tensor = Vec::new();
        Scale::new(Channels::Bgr, [10.0; 3], [10.0; 3]).append(&mut tensor, &picture, 2);
        assert_eq!(tensor, [2.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    }
}
