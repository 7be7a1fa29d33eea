//! Where a key may be used from: pages of some sites, and networks.

use std::{fmt, net::IpAddr, str::FromStr};

use ipnet::IpNet;

/// The most places of a key.
const MOST: usize = 50;

/// The places that a key may be used from. Without any, it may be used from everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowedPlaces(Vec<AllowedPlace>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum AllowedPlace {
    /// Pages of a site, as browsers name it in the header `Origin`.
    Origin(String),
    /// Addresses.
    Network(IpNet),
    /// Where nobody is.
    Nowhere,
}

impl FromStr for AllowedPlaces {
    type Err = String;

    /// Origins, addresses and networks, separated by commas.
    fn from_str(text: &str) -> Result<Self, String> {
        Self::of(text.split(','))
    }
}

fn place(text: &str) -> Result<AllowedPlace, String> {
    if let Some((scheme, host)) = text.split_once("://") {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
        if !matches!(scheme, "http" | "https") || host.is_empty() || !host.chars().all(plain) {
            let rule = "is no origin: write it as browsers do, such as https://maps.example.org, without a path";
            return Err(format!("'{}' {rule}", text.escape_debug()));
        }
        return Ok(AllowedPlace::Origin(text.to_ascii_lowercase()));
    }
    let network = text.parse::<IpAddr>().map(IpNet::from).or_else(|_| text.parse());
    network.map(AllowedPlace::Network).map_err(|_| {
        format!("'{}' is neither an origin (https://…) nor an address or a network (10.0.0.0/8)", text.escape_debug())
    })
}

impl fmt::Display for AllowedPlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, place) in self.0.iter().enumerate() {
            write!(f, "{}{place}", if number == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl fmt::Display for AllowedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Origin(origin) => f.write_str(origin),
            Self::Network(network) => write!(f, "{network}"),
            Self::Nowhere => f.write_str("nowhere"),
        }
    }
}

impl AllowedPlaces {
    /// Origins, addresses and networks.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn of<'a>(places: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let places: Vec<AllowedPlace> = places.into_iter().map(|text| place(text.trim())).collect::<Result<_, _>>()?;
        if places.len() > MOST {
            return Err(format!("a key has at most {MOST} places"));
        }
        Ok(Self(places))
    }

    /// Each place as it is written.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(AllowedPlace::to_string).collect()
    }

    /// As the database keeps them: nothing where a key may be used from everywhere.
    #[must_use]
    pub fn stored(&self) -> Option<String> {
        (!self.is_everywhere()).then(|| self.to_string())
    }

    /// What [`Self::stored`] wrote. What cannot be read allows nobody.
    #[must_use]
    pub fn read(stored: Option<&str>) -> Self {
        stored.map_or_else(Self::default, |text| text.parse().unwrap_or_else(|_| Self(vec![AllowedPlace::Nowhere])))
    }

    /// Whether the key may be used from everywhere.
    #[must_use]
    pub fn is_everywhere(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a request with this `Origin` header, from this address, comes from one of the places.
    #[must_use]
    pub fn allow(&self, origin: Option<&str>, client: IpAddr) -> bool {
        let client = client.to_canonical();
        self.is_everywhere()
            || self.0.iter().any(|place| match place {
                AllowedPlace::Origin(allowed) => origin.is_some_and(|origin| origin.eq_ignore_ascii_case(allowed)),
                AllowedPlace::Network(network) => network.contains(&client),
                AllowedPlace::Nowhere => false,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::AllowedPlaces;

    fn allows(places: &str, origin: Option<&str>, client: &str) -> bool {
        let places: AllowedPlaces = places.parse().unwrap();
        assert_eq!(AllowedPlaces::read(places.stored().as_deref()), places);
        places.allow(origin, client.parse().unwrap())
    }

    #[test]
    fn a_request_comes_from_one_of_the_places_or_is_refused() {
        let both = "https://Maps.example.org, 10.0.0.0/8,2001:db8::/32";
        assert!(allows(both, Some("https://maps.example.org"), "192.0.2.1"));
        assert!(allows(both, Some("https://elsewhere.example"), "10.1.2.3"));
        assert!(allows(both, None, "::ffff:10.1.2.3"));
        assert!(allows(both, None, "2001:db8::7"));
        assert!(!allows(both, None, "192.0.2.1"));
        assert!(!allows(both, Some("https://maps.example.org.evil.example"), "192.0.2.1"));
        assert!(!allows(both, Some("http://maps.example.org"), "192.0.2.1"));
        assert!(!allows("192.0.2.1", None, "192.0.2.2"));
        assert!(AllowedPlaces::default().allow(None, "192.0.2.1".parse().unwrap()));
    }

    #[test]
    fn what_is_no_place_is_refused_and_what_cannot_be_read_allows_nobody() {
        for bad in ["", "maps.example.org", "https://", "https://a/b", "ftp://a", "10.0.0.0/99", "10.0.0.1,"] {
            assert!(bad.parse::<AllowedPlaces>().is_err(), "{bad}");
        }
        assert!(vec!["10.0.0.1"; 51].join(",").parse::<AllowedPlaces>().is_err());
        let unread = AllowedPlaces::read(Some("a planet"));
        for origin in [None, Some(""), Some("a planet"), Some("nowhere")] {
            assert!(!unread.allow(origin, "127.0.0.1".parse().unwrap()), "{origin:?}");
        }
        assert!(AllowedPlaces::read(None).is_everywhere() && AllowedPlaces::default().stored().is_none());
    }
}
