//! From a picture to its local features, by a network of the XFeat kind.

use std::path::Path;

use kaisatsu_resize::{Part, Resizer};

use super::{
    features::{DIMENSIONS, Descriptor, Features, Point, Reference},
    trim::trim,
};
use crate::{
    Picture,
    manifest::{Backend, FeatureInput, FeatureOutput, Filter, Manifest, Parts},
    prepare::resize,
    runtime::{Feed, Network, Runtime, RuntimeError, Tensor},
};

/// The network's maps have one value for each cell of so many pixels.
const CELL: usize = 8;
/// The sides of the network's input are multiples of this.
const STEP: u32 = 32;
/// A small picture is not blown up beyond this: it would gain no detail, only time.
const MOST_ENLARGEMENT: f64 = 2.0;

/// The longer sides at which a reference picture is kept, and how many features of each.
pub const REFERENCE_SIZES: [(u32, usize); 2] = [(576, 500), (320, 300)];

/// A picture made small and grey: what the network sees.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    width: usize,
    height: usize,
    grey: Vec<f32>,
}

impl Plane {
    #[cfg(test)]
    pub(crate) fn new(width: usize, height: usize, grey: Vec<f32>) -> Self {
        Self { width, height, grey }
    }

    /// The middle of its brightest pixels, as fractions.
    #[cfg(test)]
    #[allow(clippy::cast_precision_loss, reason = "small planes")]
    pub(crate) fn brightest(&self) -> (f32, f32) {
        let most = self.grey.iter().copied().fold(0.0, f32::max);
        let bright = (0..self.grey.len()).filter(|at| self.grey[*at] > 0.7 * most);
        let places: Vec<(f32, f32)> =
            bright.map(|at| ((at % self.width) as f32 + 0.5, (at / self.width) as f32 + 0.5)).collect();
        let sum = places.iter().fold((0.0, 0.0), |sum, place| (sum.0 + place.0, sum.1 + place.1));
        let many = places.len() as f32;
        (sum.0 / many / self.width as f32, sum.1 / many / self.height as f32)
    }

    /// Width and height.
    #[allow(clippy::cast_precision_loss, reason = "a few thousand pixels")]
    pub(crate) fn size(&self) -> (f32, f32) {
        (self.width as f32, self.height as f32)
    }

    /// Calls `each` with the change to the right and downwards at every second pixel of every second row.
    pub(crate) fn gradients(&self, mut each: impl FnMut(f32, f32)) {
        for y in (1..self.height.saturating_sub(1)).step_by(2) {
            let row = |y: usize| &self.grey[y * self.width..(y + 1) * self.width];
            let (above, here, below) = (row(y - 1), row(y), row(y + 1));
            for x in (1..self.width.saturating_sub(1)).step_by(2) {
                each(here[x + 1] - here[x - 1], below[x] - above[x]);
            }
        }
    }

    /// The same turned to the right by any angle, on a ground of its mean brightness.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "places in a plane of a few thousand pixels"
    )]
    pub(crate) fn rotated(&self, degrees: f32) -> Self {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (w, h) = self.size();
        let side = |side: f32| ((side / STEP as f32).ceil().max(1.0) as usize) * STEP as usize;
        let (width, height) = (side(w * cos.abs() + h * sin.abs()), side(w * sin.abs() + h * cos.abs()));
        let mean = self.grey.iter().sum::<f32>() / self.grey.len().max(1) as f32;
        let pixel = |at: usize| {
            let (x, y) =
                ((at % width) as f32 + 0.5 - width as f32 / 2.0, (at / width) as f32 + 0.5 - height as f32 / 2.0);
            let (x, y) = (x * cos + y * sin + w / 2.0 - 0.5, y * cos - x * sin + h / 2.0 - 0.5);
            if x < 0.0 || y < 0.0 || x > w - 1.0 || y > h - 1.0 {
                return mean;
            }
            let (left, top) = (x as usize, y as usize);
            let (right, bottom) = ((left + 1).min(self.width - 1), (top + 1).min(self.height - 1));
            let (fx, fy) = (x - left as f32, y - top as f32);
            let at = |x: usize, y: usize| self.grey[y * self.width + x];
            let upper = at(left, top) + (at(right, top) - at(left, top)) * fx;
            let lower = at(left, bottom) + (at(right, bottom) - at(left, bottom)) * fx;
            upper + (lower - upper) * fy
        };
        Self { width, height, grey: (0..width * height).map(pixel).collect() }
    }

    /// The same after quarter turns to the right.
    #[must_use]
    pub fn turned(&self, quarters: u32) -> Self {
        let (w, h) = (self.width, self.height);
        let (width, height) = if quarters % 2 == 1 { (h, w) } else { (w, h) };
        let from = |x: usize, y: usize| match quarters % 4 {
            0 => (x, y),
            1 => (y, h - 1 - x),
            2 => (w - 1 - x, h - 1 - y),
            _ => (w - 1 - y, x),
        };
        let pixel = |(x, y): (usize, usize)| self.grey[y * w + x];
        let grey = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| pixel(from(x, y))).collect();
        Self { width, height, grey }
    }
}

/// Finds features, on one thread.
pub struct Extractor {
    network: Network,
    input: FeatureInput,
    output: FeatureOutput,
}

impl Extractor {
    /// Loads the network, and runs it once to see that it fits.
    ///
    /// # Errors
    /// When it is a model of another task, it cannot be loaded, or its inputs and outputs are others.
    pub fn load(runtime: &Runtime, folder: &Path, manifest: &Manifest) -> Result<Self, RuntimeError> {
        let Parts::LocalFeatures(parts) = &manifest.parts else {
            return Err(RuntimeError::Run("it is no model for local features".to_owned()));
        };
        let network = runtime.network(&folder.join(&parts.weights.file), Backend::Auto)?;
        let mut extractor = Self { network, input: parts.input.clone(), output: parts.output.clone() };
        let blank = Plane { width: 64, height: 32, grey: vec![0.5; 64 * 32] };
        extractor.features(&blank, 1)?;
        Ok(extractor)
    }

    /// Finds the features of a reference picture without its plain margins, at the sizes of [`REFERENCE_SIZES`].
    ///
    /// # Errors
    /// When the network fails.
    pub fn reference(&mut self, resizer: &mut Resizer, picture: &Picture) -> Result<Reference, RuntimeError> {
        self.reference_in(resizer, picture, &[0])
    }

    /// As [`reference`](Self::reference), in the four quarter turns: four times as much to compute, to keep and to vote
    /// over, and a picture of a turned item needs no reading in turns.
    ///
    /// # Errors
    /// When the network fails.
    pub fn turned_reference(&mut self, resizer: &mut Resizer, picture: &Picture) -> Result<Reference, RuntimeError> {
        self.reference_in(resizer, picture, &[0, 1, 2, 3])
    }

    /// Finds the features of a reference picture in given quarter turns, all turns of a size after each other.
    fn reference_in(
        &mut self,
        resizer: &mut Resizer,
        picture: &Picture,
        turns: &[u32],
    ) -> Result<Reference, RuntimeError> {
        let part = trim(picture);
        let (mut views, mut sizes) = (Vec::new(), Vec::new());
        for (side, most) in REFERENCE_SIZES {
            let plane = plane(resizer, picture, part, side)?;
            // A picture too small for two sizes is kept once.
            if !sizes.contains(&(plane.width, plane.height)) {
                sizes.push((plane.width, plane.height));
                for quarters in turns {
                    views.push(self.features(&plane.turned(*quarters), most)?);
                }
            }
        }
        Reference::new(views).ok_or_else(|| RuntimeError::Run("there are too many sizes".to_owned()))
    }

    /// Finds the `most` strongest features of a plane.
    ///
    /// # Errors
    /// When the network fails.
    pub fn features(&mut self, plane: &Plane, most: usize) -> Result<Features, RuntimeError> {
        let shape = [1, 1, plane.height, plane.width];
        let feeds = [(self.input.name.as_str(), Feed::Floats(&shape, &plane.grey))];
        let FeatureOutput { descriptors, keypoints, reliability, point_floor, point_window } = &self.output;
        let [descriptors, points, reliability] = self.network.run(&feeds, [descriptors, keypoints, reliability])?;
        let cells = (plane.width / CELL, plane.height / CELL);
        let fits = |tensor: &Tensor, channels: usize| tensor.shape == [1, channels, cells.1, cells.0];
        if !fits(&descriptors, DIMENSIONS) || !fits(&points, CELL * CELL + 1) || !fits(&reliability, 1) {
            return Err(RuntimeError::Run("its outputs are not those of local features".to_owned()));
        }
        let heat = heat_map(&points.values, cells);
        let mut found = local_maxima(&heat, plane.width, plane.height, (*point_floor, point_window / 2));
        for (_, point, score) in &mut found {
            *score *= Sample::new(*point, cells).of(&reliability.values);
        }
        // Positions break ties, so that the same picture always gives the same features.
        found.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        found.truncate(most);
        let plane_size = cells.0 * cells.1;
        let features = found
            .into_iter()
            .map(|(_, point, _)| (point, describe(&descriptors.values, plane_size, &Sample::new(point, cells))));
        let side = |side: usize| u16::try_from(side).unwrap_or(u16::MAX);
        Features::new(side(plane.width), side(plane.height), features.collect())
            .ok_or_else(|| RuntimeError::Run("the picture is too large for local features".to_owned()))
    }
}

/// Makes a picture grey and small, its longer side about `side`.
///
/// # Errors
/// When the picture cannot be resized.
pub fn whole_plane(resizer: &mut Resizer, picture: &Picture, side: u32) -> Result<Plane, RuntimeError> {
    let part = Part { left: 0.0, top: 0.0, width: f64::from(picture.width()), height: f64::from(picture.height()) };
    plane(resizer, picture, part, side)
}

fn plane(resizer: &mut Resizer, picture: &Picture, part: Part, side: u32) -> Result<Plane, RuntimeError> {
    let scale = (f64::from(side) / part.width.max(part.height)).min(MOST_ENLARGEMENT);
    let size = (steps(part.width * scale), steps(part.height * scale));
    let rgb = resize(resizer, picture, part, size, Filter::Bilinear)
        .ok_or_else(|| RuntimeError::Run("the picture cannot be resized".to_owned()))?;
    // The plain mean of the channels is what the network was trained with.
    let grey = rgb.chunks_exact(3).map(|pixel| pixel.iter().map(|value| f32::from(*value)).sum::<f32>() / 765.0);
    Ok(Plane { width: size.0 as usize, height: size.1 as usize, grey: grey.collect() })
}

/// A side as the nearest multiple of [`STEP`].
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a positive range first")]
fn steps(side: f64) -> u32 {
    (side / f64::from(STEP)).round().clamp(1.0, 128.0) as u32 * STEP
}

/// The probability of each pixel to be a point: the channels of a cell are its pixels, row by row, and the last one
/// says "none of them".
fn heat_map(points: &[f32], (across, down): (usize, usize)) -> Vec<f32> {
    let width = across * CELL;
    let mut heat = vec![0.0; width * down * CELL];
    for (channel, values) in points.chunks_exact(across * down).take(CELL * CELL).enumerate() {
        let (row, column) = (channel / CELL, channel % CELL);
        for (cell, value) in values.iter().enumerate() {
            heat[(cell / across * CELL + row) * width + cell % across * CELL + column] = *value;
        }
    }
    heat
}

/// The pixels above `floor` that are the best within `reach`, with their place in the map and their value.
fn local_maxima(heat: &[f32], width: usize, height: usize, (floor, reach): (f32, usize)) -> Vec<(usize, Point, f32)> {
    let best_around = |x: usize, y: usize| {
        let columns = x.saturating_sub(reach)..(x + reach + 1).min(width);
        let rows = y.saturating_sub(reach)..(y + reach + 1).min(height);
        rows.flat_map(|row| &heat[row * width..][columns.clone()]).fold(0.0_f32, |best, value| best.max(*value))
    };
    let mut found = Vec::new();
    for (at, &value) in heat.iter().enumerate().filter(|(_, value)| **value > floor) {
        let (x, y) = (at % width, at / width);
        if value >= best_around(x, y)
            && let (Ok(x), Ok(y)) = (u16::try_from(x), u16::try_from(y))
        {
            found.push((at, Point { x, y }, value));
        }
    }
    found
}

/// How to read a map of cells at a pixel, between the centres of four cells.
struct Sample {
    at: [usize; 4],
    weight: [f32; 4],
}

impl Sample {
    #[allow(clippy::cast_precision_loss, reason = "at most 512 cells a side")]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the cells of the map")]
    fn new(point: Point, (across, down): (usize, usize)) -> Self {
        let axis = |pixel: u16, cells: usize| {
            let place = ((f32::from(pixel) + 0.5) / CELL as f32 - 0.5).clamp(0.0, cells as f32 - 1.0);
            let first = place as usize;
            (first, (first + 1).min(cells - 1), place - first as f32)
        };
        let ((left, right, x), (top, bottom, y)) = (axis(point.x, across), axis(point.y, down));
        Self {
            at: [top * across + left, top * across + right, bottom * across + left, bottom * across + right],
            weight: [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y],
        }
    }

    fn of(&self, map: &[f32]) -> f32 {
        self.at.iter().zip(self.weight).map(|(at, weight)| map[*at] * weight).sum()
    }
}

/// The descriptor at a place, made one long and rounded.
fn describe(maps: &[f32], plane: usize, sample: &Sample) -> Descriptor {
    let mut values = [0.0_f32; DIMENSIONS];
    for (value, map) in values.iter_mut().zip(maps.chunks_exact(plane)) {
        *value = sample.of(map);
    }
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    #[allow(clippy::cast_possible_truncation, reason = "clamped to the range of i8; a float cast saturates anyway")]
    values.map(|value| (value / length * 127.0).round().clamp(-127.0, 127.0) as i8)
}

#[cfg(test)]
mod tests;
