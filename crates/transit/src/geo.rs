//! Geographic positions, distances and bounding boxes, accurate enough for adjacent stations.

/// The length of one degree of a great circle.
const METRES_PER_DEGREE: f64 = 111_195.0;

/// A position in WGS 84 degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatLon {
    /// Latitude; north is positive.
    pub lat: f64,
    /// Longitude; east is positive.
    pub lon: f64,
}

impl LatLon {
    /// Whether latitude and longitude are in range.
    #[must_use]
    pub fn is_valid(self) -> bool {
        (-90.0..=90.0).contains(&self.lat) && (-180.0..=180.0).contains(&self.lon)
    }

    /// The distance to another position. The planar approximation is accurate below a hundred kilometres.
    #[must_use]
    pub fn metres_to(self, other: Self) -> f64 {
        let (east, north) = self.offset_to(other);
        north.hypot(east) * METRES_PER_DEGREE
    }

    /// How far another position is to the east and to the north, in degrees of latitude.
    pub(crate) fn offset_to(self, other: Self) -> (f64, f64) {
        let apart = other.lon - self.lon;
        // The shorter difference in longitude may cross the antimeridian.
        let east = (apart + wrap_offset(apart)) * f64::midpoint(self.lat, other.lat).to_radians().cos();
        (east, other.lat - self.lat)
    }

    /// Rounds to six decimals, a tenth of a metre. Further digits are noise and would make imports differ.
    #[must_use]
    pub fn rounded(self) -> Self {
        let round = |degrees: f64| (degrees * 1e6).round() / 1e6;
        Self { lat: round(self.lat), lon: round(self.lon) }
    }
}

/// The mean of positions that are near each other, also across the antimeridian; `None` without any.
pub(crate) fn mean(positions: impl IntoIterator<Item = LatLon>) -> Option<LatLon> {
    let mut positions = positions.into_iter().peekable();
    let first = *positions.peek()?;
    let (mut lat, mut lon, mut count) = (0.0, 0.0, 0.0);
    for position in positions {
        lat += position.lat;
        lon += position.lon + wrap_offset(position.lon - first.lon);
        count += 1.0;
    }
    let lon = lon / count;
    Some(LatLon { lat: lat / count, lon: lon + wrap_offset(lon) })
}

/// The offset that brings a difference of longitudes into −180 to 180 degrees.
fn wrap_offset(degrees: f64) -> f64 {
    if degrees > 180.0 {
        -360.0
    } else if degrees < -180.0 {
        360.0
    } else {
        0.0
    }
}

/// A bounding box in degrees, edges included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingBox {
    /// The smallest longitude.
    pub west: f64,
    /// The smallest latitude.
    pub south: f64,
    /// The largest longitude.
    pub east: f64,
    /// The largest latitude.
    pub north: f64,
}

impl BoundingBox {
    /// A bounding box from west, south, east and north.
    ///
    /// # Errors
    /// The rule that the numbers violate.
    pub fn new([west, south, east, north]: [f64; 4]) -> Result<Self, &'static str> {
        let corners = [LatLon { lat: south, lon: west }, LatLon { lat: north, lon: east }];
        if corners.iter().all(|corner| corner.is_valid()) && west < east && south < north {
            Ok(Self { west, south, east, north })
        } else {
            Err("an area is west, south, east, north in degrees, with west < east and south < north")
        }
    }

    /// Whether a position is within the box.
    #[must_use]
    pub fn contains(&self, position: LatLon) -> bool {
        (self.west..=self.east).contains(&position.lon) && (self.south..=self.north).contains(&position.lat)
    }
}

#[cfg(test)]
mod tests {
    use super::{BoundingBox, LatLon, mean};

    fn at(lat: f64, lon: f64) -> LatLon {
        LatLon { lat, lon }
    }

    fn is_near(a: LatLon, b: LatLon) -> bool {
        (a.lat - b.lat).abs() < 1e-9 && (a.lon - b.lon).abs() < 1e-9
    }

    #[test]
    fn a_position_is_within_90_and_180_degrees() {
        for valid in [at(90.0, 180.0), at(-90.0, -180.0), at(0.0, 0.0)] {
            assert!(valid.is_valid(), "{valid:?}");
        }
        for off in [at(90.1, 0.0), at(-90.1, 0.0), at(0.0, 180.1), at(0.0, -180.1), at(f64::NAN, 0.0)] {
            assert!(!off.is_valid(), "{off:?}");
        }
    }

    #[test]
    fn distances_are_in_metres_and_take_the_shorter_way_around() {
        let is_about = |a: LatLon, b: LatLon, metres: f64| {
            assert!((a.metres_to(b) - metres).abs() < 1.0 && (b.metres_to(a) - metres).abs() < 1.0, "{a:?} {b:?}");
        };
        is_about(at(35.0, 139.0), at(36.0, 139.0), 111_195.0);
        is_about(at(0.0, 10.0), at(0.0, 11.0), 111_195.0);
        // The cosine of 60 degrees is a half.
        is_about(at(60.0, 10.0), at(60.0, 12.0), 111_195.0);
        is_about(at(-1.5, 10.0), at(1.5, 14.0), 5.0 * 111_195.0);
        is_about(at(0.0, 179.5), at(0.0, -179.5), 111_195.0);
    }

    #[test]
    fn positions_are_rounded_to_six_decimals() {
        assert_eq!(at(35.123_456_4, -139.987_654_6).rounded(), at(35.123_456, -139.987_655));
    }

    #[test]
    fn the_mean_of_positions_on_both_sides_of_the_antimeridian_is_between_them() {
        assert_eq!(mean([]), None);
        assert!(is_near(mean([at(1.0, 10.0), at(2.0, 20.0), at(6.0, 60.0)]).unwrap(), at(3.0, 30.0)));
        for (first, second, middle) in [(179.0, -177.0, -179.0), (177.0, -179.0, 179.0), (-179.0, 177.0, 179.0)] {
            assert!(is_near(mean([at(0.0, first), at(0.0, second)]).unwrap(), at(0.0, middle)), "{first} {second}");
        }
        assert!(is_near(mean([at(0.0, 179.0), at(0.0, -178.0), at(0.0, -178.0)]).unwrap(), at(0.0, -179.0)));
        assert!(is_near(mean([at(0.0, 92.0), at(0.0, 86.0)]).unwrap(), at(0.0, 89.0)), "far from the antimeridian");
    }

    #[test]
    fn a_box_has_a_width_and_a_height_and_its_corners_are_on_the_earth() {
        assert!(BoundingBox::new([-180.0, -90.0, 180.0, 90.0]).is_ok());
        for wrong in [
            [139.0, 35.0, 139.0, 36.0],
            [139.0, 35.0, 140.0, 35.0],
            [140.0, 35.0, 139.0, 36.0],
            [139.0, 36.0, 140.0, 35.0],
            [-181.0, 35.0, 140.0, 36.0],
            [139.0, 35.0, 140.0, 91.0],
        ] {
            assert!(BoundingBox::new(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_edges_of_a_box_belong_to_it() {
        let area = BoundingBox::new([139.0, 35.0, 140.0, 36.0]).unwrap();
        for inside in [at(35.0, 139.0), at(36.0, 140.0), at(35.5, 139.5)] {
            assert!(area.contains(inside), "{inside:?}");
        }
        for outside in [at(34.9, 139.5), at(36.1, 139.5), at(35.5, 138.9), at(35.5, 140.1)] {
            assert!(!area.contains(outside), "{outside:?}");
        }
    }
}
