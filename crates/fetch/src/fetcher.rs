//! Fetches an image: checks the address, sends the request, follows redirects, and checks each of them.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use reqwest::{Response, StatusCode, header::LOCATION};
use rustls::ClientConfig;

use crate::{
    AllowedHost, FetchError,
    address::{Address, LOOPBACK, Target, is_localhost},
    request,
    resolver::{Resolver, SystemResolver},
    tls,
};

/// The most redirects that are followed.
const MAX_REDIRECTS: usize = 5;

/// What may be fetched, and the limits.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Hosts that are not public, but allowed by the operator.
    pub allowed: Vec<AllowedHost>,
    /// The most bytes of an image.
    pub max_bytes: usize,
    /// The time limit for an image, including name resolution, connections, redirects and the whole body.
    pub timeout: Duration,
}

/// Fetches images. Clones are cheap and share their state.
#[derive(Clone)]
pub struct Fetcher {
    shared: Arc<Shared>,
}

struct Shared {
    policy: Policy,
    tls: ClientConfig,
    resolver: Box<dyn Resolver>,
}

impl Fetcher {
    /// A fetcher with this policy, which trusts the certificate authorities of the operating system.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn new(policy: Policy) -> Result<Self, FetchError> {
        Ok(Self::with(policy, tls::system()?, Box::new(SystemResolver)))
    }

    pub(crate) fn with(policy: Policy, tls: ClientConfig, resolver: Box<dyn Resolver>) -> Self {
        Self { shared: Arc::new(Shared { policy, tls, resolver }) }
    }

    /// Checks what can be checked without network access: syntax, scheme, credentials, and a host
    /// that is an IP address or `localhost`.
    ///
    /// # Errors
    /// If the URL is refused whatever its host name resolves to.
    pub fn check(&self, url: &str) -> Result<(), FetchError> {
        let address = Address::parse(url)?;
        if address.is_denied(&self.shared.policy.allowed)? { Err(address.refusal()) } else { Ok(()) }
    }

    /// The bytes at a URL. The caller has to check that they are an image.
    ///
    /// # Errors
    /// If the URL is refused, or there is no usable response in time.
    pub async fn get(&self, url: &str) -> Result<Bytes, FetchError> {
        let fetching = tokio::time::timeout(self.shared.policy.timeout, self.follow(url));
        fetching.await.unwrap_or(Err(FetchError::TimedOut))
    }

    /// Follows redirects, also from https to http: nothing secret is sent, and the image is public anyway.
    async fn follow(&self, url: &str) -> Result<Bytes, FetchError> {
        let mut address = Address::parse(url)?;
        let mut response = self.send(&address).await?;
        for _ in 0..MAX_REDIRECTS {
            let Some(location) = location(&response) else { return self.read(response).await };
            address = address.follow(location).map_err(FetchError::after_redirect)?;
            response = self.send(&address).await.map_err(FetchError::after_redirect)?;
        }
        if location(&response).is_some() { Err(FetchError::TooManyRedirects) } else { self.read(response).await }
    }

    async fn send(&self, address: &Address) -> Result<Response, FetchError> {
        let permitted = self.permitted(address).await?;
        request::send(address.url(), permitted, self.shared.tls.clone()).await
    }

    /// The addresses of the host to which a connection is permitted.
    async fn permitted(&self, address: &Address) -> Result<Vec<SocketAddr>, FetchError> {
        let found = match address.host()? {
            Target::Ip(ip) => vec![ip],
            // Not every resolver knows `localhost.` and the names below it.
            Target::Name(name) if is_localhost(name) => LOOPBACK.to_vec(),
            Target::Name(name) => self.shared.resolver.resolve(name).await.unwrap_or_default(),
        };
        if found.is_empty() {
            return Err(FetchError::Unreachable("the host is not known; check its name in the address".to_owned()));
        }
        let permitted: Vec<_> = found
            .into_iter()
            .filter(|ip| address.permits(*ip, &self.shared.policy.allowed))
            .map(|ip| SocketAddr::new(ip, address.port()))
            .collect();
        if permitted.is_empty() { Err(address.refusal()) } else { Ok(permitted) }
    }

    async fn read(&self, response: Response) -> Result<Bytes, FetchError> {
        match response.status() {
            StatusCode::OK => request::read_body(response, self.shared.policy.max_bytes).await,
            status @ (StatusCode::NOT_FOUND | StatusCode::GONE) => Err(FetchError::NotFound(status.as_u16())),
            status => Err(FetchError::Answered(status.as_u16())),
        }
    }
}

/// The target of a redirect, if the response is one.
fn location(response: &Response) -> Option<&str> {
    matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308)
        .then(|| std::str::from_utf8(response.headers().get(LOCATION)?.as_bytes()).ok())
        .flatten()
}
