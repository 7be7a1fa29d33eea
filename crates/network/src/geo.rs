//! Distances and boxes on the earth, as exactly as neighbouring stations need them.

/// One degree of a great circle.
const METRES_PER_DEGREE: f64 = 111_195.0;

/// A place: WGS 84 degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// North is positive.
    pub lat: f64,
    /// East is positive.
    pub lon: f64,
}

impl Place {
    /// Whether it is on the earth.
    #[must_use]
    pub fn is_valid(self) -> bool {
        (-90.0..=90.0).contains(&self.lat) && (-180.0..=180.0).contains(&self.lon)
    }

    /// How far it is to another place. A flat earth is exact enough below a hundred kilometres.
    #[must_use]
    pub fn metres_to(self, other: Self) -> f64 {
        let east = (self.lon - other.lon) * f64::midpoint(self.lat, other.lat).to_radians().cos();
        (self.lat - other.lat).hypot(east) * METRES_PER_DEGREE
    }

    /// To six decimals, a tenth of a metre: more is noise, and would make two imports differ.
    #[must_use]
    pub fn rounded(self) -> Self {
        let round = |degrees: f64| (degrees * 1e6).round() / 1e6;
        Self { lat: round(self.lat), lon: round(self.lon) }
    }
}

/// A box of degrees, edges included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Smallest longitude.
    pub west: f64,
    /// Smallest latitude.
    pub south: f64,
    /// Largest longitude.
    pub east: f64,
    /// Largest latitude.
    pub north: f64,
}

impl Area {
    /// A box from west, south, east and north, in the order in which everybody writes it.
    ///
    /// # Errors
    /// The rule, when the numbers break it.
    pub fn new([west, south, east, north]: [f64; 4]) -> Result<Self, &'static str> {
        let corners = [Place { lat: south, lon: west }, Place { lat: north, lon: east }];
        if corners.iter().all(|corner| corner.is_valid()) && west < east && south < north {
            Ok(Self { west, south, east, north })
        } else {
            Err("an area is west, south, east, north in degrees, with west < east and south < north")
        }
    }

    /// Whether a place is in it.
    #[must_use]
    pub fn contains(&self, place: Place) -> bool {
        (self.west..=self.east).contains(&place.lon) && (self.south..=self.north).contains(&place.lat)
    }
}
