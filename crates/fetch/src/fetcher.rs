//! The way from an address to an image: judge, ask, follow redirects, judge again.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use reqwest::{Response, StatusCode, header::LOCATION};
use rustls::ClientConfig;

use crate::{
    Allowed, FetchError,
    address::{Address, Place},
    hop,
    names::{Names, System},
    tls,
};

/// How many times an address may lead to another one.
const MOST_REDIRECTS: usize = 5;

/// What is fetched, and with how much patience.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The places inside that images may be fetched from all the same.
    pub allowed: Vec<Allowed>,
    /// How many bytes an image may have.
    pub max_bytes: usize,
    /// How long an image may take: names, connections, redirects and the last byte included.
    pub timeout: Duration,
}

/// Fetches images. A copy costs nothing and shares everything.
#[derive(Clone)]
pub struct Fetcher {
    shared: Arc<Shared>,
}

struct Shared {
    policy: Policy,
    tls: ClientConfig,
    names: Box<dyn Names>,
}

impl Fetcher {
    /// A fetcher that keeps to a policy, and trusts the certificate authorities that the machine trusts.
    ///
    /// # Errors
    /// When secure connections cannot be set up.
    pub fn new(policy: Policy) -> Result<Self, FetchError> {
        Ok(Self::with(policy, tls::system()?, Box::new(System)))
    }

    pub(crate) fn with(policy: Policy, tls: ClientConfig, names: Box<dyn Names>) -> Self {
        Self { shared: Arc::new(Shared { policy, tls, names }) }
    }

    /// What can be judged of an address without asking anybody: its form, its scheme, credentials, a literal address.
    ///
    /// # Errors
    /// When the address would be refused whatever its name resolves to.
    pub fn judge(&self, url: &str) -> Result<(), FetchError> {
        let address = Address::read(url)?;
        match address.host()? {
            Place::Number(number) if !address.permits(number, &self.shared.policy.allowed) => Err(address.refusal()),
            Place::Number(_) | Place::Name(_) => Ok(()),
        }
    }

    /// The bytes at an address. Whether they are an image is for somebody else to say.
    ///
    /// # Errors
    /// When the address is refused, or nothing usable comes from it in time.
    pub async fn get(&self, url: &str) -> Result<Bytes, FetchError> {
        let fetching = tokio::time::timeout(self.shared.policy.timeout, self.follow(url));
        fetching.await.unwrap_or(Err(FetchError::TimedOut))
    }

    /// Goes from the address to where it leads. From https to http too: nothing secret is sent, and an image that
    /// anybody may have loses nothing on the way.
    async fn follow(&self, url: &str) -> Result<Bytes, FetchError> {
        let mut address = Address::read(url)?;
        let mut response = self.ask(&address).await?;
        for _ in 0..MOST_REDIRECTS {
            let Some(location) = location(&response) else { return self.take(response).await };
            address = address.follow(location).map_err(FetchError::behind_redirect)?;
            response = self.ask(&address).await.map_err(FetchError::behind_redirect)?;
        }
        if location(&response).is_some() { Err(FetchError::TooManyRedirects) } else { self.take(response).await }
    }

    async fn ask(&self, address: &Address) -> Result<Response, FetchError> {
        let permitted = self.permitted(address).await?;
        hop::ask(address.url(), permitted, self.shared.tls.clone()).await
    }

    /// The addresses that may be connected to: those of the host, less those that are refused.
    async fn permitted(&self, address: &Address) -> Result<Vec<SocketAddr>, FetchError> {
        let found = match address.host()? {
            Place::Number(number) => vec![number],
            Place::Name(name) => self.shared.names.look_up(name).await.unwrap_or_default(),
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

    async fn take(&self, response: Response) -> Result<Bytes, FetchError> {
        match response.status() {
            StatusCode::OK => hop::whole(response, self.shared.policy.max_bytes).await,
            status @ (StatusCode::NOT_FOUND | StatusCode::GONE) => Err(FetchError::NotFound(status.as_u16())),
            status => Err(FetchError::Answered(status.as_u16())),
        }
    }
}

/// Where a response says that the image is instead.
fn location(response: &Response) -> Option<&str> {
    matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308)
        .then(|| std::str::from_utf8(response.headers().get(LOCATION)?.as_bytes()).ok())
        .flatten()
}
