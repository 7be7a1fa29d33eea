//! Views of an image for scan lines: shrunk, and turned so that rows run in the wanted direction.

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

    /// The view turned so that its rows run at `degrees`, clockwise.
    pub(super) fn turned(&self, degrees: f32) -> Self {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (w, h) = (self.width as f32, self.height as f32);
        let width = (w * cos.abs() + h * sin.abs()).ceil();
        let height = (w * sin.abs() + h * cos.abs()).ceil();
        let (middle_x, middle_y) = ((w - 1.0) / 2.0, (h - 1.0) / 2.0);
        let (centre_u, centre_v) = ((width - 1.0) / 2.0, (height - 1.0) / 2.0);
        let turn = [
            cos,
            -sin,
            middle_x - cos * centre_u + sin * centre_v,
            sin,
            cos,
            middle_y - sin * centre_u - cos * centre_v,
        ];
        let (width, height) = (width as usize, height as usize);
        let mut grey = Vec::with_capacity(width * height);
        for v in 0..height {
            let v = v as f32;
            grey.extend((0..width).map(|u| {
                let u = u as f32;
                self.between(turn[0] * u + turn[1] * v + turn[2], turn[3] * u + turn[4] * v + turn[5])
            }));
        }
        Self { width, height, grey, back: self.after(turn) }
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

    /// Bilinear interpolation; pixels beyond the edge repeat the edge.
    fn between(&self, x: f32, y: f32) -> u8 {
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
        let views =
            [view.shrunk(2), view.turned(30.0), view.turned(135.0), view.transposed(), view.shrunk(2).turned(45.0)];
        for seen in views {
            let brightest = (0..seen.grey.len()).max_by_key(|at| seen.grey[*at]).unwrap();
            let (u, v) = (brightest % seen.width, brightest / seen.width);
            let (x, y) = seen.back((u as f32, v as f32));
            assert!((31.0..=36.0).contains(&x) && (19.0..=24.0).contains(&y), "{x} {y}");
        }
    }
}
