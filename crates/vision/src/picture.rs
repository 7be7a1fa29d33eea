//! Pictures as the models see them: upright, three bytes a pixel.

use image::metadata::Orientation;
use kaisatsu_resize::Rgb;

/// An upright picture in RGB, eight bits a channel, rows from the top, without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

impl Picture {
    /// A picture out of its pixels; `None` when their number does not fit the size, or the size is nothing.
    #[must_use]
    pub fn new(width: u32, height: u32, rgb: Vec<u8>) -> Option<Self> {
        let fits = u64::from(width) * u64::from(height) * 3 == rgb.len() as u64;
        (fits && !rgb.is_empty()).then_some(Self { width, height, rgb })
    }

    /// Pixels from left to right.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Pixels from top to bottom.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The pixels: red, green, blue.
    #[must_use]
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The pixels, for resizing.
    pub(crate) fn pixels(&self) -> Rgb<'_> {
        Rgb { width: self.width, height: self.height, bytes: &self.rgb }
    }

    /// The brightness of each pixel, as the eye weighs the channels (Rec. 601).
    #[must_use]
    pub fn grey(&self) -> Vec<u8> {
        // In parts of 256, which vector instructions divide by.
        let weigh = |[r, g, b]: &[u8; 3]| (u16::from(*r) * 77 + u16::from(*g) * 150 + u16::from(*b) * 29 + 128) >> 8;
        self.rgb.as_chunks().0.iter().map(|pixel| weigh(pixel).to_le_bytes()[0]).collect()
    }

    /// The part of the picture in an area; at least one pixel of it.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a place within a picture"
    )]
    pub fn part(&self, area: Area) -> Self {
        let range = |from: f32, to: f32, side: u32| {
            let place = |part: f32| (part.clamp(0.0, 1.0) * side as f32).round() as usize;
            let from = place(from).min(side as usize - 1);
            from..place(to).clamp(from + 1, side as usize)
        };
        let columns = range(area.x_min, area.x_max, self.width);
        let rows = range(area.y_min, area.y_max, self.height);
        let (width, height) = (columns.len() as u32, rows.len() as u32);
        let row = |y: usize| {
            let start = y * self.width as usize;
            &self.rgb[(start + columns.start) * 3..(start + columns.end) * 3]
        };
        Self { width, height, rgb: rows.flat_map(row).copied().collect() }
    }

    /// The same picture after quarter turns to the right.
    #[must_use]
    pub fn turned(&self, quarters: u32) -> Self {
        let (w, h) = (self.width as usize, self.height as usize);
        let (width, height) = if quarters % 2 == 1 { (h, w) } else { (w, h) };
        let mut rgb = Vec::with_capacity(self.rgb.len());
        for y in 0..height {
            for x in 0..width {
                let (from_x, from_y) = match quarters % 4 {
                    0 => (x, y),
                    1 => (y, h - 1 - x),
                    2 => (w - 1 - x, h - 1 - y),
                    _ => (w - 1 - y, x),
                };
                let at = (from_y * w + from_x) * 3;
                rgb.extend_from_slice(&self.rgb[at..at + 3]);
            }
        }
        let (width, height) = if quarters % 2 == 1 { (self.height, self.width) } else { (self.width, self.height) };
        Self { width, height, rgb }
    }
}

/// A rectangle in fractions of an upright picture, 0 to 1 from its left and top edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Left edge.
    pub x_min: f32,
    /// Top edge.
    pub y_min: f32,
    /// Right edge.
    pub x_max: f32,
    /// Bottom edge.
    pub y_max: f32,
}

impl Area {
    /// Its corners, from the upper left to the right.
    #[must_use]
    pub fn corners(self) -> [(f32, f32); 4] {
        let Self { x_min, y_min, x_max, y_max } = self;
        [(x_min, y_min), (x_max, y_min), (x_max, y_max), (x_min, y_max)]
    }

    /// Intersection over union, 0 to 1; empty areas have 0.
    #[must_use]
    pub fn overlap(self, other: Self) -> f32 {
        let size = |area: Self| (area.x_max - area.x_min).max(0.0) * (area.y_max - area.y_min).max(0.0);
        let shared = size(Self {
            x_min: self.x_min.max(other.x_min),
            y_min: self.y_min.max(other.y_min),
            x_max: self.x_max.min(other.x_max),
            y_max: self.y_max.min(other.y_max),
        });
        let all = size(self) + size(other) - shared;
        if all > 0.0 { shared / all } else { 0.0 }
    }

    /// The smallest area around both.
    #[must_use]
    pub fn around(self, other: Self) -> Self {
        Self {
            x_min: self.x_min.min(other.x_min),
            y_min: self.y_min.min(other.y_min),
            x_max: self.x_max.max(other.x_max),
            y_max: self.y_max.max(other.y_max),
        }
    }
}

/// A rectangle in pixels of an image file as it was sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PixelBox {
    /// Left edge.
    pub x_min: f32,
    /// Top edge.
    pub y_min: f32,
    /// Right edge.
    pub x_max: f32,
    /// Bottom edge.
    pub y_max: f32,
}

/// Size, orientation and format of an image file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageFile {
    /// Pixels from left to right in the file, before the orientation tag is applied.
    pub width: u32,
    /// Pixels from top to bottom in the file.
    pub height: u32,
    /// Its orientation tag.
    pub orientation: Orientation,
    /// The format by its first bytes.
    pub format: &'static str,
}

impl ImageFile {
    /// Where a rectangle of the upright picture lies in the file, in its pixels.
    #[must_use]
    pub fn locate(&self, area: Area) -> PixelBox {
        let place = |x: f32, y: f32| self.locate_point((x.clamp(0.0, 1.0), y.clamp(0.0, 1.0)));
        let (a, b) = (place(area.x_min, area.y_min), place(area.x_max, area.y_max));
        PixelBox { x_min: a.0.min(b.0), y_min: a.1.min(b.1), x_max: a.0.max(b.0), y_max: a.1.max(b.1) }
    }

    /// The point of the file that an upright viewer sees at (`x`, `y`), both as fractions: the inverse of the turn.
    /// A point outside of the picture stays outside.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
    pub fn locate_point(&self, (x, y): (f32, f32)) -> (f32, f32) {
        let (x, y) = match self.orientation {
            Orientation::NoTransforms => (x, y),
            Orientation::FlipHorizontal => (1.0 - x, y),
            Orientation::Rotate180 => (1.0 - x, 1.0 - y),
            Orientation::FlipVertical => (x, 1.0 - y),
            Orientation::Rotate90 => (y, 1.0 - x),
            Orientation::Rotate270 => (1.0 - y, x),
            Orientation::Rotate90FlipH => (y, x),
            Orientation::Rotate270FlipH => (1.0 - y, 1.0 - x),
        };
        (x * self.width as f32, y * self.height as f32)
    }
}

#[cfg(test)]
#[allow(clippy::cast_precision_loss, reason = "small pictures")]
mod tests {
    use image::{DynamicImage, Rgb, RgbImage, metadata::Orientation};

    use super::{Area, ImageFile, Picture};

    const ALL: [Orientation; 8] = [
        Orientation::NoTransforms,
        Orientation::FlipHorizontal,
        Orientation::Rotate180,
        Orientation::FlipVertical,
        Orientation::Rotate90FlipH,
        Orientation::Rotate90,
        Orientation::Rotate270FlipH,
        Orientation::Rotate270,
    ];

    /// A mark is put in the file; the picture is turned as the tag says; the box around the mark in the turned picture
    /// must lead back to the mark in the file.
    #[test]
    fn a_box_leads_back_to_the_file_for_every_orientation() {
        let (width, height, mark) = (40, 20, (30, 5));
        for orientation in ALL {
            let mut file = RgbImage::new(width, height);
            file.put_pixel(mark.0, mark.1, Rgb([255, 0, 0]));
            let mut upright = DynamicImage::ImageRgb8(file);
            upright.apply_orientation(orientation);
            let upright = upright.to_rgb8();
            let seen = upright.enumerate_pixels().find(|(_, _, pixel)| pixel[0] == 255).map(|(x, y, _)| (x, y));
            let (x, y) = seen.unwrap_or_default();
            let (w, h) = (upright.width() as f32, upright.height() as f32);
            let area =
                Area { x_min: x as f32 / w, y_min: y as f32 / h, x_max: (x + 1) as f32 / w, y_max: (y + 1) as f32 / h };
            let found = ImageFile { width, height, orientation, format: "PNG" }.locate(area);
            let near = |a: f32, b: u32| (a - b as f32).abs() < 1e-3;
            assert!(near(found.x_min, mark.0) && near(found.y_min, mark.1), "{orientation:?}: {found:?}");
            assert!(near(found.x_max, mark.0 + 1) && near(found.y_max, mark.1 + 1), "{orientation:?}: {found:?}");
        }
    }

    #[test]
    fn four_quarter_turns_are_none() {
        let picture = Picture::new(3, 2, (0..18).collect()).unwrap_or_else(|| unreachable!());
        assert_eq!(picture.turned(1).turned(3), picture);
        assert_eq!(picture.turned(2).turned(2), picture);
        // Turned to the right, the lower left pixel comes to the upper left corner.
        assert_eq!(&picture.turned(1).rgb()[..3], &picture.rgb()[9..12]);
    }
}
