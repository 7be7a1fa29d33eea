//! Parses a URL that a user provided, and checks what can be checked without network access.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::{AllowedHost, FetchError, ranges};

/// The most characters of a URL.
const MAX_CHARACTERS: usize = 2_000;

/// What `localhost` and every name below it resolve to (RFC 6761).
pub(crate) const LOOPBACK: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// A URL with http or https as scheme and without credentials.
#[derive(Debug)]
pub(crate) struct Address {
    url: Url,
}

impl Address {
    /// Parses a URL that a user provided.
    pub(crate) fn parse(text: &str) -> Result<Self, FetchError> {
        // Checked first, so that a very long URL is not even parsed.
        check_length(text)?;
        let unreadable = "the address cannot be read; it has the form https://host/path";
        Self::check(Url::parse(text).map_err(|_| FetchError::Malformed(unreadable))?)
    }

    /// Parses the target of a redirect, which may be relative to this URL.
    pub(crate) fn follow(&self, location: &str) -> Result<Self, FetchError> {
        check_length(location)?;
        let unreadable = "the address redirects to one that cannot be read";
        Self::check(self.url.join(location).map_err(|_| FetchError::Malformed(unreadable))?)
    }

    fn check(url: Url) -> Result<Self, FetchError> {
        if !matches!(url.scheme(), "http" | "https") {
            return denied("images are fetched from http and https addresses only");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return denied(
                "the address holds a user name or a password; leave them out, the image must be open to everybody",
            );
        }
        Ok(Self { url })
    }

    /// The URL to request.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The port to connect to.
    pub(crate) fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or_default()
    }

    /// The host. An IP address in any notation (`2130706433`, `0177.0.0.1`, `0x7f.1`) is returned as [`Target::Ip`].
    pub(crate) fn host(&self) -> Result<Target<'_>, FetchError> {
        match self.url.host() {
            Some(Host::Domain(name)) => Ok(Target::Name(name)),
            Some(Host::Ipv4(address)) => Ok(Target::Ip(IpAddr::V4(address))),
            Some(Host::Ipv6(address)) => Ok(Target::Ip(IpAddr::V6(address))),
            None => Err(FetchError::Malformed("the address names no host")),
        }
    }

    /// Whether a connection to `address`, to which the host of this URL resolves, is permitted.
    pub(crate) fn permits(&self, address: IpAddr, allowed: &[AllowedHost]) -> bool {
        let name = match self.url.host() {
            Some(Host::Domain(name)) => Some(without_root(name)),
            _ => None,
        };
        ranges::is_public(address) || allowed.iter().any(|entry| entry.covers(name, address, self.port()))
    }

    /// Whether the host is refused whatever a resolver says: an IP address, or `localhost`.
    pub(crate) fn is_denied(&self, allowed: &[AllowedHost]) -> Result<bool, FetchError> {
        Ok(match self.host()? {
            Target::Ip(ip) => !self.permits(ip, allowed),
            Target::Name(name) => is_localhost(name) && !LOOPBACK.iter().any(|ip| self.permits(*ip, allowed)),
        })
    }

    /// The error for a host that is not permitted. The message is always the same, so that it does not reveal anything
    /// about the internal network.
    pub(crate) fn refusal(&self) -> FetchError {
        let host = self.url.host_str().unwrap_or_default();
        FetchError::Denied(format!(
            "images are not fetched from {host}: it is not on the public internet; give a public address, or ask the \
             operator to allow this host"
        ))
    }
}

/// The host of a URL.
pub(crate) enum Target<'a> {
    /// A name that has to be resolved.
    Name(&'a str),
    /// An IP address.
    Ip(IpAddr),
}

/// A host name without the dot of the root, which does not change what it names.
pub(crate) fn without_root(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

/// Whether a name is of this machine. URLs have their host names in lower case.
pub(crate) fn is_localhost(name: &str) -> bool {
    let name = without_root(name);
    name == "localhost" || name.ends_with(".localhost")
}

fn check_length(text: &str) -> Result<(), FetchError> {
    // A character has at most four bytes, so the characters of a very long text need not be counted.
    if text.len() > 4 * MAX_CHARACTERS || text.chars().count() > MAX_CHARACTERS {
        return Err(FetchError::Malformed("the address is too long; it may have at most 2000 characters"));
    }
    Ok(())
}

fn denied<T>(words: &str) -> Result<T, FetchError> {
    Err(FetchError::Denied(words.to_owned()))
}
