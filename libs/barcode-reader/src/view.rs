//! Views of an image for scan lines: shrunk, and turned so that rows run in the wanted direction.

use std::sync::LazyLock;

/// A grey image with the affine map back to the original.
pub(super) struct View {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) grey: Vec<u8>,
    /// `x = a·u + b·v + c` and `y = d·u + e·v + f` map the view to the original.
    back: [f32; 6],
}

impl View {
    pub(super) fn new(width: usize, height: usize, grey: Vec<u8>) -> Self {
        Self { width, height, grey, back: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0] }
    }

    /// The view as one of an original that has the same contents in `width` pixels.
    pub(super) fn over(self, width: usize) -> Self {
        let scale = width as f32 / self.width as f32;
        let half = (scale - 1.0) / 2.0;
        Self { back: [scale, 0.0, half, 0.0, scale, half], ..self }
    }

    /// The point of the original at a point of the view.
    #[allow(clippy::many_single_char_names, reason = "the six terms of an affine map")]
    pub(super) fn back(&self, (u, v): (f32, f32)) -> (f32, f32) {
        let [a, b, c, d, e, f] = self.back;
        (a * u + b * v + c, d * u + e * v + f)
    }

    pub(super) fn row(&self, y: usize) -> &[u8] {
        self.grey.get(y * self.width..(y + 1) * self.width).unwrap_or_default()
    }

    /// Averages squares of `factor` by `factor` pixels; an incomplete square at the edges is dropped.
    pub(super) fn shrunk(&self, factor: usize) -> Self {
        let (width, height) = ((self.width / factor).max(1), (self.height / factor).max(1));
        let area = u32::try_from(factor * factor).unwrap_or(1).max(1);
        let mut grey = Vec::with_capacity(width * height);
        let mut sums = vec![0u32; width];
        for y in 0..height {
            if factor == 2 && self.width > 1 && self.height > 1 {
                let (upper, lower) = (self.row(2 * y).as_chunks::<2>().0, self.row(2 * y + 1).as_chunks::<2>().0);
                // Fewer operations than for any factor; the compiler does sixteen at once.
                grey.extend(upper.iter().zip(lower).map(|([a, b], [c, d])| {
                    let sum = u16::from(*a) + u16::from(*b) + u16::from(*c) + u16::from(*d);
                    (sum / 4) as u8
                }));
                continue;
            }
            sums.fill(0);
            for line in 0..factor {
                for (sum, square) in sums.iter_mut().zip(self.row(y * factor + line).chunks(factor)) {
                    *sum += square.iter().map(|value| u32::from(*value)).sum::<u32>();
                }
            }
            grey.extend(sums.iter().map(|sum| u8::try_from(sum / area).unwrap_or(u8::MAX)));
        }
        let scale = factor as f32;
        let half = (scale - 1.0) / 2.0;
        Self { width, height, grey, back: self.after([scale, 0.0, half, 0.0, scale, half]) }
    }

    /// How many pixels of the original one pixel of the view stands for, along a side.
    pub(super) fn scale(&self) -> f32 {
        self.back[0].hypot(self.back[3])
    }

    /// A rectangle around `middle`, a point of the original, whose rows run at `degrees`, clockwise. It has `width` by
    /// `height` pixels, each `step` pixels of the view wide and at least one high. Enlarged, it is smooth (Catmull and
    /// Rom); pixels beyond the edge repeat the edge.
    pub(super) fn cut(&self, middle: (f32, f32), degrees: f32, (width, height): (usize, usize), step: f32) -> Self {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (right, down) = ((cos * step, sin * step), (-sin * step.max(1.0), cos * step.max(1.0)));
        let (x, y) = self.forth(middle);
        let (half_u, half_v) = ((width as f32 - 1.0) / 2.0, (height as f32 - 1.0) / 2.0);
        let left = x - right.0 * half_u - down.0 * half_v;
        let top = y - right.1 * half_u - down.1 * half_v;
        let map = [right.0, down.0, left, right.1, down.1, top];
        let mut grey = Vec::with_capacity(width * height);
        for v in 0..height {
            let v = v as f32;
            let place = |u: usize| {
                let u = u as f32;
                (map[0] * u + map[1] * v + map[2], map[3] * u + map[4] * v + map[5])
            };
            // A row enters the inner part of the view once, and leaves it once.
            let first = (0..width).find(|u| self.has_around(place(*u))).unwrap_or(width);
            let end = (first..width).rev().find(|u| self.has_around(place(*u))).map_or(first, |last| last + 1);
            grey.extend((0..first).map(|u| self.between(place(u))));
            self.fill(&mut grey, place(first), right, end - first, step < 1.0);
            grey.extend((end..width).map(|u| self.between(place(u))));
        }
        Self { width, height, grey, back: self.after(map) }
    }

    /// The point of the view at a point of the original. Views that are cut from are not turned.
    fn forth(&self, (x, y): (f32, f32)) -> (f32, f32) {
        let [across, _, left, _, down, top] = self.back;
        ((x - left) / across, (y - top) / down)
    }

    /// The view with rows and columns exchanged.
    pub(super) fn transposed(&self) -> Self {
        let mut grey = Vec::with_capacity(self.grey.len());
        for x in 0..self.width {
            grey.extend(self.grey.iter().skip(x).step_by(self.width));
        }
        let back = self.after([0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        Self { width: self.height, height: self.width, grey, back }
    }

    /// Whether the view has all pixels around a place from which it is interpolated, and some to spare.
    fn has_around(&self, (x, y): (f32, f32)) -> bool {
        x >= 2.0 && y >= 2.0 && x < self.width as f32 - 3.0 && y < self.height as f32 - 3.0
    }

    /// Interpolates a row of places whose surroundings are all in the view; with cubic curves if it is to be smooth:
    /// between pixels as wide as a bar, straight lines would flatten the bars. Places are counted in whole parts of a
    /// pixel, because most of the time for an image without a barcode goes into this.
    fn fill(&self, grey: &mut Vec<u8>, from: (f32, f32), along: (f32, f32), count: usize, smooth: bool) {
        let parts = |value: f32| (f64::from(value) * f64::from(PARTS)).round() as i64;
        let ((mut x, mut y), (right, down)) = ((parts(from.0), parts(from.1)), (parts(along.0), parts(along.1)));
        let split = |value: i64| ((value >> PART_BITS) as usize, (value & i64::from(PARTS - 1)) as u32);
        grey.extend((0..count).map(|_| {
            let ((left, fx), (top, fy)) = (split(x), split(y));
            (x, y) = (x + right, y + down);
            let first = top * self.width + left;
            if smooth { self.cubic(first - self.width - 1, (fx, fy)) } else { self.linear(first, (fx, fy)) }
        }));
    }

    /// Linear interpolation between the pixels of a square of two.
    fn linear(&self, first: usize, (fx, fy): (u32, u32)) -> u8 {
        let pair = |first: usize| {
            let (pair, _) = self.grey.get(first..)?.split_first_chunk::<2>()?;
            // To eight bits, so that all products fit.
            let fx = fx >> (PART_BITS - 8);
            Some(u32::from(pair[0]) * (256 - fx) + u32::from(pair[1]) * fx)
        };
        let (Some(upper), Some(lower)) = (pair(first), pair(first + self.width)) else { return 0 };
        let fy = fy >> (PART_BITS - 8);
        ((upper * (256 - fy) + lower * fy + (1 << 15)) >> 16) as u8
    }

    /// Cubic interpolation between the pixels of a square of four.
    fn cubic(&self, first: usize, (fx, fy): (u32, u32)) -> u8 {
        let weights = |part: u32| CUBIC.get((part >> (PART_BITS - 8)) as usize).copied().unwrap_or_default();
        // The columns are added up over the rows, four at once, and then with their own weights.
        let mut columns = [0.0; 4];
        for (at, weight) in weights(fy).into_iter().enumerate() {
            let near = self.grey.get(first + at * self.width..).and_then(|row| row.split_first_chunk::<4>());
            let Some((near, _)) = near else { return 0 };
            for (column, value) in columns.iter_mut().zip(near) {
                *column += weight * f32::from(*value);
            }
        }
        let [first, second, third, fourth] = weights(fx);
        let sum = columns[0] * first + columns[1] * second + (columns[2] * third + columns[3] * fourth) + 0.5;
        // Into range as an integer, which is quicker; the sum is far below the limit.
        (sum as i32).clamp(0, 255) as u8
    }

    /// Bilinear interpolation; pixels beyond the edge repeat the edge.
    fn between(&self, (x, y): (f32, f32)) -> u8 {
        let x = x.clamp(0.0, (self.width - 1) as f32);
        let y = y.clamp(0.0, (self.height - 1) as f32);
        let (left, top) = (x as usize, y as usize);
        let (right, bottom) = ((left + 1).min(self.width - 1), (top + 1).min(self.height - 1));
        let at = |x: usize, y: usize| self.grey.get(y * self.width + x).map_or(0.0, |value| f32::from(*value));
        let (fx, fy) = (x - left as f32, y - top as f32);
        let upper = at(left, top) + (at(right, top) - at(left, top)) * fx;
        let lower = at(left, bottom) + (at(right, bottom) - at(left, bottom)) * fx;
        (upper + (lower - upper) * fy + 0.5) as u8
    }

    /// The map back through `step` and then through this view.
    #[allow(clippy::many_single_char_names, reason = "the terms of two affine maps")]
    fn after(&self, step: [f32; 6]) -> [f32; 6] {
        let [a, b, c, d, e, f] = self.back;
        let [p, q, r, s, t, u] = step;
        [a * p + b * s, a * q + b * t, a * r + b * u + c, d * p + e * s, d * q + e * t, d * r + e * u + f]
    }
}

/// Places between pixels are whole numbers of this many parts of a pixel.
const PART_BITS: u32 = 16;
const PARTS: u32 = 1 << PART_BITS;

/// The weights of four neighbours at 256 places between the middle two (Catmull and Rom).
static CUBIC: LazyLock<[[f32; 4]; 256]> = LazyLock::new(|| {
    std::array::from_fn(|place| {
        let t = place as f32 / 256.0;
        let (t2, t3) = (t * t, t * t * t);
        let twice = [-t3 + 2.0 * t2 - t, 3.0 * t3 - 5.0 * t2 + 2.0, -3.0 * t3 + 4.0 * t2 + t, t3 - t2];
        twice.map(|weight| weight / 2.0)
    })
});

#[cfg(test)]
mod tests {
    use super::View;

    /// A white pixel is found again through every kind of view.
    #[test]
    fn the_way_back_leads_to_the_pixel() {
        let (width, height) = (60, 40);
        let mut grey = vec![0; width * height];
        for y in 20..24 {
            for x in 32..36 {
                grey[y * width + x] = 255;
            }
        }
        let view = View::new(width, height, grey);
        let cut = |view: &View, degrees, step| view.cut((30.0, 20.0), degrees, (90, 90), step);
        let half = view.shrunk(2);
        let views =
            [cut(&view, 30.0, 1.0), cut(&view, 135.0, 0.7), view.transposed(), cut(&half, 45.0, 0.5), view.shrunk(2)];
        for seen in views {
            let brightest = (0..seen.grey.len()).max_by_key(|at| seen.grey[*at]).unwrap();
            let (u, v) = (brightest % seen.width, brightest / seen.width);
            let (x, y) = seen.back((u as f32, v as f32));
            assert!((31.0..=36.0).contains(&x) && (19.0..=24.0).contains(&y), "{x} {y}");
        }
    }
}
