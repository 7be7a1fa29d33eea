//! One request to one host: connected to addresses that were judged, and to nothing else.

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

/// How long a connection may take to come about, TLS included: a host that does not answer by then will not.
const CONNECT: Duration = Duration::from_secs(10);

/// How much room is made before the first byte is there. A declared length is only a claim.
const FIRST_ROOM: usize = 64 * 1024;

/// Asks for `url` at one of `addresses`.
///
/// The client lives for this one request. It knows nothing but these addresses, so no name is resolved a second time
/// and no connection made for another request is taken over: there is nothing a name server could change in between.
/// What is expensive about a client, the trusted authorities and the resumed TLS sessions, is shared through `tls`.
pub(crate) async fn ask(url: &Url, addresses: Vec<SocketAddr>, tls: ClientConfig) -> Result<Response, FetchError> {
    let client = Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(Arc::new(Judged(addresses)))
        .connect_timeout(CONNECT)
        // A proxy from the environment would resolve the name by itself, past every check.
        .no_proxy()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .referer(false)
        .pool_max_idle_per_host(0)
        .user_agent("Kaisatsu")
        // Nothing is unpacked here: a small body must not become a large one.
        .default_headers(HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("identity"))]))
        .build()
        .map_err(|error| failure(&error))?;
    client.get(url.clone()).send().await.map_err(|error| failure(&error))
}

/// The whole body, if it has at most `limit` bytes. A length that is declared too large is refused before a byte is
/// read; a length that is not declared, or a lie, is found out on the way.
pub(crate) async fn whole(mut response: Response, limit: usize) -> Result<Bytes, FetchError> {
    let declared = response.content_length().unwrap_or_default();
    if declared > limit as u64 {
        return Err(FetchError::TooLarge { limit });
    }
    let mut taken = BytesMut::with_capacity(usize::try_from(declared).unwrap_or(FIRST_ROOM).min(FIRST_ROOM));
    while let Some(piece) = response.chunk().await.map_err(|error| failure(&error))? {
        if taken.len() + piece.len() > limit {
            return Err(FetchError::TooLarge { limit });
        }
        taken.extend_from_slice(&piece);
    }
    Ok(taken.freeze())
}

/// Answers every question for a name with the addresses that were judged.
struct Judged(Vec<SocketAddr>);

impl Resolve for Judged {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// What a failed request means to the user. The client's own words are not passed on: they name addresses.
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

/// The TLS error at the bottom of an error, if there is one. An I/O error hides what it was made of from `source`.
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
