//! Rectangles between whole map units: what something covers, and whether a window shows it.

use kaisatsu_model::Window;

/// A rectangle, its edges included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    pub(crate) fn of(window: &Window) -> Self {
        Self { left: wide(window.x), top: wide(window.y), right: wide(window.right()), bottom: wide(window.bottom()) }
    }

    pub(crate) fn around(a: (f64, f64), b: (f64, f64)) -> Self {
        Self { left: a.0.min(b.0), top: a.1.min(b.1), right: a.0.max(b.0), bottom: a.1.max(b.1) }
    }

    pub(crate) fn with(self, point: (f64, f64)) -> Self {
        Self {
            left: self.left.min(point.0),
            top: self.top.min(point.1),
            right: self.right.max(point.0),
            bottom: self.bottom.max(point.1),
        }
    }

    /// Larger on all sides.
    pub(crate) fn grown(self, by: f64) -> Self {
        Self { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        self.with((other.left, other.top)).with((other.right, other.bottom))
    }

    /// Whether the two share a point; touching edges do.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.left <= other.right && other.left <= self.right && self.top <= other.bottom && other.top <= self.bottom
    }

    /// Whether a straight stretch comes into the area.
    pub(crate) fn is_crossed(&self, from: (f64, f64), to: (f64, f64)) -> bool {
        if !self.meets(&Self::around(from, to)) {
            return false;
        }
        // It does unless all corners lie on one side of it.
        let side = |x: f64, y: f64| (to.0 - from.0) * (y - from.1) - (to.1 - from.1) * (x - from.0);
        let corners =
            [(self.left, self.top), (self.right, self.top), (self.left, self.bottom), (self.right, self.bottom)];
        let sides = corners.map(|(x, y)| side(x, y));
        !(sides.iter().all(|side| *side > 0.0) || sides.iter().all(|side| *side < 0.0))
    }

    pub(crate) fn middle(&self) -> (f64, f64) {
        (f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom))
    }

    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// Coordinates of a map are far below the limit of exact floats.
#[expect(clippy::cast_precision_loss, reason = "see above")]
fn wide(number: i64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::Area;

    #[test]
    fn a_diagonal_may_pass_by_a_corner() {
        let area = Area { left: 10.0, top: 10.0, right: 20.0, bottom: 20.0 };
        assert!(area.is_crossed((0.0, 0.0), (30.0, 30.0)));
        assert!(area.is_crossed((12.0, 12.0), (13.0, 15.0)));
        assert!(area.is_crossed((0.0, 20.0), (20.0, 0.0)));
        assert!(!area.is_crossed((0.0, 19.0), (19.0, 0.0)));
        assert!(!area.is_crossed((0.0, 0.0), (9.0, 9.0)));
    }
}
