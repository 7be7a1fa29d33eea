//! Hosts that are not public, but from which the operator allows images to be fetched.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    str::FromStr,
};

use ipnet::IpNet;
use url::Host;

use crate::address::without_root;

/// A host or network from which images may be fetched although it is not public.
///
/// It is written as an address (`10.1.2.3`), a network (`10.0.0.0/8`, `fd00::/8`) or a host name (`images.internal`).
/// An address or a name can be followed by a port (`127.0.0.1:8080`, `[::1]:8080`, `images.internal:8080`), and then
/// only that port is allowed. A name is allowed whatever it resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost {
    matcher: Matcher,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Matcher {
    Network(IpNet),
    Name(String),
}

/// A text that is no allowed host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a host that images can be fetched from: {reason}; write an address (10.1.2.3), a network \
     (10.0.0.0/8) or a host name (images.internal), the address or the name with a port (images.internal:8080) to \
     allow that port only"
)]
pub struct InvalidAllowedHost {
    text: String,
    reason: &'static str,
}

impl AllowedHost {
    /// Whether this entry allows a connection to `address` and `port`. `name` is the host name that resolved to the
    /// address, if there was one.
    pub(crate) fn covers(&self, name: Option<&str>, address: IpAddr, port: u16) -> bool {
        let matches = match &self.matcher {
            // An IPv4-mapped IPv6 address reaches the same host as the IPv4 address.
            Matcher::Network(network) => network.contains(&address.to_canonical()),
            Matcher::Name(own) => name == Some(own.as_str()),
        };
        matches && self.port.is_none_or(|own| own == port)
    }
}

impl FromStr for AllowedHost {
    type Err = InvalidAllowedHost;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text.trim()).map_err(|reason| InvalidAllowedHost { text: text.to_owned(), reason })
    }
}

fn parse(text: &str) -> Result<AllowedHost, &'static str> {
    if text.contains('/') {
        let network: IpNet = text.parse().map_err(|_| "it has a slash, but is no network")?;
        return Ok(AllowedHost { matcher: Matcher::Network(normalise(network)?), port: None });
    }
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(AllowedHost { matcher: single(address.ip()), port: Some(valid_port(address.port())?) });
    }
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Ok(AllowedHost { matcher: single(address), port: None });
    }
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) => (name, Some(valid_port(port.parse().map_err(|_| "what follows the colon is no port")?)?)),
        None => (text, None),
    };
    Ok(AllowedHost { matcher: Matcher::Name(host_name(name)?), port })
}

/// A host name in the form that URLs have after parsing: lower case, other scripts in Punycode.
fn host_name(text: &str) -> Result<String, &'static str> {
    match Host::parse(text).map_err(|_| "it is no host name")? {
        Host::Domain(name) if name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)) => {
            Ok(without_root(&name).to_owned())
        }
        Host::Domain(_) => Err("a host name has no such characters, and there are no wildcards"),
        // 127.1 and the like: more often a mistake than intended.
        Host::Ipv4(_) | Host::Ipv6(_) => Err("an address has to be written out"),
    }
}

fn single(address: IpAddr) -> Matcher {
    Matcher::Network(IpNet::from(address.to_canonical()))
}

/// A network with its host bits cleared. An IPv4-mapped IPv6 network is refused, because it would match nothing: mapped
/// addresses are converted to IPv4 before they are compared.
fn normalise(network: IpNet) -> Result<IpNet, &'static str> {
    match network {
        IpNet::V6(v6) if v6.addr().to_ipv4_mapped().is_some() => Err("an IPv4 network has to be written as one"),
        network => Ok(network.trunc()),
    }
}

fn valid_port(port: u16) -> Result<u16, &'static str> {
    if port == 0 { Err("port 0 is nobody's") } else { Ok(port) }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.matcher, self.port) {
            (Matcher::Network(net), Some(port)) => write!(f, "{}", SocketAddr::new(net.addr(), port)),
            (Matcher::Network(net), None) if net.prefix_len() == net.max_prefix_len() => write!(f, "{}", net.addr()),
            (Matcher::Network(net), None) => write!(f, "{net}"),
            (Matcher::Name(name), Some(port)) => write!(f, "{name}:{port}"),
            (Matcher::Name(name), None) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parsed_entry_is_displayed_in_its_normal_form() {
        let same = "10.1.2.3 10.0.0.0/8 fd00::/8 ::1 images.internal 127.0.0.1:8080 [::1]:8080 images.internal:8080 \
                    0.0.0.0/0 my_host";
        for text in same.split_whitespace() {
            assert_eq!(text.parse::<AllowedHost>().unwrap().to_string(), text);
        }
        let normalised = [
            ("10.1.2.3/8", "10.0.0.0/8"),
            ("10.1.2.3/32", "10.1.2.3"),
            ("[::1]", "::1"),
            ("Images.Internal", "images.internal"),
            ("::ffff:10.1.2.3", "10.1.2.3"),
            ("[::ffff:10.1.2.3]:80", "10.1.2.3:80"),
            ("  images ", "images"),
        ];
        for (text, normal) in normalised {
            assert_eq!(text.parse::<AllowedHost>().unwrap().to_string(), normal);
        }
    }

    #[test]
    fn invalid_entries_are_refused_and_quoted() {
        let invalid = "|10.0.0.0/33|10.0.0/8|http://images.internal|images.internal/path|images.internal:|\
                         images.internal:0|images.internal:65536|*.internal|127.1|2130706433|user@host|[::1|::1]:80|\
                         ::ffff:10.0.0.0/104|10.0.0.0/8:80|two words";
        for text in invalid.split('|') {
            let error = text.parse::<AllowedHost>().expect_err(text).to_string();
            assert!(error.starts_with(&format!("{text:?} is not a host")), "{error}");
        }
    }

    #[test]
    fn an_entry_covers_its_host_and_no_other() {
        let covers = |entry: &str, name: Option<&str>, address: &str, port: u16| {
            entry.parse::<AllowedHost>().unwrap().covers(name, address.parse().unwrap(), port)
        };
        assert!(covers("10.1.2.3", None, "10.1.2.3", 80));
        assert!(covers("10.1.2.3", None, "::ffff:10.1.2.3", 80));
        assert!(covers("10.1.2.3", Some("anything"), "10.1.2.3", 80));
        assert!(!covers("10.1.2.3", None, "10.1.2.4", 80));
        assert!(covers("10.0.0.0/8", None, "10.255.0.1", 1));
        assert!(!covers("10.0.0.0/8", None, "11.0.0.1", 1));
        assert!(!covers("::/0", None, "::ffff:127.0.0.1", 80), "an IPv4 address is not part of an IPv6 network");
        assert!(covers("127.0.0.1:8080", None, "127.0.0.1", 8080));
        assert!(!covers("127.0.0.1:8080", None, "127.0.0.1", 8081));
        assert!(covers("images.internal", Some("images.internal"), "10.9.9.9", 80));
        assert!(!covers("images.internal", Some("x.images.internal"), "10.9.9.9", 80));
        assert!(!covers("images.internal", None, "10.9.9.9", 80));
        assert!(!covers("images.internal:8080", Some("images.internal"), "10.9.9.9", 80));
    }
}
