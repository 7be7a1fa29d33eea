//! Secure connections: whom to trust, and the one set of ciphers that the whole product uses.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, crypto::ring};

use crate::FetchError;

/// What secure connections are made with: the authorities that the machine trusts. Loaded once, since reading them for
/// every image would cost more than the image.
pub(crate) fn system() -> Result<ClientConfig, FetchError> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (usable, _) = roots.add_parsable_certificates(found.certs);
    if usable == 0 {
        // Not an error: http still works, and so does everything else in the server.
        tracing::warn!(
            errors = ?found.errors,
            "no certificate authorities were found: images cannot be fetched over https; install ca-certificates"
        );
    }
    trusting(roots)
}

/// What secure connections are made with when these authorities are trusted. The ciphers are named here and not taken
/// from the process, so that nothing depends on who came first.
pub(crate) fn trusting(roots: RootCertStore) -> Result<ClientConfig, FetchError> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| FetchError::Unreachable("secure connections cannot be set up on this server".to_owned()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
