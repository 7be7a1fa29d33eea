//! Reading an address that a stranger wrote, and saying what can be said of it without asking anybody.

use std::net::IpAddr;

use url::{Host, Url};

use crate::{Allowed, FetchError, ranges};

/// How many characters an address may have.
const MOST_CHARACTERS: usize = 2_000;

/// An address whose form is sound: http or https, with a host, without credentials.
#[derive(Debug)]
pub(crate) struct Address {
    url: Url,
}

impl Address {
    /// Reads an address that a user gave.
    pub(crate) fn read(text: &str) -> Result<Self, FetchError> {
        // Before it is parsed: an endless one should not even cost that.
        check_length(text)?;
        let unreadable = "the address cannot be read; it has the form https://host/path";
        Self::sound(Url::parse(text).map_err(|_| FetchError::Malformed(unreadable))?)
    }

    /// Reads where a redirect leads, which may be told from the address it was found at.
    pub(crate) fn follow(&self, location: &str) -> Result<Self, FetchError> {
        check_length(location)?;
        let unreadable = "the address redirects to one that cannot be read";
        Self::sound(self.url.join(location).map_err(|_| FetchError::Malformed(unreadable))?)
    }

    fn sound(url: Url) -> Result<Self, FetchError> {
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

    /// The address as it is asked for.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The port that is connected to.
    pub(crate) fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or_default()
    }

    /// The host, by name or by number. However the number was spelt (`2130706433`, `0177.0.0.1`, `0x7f.1`), it is
    /// the number here.
    pub(crate) fn host(&self) -> Result<Place<'_>, FetchError> {
        match self.url.host() {
            Some(Host::Domain(name)) => Ok(Place::Name(name)),
            Some(Host::Ipv4(address)) => Ok(Place::Number(IpAddr::V4(address))),
            Some(Host::Ipv6(address)) => Ok(Place::Number(IpAddr::V6(address))),
            None => Err(FetchError::Malformed("the address names no host")),
        }
    }

    /// Whether a connection may be made to `address` for the sake of this one, which names it or resolves to it.
    pub(crate) fn permits(&self, address: IpAddr, allowed: &[Allowed]) -> bool {
        let name = self.url.host().and_then(|host| if let Host::Domain(name) = host { Some(name) } else { None });
        ranges::is_public(address) || allowed.iter().any(|entry| entry.covers(name, address, self.port()))
    }

    /// Refuses the host. The same words whatever was found, so that they do not draw a map of the inside.
    pub(crate) fn refusal(&self) -> FetchError {
        let host = self.url.host_str().unwrap_or_default();
        FetchError::Denied(format!(
            "images are not fetched from {host}: it is not on the public internet; give a public address, or ask the \
             operator to allow this host"
        ))
    }
}

/// Where an address leads to, before any name is resolved.
pub(crate) enum Place<'a> {
    /// A host that has to be asked for.
    Name(&'a str),
    /// A literal address.
    Number(IpAddr),
}

fn check_length(text: &str) -> Result<(), FetchError> {
    // No character has more than four bytes, so a long text need not be counted out.
    if text.len() > 4 * MOST_CHARACTERS || text.chars().count() > MOST_CHARACTERS {
        return Err(FetchError::Malformed("the address is too long; it may have at most 2000 characters"));
    }
    Ok(())
}

fn denied<T>(words: &str) -> Result<T, FetchError> {
    Err(FetchError::Denied(words.to_owned()))
}
