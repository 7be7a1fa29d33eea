//! Points on the earth, and the two notations in which the API writes them.

use std::fmt;

/// A geodetic system in which the API gives coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gcs {
    /// The Tokyo datum.
    #[default]
    Tokyo,
    /// WGS 84, which agrees with JGD2011 to a few centimetres.
    Wgs84,
}

impl Gcs {
    /// Both systems.
    pub const ALL: [Self; 2] = [Self::Tokyo, Self::Wgs84];

    /// The word for it in requests and responses.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Tokyo => "tokyo",
            Self::Wgs84 => "wgs84",
        }
    }

    /// The system of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|gcs| gcs.word() == word)
    }
}

/// A latitude or longitude in millionths of a degree (about 0.1 m). Both notations are derived from this integer, so
/// they cannot disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Degrees(i64);

impl Degrees {
    /// Rounds to the nearest millionth.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "degrees are at most 360; the product is far inside i64")]
    pub fn from_f64(degrees: f64) -> Self {
        Self((degrees * 1e6).round() as i64)
    }

    /// `35.42.7.59`: degrees, minutes, seconds and hundredths of a second without zero padding. The rest is truncated,
    /// as in the services for which existing clients were written.
    #[must_use]
    pub fn dms(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        // One millionth of a degree is 0.36 hundredths of a second.
        let hundredths = self.0.unsigned_abs() * 36 / 100;
        let (seconds, minutes) = (hundredths / 100, hundredths / 6_000);
        format!("{sign}{}.{}.{}.{}", minutes / 60, minutes % 60, seconds % 60, hundredths % 100)
    }
}

/// Decimal degrees with five digits, or six where the sixth is not zero.
impl fmt::Display for Degrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, size) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let (whole, part) = (size / 1_000_000, size % 1_000_000);
        if part.is_multiple_of(10) {
            write!(f, "{sign}{whole}.{:05}", part / 10)
        } else {
            write!(f, "{sign}{whole}.{part:06}")
        }
    }
}

/// A point on the earth in one geodetic system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeoPoint {
    /// The system of the two numbers.
    pub gcs: Gcs,
    /// Degrees north of the equator.
    pub latitude: Degrees,
    /// Degrees east of Greenwich.
    pub longitude: Degrees,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Degrees, Gcs};

    #[test]
    fn koenji_is_written_as_its_clients_know_it() {
        assert_eq!(Degrees::from_f64(35.702_11).dms(), "35.42.7.59");
        assert_eq!(Degrees::from_f64(35.702_11).to_string(), "35.70211");
        assert_eq!(Degrees::from_f64(139.653_027).dms(), "139.39.10.89");
        assert_eq!(Degrees::from_f64(139.653_027).to_string(), "139.653027");
    }

    #[test]
    fn edges_of_the_written_forms() {
        for (degrees, dms, decimal) in [
            (0.0, "0.0.0.0", "0.00000"),
            (36.0, "36.0.0.0", "36.00000"),
            (-33.5, "-33.30.0.0", "-33.50000"),
            (35.999_999, "35.59.59.99", "35.999999"),
            (-0.000_003, "-0.0.0.1", "-0.000003"),
        ] {
            let value = Degrees::from_f64(degrees);
            assert_eq!((value.dms().as_str(), value.to_string().as_str()), (dms, decimal));
        }
    }

    #[test]
    fn words_of_the_systems() {
        assert_eq!(Gcs::from_word("tokyo"), Some(Gcs::Tokyo));
        assert_eq!(Gcs::from_word("wgs84"), Some(Gcs::Wgs84));
        assert_eq!(Gcs::from_word("WGS84"), None);
    }

    proptest! {
        /// Reading either form back gives the same place: the decimal one exactly, the other to its last digit.
        #[test]
        fn both_forms_agree(millionths in -180_000_000_i64..=180_000_000) {
            let value = Degrees(millionths);
            let decimal: f64 = value.to_string().parse().map_err(|_| TestCaseError::fail("decimal"))?;
            prop_assert_eq!(Degrees::from_f64(decimal), value);

            let dms = value.dms();
            let mut parts = dms.trim_start_matches('-').split('.').map(str::parse::<u64>);
            let mut next = || parts.next().and_then(Result::ok).ok_or_else(|| TestCaseError::fail("dms"));
            let (d, m, s, h) = (next()?, next()?, next()?, next()?);
            prop_assert!(m < 60 && s < 60 && h < 100);
            let hundredths = ((d * 60 + m) * 60 + s) * 100 + h;
            let exact = millionths.unsigned_abs() * 36; // in hundredths of a hundredth
            prop_assert!(hundredths * 100 <= exact && exact < (hundredths + 1) * 100);
        }
    }
}
