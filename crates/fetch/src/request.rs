//! Sends one request, and connects only to addresses that were checked.

use std::{error::Error, io, net::SocketAddr, sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use reqwest::{
    Client, Response,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{ACCEPT_ENCODING, HeaderMap, HeaderValue},
    redirect, retry,
};
use rustls::ClientConfig;
use url::Url;

use crate::FetchError;

/// The time limit for establishing a connection, including TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The most memory that is reserved before the first byte arrives. A declared length is not to be trusted.
const MAX_INITIAL_CAPACITY: usize = 64 * 1024;

/// Requests `url` from one of `addresses`.
///
/// Each request has its own client, which knows these addresses only. No name is resolved a second time and no
/// connection of another request is reused, so a name server cannot change the target after the check. The expensive
/// parts of a client, the trusted authorities and the TLS sessions to resume, are shared through `tls`.
pub(crate) async fn send(url: &Url, addresses: Vec<SocketAddr>, tls: ClientConfig) -> Result<Response, FetchError> {
    let client = Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(Arc::new(FixedResolver(addresses)))
        .connect_timeout(CONNECT_TIMEOUT)
        // A proxy from the environment would resolve the name itself, without any check.
        .no_proxy()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .referer(false)
        .pool_max_idle_per_host(0)
        .user_agent("Kaisatsu")
        // Bodies are not decompressed: a small one must not become a large one.
        .default_headers(HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("identity"))]))
        .build()
        .map_err(|error| failure(&error))?;
    client.get(url.clone()).send().await.map_err(|error| failure(&error))
}

/// Reads the body, which may have at most `limit` bytes. If the declared length exceeds that, nothing is read. A
/// missing or false length is noticed while reading.
pub(crate) async fn read_body(mut response: Response, limit: usize) -> Result<Bytes, FetchError> {
    let declared = response.content_length().unwrap_or_default();
    if declared > limit as u64 {
        return Err(FetchError::TooLarge { limit });
    }
    let mut body =
        BytesMut::with_capacity(usize::try_from(declared).unwrap_or(MAX_INITIAL_CAPACITY).min(MAX_INITIAL_CAPACITY));
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
        if body.len() + chunk.len() > limit {
            return Err(FetchError::TooLarge { limit });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// Resolves every name to the addresses that were checked.
struct FixedResolver(Vec<SocketAddr>);

impl Resolve for FixedResolver {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// The error that the user sees for a failed request. The message of the HTTP client is not passed on, because it
/// contains addresses.
fn failure(error: &reqwest::Error) -> FetchError {
    let words = if error.is_timeout() {
        return FetchError::TimedOut;
    } else if let Some(tls) = tls_error(error) {
        match tls {
            rustls::Error::InvalidCertificate(_) => {
                "the host's certificate is not trusted; the image must be served with a valid one, or over http"
            }
            _ => "no secure connection to the host could be agreed on; check whether it serves https on this port",
        }
    } else if error.is_connect() {
        "the host cannot be reached; check the address, or try again later"
    } else {
        "the host broke off before the image was complete; try again later"
    };
    FetchError::Unreachable(words.to_owned())
}

/// The TLS error among the causes of an error, if there is one. An I/O error does not return its inner error from
/// `source`.
fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}
