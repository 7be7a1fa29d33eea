//! What an operator lets images be fetched from although it is not public: addresses, networks and names inside.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    str::FromStr,
};

use ipnet::IpNet;
use url::Host;

/// A place inside that images may be fetched from.
///
/// Written as an address (`10.1.2.3`), a network (`10.0.0.0/8`, `fd00::/8`) or a host name (`images.internal`); an
/// address or a name may have a port after it (`127.0.0.1:8080`, `[::1]:8080`, `images.internal:8080`), and then only
/// that port is meant. A name stands for whatever it resolves to: the operator vouches for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    place: Place,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Network(IpNet),
    Name(String),
}

/// A text that does not say what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no place that images could be fetched from: {reason}; write an address (10.1.2.3), a network \
     (10.0.0.0/8) or a host name (images.internal), the address or the name with a port (images.internal:8080) if only \
     that port is meant"
)]
pub struct AllowedUnreadable {
    text: String,
    reason: &'static str,
}

impl Allowed {
    /// Whether a connection to `address` and `port`, asked for under `name` if it was not by number, is allowed by this.
    pub(crate) fn covers(&self, name: Option<&str>, address: IpAddr, port: u16) -> bool {
        let place = match &self.place {
            // An IPv4 address in IPv6 clothes is the same machine.
            Place::Network(network) => network.contains(&address.to_canonical()),
            Place::Name(own) => name == Some(own.as_str()),
        };
        place && self.port.is_none_or(|own| own == port)
    }
}

impl FromStr for Allowed {
    type Err = AllowedUnreadable;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read(text.trim()).map_err(|reason| AllowedUnreadable { text: text.to_owned(), reason })
    }
}

fn read(text: &str) -> Result<Allowed, &'static str> {
    if text.contains('/') {
        let network: IpNet = text.parse().map_err(|_| "it has a slash, but is no network")?;
        return Ok(Allowed { place: Place::Network(plain(network)?), port: None });
    }
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(Allowed { place: single(address.ip()), port: Some(known(address.port())?) });
    }
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Ok(Allowed { place: single(address), port: None });
    }
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) => (name, Some(known(port.parse().map_err(|_| "what follows the colon is no port")?)?)),
        None => (text, None),
    };
    Ok(Allowed { place: Place::Name(host_name(name)?), port })
}

/// A name in the form in which addresses have it: lower case, and other scripts in ASCII.
fn host_name(text: &str) -> Result<String, &'static str> {
    match Host::parse(text).map_err(|_| "it is no host name")? {
        Host::Domain(name) if name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)) => Ok(name),
        Host::Domain(_) => Err("a host name has no such characters, and there are no wildcards"),
        // 127.1 and the like: a slip more often than a wish.
        Host::Ipv4(_) | Host::Ipv6(_) => Err("an address has to be written out"),
    }
}

fn single(address: IpAddr) -> Place {
    Place::Network(IpNet::from(address.to_canonical()))
}

/// A network without the bits that say nothing. One of IPv4 in IPv6 clothes would never be met: addresses are undressed
/// before they are looked at.
fn plain(network: IpNet) -> Result<IpNet, &'static str> {
    match network {
        IpNet::V6(v6) if v6.addr().to_ipv4_mapped().is_some() => Err("an IPv4 network has to be written as one"),
        network => Ok(network.trunc()),
    }
}

fn known(port: u16) -> Result<u16, &'static str> {
    if port == 0 { Err("port 0 is nobody's") } else { Ok(port) }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.place, self.port) {
            (Place::Network(net), Some(port)) => write!(f, "{}", SocketAddr::new(net.addr(), port)),
            (Place::Network(net), None) if net.prefix_len() == net.max_prefix_len() => write!(f, "{}", net.addr()),
            (Place::Network(net), None) => write!(f, "{net}"),
            (Place::Name(name), Some(port)) => write!(f, "{name}:{port}"),
            (Place::Name(name), None) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written_again() {
        let same = "10.1.2.3 10.0.0.0/8 fd00::/8 ::1 images.internal 127.0.0.1:8080 [::1]:8080 images.internal:8080 \
                    0.0.0.0/0 my_host";
        for text in same.split_whitespace() {
            assert_eq!(text.parse::<Allowed>().unwrap().to_string(), text);
        }
        let tidied = [
            ("10.1.2.3/8", "10.0.0.0/8"),
            ("10.1.2.3/32", "10.1.2.3"),
            ("[::1]", "::1"),
            ("Images.Internal", "images.internal"),
            ("::ffff:10.1.2.3", "10.1.2.3"),
            ("[::ffff:10.1.2.3]:80", "10.1.2.3:80"),
            ("  images ", "images"),
        ];
        for (text, tidy) in tidied {
            assert_eq!(text.parse::<Allowed>().unwrap().to_string(), tidy);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_and_named() {
        let senseless = "|10.0.0.0/33|10.0.0/8|http://images.internal|images.internal/path|images.internal:|\
                         images.internal:0|images.internal:65536|*.internal|127.1|2130706433|user@host|[::1|::1]:80|\
                         ::ffff:10.0.0.0/104|10.0.0.0/8:80|two words";
        for text in senseless.split('|') {
            let error = text.parse::<Allowed>().expect_err(text).to_string();
            assert!(error.starts_with(&format!("{text:?} is no place")), "{error}");
        }
    }

    #[test]
    fn an_entry_covers_what_it_says_and_nothing_beside() {
        let covers = |entry: &str, name: Option<&str>, address: &str, port: u16| {
            entry.parse::<Allowed>().unwrap().covers(name, address.parse().unwrap(), port)
        };
        assert!(covers("10.1.2.3", None, "10.1.2.3", 80));
        assert!(covers("10.1.2.3", None, "::ffff:10.1.2.3", 80));
        assert!(covers("10.1.2.3", Some("anything"), "10.1.2.3", 80));
        assert!(!covers("10.1.2.3", None, "10.1.2.4", 80));
        assert!(covers("10.0.0.0/8", None, "10.255.0.1", 1));
        assert!(!covers("10.0.0.0/8", None, "11.0.0.1", 1));
        assert!(!covers("::/0", None, "::ffff:127.0.0.1", 80), "an IPv4 address is not meant by an IPv6 network");
        assert!(covers("127.0.0.1:8080", None, "127.0.0.1", 8080));
        assert!(!covers("127.0.0.1:8080", None, "127.0.0.1", 8081));
        assert!(covers("images.internal", Some("images.internal"), "10.9.9.9", 80));
        assert!(!covers("images.internal", Some("x.images.internal"), "10.9.9.9", 80));
        assert!(!covers("images.internal", None, "10.9.9.9", 80));
        assert!(!covers("images.internal:8080", Some("images.internal"), "10.9.9.9", 80));
    }
}
