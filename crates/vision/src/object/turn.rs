//! Turns of a picture before its features are found: descriptors bear only small ones.

use super::extract::Plane;

/// Bins of the directions of edges, modulo a quarter turn.
const BINS: usize = 18;
/// The least part of all edges that must run in the strongest direction, and across it.
const STRIKING: f32 = 0.22;
/// What is nearer to a quarter turn is found without.
const SLANTED: f32 = 22.0;

/// How a plane was turned to the right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Turn {
    degrees: f32,
    upright: (f32, f32),
    turned: (f32, f32),
}

impl Turn {
    /// Turns a plane. Quarter turns keep every pixel.
    pub(crate) fn of(plane: &Plane, degrees: f32) -> (Self, Plane) {
        let quarters = (degrees / 90.0).rem_euclid(4.0);
        let turned = if quarters.fract() == 0.0 {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 3")]
            plane.turned(quarters as u32)
        } else {
            plane.rotated(degrees)
        };
        (Self { degrees, upright: plane.size(), turned: turned.size() }, turned)
    }

    /// Whether it is a turn at all.
    pub(crate) fn is_turned(&self) -> bool {
        self.degrees != 0.0
    }

    /// A point of the turned plane in the upright one, both as fractions.
    pub(crate) fn back(&self, (x, y): (f32, f32)) -> (f32, f32) {
        let (sin, cos) = self.degrees.to_radians().sin_cos();
        let (x, y) = ((x - 0.5) * self.turned.0, (y - 0.5) * self.turned.1);
        let ((w, h), across, down) = (self.upright, x * cos + y * sin, y * cos - x * sin);
        (across / w + 0.5, down / h + 0.5)
    }
}

/// By how many degrees what a plane shows is turned to the right, modulo a quarter turn: from -45 to 45, if most of its
/// edges run along or across one direction that lies between the quarter turns. Boxes and covers have such edges, and
/// print does.
pub(crate) fn slant(plane: &Plane) -> Option<f32> {
    let mut bins = [0.0_f32; BINS];
    plane.gradients(|dx, dy| {
        let strength = dx.hypot(dy);
        if strength > 0.06 {
            let angle = dy.atan2(dx).to_degrees().rem_euclid(90.0);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 89 degrees")]
            let bin = (angle / 5.0) as usize % BINS;
            bins[bin] += strength;
        }
    });
    let all: f32 = bins.iter().sum();
    let around = |at: usize| [(at + BINS - 1) % BINS, at, (at + 1) % BINS];
    let sum = |at: usize| around(at).map(|bin| bins[bin]).iter().sum::<f32>();
    let best = (0..BINS).max_by(|a, b| sum(*a).total_cmp(&sum(*b)))?;
    if all <= 0.0 || sum(best) < STRIKING * all {
        return None;
    }
    #[allow(clippy::cast_precision_loss, reason = "a few bins")]
    let place = |step: usize| (best + step) as f32 * 5.0 - 2.5;
    let [before, at, after] = around(best).map(|bin| bins[bin]);
    let degrees = (place(0) * before + place(1) * at + place(2) * after) / sum(best);
    let degrees = if degrees > 45.0 { degrees - 90.0 } else { degrees };
    (degrees.abs() > SLANTED).then_some(degrees)
}

#[cfg(test)]
mod tests {
    use super::{Turn, slant};
    use crate::object::extract::Plane;

    /// A light card of stripes on a dark table, turned to the right.
    fn card(degrees: f32) -> Plane {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let shade = |at: u16| {
            let (x, y) = (f32::from(at % 256) - 128.0, f32::from(at / 256) - 96.0);
            let (u, v) = (x * cos + y * sin, y * cos - x * sin);
            let inside = u.abs() < 70.0 && v.abs() < 50.0;
            if inside { 0.5 + 0.4 * (v / 3.0).sin() } else { 0.1 }
        };
        Plane::new(256, 192, (0..256 * 192).map(|at| shade(u16::try_from(at).unwrap())).collect())
    }

    #[test]
    fn the_turn_of_a_card_is_seen() {
        for degrees in [-40.0, -30.0, 25.0, 35.0, 44.0] {
            let found = slant(&card(degrees)).unwrap_or_else(|| panic!("{degrees}"));
            assert!((found - degrees).abs() < 4.0, "{degrees}: {found}");
        }
        for upright in [0.0, 8.0, 90.0, -12.0] {
            assert_eq!(slant(&card(upright)), None, "{upright}");
        }
        assert_eq!(slant(&Plane::new(64, 32, vec![0.5; 64 * 32])), None);
    }

    #[test]
    fn a_turned_card_is_upright_after_turning_it_back() {
        let (_, upright) = Turn::of(&card(30.0), -30.0);
        assert_eq!(slant(&upright), None);
    }

    /// A bright spot is turned with the plane and must lead back to where it was.
    #[test]
    fn a_place_in_the_turned_plane_leads_back() {
        let mut grey = vec![0.0; 96 * 64];
        for (x, y) in [(70, 20), (71, 20), (70, 21), (71, 21)] {
            grey[y * 96 + x] = 1.0;
        }
        let plane = Plane::new(96, 64, grey);
        for degrees in [0.0, 30.0, 90.0, 135.0, 180.0, 270.0, -40.0] {
            let (turn, turned) = Turn::of(&plane, degrees);
            let (x, y) = turn.back(turned.brightest());
            assert!((x - 71.0 / 96.0).abs() < 0.02 && (y - 21.0 / 64.0).abs() < 0.03, "{degrees}: {x} {y}");
        }
    }
}
