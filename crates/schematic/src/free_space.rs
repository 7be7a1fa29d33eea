//! The space that labels and marks leave, for bullets and the numbers of stations.

use kaisatsu_model::Window;

use crate::{
    dimensions::HALF_LINE_WIDTH,
    document::{DrawnConnector, DrawnStation},
    geometry::Point,
    labels::segment_intersects_box,
    segment_index::SegmentIndex,
};

/// The clearance around what is placed.
const CLEARANCE: f64 = 1.0;
const CELL: f64 = 48.0;

/// What is taken: rects, and the segments of lines.
pub(crate) struct FreeSpace {
    high: Point,
    rects: Vec<(Point, Point)>,
    rect_index: SegmentIndex,
    segments: Vec<(usize, Point, Point)>,
    segment_index: SegmentIndex,
}

impl FreeSpace {
    #[expect(clippy::cast_precision_loss, reason = "map units are small")]
    pub(crate) fn new(
        (width, height): (i64, i64),
        stations: &[DrawnStation],
        paths: &[Vec<Vec<(f64, f64)>>],
        connectors: &[DrawnConnector],
    ) -> Self {
        let high = Point::new(width as f64, height as f64);
        let mut space = Self {
            high,
            rects: Vec::new(),
            rect_index: SegmentIndex::new(Point::default(), high, CELL),
            segments: Vec::new(),
            segment_index: SegmentIndex::new(Point::default(), high, CELL),
        };
        for station in stations {
            space.take_window(&station.rect);
            space.take_window(&station.mark.bounds());
        }
        let lines = paths.iter().enumerate().flat_map(|(line, paths)| paths.iter().map(move |path| (line, path)));
        let walks = connectors.iter().map(|(_, path)| (usize::MAX, path));
        for (line, path) in lines.chain(walks) {
            for pair in path.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|(x, y)| Point::new(x, y));
                space.segment_index.insert(u32::try_from(space.segments.len()).unwrap_or(u32::MAX), a, b);
                space.segments.push((line, a, b));
            }
        }
        space
    }

    /// Whether a rect around a point is on the map and apart from all rects.
    pub(crate) fn is_free(&self, centre: Point, size: (f64, f64)) -> bool {
        let (low, high) = around(centre, size, CLEARANCE);
        let is_on_map = low.x >= 0.0 && low.y >= 0.0 && high.x <= self.high.x && high.y <= self.high.y;
        let mut free = is_on_map;
        self.rect_index.query(low, high, CELL, |at| {
            let (a, b) = self.rects[at as usize];
            free = free && !(a.x < high.x && low.x < b.x && a.y < high.y && low.y < b.y);
        });
        free
    }

    /// How many segments of other lines a rect covers.
    pub(crate) fn covered_lines(&self, centre: Point, size: (f64, f64), own: usize) -> f64 {
        let (low, high) = around(centre, size, HALF_LINE_WIDTH);
        let mut found = Vec::new();
        self.segment_index.query(low, high, CELL, |at| {
            let (line, a, b) = self.segments[at as usize];
            if line != own && !found.contains(&line) && segment_intersects_box(a, b, low, high) {
                found.push(line);
            }
        });
        #[expect(clippy::cast_precision_loss, reason = "lines are few")]
        let count = found.len() as f64;
        count
    }

    /// Takes the rect around a point.
    pub(crate) fn take(&mut self, centre: Point, size: (f64, f64)) {
        let (low, high) = around(centre, size, 0.0);
        self.add(low, high);
    }

    #[expect(clippy::cast_precision_loss, reason = "map units are small")]
    fn take_window(&mut self, window: &Window) {
        let low = Point::new(window.x as f64, window.y as f64);
        self.add(low, Point::new(window.right() as f64, window.bottom() as f64));
    }

    fn add(&mut self, low: Point, high: Point) {
        let id = u32::try_from(self.rects.len()).unwrap_or(u32::MAX);
        // A rect is found by its rows, which are no farther apart than the reach of a query.
        let mut y = low.y;
        while y < high.y + CELL {
            self.rect_index.insert(id, Point::new(low.x, y.min(high.y)), Point::new(high.x, y.min(high.y)));
            y += CELL;
        }
        self.rects.push((low, high));
    }
}

fn around(centre: Point, (width, height): (f64, f64), margin: f64) -> (Point, Point) {
    let half = Point::new(width / 2.0 + margin, height / 2.0 + margin);
    (centre.minus(half), centre.plus(half))
}
