//! A position on the earth.

use serde::{Deserialize, Serialize};

/// The radius of the earth in metres, of a sphere with its surface.
const EARTH: f64 = 6_371_008.8;

/// A position in WGS 84. The latitude is within −90 to 90 degrees and the longitude within −180 to 180.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    latitude: f64,
    longitude: f64,
}

impl Position {
    /// Checks the ranges. `None` if a number is out of range or not a number.
    #[must_use]
    pub fn new(latitude: f64, longitude: f64) -> Option<Self> {
        let inside = (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude);
        inside.then_some(Self { latitude, longitude })
    }

    /// Latitude and longitude in WGS 84 degrees.
    #[must_use]
    pub fn degrees(self) -> (f64, f64) {
        (self.latitude, self.longitude)
    }

    /// The distance to another position along a great circle, in metres.
    #[must_use]
    pub fn metres_to(self, other: Self) -> f64 {
        let north = ((other.latitude - self.latitude).to_radians() / 2.0).sin().powi(2);
        let east = ((other.longitude - self.longitude).to_radians() / 2.0).sin().powi(2);
        let half = north + self.latitude.to_radians().cos() * other.latitude.to_radians().cos() * east;
        2.0 * EARTH * half.sqrt().min(1.0).asin()
    }
}

#[cfg(test)]
mod tests {
    use super::Position;

    #[test]
    fn distances_are_those_of_the_earth() {
        let (tokyo, osaka) = (Position::new(35.681, 139.767).unwrap(), Position::new(34.702, 135.495).unwrap());
        assert!((tokyo.metres_to(osaka) / 1000.0 - 403.0).abs() < 3.0, "{}", tokyo.metres_to(osaka));
    }

    #[test]
    fn positions_that_are_none() {
        for (lat, lon) in [(f64::NAN, 0.0), (90.1, 0.0), (0.0, -180.1), (f64::INFINITY, 0.0)] {
            assert_eq!(Position::new(lat, lon), None);
        }
    }
}
