//! Finds label candidates: positions beside a mark that touch no line and no mark, and are nearer to no other mark.

use kaisatsu_model::{Shape, Window};
use kaisatsu_render::CONNECTOR_WIDTH;

use super::variants::LabelVariant;
use crate::{
    dimensions::HALF_LINE_WIDTH,
    geometry::Point,
    map_geometry::{MapGeometry, Stop},
    segment_index::SegmentIndex,
};

/// A label candidate.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) rect: Window,
    pub(super) variant: usize,
    pub(super) cost: f32,
    /// The direction from the mark, clockwise from the right, in eighths of a circle.
    pub(super) side: u8,
    pub(super) down: bool,
}

/// What labels must not touch: lines and marks.
pub(super) struct Obstacles {
    line_segments: Vec<(Point, Point, f64)>,
    marks: Vec<Window>,
    shapes: Vec<Shape>,
    index: SegmentIndex,
}

/// The clearance between a label and a line or a mark.
const CLEARANCE: f64 = 1.5;

/// The distances of a label from its mark. The nearest possible one is used. Those after the first six are used only
/// after several expansions.
const DISTANCES: [i64; 9] = [3, 7, 12, 18, 25, 33, 42, 52, 64];
const NEAR_DISTANCES: usize = 6;

impl Obstacles {
    pub(super) fn of(geometry: &MapGeometry) -> Self {
        let mut line_segments = Vec::new();
        for direction in geometry.line_paths.iter().flatten() {
            line_segments.extend(direction.windows(2).map(|pair| (pair[0], pair[1], HALF_LINE_WIDTH)));
        }
        for connector in &geometry.connectors {
            line_segments.extend(connector.path.windows(2).map(|pair| (pair[0], pair[1], CONNECTOR_WIDTH / 2.0)));
        }
        let marks: Vec<Window> = geometry.stops.iter().map(|stop| stop.mark.bounds()).collect();
        let high = line_segments.iter().fold(Point::new(1.0, 1.0), |high, (a, b, _)| {
            Point::new(high.x.max(a.x).max(b.x), high.y.max(a.y).max(b.y))
        });
        let mut index = SegmentIndex::new(Point::default(), high, 32.0);
        for (at, (a, b, _)) in line_segments.iter().enumerate() {
            index.insert(u32::try_from(at).unwrap_or(u32::MAX), *a, *b);
        }
        for (at, mark) in marks.iter().enumerate() {
            let number = u32::try_from(at + line_segments.len()).unwrap_or(u32::MAX);
            let (a, b) = corners(mark);
            let middle = a.y.midpoint(b.y);
            // The index stores a mark as a short segment. The exact test follows.
            index.insert(number, Point::new(a.x, middle), Point::new(b.x, middle));
            if b.y - a.y > 24.0 {
                index.insert(number, a, Point::new(a.x, b.y));
            }
        }
        let shapes = geometry.stops.iter().map(|stop| stop.mark).collect();
        Self { line_segments, marks, shapes, index }
    }

    /// Whether a rect touches no line and no mark, without any clearance.
    pub(super) fn is_clear(&self, rect: &Window) -> bool {
        self.is_apart(rect, 0.0)
    }

    fn is_free(&self, rect: &Window) -> bool {
        self.is_apart(rect, CLEARANCE)
    }

    fn is_apart(&self, rect: &Window, clear: f64) -> bool {
        let (a, b) = corners(rect);
        let middle = a.y.midpoint(b.y);
        let reach = (b.y - a.y) / 2.0 + 14.0;
        let mut free = true;
        self.index.query(Point::new(a.x, middle), Point::new(b.x, middle), reach, |at| {
            free = free && !self.find_contacts(at as usize, a, b, clear);
        });
        free
    }

    /// Whether no mark is nearer to a rect than that of a station.
    pub(super) fn is_nearest(&self, rect: &Window, station: usize) -> bool {
        self.is_nearest_to(rect, station, &self.shapes[station])
    }

    /// Whether no other mark is nearer to a rect than that of a station, which may have moved.
    fn is_nearest_to(&self, rect: &Window, station: usize, mark: &Shape) -> bool {
        let own = mark_distance(rect, mark);
        let (a, b) = corners(rect);
        let middle = a.y.midpoint(b.y);
        let reach = (b.y - a.y) / 2.0 + own + 14.0;
        let mut is_nearest = true;
        self.index.query(Point::new(a.x, middle), Point::new(b.x, middle), reach, |at| {
            let other = (at as usize).checked_sub(self.line_segments.len()).filter(|other| *other != station);
            is_nearest = is_nearest && other.is_none_or(|other| mark_distance(rect, &self.shapes[other]) >= own);
        });
        is_nearest
    }

    fn find_contacts(&self, at: usize, low: Point, high: Point, clear: f64) -> bool {
        match self.line_segments.get(at) {
            Some(&(a, b, half)) => {
                let grow = half + clear;
                segment_intersects_box(
                    a,
                    b,
                    Point::new(low.x - grow, low.y - grow),
                    Point::new(high.x + grow, high.y + grow),
                )
            }
            None => self.marks.get(at - self.line_segments.len()).is_some_and(|mark| {
                let (a, b) = corners(mark);
                a.x < high.x + clear && low.x < b.x + clear && a.y < high.y + clear && low.y < b.y + clear
            }),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "map units are small")]
fn corners(rect: &Window) -> (Point, Point) {
    (Point::new(rect.x as f64, rect.y as f64), Point::new(rect.right() as f64, rect.bottom() as f64))
}

/// The distance between a rect and a mark.
#[expect(clippy::cast_precision_loss, reason = "map units are small")]
fn mark_distance(rect: &Window, mark: &Shape) -> f64 {
    let (bounds, radius) = match mark {
        Shape::Rect(_) => (mark.bounds(), 0),
        Shape::Circle(circle) => {
            (Window { x: i64::from(circle.x), y: i64::from(circle.y), width: 0, height: 0 }, circle.r)
        }
    };
    let gap = |low: i64, high: i64, from: i64, to: i64| (from - high).max(low - to).max(0) as f64;
    let x = gap(rect.x, rect.right(), bounds.x, bounds.right());
    let y = gap(rect.y, rect.bottom(), bounds.y, bounds.bottom());
    (x.hypot(y) - f64::from(radius)).max(0.0)
}

/// Whether a segment intersects the interior of a box.
pub(crate) fn segment_intersects_box(a: Point, b: Point, low: Point, high: Point) -> bool {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    let direction = b.minus(a);
    for (start, along, low, high) in [(a.x, direction.x, low.x, high.x), (a.y, direction.y, low.y, high.y)] {
        if along.abs() < 1e-12 {
            if start <= low || start >= high {
                return false;
            }
        } else {
            let (t, u) = ((low - start) / along, (high - start) / along);
            from = from.max(t.min(u));
            to = to.min(t.max(u));
        }
    }
    from < to
}

/// The free candidates of a station's label, at the smallest distance that has enough. A name nearer to another mark
/// would be read as that station's, so such a place is none: the layout makes room instead.
pub(super) fn candidates(
    (station, stop): (usize, &Stop),
    variants: &[LabelVariant],
    obstacles: &Obstacles,
    far: bool,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    let distances = if far { &DISTANCES[..] } else { &DISTANCES[..NEAR_DISTANCES] };
    for (ring, &gap) in distances.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "there are few distances")]
        let away = ring as f32 * 2.5;
        for (at, variant) in variants.iter().enumerate() {
            for (x, y, side, cost) in positions_around(&stop.extent, variant, gap) {
                let rect = Window { x, y, width: variant.width, height: variant.height };
                let is_on_map = x >= 0 && y >= 0;
                if is_on_map && obstacles.is_free(&rect) && obstacles.is_nearest_to(&rect, station, &stop.mark) {
                    let cost = cost + variant.cost + away + vertical_cost(variant, side);
                    found.push(Candidate { rect, variant: at, cost, side, down: variant.label.down });
                }
            }
        }
        if found.len() >= 12 || (ring > 0 && found.len() >= 4) {
            break;
        }
    }
    found
}

/// The cost of a vertical label, which belongs above or below its mark.
fn vertical_cost(variant: &LabelVariant, side: u8) -> f32 {
    if variant.label.down && !matches!(side, 2 | 6) { 1.0 } else { 0.0 }
}

/// The upper left corners of a label around a mark, with the side and the cost of each.
fn positions_around(mark: &Window, variant: &LabelVariant, gap: i64) -> Vec<(i64, i64, u8, f32)> {
    let (left, right) = (mark.x - gap - variant.width, mark.right() + gap);
    let (above, below) = (mark.y - gap - variant.height, mark.bottom() + gap);
    let centre_x = mark.x + mark.width / 2;
    let centre_y = mark.y + mark.height / 2;
    let (middle_x, middle_y) = (centre_x - variant.width / 2, centre_y - variant.height / 2);
    // At the corners the distance is measured diagonally.
    let near = (gap * 2 / 3).max(2);
    let (close_left, close_right) =
        (mark.x + mark.width / 4 - near - variant.width, mark.right() - mark.width / 4 + near);
    let (close_above, close_below) =
        (mark.y + mark.height / 4 - near - variant.height, mark.bottom() - mark.height / 4 + near);
    let mut found = vec![
        (right, middle_y, 0, 0.0),
        (left, middle_y, 4, 0.3),
        (middle_x, above, 6, 0.5),
        (middle_x, below, 2, 0.5),
        (close_right, close_above, 7, 0.8),
        (close_right, close_below, 1, 0.8),
        (close_left, close_above, 5, 1.0),
        (close_left, close_below, 3, 1.0),
    ];
    for part in [1, 2, 3] {
        #[expect(clippy::cast_precision_loss, reason = "at most three")]
        let cost = 0.3 + part as f32 * 0.4;
        let (dx, dy) = (variant.width * part / 6, variant.height * part / 6);
        if variant.width > mark.width {
            found.extend(
                [-dx, dx]
                    .into_iter()
                    .flat_map(|dx| [(middle_x + dx, above, 6, cost + 0.3), (middle_x + dx, below, 2, cost + 0.3)]),
            );
        }
        found.extend(
            [-dy, dy]
                .into_iter()
                .flat_map(|dy| [(right, middle_y + dy, 0, cost), (left, middle_y + dy, 4, cost + 0.2)]),
        );
    }
    // A wide mark also has candidates along its sides.
    if mark.width > 40 || mark.height > 40 {
        for part in [-1, 1] {
            let (dx, dy) = (part * mark.width / 3, part * mark.height / 3);
            found.extend([(middle_x + dx, above, 6, 1.0), (middle_x + dx, below, 2, 1.0)]);
            found.extend([(right, middle_y + dy, 0, 1.0), (left, middle_y + dy, 4, 1.0)]);
        }
    }
    found
}
