//! Where a name can stand beside its mark without touching a line or a mark.

use kaisatsu_model::Window;

use super::forms::Form;
use crate::{
    cells::Cells,
    geometry::Point,
    scene::{HALF_STROKE, Scene, Stop},
};

/// A place for a name.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) rect: Window,
    pub(super) form: usize,
    pub(super) cost: f32,
    /// The direction from the mark, clockwise from the right.
    pub(super) side: u8,
    pub(super) down: bool,
}

/// What names must not touch: strokes and marks.
pub(super) struct Ground {
    segments: Vec<(Point, Point, f64)>,
    marks: Vec<Window>,
    cells: Cells,
}

/// What stays free between a name and a stroke or a mark.
const CLEAR: f64 = 1.5;

/// How far a name stands from its mark: as near as it can. Farther than the first six only when the drawing was stretched in vain.
const RINGS: [i64; 9] = [3, 7, 12, 18, 25, 33, 42, 52, 64];
const NEAR: usize = 6;

impl Ground {
    pub(super) fn of(scene: &Scene) -> Self {
        let mut segments = Vec::new();
        for way in scene.strokes.iter().flatten() {
            segments.extend(way.windows(2).map(|pair| (pair[0], pair[1], HALF_STROKE)));
        }
        let marks: Vec<Window> = scene.stops.iter().map(|stop| stop.mark.bounds()).collect();
        let high = segments.iter().fold(Point::new(1.0, 1.0), |high, (a, b, _)| {
            Point::new(high.x.max(a.x).max(b.x), high.y.max(a.y).max(b.y))
        });
        let mut cells = Cells::new(Point::default(), high, 32.0);
        for (at, (a, b, _)) in segments.iter().enumerate() {
            cells.insert(u32::try_from(at).unwrap_or(u32::MAX), *a, *b);
        }
        for (at, mark) in marks.iter().enumerate() {
            let number = u32::try_from(at + segments.len()).unwrap_or(u32::MAX);
            let (a, b) = corners(mark);
            let middle = a.y.midpoint(b.y);
            // A mark is a thick short stroke for the cells; the exact test follows.
            cells.insert(number, Point::new(a.x, middle), Point::new(b.x, middle));
            if b.y - a.y > 24.0 {
                cells.insert(number, a, Point::new(a.x, b.y));
            }
        }
        Self { segments, marks, cells }
    }

    /// Whether a rect touches no stroke and no mark, whatever their distance.
    pub(super) fn is_clear(&self, rect: &Window) -> bool {
        self.is_apart(rect, 0.0)
    }

    fn is_free(&self, rect: &Window) -> bool {
        self.is_apart(rect, CLEAR)
    }

    fn is_apart(&self, rect: &Window, clear: f64) -> bool {
        let (a, b) = corners(rect);
        let middle = a.y.midpoint(b.y);
        let reach = (b.y - a.y) / 2.0 + 14.0;
        let mut free = true;
        self.cells.near(Point::new(a.x, middle), Point::new(b.x, middle), reach, |at| {
            free = free && !self.touches(at as usize, a, b, clear);
        });
        free
    }

    fn touches(&self, at: usize, low: Point, high: Point, clear: f64) -> bool {
        match self.segments.get(at) {
            Some(&(a, b, half)) => {
                let grow = half + clear;
                passes(a, b, Point::new(low.x - grow, low.y - grow), Point::new(high.x + grow, high.y + grow))
            }
            None => self.marks.get(at - self.segments.len()).is_some_and(|mark| {
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

/// Whether a segment passes through the inside of a box.
pub(crate) fn passes(a: Point, b: Point, low: Point, high: Point) -> bool {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    let way = b.minus(a);
    for (start, along, low, high) in [(a.x, way.x, low.x, high.x), (a.y, way.y, low.y, high.y)] {
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

/// All free places of a station's name, from the nearest ring around its mark that has any; the farther rings only when needed.
pub(super) fn places(stop: &Stop, forms: &[Form], ground: &Ground, far: bool) -> Vec<Place> {
    let mut found = Vec::new();
    let rings = if far { &RINGS[..] } else { &RINGS[..NEAR] };
    for (ring, &gap) in rings.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a few rings")]
        let away = ring as f32 * 2.5;
        for (at, form) in forms.iter().enumerate() {
            for (x, y, side, cost) in around(&stop.mark.bounds(), form, gap) {
                let rect = Window { x, y, width: form.width, height: form.height };
                if x >= 0 && y >= 0 && ground.is_free(&rect) {
                    let cost = cost + form.cost + away + upright_cost(form, side);
                    found.push(Place { rect, form: at, cost, side, down: form.label.down });
                }
            }
        }
        if found.len() >= 12 || (ring > 0 && found.len() >= 4) {
            break;
        }
    }
    found
}

/// A name that runs downwards looks right above and below its mark, odd beside it.
fn upright_cost(form: &Form, side: u8) -> f32 {
    if form.label.down && !matches!(side, 2 | 6) { 1.0 } else { 0.0 }
}

/// The upper left corners of a form around a mark, with the side and what it costs.
fn around(mark: &Window, form: &Form, gap: i64) -> Vec<(i64, i64, u8, f32)> {
    let (left, right) = (mark.x - gap - form.width, mark.right() + gap);
    let (above, below) = (mark.y - gap - form.height, mark.bottom() + gap);
    let centre_x = mark.x + mark.width / 2;
    let centre_y = mark.y + mark.height / 2;
    let (middle_x, middle_y) = (centre_x - form.width / 2, centre_y - form.height / 2);
    // At the corners a name may come as near as at the sides: measured diagonally.
    let near = (gap * 2 / 3).max(2);
    let (close_left, close_right) = (mark.x + mark.width / 4 - near - form.width, mark.right() - mark.width / 4 + near);
    let (close_above, close_below) =
        (mark.y + mark.height / 4 - near - form.height, mark.bottom() - mark.height / 4 + near);
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
        #[expect(clippy::cast_precision_loss, reason = "three")]
        let cost = 0.3 + part as f32 * 0.4;
        let (dx, dy) = (form.width * part / 6, form.height * part / 6);
        if form.width > mark.width {
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
    // A wide body offers places all along its sides.
    if mark.width > 40 || mark.height > 40 {
        for part in [-1, 1] {
            let (dx, dy) = (part * mark.width / 3, part * mark.height / 3);
            found.extend([(middle_x + dx, above, 6, 1.0), (middle_x + dx, below, 2, 1.0)]);
            found.extend([(right, middle_y + dy, 0, 1.0), (left, middle_y + dy, 4, 1.0)]);
        }
    }
    found
}
