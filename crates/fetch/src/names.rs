//! Asking what a host name stands for: the one place where a name becomes addresses.

use std::{future::Future, io, net::IpAddr, pin::Pin};

/// The addresses of a name, once they are known.
pub(crate) type LookUp<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Somebody who knows names. A trait, so that a test can change its mind from one question to the next as a hostile
/// name server does.
pub(crate) trait Names: Send + Sync {
    /// All addresses of a host.
    fn look_up<'a>(&'a self, host: &'a str) -> LookUp<'a>;
}

/// The machine's own resolver.
pub(crate) struct System;

impl Names for System {
    fn look_up<'a>(&'a self, host: &'a str) -> LookUp<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
