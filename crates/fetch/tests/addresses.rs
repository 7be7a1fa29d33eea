//! Which URLs are refused, by their text and by what their host resolves to.

use std::{net::Ipv4Addr, time::Duration};

use kaisatsu_fetch::{FetchError, Fetcher, Policy};
use proptest::prelude::*;

use crate::support::{Answer, Server};

fn fetcher(allowed: &[&str]) -> Fetcher {
    let allowed = allowed.iter().map(|text| text.parse().unwrap()).collect();
    Fetcher::new(Policy { allowed, max_bytes: 1000, timeout: Duration::from_secs(20) }).unwrap()
}

fn is_denied<T>(result: &Result<T, FetchError>) -> bool {
    matches!(result, Err(FetchError::Denied(_)))
}

#[tokio::test]
async fn an_allowed_server_is_fetched_from() {
    let server = Server::start(|_| Answer::image()).await;
    let port = server.address.port();
    for allowed in ["127.0.0.1", "127.0.0.0/8", &format!("127.0.0.1:{port}")] {
        assert_eq!(fetcher(&[allowed]).get(&server.url("/a.png")).await.unwrap(), "an image");
    }
    for (allowed, host) in [
        ("localhost", "localhost"),
        ("127.0.0.1", "LOCALHOST"),
        ("127.0.0.1", "2130706433"),
        ("localhost.", "localhost"),
        ("localhost", "localhost."),
    ] {
        let url = format!("http://{host}:{port}/a.png");
        assert_eq!(fetcher(&[allowed]).get(&url).await.unwrap(), "an image", "{host}");
    }
}

#[tokio::test]
async fn the_same_server_is_refused_in_every_notation() {
    let server = Server::start(|_| Answer::image()).await;
    let port = server.address.port();
    let hosts = "127.0.0.1 localhost LOCALHOST localhost. LocalHost. 127.0.0.1. 2130706433 017700000001 0x7f000001 0177.0.0.1 \
                 0x7f.0.0.1 127.1 127.0.1 0 0.0.0.0 %31%32%37.0.0.1 127。0。0。1 ①②⑦.0.0.1 [::ffff:127.0.0.1] \
                 [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1] [2002:7f00:1::] [::]";
    let neighbours = [format!("127.0.0.1:{}", port.wrapping_add(1)), "127.0.0.2".to_owned(), "::1".to_owned()];
    let beside: Vec<_> = neighbours.iter().map(String::as_str).collect();
    for host in hosts.split_whitespace() {
        let url = format!("http://{host}:{port}/a.png");
        let strict = fetcher(&[]).get(&url).await;
        assert!(is_denied(&strict), "{url}: {strict:?}");
        assert!(is_denied(&fetcher(&[]).check(&url)), "{url}");
        // With ::1 allowed, localhost may be that.
        if !host.to_ascii_lowercase().starts_with("localhost") {
            assert!(is_denied(&fetcher(&beside).get(&url).await), "{url}");
        }
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn the_ipv6_loopback_is_refused_and_can_be_allowed() {
    if tokio::net::TcpListener::bind("[::1]:0").await.is_err() {
        // Not every machine has IPv6; the ranges are tested without it.
        return;
    }
    let server = Server::at("[::1]:0", |_| Answer::image()).await;
    assert!(is_denied(&fetcher(&["127.0.0.1"]).get(&server.url("/")).await));
    assert_eq!(server.connections(), 0);
    assert_eq!(fetcher(&[&server.address.to_string()]).get(&server.url("/")).await.unwrap(), "an image");
}

#[test]
fn other_schemes_and_credentials_are_refused() {
    let fetcher = fetcher(&["0.0.0.0/0", "::/0"]);
    let refused = "ftp://example.com/a.png file:///etc/passwd data:image/png;base64,AAAA gopher://example.com/ \
                   ws://example.com/ javascript:alert(1) http://user@example.com/ http://user:word@example.com/ \
                   https://:word@example.com/";
    for url in refused.split_whitespace() {
        assert!(is_denied(&fetcher.check(url)), "{url}");
    }
}

#[test]
fn malformed_urls_are_refused() {
    let fetcher = fetcher(&[]);
    for url in
        ["", "a.png", "//example.com/a.png", "http://", "http://[::1", "http://a b/", "http://example.com:99999/"]
    {
        assert!(matches!(fetcher.check(url), Err(FetchError::Malformed(_))), "{url}");
    }
    let base = "https://example.com/";
    let long = |characters: usize| format!("{base}{}", "駅".repeat(characters - base.len()));
    assert_eq!(fetcher.check(&long(2000)), Ok(()));
    let too_long = "the address is too long; it may have at most 2000 characters";
    assert_eq!(fetcher.check(&long(2001)), Err(FetchError::Malformed(too_long)));
}

#[tokio::test]
async fn a_url_that_fails_the_check_is_not_requested() {
    let fetcher = fetcher(&[]);
    for url in
        ["ftp://example.com/", "a.png", "http://user:word@example.com/", "http://169.254.169.254/latest/meta-data"]
    {
        assert_eq!(fetcher.get(url).await.unwrap_err(), fetcher.check(url).unwrap_err());
    }
}

#[test]
fn names_of_this_machine_are_refused_before_they_are_resolved() {
    for host in ["localhost", "localhost.", "a.localhost", "A.B.LOCALHOST."] {
        let url = format!("http://{host}/a.png");
        assert!(is_denied(&fetcher(&[]).check(&url)), "{url}");
        assert_eq!(fetcher(&["127.0.0.1"]).check(&url), Ok(()), "{url}");
        assert_eq!(fetcher(&["::1"]).check(&url), Ok(()), "{url}");
    }
    assert_eq!(fetcher(&["localhost:8080"]).check("http://localhost.:8080/"), Ok(()));
    assert!(is_denied(&fetcher(&["localhost:8080"]).check("http://localhost.:8081/")));
    for other in ["http://localhosts/", "http://mylocalhost/", "http://localhost.example.com/"] {
        assert_eq!(fetcher(&[]).check(other), Ok(()), "{other}");
    }
}

#[test]
fn public_addresses_and_names_are_accepted_on_any_port() {
    let urls =
        "http://example.com/a.png https://example.com:8443/a.png http://8.8.8.8:1/ https://[2606:4700:4700::1111]/";
    for url in urls.split_whitespace() {
        assert_eq!(fetcher(&[]).check(url), Ok(()), "{url}");
    }
}

#[tokio::test]
async fn a_refusal_does_not_reveal_what_a_name_resolves_to() {
    let error = fetcher(&[]).get("http://localhost/").await.unwrap_err().to_string();
    assert!(error.contains("localhost") && error.contains("ask the operator"), "{error}");
    assert!(!error.contains("127.") && !error.contains("::1"), "{error}");
}

proptest! {
    #[test]
    fn an_internal_address_is_refused_in_every_notation(bits in any::<u32>(), net in 0..4_usize) {
        let (base, mask) = [(0x7f00_0000, 8), (0x0a00_0000, 8), (0xac10_0000, 12), (0xc0a8_0000, 16)][net];
        let address = Ipv4Addr::from_bits(base | (bits & (u32::MAX >> mask)));
        prop_assert!(address.is_private() || address.is_loopback());
        let ([a, b, c, d], whole) = (address.octets(), address.to_bits());
        let low = whole & 0x00ff_ffff;
        let spellings = [
            address.to_string(), whole.to_string(), format!("0{whole:o}"), format!("{whole:#x}"), format!("{a}.{low}"),
            format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"), format!("{a:#x}.{b}.0{c:o}.{d:#X}").replace('X', "x"),
            format!("[::ffff:{address}]"), format!("[::{address}]"), format!("[64:ff9b::{address}]"),
            format!("[2002:{:x}:{:x}::]", whole >> 16, whole & 0xffff),
        ];
        let fetcher = FETCHER.get_or_init(|| fetcher(&[]));
        for host in spellings {
            prop_assert!(is_denied(&fetcher.check(&format!("http://{host}/"))), "{host}");
        }
    }
}

/// Reading the machine's certificates for every case would take most of the test's time.
static FETCHER: std::sync::OnceLock<Fetcher> = std::sync::OnceLock::new();
