//! Resolves host names to addresses.

use std::{future::Future, io, net::IpAddr, pin::Pin};

/// The pending result of a resolution.
pub(crate) type Resolution<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// A resolver. It is a trait so that a test can give a different answer each time, as a hostile name server does.
pub(crate) trait Resolver: Send + Sync {
    /// All addresses of a host.
    fn resolve<'a>(&'a self, host: &'a str) -> Resolution<'a>;
}

/// The resolver of the operating system.
pub(crate) struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> Resolution<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
