//! Axis-aligned rectangles in map units.

use kaisatsu_model::Window;

/// A rectangle, edges included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Bounds {
    pub(crate) fn of(window: &Window) -> Self {
        Self {
            left: to_f64(window.x),
            top: to_f64(window.y),
            right: to_f64(window.right()),
            bottom: to_f64(window.bottom()),
        }
    }

    pub(crate) fn of_segment(a: (f64, f64), b: (f64, f64)) -> Self {
        Self { left: a.0.min(b.0), top: a.1.min(b.1), right: a.0.max(b.0), bottom: a.1.max(b.1) }
    }

    pub(crate) fn extended(self, point: (f64, f64)) -> Self {
        Self {
            left: self.left.min(point.0),
            top: self.top.min(point.1),
            right: self.right.max(point.0),
            bottom: self.bottom.max(point.1),
        }
    }

    /// Expands the rectangle on all sides.
    pub(crate) fn expanded(self, by: f64) -> Self {
        Self { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        self.extended((other.left, other.top)).extended((other.right, other.bottom))
    }

    /// Whether two rectangles share a point, edges included.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.left <= other.right && other.left <= self.right && self.top <= other.bottom && other.top <= self.bottom
    }

    /// Whether a segment intersects the rectangle.
    pub(crate) fn intersects_segment(&self, from: (f64, f64), to: (f64, f64)) -> bool {
        if !self.meets(&Self::of_segment(from, to)) {
            return false;
        }
        // It does not if all corners are on one side of it.
        let side = |x: f64, y: f64| (to.0 - from.0) * (y - from.1) - (to.1 - from.1) * (x - from.0);
        let corners =
            [(self.left, self.top), (self.right, self.top), (self.left, self.bottom), (self.right, self.bottom)];
        let sides = corners.map(|(x, y)| side(x, y));
        !(sides.iter().all(|side| *side > 0.0) || sides.iter().all(|side| *side < 0.0))
    }

    pub(crate) fn centre(&self) -> (f64, f64) {
        (f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom))
    }

    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// Converts a map coordinate, which is exact as a float.
#[expect(clippy::cast_precision_loss, reason = "see above")]
fn to_f64(number: i64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::Bounds;

    #[test]
    fn a_diagonal_may_pass_by_a_corner() {
        let area = Bounds { left: 10.0, top: 10.0, right: 20.0, bottom: 20.0 };
        assert!(area.intersects_segment((0.0, 0.0), (30.0, 30.0)));
        assert!(area.intersects_segment((12.0, 12.0), (13.0, 15.0)));
        assert!(area.intersects_segment((0.0, 20.0), (20.0, 0.0)));
        assert!(!area.intersects_segment((0.0, 19.0), (19.0, 0.0)));
        assert!(!area.intersects_segment((0.0, 0.0), (9.0, 9.0)));
    }
}
