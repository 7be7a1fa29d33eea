//! One scan line: finds its edges between dark and light, to a fraction of a pixel.

/// How a scan line is filtered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filter {
    /// A change counts if it is at least this part of the contrast around it.
    pub(super) prominence: f32,
    /// How much of the difference to the surroundings is added. It restores bars that blur has flattened.
    pub(super) sharpen: f32,
    /// How far the surroundings reach, in pixels.
    pub(super) reach: usize,
}

/// The edges of a scan line.
#[derive(Default)]
pub(super) struct Edges {
    /// Their positions, in pixels from the left.
    pub(super) at: Vec<f32>,
    /// Whether the line is dark after the first edge; it alternates from there.
    pub(super) dark_first: bool,
}

/// The buffers of a scan, which the next one uses again.
#[derive(Default)]
pub(super) struct Scanner {
    line: Vec<f32>,
    sharp: Vec<f32>,
    /// The darkest and the lightest value around each block.
    range: Vec<(f32, f32)>,
    turns: Vec<(usize, f32)>,
}

/// The contrast is that of blocks of this many pixels and their neighbours.
const BLOCK: usize = 16;
/// Grey levels: what differs by less is noise at any contrast.
const NOISE: f32 = 6.0;

impl Scanner {
    /// Takes the mean of some rows as the scan line.
    pub(super) fn take<'a>(&mut self, rows: impl Iterator<Item = &'a [u8]> + Clone) {
        self.line.clear();
        let Some(first) = rows.clone().next() else { return };
        self.line.resize(first.len(), 0.0);
        let mut many = 0.0f32;
        for row in rows {
            many += 1.0;
            for (sum, value) in self.line.iter_mut().zip(row) {
                *sum += f32::from(*value);
            }
        }
        for sum in &mut self.line {
            *sum /= many;
        }
        self.measure_range();
    }

    /// Finds the edges: each is where the line crosses the level halfway between two turning points. Unlike one
    /// threshold for the whole line, this keeps edges in a shadow and shallow bars between wide spaces.
    pub(super) fn edges(&mut self, filter: Filter, edges: &mut Edges) {
        edges.at.clear();
        self.sharpen(filter);
        self.find_turns(filter.prominence);
        let line = &self.sharp;
        if let [first, second, ..] = self.turns.as_slice() {
            edges.dark_first = second.1 < first.1;
        }
        for pair in self.turns.windows(2) {
            let [(from, high), (to, low)] = *pair else { continue };
            let level = f32::midpoint(high, low);
            let falling = low < high;
            // The first and the last crossing of the level.
            let crossed = |at: usize| {
                let (left, right) = (line.get(at).copied()?, line.get(at + 1).copied()?);
                let inside = if falling { left >= level && right < level } else { left <= level && right > level };
                inside.then(|| at as f32 + (level - left) / (right - left))
            };
            let first = (from..to).find_map(crossed);
            let last = (from..to).rev().find_map(crossed);
            if let (Some(first), Some(last)) = (first, last) {
                // If noise makes it cross more than once, the middle.
                edges.at.push(f32::midpoint(first, last));
            }
        }
    }

    /// How many pixels the line has.
    pub(super) fn len(&self) -> usize {
        self.line.len()
    }

    fn measure_range(&mut self) {
        let wider = |(low, high): (f32, f32), (l, h): (f32, f32)| (low.min(l), high.max(h));
        let nothing = (f32::MAX, f32::MIN);
        let block = |block: &[f32]| block.iter().fold(nothing, |range, value| wider(range, (*value, *value)));
        let blocks: Vec<(f32, f32)> = self.line.chunks(BLOCK).map(block).collect();
        self.range.clear();
        self.range.extend((0..blocks.len()).map(|at| {
            let near = blocks.get(at.saturating_sub(2)..(at + 3).min(blocks.len())).unwrap_or_default();
            near.iter().copied().fold(nothing, wider)
        }));
    }

    fn sharpen(&mut self, filter: Filter) {
        self.sharp.clear();
        if filter.sharpen <= 0.0 || filter.reach == 0 || self.line.len() <= 2 * filter.reach {
            self.sharp.extend_from_slice(&self.line);
            return;
        }
        let reach = filter.reach;
        for (at, value) in self.line.iter().enumerate() {
            let left = self.line.get(at.saturating_sub(reach)).copied().unwrap_or(*value);
            let right = self.line.get(at + reach).copied().unwrap_or(*value);
            let sharp = value + filter.sharpen * (value - f32::midpoint(left, right));
            // Within the range of the line: an overshoot beside an edge would look like one more bar.
            let (low, high) = self.range.get(at / BLOCK).copied().unwrap_or((*value, *value));
            self.sharp.push(sharp.max(low).min(high));
        }
    }

    /// The turning points, alternately high and low, that stand out enough.
    fn find_turns(&mut self, prominence: f32) {
        self.turns.clear();
        let Some(start) = self.sharp.first().copied() else { return };
        let (mut low, mut high) = ((0, start), (0, start));
        let mut rising: Option<bool> = None;
        for (at, &value) in self.sharp.iter().enumerate() {
            let (darkest, lightest) = self.range.get(at / BLOCK).copied().unwrap_or_default();
            let enough = ((lightest - darkest) * prominence).max(NOISE);
            if value > high.1 {
                high = (at, value);
            }
            if value < low.1 {
                low = (at, value);
            }
            if rising != Some(false) && high.1 - value > enough {
                self.turns.push(high);
                (low, high) = ((at, value), (at, value));
                rising = Some(false);
            } else if rising != Some(true) && value - low.1 > enough {
                self.turns.push(low);
                (low, high) = ((at, value), (at, value));
                rising = Some(true);
            }
        }
        // The last stretch ends in its own extreme.
        match rising {
            Some(true) => self.turns.push(high),
            Some(false) => self.turns.push(low),
            None => {}
        }
    }
}
