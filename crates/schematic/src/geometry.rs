//! Points, vectors and segments in the plane.

/// A point or vector in the plane; y grows downwards.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    pub(crate) fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y }
    }

    pub(crate) fn times(self, factor: f64) -> Self {
        Self { x: self.x * factor, y: self.y * factor }
    }

    pub(crate) fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    pub(crate) fn distance(self, other: Self) -> f64 {
        self.minus(other).length()
    }

    pub(crate) fn cross(self, other: Self) -> f64 {
        self.x * other.y - self.y * other.x
    }

    pub(crate) fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// The point at the fraction `t` of the segment to another point.
    pub(crate) fn toward(self, other: Self, t: f64) -> Self {
        self.plus(other.minus(self).times(t))
    }

    /// A value from 0 to 4 that grows with the angle, cheaper than an arc tangent. Only its order is meaningful.
    pub(crate) fn pseudo_angle(self) -> f64 {
        let along = self.x / (self.x.abs() + self.y.abs()).max(f64::MIN_POSITIVE);
        if self.y < 0.0 { 3.0 + along } else { 1.0 - along }
    }
}

/// The side of the line from `a` to `b` on which a point lies, as the sign of the result.
pub(crate) fn side(a: Point, b: Point, p: Point) -> f64 {
    b.minus(a).cross(p.minus(a))
}

/// Whether two segments share a point, ends included.
pub(crate) fn segments_meet(a: Point, b: Point, c: Point, d: Point) -> bool {
    if a.x.max(b.x) < c.x.min(d.x)
        || c.x.max(d.x) < a.x.min(b.x)
        || a.y.max(b.y) < c.y.min(d.y)
        || c.y.max(d.y) < a.y.min(b.y)
    {
        return false;
    }
    let (c_side, d_side) = (side(a, b, c), side(a, b, d));
    let (a_side, b_side) = (side(c, d, a), side(c, d, b));
    c_side * d_side <= 0.0 && a_side * b_side <= 0.0
}

/// The fraction of `a`–`b` at which it crosses `c`–`d`, if it does so inside both.
pub(crate) fn crossing(a: Point, b: Point, c: Point, d: Point) -> Option<f64> {
    let (c_side, d_side) = (side(a, b, c), side(a, b, d));
    let (a_side, b_side) = (side(c, d, a), side(c, d, b));
    (c_side * d_side < 0.0 && a_side * b_side < 0.0).then(|| a_side / (a_side - b_side))
}

/// The point of a segment nearest to `p`.
pub(crate) fn nearest_on(a: Point, b: Point, p: Point) -> Point {
    let along = b.minus(a);
    let square = along.dot(along);
    if square <= 0.0 {
        return a;
    }
    a.toward(b, (p.minus(a).dot(along) / square).clamp(0.0, 1.0))
}

/// The nearest points of two segments.
pub(crate) fn nearest_between(a: Point, b: Point, c: Point, d: Point) -> (Point, Point) {
    if let Some(along) = crossing(a, b, c, d) {
        let common = a.toward(b, along);
        return (common, common);
    }
    let ends = [(a, nearest_on(c, d, a)), (b, nearest_on(c, d, b)), (nearest_on(a, b, c), c), (nearest_on(a, b, d), d)];
    ends.into_iter().min_by(|x, y| x.0.distance(x.1).total_cmp(&y.0.distance(y.1))).unwrap_or((a, c))
}

/// The corners of the bounding box of some points.
pub(crate) fn bounds(points: &[Point]) -> Option<(Point, Point)> {
    let first = *points.first()?;
    Some(points.iter().fold((first, first), |(low, high), p| {
        (Point::new(low.x.min(p.x), low.y.min(p.y)), Point::new(high.x.max(p.x), high.y.max(p.y)))
    }))
}
