//! Whether the features of a query lie as those of a reference picture do: the test that votes cannot replace.
//!
//! A locally optimised RANSAC. Two pairs of points give a turn, a scale and a shift; what agrees with them roughly is
//! widened to an affine map and then to a projective one. Samples of two find a thing of which one pair in thirty is
//! right; the samples of four that a projective map needs would not.

use super::{
    features::{Features, Point},
    homography::{Coordinates, Homography, Match},
    matching::{Comparable, Pair, mutual},
    random::Random,
    vocabulary::Vocabulary,
};

/// How far, in pixels of the query as it was read, a point may be from where the map says. The network places points
/// to a pixel or two whatever the size of the picture, so this is no share of it.
const TOLERANCE: f64 = 4.0;
/// How much wider the net is while a map is still a rough one.
const LOOSER: [f64; 3] = [4.0, 2.0, 1.0];
/// No more samples than this, and fewer when the best map so far would hardly be beaten.
const MOST_SAMPLES: usize = 2000;
/// No more rough maps than this are refined, which costs a hundred times as much as counting what agrees with one.
const MOST_REFINED: usize = 24;
/// The chance with which a better map may be missed.
const MISSED: f64 = 0.001;
/// Of many pairs the most alike are sampled; all are counted.
const SAMPLED_PAIRS: usize = 300;
/// The scale of a reference in the query lies in this range: outside it the descriptors would not have matched, and
/// a map that shrinks everything to a spot would find much in agreement there.
const SCALES: (f64, f64) = (0.45, 2.2);
/// Cosine of the greatest turn: beyond 60° another quarter turn of the query is nearer.
const LEAST_COSINE: f64 = 0.5;
/// With fewer pairs than this no map means anything.
const LEAST_PAIRS: usize = 6;
/// Inliers in one cell of so many pixels of the reference count once: a letter that happens to look like another
/// brings several pairs, and is one coincidence.
const CELL: f64 = 12.0;

/// Where a reference picture was found in a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// How many features lie where they should; those close together count once.
    pub inliers: u32,
    /// The corners of the reference in the query, from its upper left to the right, as fractions of the query.
    pub corners: [(f32, f32); 4],
}

impl Verification {
    /// The same for the upright reference, of which a view was found that is turned to the right by so many quarters:
    /// the upper left corner of a picture becomes its upper right one in a quarter turn.
    pub(crate) fn upright(mut self, quarters: usize) -> Self {
        self.corners.rotate_left(quarters % 4);
        self
    }
}

/// Features with what verification needs of them; made once for a query that meets many references.
pub struct Subject<'a> {
    features: &'a Features,
    comparable: Comparable,
}

impl<'a> Subject<'a> {
    /// Makes features ready.
    #[must_use]
    pub fn new(features: &'a Features, vocabulary: &Vocabulary) -> Self {
        Self { features, comparable: Comparable::new(features, vocabulary) }
    }
}

/// Looks for a reference in a query; `None` when it is not there. The same features give the same answer.
#[must_use]
pub fn verify(reference: &Subject<'_>, query: &Subject<'_>) -> Option<Verification> {
    verify_pairs(reference.features, query.features, &mutual(&reference.comparable, &query.comparable))
}

/// Looks for a reference in a query by pairs of their features, the likeliest first.
pub(crate) fn verify_pairs(reference: &Features, query: &Features, pairs: &[Pair]) -> Option<Verification> {
    let matches: Vec<Match> = pairs.iter().filter_map(|pair| place(reference, query, pair)).collect();
    let size = (f64::from(reference.width()), f64::from(reference.height()));
    let best = consensus(&matches, size)?;
    let fraction = |(x, y): Coordinates| {
        #[allow(clippy::cast_possible_truncation, reason = "a picture is drawn with it")]
        let narrow = |value: f64| value as f32;
        (narrow(x / f64::from(query.width())), narrow(y / f64::from(query.height())))
    };
    Some(Verification { inliers: u32::try_from(best.inliers).unwrap_or(u32::MAX), corners: best.corners.map(fraction) })
}

fn place(reference: &Features, query: &Features, pair: &Pair) -> Option<Match> {
    // The middle of a pixel is half a pixel from its edge.
    let middle = |point: &Point| (f64::from(point.x) + 0.5, f64::from(point.y) + 0.5);
    Some((middle(reference.points().get(pair.reference)?), middle(query.points().get(pair.query)?)))
}

/// A map and what speaks for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Consensus {
    pub(crate) inliers: usize,
    pub(crate) corners: [Coordinates; 4],
    /// The sum of the squared errors of the inliers; the smaller of two decides between equal numbers.
    error: f64,
}

impl Consensus {
    fn beats(&self, other: Option<&Self>) -> bool {
        other.is_none_or(|other| (self.inliers, -self.error) > (other.inliers, -other.error))
    }
}

/// The map with which most of the matches agree. `size` is that of the reference; matches come the likeliest first.
pub(crate) fn consensus(matches: &[Match], size: Coordinates) -> Option<Consensus> {
    if matches.len() < LEAST_PAIRS {
        return None;
    }
    let columns = Columns::new(matches);
    let sampled = matches.get(..SAMPLED_PAIRS).unwrap_or(matches);
    let mut random = Random::new(matches.len() as u64);
    let mut best: Option<Consensus> = None;
    let (mut most_rough, mut refined, mut samples, mut needed) = (0, 0, 0, MOST_SAMPLES);
    while samples < needed && refined < MOST_REFINED {
        samples += 1;
        let (Some(a), Some(b)) = (sampled.get(random.below(sampled.len())), sampled.get(random.below(sampled.len())))
        else {
            break;
        };
        let Some(rough) = Homography::similarity(*a, *b).filter(plausible) else { continue };
        let agreeing = columns.agreeing(&rough);
        // Nearly the best will do: of a thing seen at a slant no rough map holds much more than strays do.
        if agreeing * 5 < most_rough * 4 || agreeing < LEAST_PAIRS {
            continue;
        }
        most_rough = most_rough.max(agreeing);
        refined += 1;
        if let Some(found) = refine(&rough, matches, size).filter(|found| found.beats(best.as_ref())) {
            needed = needed.min(samples_for(found.inliers, matches.len()));
            best = Some(found);
        }
    }
    best
}

/// The matches in columns, for counting quickly what agrees with a similarity.
struct Columns {
    x: Vec<f32>,
    y: Vec<f32>,
    to_x: Vec<f32>,
    to_y: Vec<f32>,
}

impl Columns {
    fn new(matches: &[Match]) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "pixels of pictures of a few thousand")]
        let column = |read: fn(&Match) -> f64| matches.iter().map(|pair| read(pair) as f32).collect();
        Self { x: column(|m| m.0.0), y: column(|m| m.0.1), to_x: column(|m| m.1.0), to_y: column(|m| m.1.1) }
    }

    /// How many matches agree roughly with a similarity.
    #[allow(clippy::cast_possible_truncation, reason = "pixels of pictures of a few thousand")]
    fn agreeing(&self, map: &Homography) -> usize {
        let [[a, b, c], [d, e, f], _] = map.0.map(|row| row.map(|number| number as f32));
        let limit = (TOLERANCE * LOOSER[0]).powi(2) as f32;
        let from = self.x.iter().zip(&self.y);
        let to = self.to_x.iter().zip(&self.to_y);
        let near = from.zip(to).map(|((x, y), (u, v))| {
            let (right, down) = (a * x + b * y + c - u, d * x + e * y + f - v);
            u32::from(right * right + down * down <= limit)
        });
        near.sum::<u32>() as usize
    }
}

/// Whether a similarity is one under which descriptors can have matched.
fn plausible(map: &Homography) -> bool {
    let [[along, _, _], [across, _, _], _] = map.0;
    let scale = along.hypot(across);
    (SCALES.0..=SCALES.1).contains(&scale) && along >= LEAST_COSINE * scale
}

fn within(map: &Homography, pair: &Match, looser: f64) -> bool {
    map.error(pair) <= (TOLERANCE * looser).powi(2)
}

/// From a rough map to a fine one, in a net that narrows; an affine map is kept where the projective one is absurd.
fn refine(rough: &Homography, matches: &[Match], size: Coordinates) -> Option<Consensus> {
    let near = |map: &Homography, looser: f64| -> Vec<Match> {
        matches.iter().filter(|pair| within(map, pair, looser)).copied().collect()
    };
    let mut map = *rough;
    for looser in LOOSER {
        map = Homography::affine(&near(&map, looser))?;
    }
    let flat = judge(&map, matches, size);
    let mut best = flat;
    for looser in LOOSER {
        let Some(deeper) = Homography::projective(&near(&map, looser)) else { break };
        map = deeper;
        if let Some(found) = judge(&map, matches, size).filter(|found| found.beats(best.as_ref())) {
            best = Some(found);
        }
    }
    best
}

/// Counts what agrees with a map; `None` when no camera sees a thing like this.
fn judge(map: &Homography, matches: &[Match], (width, height): Coordinates) -> Option<Consensus> {
    let mut corners = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)];
    for corner in &mut corners {
        *corner = map.apply(*corner)?;
    }
    if !sane(&corners, (width, height)) {
        return None;
    }
    let mut cells = Vec::new();
    let mut error = 0.0;
    for pair in matches.iter().filter(|pair| within(map, pair, 1.0)) {
        error += map.error(pair);
        cells.push(cell(pair.0));
    }
    cells.sort_unstable();
    cells.dedup();
    let inliers = cells.len();
    (inliers >= LEAST_PAIRS).then_some(Consensus { inliers, corners, error })
}

/// The cell of the reference in which a point lies.
#[allow(clippy::cast_possible_truncation, reason = "pixels of pictures of a few thousand")]
fn cell((x, y): Coordinates) -> (i32, i32) {
    ((x / CELL) as i32, (y / CELL) as i32)
}

/// Whether corners are those of a card held before a camera: no mirror image, no fold, no sliver.
fn sane(corners: &[Coordinates; 4], (width, height): Coordinates) -> bool {
    let side = |at: usize| {
        let (from, to) = (corners[at % 4], corners[(at + 1) % 4]);
        (to.0 - from.0, to.1 - from.1)
    };
    let scales: [f64; 4] = std::array::from_fn(|at| {
        let (x, y) = side(at);
        x.hypot(y) / if at % 2 == 0 { width } else { height }
    });
    let (least, greatest) = scales.iter().fold((f64::INFINITY, 0.0_f64), |(l, g), s| (l.min(*s), g.max(*s)));
    let convex = (0..4).all(|at| {
        let ((x, y), (next_x, next_y)) = (side(at), side(at + 1));
        // The sine of each corner's angle: clockwise, and none below 24°.
        x * next_y - y * next_x > 0.4 * x.hypot(y) * next_x.hypot(next_y)
    });
    convex && least >= SCALES.0 / 2.0 && greatest <= SCALES.1 * 1.5 && greatest <= 3.0 * least
}

/// The samples after which a map with more inliers than this has been met, but for a small chance.
#[allow(clippy::cast_precision_loss, reason = "a few thousand pairs")]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a positive range")]
fn samples_for(inliers: usize, of: usize) -> usize {
    let share = inliers as f64 / of as f64;
    let samples = MISSED.ln() / (1.0 - share * share).max(f64::MIN_POSITIVE).ln();
    // A rough map from two neighbours points nowhere, so several good samples are wanted, not one.
    (samples * 4.0).clamp(50.0, MOST_SAMPLES as f64) as usize
}

#[cfg(test)]
mod tests;
