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
        let apart = (self.lon - other.lon).abs();
        // The shorter way around the earth, which may be the one across the date line.
        let east = apart.min(360.0 - apart) * f64::midpoint(self.lat, other.lat).to_radians().cos();
        (self.lat - other.lat).hypot(east) * METRES_PER_DEGREE
    }

    /// To six decimals, a tenth of a metre: more is noise, and would make two imports differ.
    #[must_use]
    pub fn rounded(self) -> Self {
        let round = |degrees: f64| (degrees * 1e6).round() / 1e6;
        Self { lat: round(self.lat), lon: round(self.lon) }
    }
}

/// The middle of places that are near each other, on whichever side of the date line; `None` of none.
pub(crate) fn mean(places: impl IntoIterator<Item = Place>) -> Option<Place> {
    let mut places = places.into_iter().peekable();
    let first = *places.peek()?;
    let (mut lat, mut lon, mut count) = (0.0, 0.0, 0.0);
    for place in places {
        lat += place.lat;
        lon += place.lon + turn(place.lon - first.lon);
        count += 1.0;
    }
    let lon = lon / count;
    Some(Place { lat: lat / count, lon: lon + turn(lon) })
}

/// What brings a difference of degrees back to half the earth: a turn around it, or nothing.
fn turn(degrees: f64) -> f64 {
    if degrees > 180.0 {
        -360.0
    } else if degrees < -180.0 {
        360.0
    } else {
        0.0
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
