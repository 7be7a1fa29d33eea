//! The datum shift from WGS 84, in which maps store their stations, to the Tokyo datum.
//!
//! The official grid TKY2JGD, which the crate `jgd` contains, converts from Tokyo to JGD2000 only. The inverse has no
//! closed form. A fixed-point iteration finds it; because the grid is smooth, the iteration converges to far less than
//! a millimetre. At sea, outside the grid, the three-parameter shift of the same crate applies. In other countries
//! there is no Tokyo datum: positions there stay in WGS 84, and say so.
//!
//! JGD2000 is used as WGS 84. The crate's further step to JGD2011 models the ground movement of the 2011 earthquake.
//! Public station coordinates do not follow it consistently, and the known points of existing services agree with the
//! grid alone.

use jgd::{Jgd2000, LatLon, Tokyo};
use kaisatsu_model::{Degrees, Gcs, GeoPoint, Position};

/// The most iterations. A point where the grid is smooth needs four or five; one that needs more lies at a
/// discontinuity.
const STEPS: usize = 20;

/// The iteration stops below this difference: 1e-10 degrees are about a hundredth of a millimetre.
const CLOSE: f64 = 1e-10;

/// A position in the coordinate system `gcs`, as the API writes it; in WGS 84 outside of Japan.
#[must_use]
pub fn in_system(position: Position, gcs: Gcs) -> GeoPoint {
    let (latitude, longitude) = position.degrees();
    let gcs = if is_in_japan(latitude, longitude) { gcs } else { Gcs::Wgs84 };
    let (latitude, longitude) = match gcs {
        Gcs::Wgs84 => (latitude, longitude),
        Gcs::Tokyo => to_tokyo(latitude, longitude),
    };
    GeoPoint { gcs, latitude: Degrees::from_f64(latitude), longitude: Degrees::from_f64(longitude) }
}

/// The seas and islands of Japan: south, west, north and east, in degrees. The boxes leave out Korea, Taiwan, the coast
/// of Siberia and Sakhalin; half a kilometre between the datums does not matter at sea.
const JAPAN: [[f64; 4]; 5] = [
    [20.0, 122.7, 31.0, 154.5],
    [31.0, 127.9, 33.5, 154.5],
    [33.5, 128.5, 34.85, 154.5],
    [34.85, 130.95, 40.0, 154.5],
    [40.0, 138.5, 45.7, 154.5],
];

/// Whether a position is in Japan or the sea around it.
#[must_use]
pub fn is_in_japan(latitude: f64, longitude: f64) -> bool {
    let contains = |[south, west, north, east]: &[f64; 4]| {
        (*south..*north).contains(&latitude) && (*west..*east).contains(&longitude)
    };
    JAPAN.iter().any(contains)
}

/// Converts a position from the Tokyo datum to WGS 84; `None` if it is out of range. Outside of Japan it is taken as
/// WGS 84.
#[must_use]
pub fn to_wgs84(latitude: f64, longitude: f64) -> Option<(f64, f64)> {
    if !is_in_japan(latitude, longitude) {
        return Position::new(latitude, longitude).map(Position::degrees);
    }
    from_tokyo(latitude, longitude)
}

fn from_tokyo(latitude: f64, longitude: f64) -> Option<(f64, f64)> {
    let LatLon(latitude, longitude) = Tokyo::new(LatLon(latitude, longitude)).ok()?.to_jgd2000().degrees();
    Some((latitude, longitude))
}

/// Converts a position from WGS 84 to the Tokyo datum.
#[must_use]
pub fn to_tokyo(latitude: f64, longitude: f64) -> (f64, f64) {
    let three_parameters = || {
        let world = Jgd2000::new(LatLon(latitude, longitude)).ok()?;
        let LatLon(latitude, longitude) = world.to_tokyo97().degrees();
        Some((latitude, longitude))
    };
    let (mut lat, mut lon) = three_parameters().unwrap_or((latitude, longitude));
    for _ in 0..STEPS {
        let Some((world_lat, world_lon)) = from_tokyo(lat, lon) else { break };
        let (north, east) = (latitude - world_lat, longitude - world_lon);
        (lat, lon) = (lat + north, lon + east);
        if north.abs() < CLOSE && east.abs() < CLOSE {
            return (lat, lon);
        }
    }
    // At the edge of the grid a point may have no exact inverse. The three-parameter shift is the best approximation.
    three_parameters().unwrap_or((latitude, longitude))
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{Degrees, Gcs, Position};
    use proptest::prelude::*;

    use super::{in_system, to_tokyo, to_wgs84};

    #[test]
    fn koenji_is_where_its_clients_know_it() {
        let koenji = Position::new(35.705_342, 139.649_802).unwrap();
        let tokyo = in_system(koenji, Gcs::Tokyo);
        assert_eq!((tokyo.latitude.dms().as_str(), tokyo.longitude.dms().as_str()), ("35.42.7.59", "139.39.10.89"));
        assert_eq!(
            (tokyo.latitude.to_string().as_str(), tokyo.longitude.to_string().as_str()),
            ("35.70211", "139.653027")
        );
        let world = in_system(koenji, Gcs::Wgs84);
        assert_eq!(
            (world.latitude.to_string().as_str(), world.longitude.to_string().as_str()),
            ("35.705342", "139.649802")
        );
    }

    #[test]
    fn abroad_positions_stay_in_wgs_84_and_say_so() {
        for (city, lat, lon) in [
            ("New York", 40.75, -73.99),
            ("Seoul", 37.55, 126.97),
            ("Busan", 35.115, 129.04),
            ("Jeju", 33.25, 126.56),
            ("Ulleungdo", 37.5, 130.87),
            ("Taipei", 25.05, 121.52),
            ("Vladivostok", 43.11, 131.88),
        ] {
            let point = in_system(Position::new(lat, lon).unwrap(), Gcs::Tokyo);
            assert_eq!((point.gcs, point.latitude), (Gcs::Wgs84, Degrees::from_f64(lat)), "{city}");
            assert_eq!(to_wgs84(lat, lon), Some((lat, lon)), "{city}");
        }
        for (place, lat, lon) in [
            ("与那国", 24.468, 123.01),
            ("対馬", 34.70, 129.45),
            ("稚内", 45.417, 141.677),
            ("小笠原", 27.09, 142.19),
            ("五島", 32.66, 128.75),
            ("男女群島", 32.0, 128.35),
            ("毘沙ノ鼻", 34.11, 130.86),
        ] {
            let point = in_system(Position::new(lat, lon).unwrap(), Gcs::Tokyo);
            assert!(point.gcs == Gcs::Tokyo && point.latitude != Degrees::from_f64(lat), "{place}");
        }
    }

    #[test]
    fn far_from_japan_there_is_still_an_answer() {
        for (lat, lon) in [(40.75, -73.99), (-33.87, 151.2), (90.0, 180.0), (-90.0, -180.0), (0.0, 0.0)] {
            let (tokyo_lat, tokyo_lon) = to_tokyo(lat, lon);
            assert!((tokyo_lat - lat).abs() < 0.05 && tokyo_lon.is_finite(), "{lat} {lon}: {tokyo_lat} {tokyo_lon}");
        }
    }

    /// One millimetre on the ground, in degrees: the largest accepted error of a round trip.
    const MILLIMETRE: f64 = 1e-3 / 111_320.0;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, max_global_rejects: 200_000, ..ProptestConfig::default() })]

        /// A round trip through the Tokyo datum returns the same point within a millimetre, everywhere on the grid. The
        /// test starts from Tokyo coordinates, because a WGS 84 point at the edge of the grid may have no inverse.
        #[test]
        fn there_and_back(tokyo_latitude in 24.0..46.0, tokyo_longitude in 122.0..146.0) {
            prop_assume!(jgd::TKY2JGD.bilinear(jgd::LatLon(tokyo_latitude, tokyo_longitude)).is_some());
            let shifted =
                |(latitude, longitude)| to_wgs84(latitude, longitude).ok_or_else(|| TestCaseError::fail("range"));
            let (latitude, longitude) = shifted((tokyo_latitude, tokyo_longitude))?;
            let (back_latitude, back_longitude) = shifted(to_tokyo(latitude, longitude))?;
            prop_assert!((back_latitude - latitude).abs() < MILLIMETRE, "{latitude} {longitude}");
            prop_assert!((back_longitude - longitude).abs() < MILLIMETRE, "{latitude} {longitude}");
        }

        /// The result is near the input for any point on the earth.
        #[test]
        fn never_far_away(latitude in -89.0..89.0, longitude in -180.0..180.0) {
            let (lat, lon) = to_tokyo(latitude, longitude);
            let apart = (lon - longitude + 540.0).rem_euclid(360.0) - 180.0;
            prop_assert!((lat - latitude).abs() < 0.02 && apart.abs() < 2.0, "{latitude} {longitude}: {lat} {lon}");
        }
    }
}
