//! Coordinates, windows and shapes on a map.

use crate::Invalid;

/// A map coordinate. One unit is one pixel at scale 1.
pub type Coordinate = i32;

/// The width or height of a requested window: 1 to 500 and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side(u16);

impl Side {
    /// The longest side.
    pub const MAX: i64 = 500;

    /// Checks the range.
    ///
    /// # Errors
    /// If `number` is outside of the range.
    pub fn new(number: i64) -> Result<Self, Invalid> {
        match u16::try_from(number) {
            Ok(n) if n >= 1 && number <= Self::MAX => Ok(Self(n)),
            _ => Err(Invalid("a window's side is 1 to 500")),
        }
    }

    /// The length.
    #[must_use]
    pub fn get(self) -> i64 {
        i64::from(self.0)
    }
}

/// A rectangle of the map, including its edges. It has 64 bits, so that no sum of map coordinates overflows; the edges
/// of a window far outside of every map saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Left edge.
    pub x: i64,
    /// Top edge.
    pub y: i64,
    /// Extent to the right, zero or more.
    pub width: i64,
    /// Extent downwards, zero or more.
    pub height: i64,
}

impl Window {
    /// The right edge.
    #[must_use]
    pub fn right(&self) -> i64 {
        self.x.saturating_add(self.width)
    }

    /// The bottom edge.
    #[must_use]
    pub fn bottom(&self) -> i64 {
        self.y.saturating_add(self.height)
    }

    /// Whether the two share a point; touching edges do.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.x <= other.right() && other.x <= self.right() && self.y <= other.bottom() && other.y <= self.bottom()
    }

    /// Whether all of the other lies in this one.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.x <= other.x && other.right() <= self.right() && self.y <= other.y && other.bottom() <= self.bottom()
    }

    /// The smallest window that covers both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let (right, bottom) = (self.right().max(other.right()), self.bottom().max(other.bottom()));
        Self { x, y, width: right.saturating_sub(x), height: bottom.saturating_sub(y) }
    }
}

/// An upright rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// Left edge.
    pub x: Coordinate,
    /// Top edge.
    pub y: Coordinate,
    /// Width, at least 1.
    pub width: Coordinate,
    /// Height, at least 1.
    pub height: Coordinate,
}

/// A disc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Circle {
    /// Centre.
    pub x: Coordinate,
    /// Centre.
    pub y: Coordinate,
    /// Radius, at least 1.
    pub r: Coordinate,
}

impl Circle {
    /// The distance of the centre from a window along each axis; zero inside.
    fn gap(&self, window: &Window) -> (i64, i64) {
        let apart = |at: Coordinate, low: i64, high: i64| {
            i64::try_from(i64::from(at).abs_diff(i64::from(at).clamp(low, high))).unwrap_or(i64::MAX)
        };
        (apart(self.x, window.x, window.right()), apart(self.y, window.y, window.bottom()))
    }
}

/// A shape on the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A rectangle.
    Rect(Rect),
    /// A disc.
    Circle(Circle),
}

impl Shape {
    /// The smallest window that covers the shape.
    #[must_use]
    pub fn bounds(&self) -> Window {
        let wide = i64::from;
        match *self {
            Self::Rect(s) => Window { x: wide(s.x), y: wide(s.y), width: wide(s.width), height: wide(s.height) },
            Self::Circle(s) => Window {
                x: wide(s.x) - wide(s.r),
                y: wide(s.y) - wide(s.r),
                width: 2 * wide(s.r),
                height: 2 * wide(s.r),
            },
        }
    }

    /// Whether shape and window share a point; touching edges do.
    #[must_use]
    pub fn touches(&self, window: &Window) -> bool {
        match self {
            Self::Rect(_) => self.bounds().meets(window),
            Self::Circle(c) => {
                let (dx, dy) = c.gap(window);
                // Distant ones are excluded first, which also keeps the squares within 64 bits.
                let r = i64::from(c.r);
                dx <= r && dy <= r && dx * dx + dy * dy <= r * r
            }
        }
    }

    /// Whether two shapes share more than an edge.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rect(_), Self::Rect(_)) => {
                let (a, b) = (self.bounds(), other.bounds());
                a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom()
            }
            (Self::Circle(a), Self::Circle(b)) => {
                let (dx, dy) = (i64::from(a.x) - i64::from(b.x), i64::from(a.y) - i64::from(b.y));
                let reach = i128::from(a.r) + i128::from(b.r);
                i128::from(dx) * i128::from(dx) + i128::from(dy) * i128::from(dy) < reach * reach
            }
            (Self::Circle(c), Self::Rect(_)) => {
                let (dx, dy) = c.gap(&other.bounds());
                let r = i64::from(c.r);
                dx < r && dy < r && dx * dx + dy * dy < r * r
            }
            (Self::Rect(_), Self::Circle(_)) => other.overlaps(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Circle, Rect, Shape, Side, Window};

    #[test]
    fn a_side_is_1_to_500() {
        for bad in [i64::MIN, -1, 0, 501, i64::MAX, 65_537] {
            assert!(Side::new(bad).is_err(), "{bad}");
        }
        assert!(Side::new(1).is_ok() && Side::new(500).is_ok());
    }

    #[test]
    fn the_edges_of_a_window_saturate() {
        let far = Window { x: i64::MAX, y: 5, width: i64::MAX, height: i64::MAX };
        assert_eq!((far.right(), far.bottom()), (i64::MAX, i64::MAX));
        let near = Window { x: -5, y: -5, width: 1, height: 1 };
        assert!(!near.contains(&far) && !near.meets(&far));
        assert_eq!(near.union(&far), Window { x: -5, y: -5, width: i64::MAX, height: i64::MAX });
    }

    #[test]
    fn a_side_keeps_its_length() {
        assert_eq!(Side::new(320).map(Side::get), Ok(320));
    }

    #[test]
    fn windows_meet_when_they_share_a_point() {
        let window = |x, y, width, height| Window { x, y, width, height };
        let one = window(0, 0, 10, 20);
        for other in [window(10, 20, 5, 5), window(-5, -5, 5, 5), window(10, -5, 1, 5), window(2, 3, 4, 5)] {
            assert!(one.meets(&other) && other.meets(&one), "{other:?}");
        }
        for other in [window(11, 0, 5, 5), window(0, 21, 5, 5), window(-6, 0, 5, 5), window(0, -6, 5, 5)] {
            assert!(!one.meets(&other) && !other.meets(&one), "{other:?}");
        }
    }

    #[test]
    fn a_window_contains_what_lies_within_its_edges() {
        let window = |x, y, width, height| Window { x, y, width, height };
        let one = window(10, 20, 30, 40);
        assert!(one.contains(&one) && one.contains(&window(15, 25, 5, 5)));
        for other in [window(9, 20, 5, 5), window(10, 19, 5, 5), window(10, 20, 31, 5), window(10, 20, 5, 41)] {
            assert!(!one.contains(&other), "{other:?}");
        }
    }

    #[test]
    fn a_union_covers_both() {
        let (one, other) = (Window { x: 1, y: 2, width: 3, height: 4 }, Window { x: 10, y: -20, width: 5, height: 6 });
        let union = Window { x: 1, y: -20, width: 14, height: 26 };
        assert_eq!((one.union(&other), other.union(&one)), (union, union));
    }

    #[test]
    fn bounds_cover_the_shape() {
        let rect = Shape::Rect(Rect { x: 1, y: 2, width: 3, height: 4 });
        assert_eq!(rect.bounds(), Window { x: 1, y: 2, width: 3, height: 4 });
        let circle = Shape::Circle(Circle { x: 10, y: 20, r: 3 });
        assert_eq!(circle.bounds(), Window { x: 7, y: 17, width: 6, height: 6 });
    }

    #[test]
    fn a_disc_touches_a_window_up_to_its_radius() {
        let window = Window { x: 0, y: 0, width: 10, height: 10 };
        let touches = |x, y, r| Shape::Circle(Circle { x, y, r }).touches(&window);
        assert!(touches(5, 5, 1), "inside");
        assert!(touches(13, 5, 3) && !touches(14, 5, 3), "to the right");
        assert!(touches(-3, 5, 3) && !touches(-4, 5, 3), "to the left");
        assert!(touches(5, 13, 3) && !touches(5, 14, 3), "below");
        assert!(touches(5, -3, 3) && !touches(5, -4, 3), "above");
    }

    #[test]
    fn a_disc_is_compared_with_the_most_distant_window_and_rectangle() {
        let disc = Shape::Circle(Circle { x: 1000, y: 5, r: 3 });
        let near = (0, 10);
        for far in [(i64::MIN, 0), (i64::MAX, i64::MAX)] {
            for ((x, width), (y, height)) in [(far, near), (near, far), (far, far)] {
                assert!(!disc.touches(&Window { x, y, width, height }), "{x} {y}");
            }
        }
        let disc = |x, y| Shape::Circle(Circle { x, y, r: 3 });
        let corner = Shape::Rect(Rect { x: i32::MIN, y: i32::MIN, width: 10, height: 10 });
        for (x, y) in [(i32::MAX, i32::MIN), (i32::MIN, i32::MAX), (i32::MAX, i32::MAX)] {
            assert!(!corner.overlaps(&disc(x, y)), "{x} {y}");
        }
        assert!(corner.overlaps(&disc(i32::MIN, i32::MIN)));
    }

    #[test]
    fn rectangles_overlap_when_they_share_an_area() {
        let rect = |x, y| Shape::Rect(Rect { x, y, width: 5, height: 5 });
        for (x, y) in [(4, 0), (-4, 0), (0, 4), (0, -4)] {
            assert!(rect(0, 0).overlaps(&rect(x, y)), "{x} {y}");
        }
        for (x, y) in [(5, 0), (-5, 0), (0, 5), (0, -5)] {
            assert!(!rect(0, 0).overlaps(&rect(x, y)), "{x} {y}");
        }
    }

    #[test]
    fn discs_overlap_when_their_centres_are_nearer_than_the_sum_of_the_radii() {
        let disc = |x, y, r| Shape::Circle(Circle { x, y, r });
        assert!(disc(1, 2, 3).overlaps(&disc(5, 2, 2)) && !disc(1, 2, 3).overlaps(&disc(6, 2, 2)));
        assert!(disc(1, 2, 3).overlaps(&disc(1, 6, 2)) && !disc(1, 2, 3).overlaps(&disc(1, 7, 2)));
        assert!(disc(3, 4, 3).overlaps(&disc(0, 0, 3)) && !disc(3, 4, 2).overlaps(&disc(0, 0, 3)));
        let (west, east) = (disc(i32::MIN, 0, 1), disc(i32::MAX, 0, i32::MAX));
        assert!(!west.overlaps(&east), "the sums do not overflow");
    }

    #[test]
    fn a_disc_overlaps_a_rectangle_when_it_reaches_into_it() {
        let rect = Shape::Rect(Rect { x: 0, y: 0, width: 10, height: 10 });
        let overlaps = |x, y, r| rect.overlaps(&Shape::Circle(Circle { x, y, r }));
        assert!(overlaps(12, 5, 3) && !overlaps(13, 5, 3), "to the right");
        assert!(overlaps(5, 12, 3) && !overlaps(5, 13, 3), "below");
        assert!(overlaps(13, 14, 6) && !overlaps(13, 14, 5), "at a corner");
        assert!(overlaps(5, 5, 1), "inside");
    }

    #[test]
    fn touching_edges_count_for_a_window_but_are_no_overlap() {
        let window = Window { x: 0, y: 0, width: 10, height: 10 };
        let rect = |x, y| Shape::Rect(Rect { x, y, width: 5, height: 5 });
        assert!(rect(10, 10).touches(&window));
        assert!(!rect(11, 0).touches(&window));
        assert!(!rect(0, 0).overlaps(&rect(5, 0)));
        assert!(rect(0, 0).overlaps(&rect(4, 4)));
    }

    #[test]
    fn a_disc_near_a_corner_is_measured_round_not_square() {
        let window = Window { x: 0, y: 0, width: 10, height: 10 };
        // 3-4-5: the corner (10, 10) is exactly five away.
        assert!(Shape::Circle(Circle { x: 13, y: 14, r: 5 }).touches(&window));
        assert!(!Shape::Circle(Circle { x: 14, y: 14, r: 5 }).touches(&window));
        let (a, b) = (Circle { x: 0, y: 0, r: 2 }, Circle { x: 3, y: 4, r: 3 });
        assert!(!Shape::Circle(a).overlaps(&Shape::Circle(b)));
        let corner = Shape::Rect(Rect { x: 3, y: 4, width: 9, height: 9 });
        assert!(!Shape::Circle(Circle { x: 0, y: 0, r: 5 }).overlaps(&corner));
        assert!(corner.overlaps(&Shape::Circle(Circle { x: 1, y: 1, r: 5 })));
    }
}
