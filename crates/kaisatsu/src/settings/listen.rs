//! Addresses to listen on, as people write them.

use std::net::{Ipv4Addr, SocketAddr};

/// Parses `IP:PORT`, `localhost:PORT`, or `:PORT` for every address of this machine.
pub(super) fn parse(text: &str) -> Result<SocketAddr, String> {
    // The standard library also takes a plus sign.
    let port = |port: &str| port.parse::<u16>().ok().filter(|_| !port.starts_with('+'));
    if let Some(port) = text.strip_prefix(':').and_then(port) {
        return Ok((Ipv4Addr::UNSPECIFIED, port).into());
    }
    if let Some(port) = text.strip_prefix("localhost:").and_then(port) {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    text.parse()
        .map_err(|error: std::net::AddrParseError| format!("{error}; write IP:PORT, or :PORT for all addresses"))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn an_address_may_be_a_port_alone() {
        for (text, address) in [
            (":8640", "0.0.0.0:8640"),
            ("localhost:1", "127.0.0.1:1"),
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("[::]:8640", "[::]:8640"),
        ] {
            assert_eq!(parse(text).unwrap().to_string(), address);
        }
        for bad in ["", ":", "8640", ":65536", "localhost", "example.org:80", ":+1"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
