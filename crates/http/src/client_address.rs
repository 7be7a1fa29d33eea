//! The network address that a request comes from, also behind proxies that the operator trusts.

use std::{
    convert::Infallible,
    net::{IpAddr, Ipv4Addr},
    str::FromStr,
    sync::Arc,
};

use axum::{
    extract::FromRequestParts,
    http::{Extensions, HeaderMap, HeaderName, request::Parts},
};
use ipnet::IpNet;

use crate::Gateway;

static FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address at the other end of the connection, as an extension of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

tokio::task_local! {
    static PEER: IpAddr;
}

/// Runs the work of a request from this address. An extension of the request would cost an allocation each time.
pub(crate) async fn from_peer<T>(peer: IpAddr, work: impl Future<Output = T>) -> T {
    PEER.scope(peer, work).await
}

/// The address that the present request comes from; one that nobody has outside of a request.
pub(crate) fn peer() -> IpAddr {
    PEER.try_with(|peer| *peer).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

/// Lets a request that the server sends itself come from where the request came from that caused it.
pub fn pass_peer(from: &Extensions, to: &mut Extensions) {
    if let Some(peer) = from.get::<Peer>() {
        to.insert(*peer);
    }
}

/// The proxies whose `X-Forwarded-For` is believed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustedProxies(Vec<IpNet>);

impl FromStr for TrustedProxies {
    type Err = String;

    /// Addresses and networks, separated by commas, or `none`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self::default());
        }
        let network = |text: &str| {
            let address = text.parse::<IpAddr>().map(IpNet::from);
            address.or_else(|_| text.parse()).map_err(|_| format!("'{}' is no network", text.escape_debug()))
        };
        text.split(',').map(|text| network(text.trim())).collect::<Result<_, _>>().map(Self)
    }
}

impl TrustedProxies {
    fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address.to_canonical()))
    }

    /// The client of a request from `peer`. Every proxy appends to `X-Forwarded-For` whom it got the request from, so
    /// the header is read from its end, for as long as whoever wrote it is trusted.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let lines = headers.get_all(&FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
        let mut hops: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
        let mut client = peer;
        while self.contains(client) {
            let Some(Ok(before)) = hops.pop().map(str::parse) else { break };
            client = before;
        }
        client
    }
}

/// The network address of a client.
#[derive(Debug, Clone, Copy)]
pub struct ClientAddress(pub IpAddr);

impl FromRequestParts<Arc<Gateway>> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, gateway: &Arc<Gateway>) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0);
        Ok(Self(gateway.trusted_proxies.client(peer, &parts.headers)))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::TrustedProxies;

    fn client(trusted: &str, peer: &str, lines: &[&'static str]) -> String {
        let pair = |line: &&'static str| (HeaderName::from_static("x-forwarded-for"), HeaderValue::from_static(line));
        let headers: HeaderMap = lines.iter().map(pair).collect();
        trusted.parse::<TrustedProxies>().unwrap().client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn only_a_trusted_proxy_is_believed() {
        for (trusted, peer, lines, expected) in [
            ("none", "192.0.2.1", &["198.51.100.7"][..], "192.0.2.1"),
            ("127.0.0.0/8, ::1", "127.0.0.1", &[], "127.0.0.1"),
            ("127.0.0.0/8, ::1", "::1", &["198.51.100.7"], "198.51.100.7"),
            ("127.0.0.1", "::ffff:127.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            // What the client itself wrote stands before what the proxy appended.
            ("127.0.0.1", "127.0.0.1", &["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            ("127.0.0.1, 10.0.0.0/8", "127.0.0.1", &["198.51.100.7", "10.1.1.1"], "198.51.100.7"),
            ("127.0.0.1", "127.0.0.1", &["unknown"], "127.0.0.1"),
        ] {
            assert_eq!(client(trusted, peer, lines), expected, "{trusted} {peer} {lines:?}");
        }
        for bad in ["", "localhost", "10.0.0.0/99", "10.0.0.1,"] {
            assert!(bad.parse::<TrustedProxies>().is_err(), "{bad}");
        }
    }
}
