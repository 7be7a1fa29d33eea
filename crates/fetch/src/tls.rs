//! The TLS configuration: trusted authorities and ciphers.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, crypto::ring};

use crate::FetchError;

/// A configuration with the authorities that the operating system trusts. It is loaded once, because reading them takes
/// longer than fetching an image.
pub(crate) fn system() -> Result<ClientConfig, FetchError> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (usable, _) = roots.add_parsable_certificates(found.certs);
    if usable == 0 {
        // Not an error: http and the rest of the server still work.
        tracing::warn!(
            errors = ?found.errors,
            "no certificate authorities were found: images cannot be fetched over https; install ca-certificates"
        );
    }
    trusting(roots)
}

/// A configuration that trusts these authorities. The crypto provider is set here and not taken from the process-wide
/// default, which depends on which crate installed it first.
pub(crate) fn trusting(roots: RootCertStore) -> Result<ClientConfig, FetchError> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| FetchError::Unreachable("secure connections cannot be set up on this server".to_owned()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
