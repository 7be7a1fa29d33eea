//! How a flat thing in one picture lies in another: plane projective maps, fitted to pairs of points.

/// A point in pixels.
pub(crate) type Coordinates = (f64, f64);

/// A point of the reference and its place in the query.
pub(crate) type Match = (Coordinates, Coordinates);

/// A map of the plane that keeps straight lines straight: the rows of its matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Homography(pub(crate) [[f64; 3]; 3]);

impl Homography {
    /// The turn, scale and shift that takes two points to two others.
    pub(crate) fn similarity((a, a2): Match, (b, b2): Match) -> Option<Self> {
        let (from, to) = ((b.0 - a.0, b.1 - a.1), (b2.0 - a2.0, b2.1 - a2.1));
        let length = from.0 * from.0 + from.1 * from.1;
        if length < 1.0 {
            return None;
        }
        // A quotient of complex numbers: to / from.
        let along = (to.0 * from.0 + to.1 * from.1) / length;
        let across = (to.1 * from.0 - to.0 * from.1) / length;
        let shift = (a2.0 - along * a.0 + across * a.1, a2.1 - across * a.0 - along * a.1);
        Some(Self([[along, -across, shift.0], [across, along, shift.1], [0.0, 0.0, 1.0]]))
    }

    /// The affine map (no perspective) with the least squared error.
    pub(crate) fn affine(matches: &[Match]) -> Option<Self> {
        Self::fit::<6>(matches, |(x, y), (u, v)| [([x, y, 1.0, 0.0, 0.0, 0.0], u), ([0.0, 0.0, 0.0, x, y, 1.0], v)])
    }

    /// The map with the least squared algebraic error.
    pub(crate) fn projective(matches: &[Match]) -> Option<Self> {
        Self::fit::<8>(matches, |(x, y), (u, v)| {
            [([x, y, 1.0, 0.0, 0.0, 0.0, -x * u, -y * u], u), ([0.0, 0.0, 0.0, x, y, 1.0, -x * v, -y * v], v)]
        })
    }

    /// Solves the equations that each match gives, in coordinates around the middle of the points and of size one,
    /// because squares of pixels would drown the rest.
    fn fit<const N: usize>(
        matches: &[Match],
        equations: impl Fn(Coordinates, Coordinates) -> [([f64; N], f64); 2],
    ) -> Option<Self> {
        if matches.len() * 2 < N {
            return None;
        }
        let from = Frame::of(matches.iter().map(|pair| pair.0))?;
        let to = Frame::of(matches.iter().map(|pair| pair.1))?;
        let (mut left, mut right) = ([[0.0; N]; N], [0.0; N]);
        for (a, b) in matches {
            for (row, value) in equations(from.enter(*a), to.enter(*b)) {
                for i in 0..N {
                    for j in 0..N {
                        left[i][j] += row[i] * row[j];
                    }
                    right[i] += row[i] * value;
                }
            }
        }
        let solution = solve(left, right)?;
        let mut entries = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        entries.iter_mut().zip(solution).for_each(|(entry, value)| *entry = value);
        let [a, b, c, d, e, f, g, h, i] = entries;
        let inner = Self([[a, b, c], [d, e, f], [g, h, i]]);
        Some(to.leaving().after(&inner).after(&from.entering()))
    }

    /// First `other`, then this.
    pub(crate) fn after(&self, other: &Self) -> Self {
        let (a, b) = (&self.0, &other.0);
        Self(std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum())))
    }

    /// Where a point comes to; `None` when it comes behind the viewer.
    pub(crate) fn apply(&self, (x, y): Coordinates) -> Option<Coordinates> {
        let [a, b, c] = self.0.map(|row| row[0] * x + row[1] * y + row[2]);
        (c > 1e-9).then(|| (a / c, b / c))
    }

    /// The square of the distance between where the reference's point comes to and where its partner is.
    pub(crate) fn error(&self, (from, to): &Match) -> f64 {
        self.apply(*from).map_or(f64::INFINITY, |(x, y)| (x - to.0).powi(2) + (y - to.1).powi(2))
    }
}

/// The middle and the spread of some points.
struct Frame {
    middle: Coordinates,
    scale: f64,
}

impl Frame {
    #[allow(clippy::cast_precision_loss, reason = "a few thousand points")]
    fn of(points: impl Iterator<Item = Coordinates> + Clone) -> Option<Self> {
        let count = points.clone().count() as f64;
        let sum = points.clone().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        let middle = (sum.0 / count, sum.1 / count);
        let spread = points.map(|point| (point.0 - middle.0).hypot(point.1 - middle.1)).sum::<f64>() / count;
        (spread > 1e-6).then(|| Self { middle, scale: 1.0 / spread })
    }

    fn enter(&self, point: Coordinates) -> Coordinates {
        ((point.0 - self.middle.0) * self.scale, (point.1 - self.middle.1) * self.scale)
    }

    fn entering(&self) -> Homography {
        let (s, m) = (self.scale, self.middle);
        Homography([[s, 0.0, -s * m.0], [0.0, s, -s * m.1], [0.0, 0.0, 1.0]])
    }

    fn leaving(&self) -> Homography {
        let (s, m) = (1.0 / self.scale, self.middle);
        Homography([[s, 0.0, m.0], [0.0, s, m.1], [0.0, 0.0, 1.0]])
    }
}

/// Gauss, with the largest number of each column as its pivot; `None` when the equations leave something open.
fn solve<const N: usize>(mut left: [[f64; N]; N], mut right: [f64; N]) -> Option<[f64; N]> {
    for column in 0..N {
        let pivot = (column..N).max_by(|a, b| left[*a][column].abs().total_cmp(&left[*b][column].abs()))?;
        if left[pivot][column].abs() < 1e-9 {
            return None;
        }
        left.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..N {
            let factor = left[row][column] / left[column][column];
            for at in column..N {
                left[row][at] -= factor * left[column][at];
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N).map(|at| left[row][at] * right[at]).sum();
        right[row] = (right[row] - known) / left[row][row];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Coordinates, Homography, Match};

    /// A view of a plane that a camera can have: turned, scaled, sheared a little, in mild perspective.
    fn view() -> impl Strategy<Value = Homography> {
        (
            -0.7..0.7_f64,
            0.4..2.0_f64,
            -0.2..0.2_f64,
            -300.0..300.0_f64,
            -300.0..300.0_f64,
            -3e-4..3e-4_f64,
            -3e-4..3e-4_f64,
        )
            .prop_map(|(turn, scale, shear, x, y, g, h)| {
                let (sin, cos) = (turn.sin() * scale, turn.cos() * scale);
                Homography([[cos, -sin + shear, x], [sin, cos, y], [g, h, 1.0]])
            })
    }

    fn grid() -> Vec<Coordinates> {
        (0..30).map(|n| (f64::from(n % 6) * 97.0 + f64::from(n / 6) * 5.0, f64::from(n / 6) * 83.0)).collect()
    }

    fn seen(by: &Homography) -> Vec<Match> {
        grid().into_iter().filter_map(|place| Some((place, by.apply(place)?))).collect()
    }

    proptest! {
        #[test]
        fn a_view_is_found_again_from_its_points(view in view()) {
            let matches = seen(&view);
            let found = Homography::projective(&matches).expect("enough points");
            prop_assert!(matches.iter().all(|pair| found.error(pair) < 1e-6));
        }

        #[test]
        fn one_view_after_another_is_both(first in view(), second in view(), x in 0.0..300.0_f64, y in 0.0..300.0_f64) {
            if let Some(middle) = first.apply((x, y)) && let Some(end) = second.apply(middle) {
                let both = second.after(&first).apply((x, y)).expect("in front of the viewer twice");
                prop_assert!((both.0 - end.0).hypot(both.1 - end.1) < 1e-6);
            }
        }

        #[test]
        fn two_points_fix_a_similarity(
            turn in -3.0..3.0_f64, scale in 0.2..4.0_f64, x in -99.0..99.0_f64, y in -99.0..99.0_f64,
        ) {
            let (sin, cos) = (turn.sin() * scale, turn.cos() * scale);
            let exact = Homography([[cos, -sin, x], [sin, cos, y], [0.0, 0.0, 1.0]]);
            let matches = seen(&exact);
            let found = Homography::similarity(matches[0], matches[7]).expect("two points");
            prop_assert!(matches.iter().all(|pair| found.error(pair) < 1e-9));
        }

        #[test]
        fn an_affine_map_is_found_again(a in 0.5..2.0_f64, b in -0.3..0.3_f64, c in -0.3..0.3_f64, d in 0.5..2.0_f64) {
            let matches = seen(&Homography([[a, b, 30.0], [c, d, -20.0], [0.0, 0.0, 1.0]]));
            let found = Homography::affine(&matches).expect("enough points");
            prop_assert!(matches.iter().all(|pair| found.error(pair) < 1e-9));
        }
    }

    #[test]
    fn too_few_points_or_points_on_a_line_fix_nothing() {
        let line: Vec<Match> = (0..9).map(|n| ((f64::from(n), 0.0), (f64::from(n), 0.0))).collect();
        assert_eq!(Homography::projective(&line[..3]), None);
        assert_eq!(Homography::projective(&line), None);
        assert_eq!(Homography::affine(&line), None);
        assert_eq!(Homography::similarity(line[0], line[0]), None);
    }
}
