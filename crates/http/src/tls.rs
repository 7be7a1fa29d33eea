//! TLS for the listener: a certificate and its key out of two files, read again when they change.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio_rustls::TlsAcceptor;

/// The certificate in force.
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    loaded: Mutex<Loaded>,
}

struct Loaded {
    acceptor: TlsAcceptor,
    /// When each file was changed, and its size. A file that is replaced differs in one of them.
    stamp: Stamp,
}

type Stamp = [Option<(SystemTime, u64)>; 2];

impl Tls {
    /// Reads a certificate, with the chain behind it, and its private key; both in PEM.
    ///
    /// # Errors
    /// What is wrong with which file.
    pub fn open(certificate: &Path, key: &Path) -> Result<Self, String> {
        let stamp = stamp(certificate, key);
        let loaded = Mutex::new(Loaded { acceptor: load(certificate, key)?, stamp });
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), loaded })
    }

    /// Reads the files again if they have changed; connections that are open keep the certificate that they began with.
    /// Returns whether there is a new one.
    ///
    /// # Errors
    /// What is wrong with which file. The certificate in force stays.
    pub fn reload(&self) -> Result<bool, String> {
        let now = stamp(&self.certificate, &self.key);
        if self.lock().stamp == now {
            return Ok(false);
        }
        let acceptor = load(&self.certificate, &self.key);
        let mut loaded = self.lock();
        // Files that are wrong are reported once and not every few seconds.
        loaded.stamp = now;
        loaded.acceptor = acceptor?;
        Ok(true)
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.lock().acceptor.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Loaded> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stamp(certificate: &Path, key: &Path) -> Stamp {
    let of = |path: &Path| fs::metadata(path).and_then(|facts| Ok((facts.modified()?, facts.len()))).ok();
    [of(certificate), of(key)]
}

fn load(certificate: &Path, key: &Path) -> Result<TlsAcceptor, String> {
    let with_path = |path: &Path, reason: &dyn std::fmt::Display| format!("{}: {reason}", path.display());
    let read = |path: &Path| fs::read(path).map_err(|error: io::Error| with_path(path, &error));
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read(certificate)?).collect();
    let chain = chain.map_err(|error| with_path(certificate, &error))?;
    if chain.is_empty() {
        return Err(with_path(certificate, &"there is no certificate in it, in PEM"));
    }
    let secret = PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|error| with_path(key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| format!("{} and {}: {error}", certificate.display(), key.display()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
