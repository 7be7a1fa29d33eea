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
        let apart = (self.lon - other.lon).abs();
        // The shorter difference in longitude may cross the antimeridian.
        let east = apart.min(360.0 - apart) * f64::midpoint(self.lat, other.lat).to_radians().cos();
        (self.lat - other.lat).hypot(east) * METRES_PER_DEGREE
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
