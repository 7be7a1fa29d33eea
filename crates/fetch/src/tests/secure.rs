//! https: the certificate is checked against the host name, not against the resolved address.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::{RootCertStore, ServerConfig, crypto::ring, pki_types::PrivateKeyDer};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::fetcher;
use crate::{
    FetchError,
    support::{Answer, Server, converse},
};

/// A server on 127.0.0.1 whose certificate is for `name`, and a store that trusts it.
async fn secure(name: &str, answer: Answer) -> (SocketAddr, RootCertStore) {
    let CertifiedKey { cert, signing_key }: CertifiedKey<KeyPair> =
        generate_simple_self_signed([name.to_owned()]).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            converse(stream, &Mutex::default(), &|_: &str| answer.clone()).await;
        }
    });
    (address, roots)
}

fn unreachable(words: &str) -> Result<bytes::Bytes, FetchError> {
    Err(FetchError::Unreachable(words.to_owned()))
}

const UNTRUSTED: &str =
    "the host's certificate is not trusted; the image must be served with a valid one, or over http";

#[tokio::test]
async fn a_trusted_host_is_fetched_from() {
    let (address, roots) = secure("images.example", Answer::image()).await;
    let (fetcher, _) = fetcher("127.0.0.1", &["127.0.0.1"], roots);
    for _ in 0..2 {
        let url = format!("https://images.example:{}/", address.port());
        assert_eq!(fetcher.get(&url).await.unwrap(), "an image");
    }
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_not_trusted() {
    let (address, roots) = secure("images.example", Answer::image()).await;
    let (strict, _) = fetcher("127.0.0.1", &["127.0.0.1"], RootCertStore::empty());
    assert_eq!(strict.get(&format!("https://images.example:{}/", address.port())).await, unreachable(UNTRUSTED));
    let (elsewhere, _) = fetcher("127.0.0.1", &["127.0.0.1"], roots);
    assert_eq!(elsewhere.get(&format!("https://other.example:{}/", address.port())).await, unreachable(UNTRUSTED));
    assert_eq!(elsewhere.get(&format!("https://{address}/")).await, unreachable(UNTRUSTED));
}

#[tokio::test]
async fn a_host_without_tls_is_distinguished_from_an_unreachable_one() {
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = plain.local_addr().unwrap();
    tokio::spawn(async move {
        use tokio::io::AsyncWriteExt;
        let (mut stream, _) = plain.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        // The rest of the greeting is read, or the answer would be lost to a reset.
        drop(tokio::io::copy(&mut stream, &mut tokio::io::sink()).await);
    });
    let (fetcher, _) = fetcher("127.0.0.1", &["127.0.0.1"], RootCertStore::empty());
    let words = "no secure connection to the host could be agreed on; check whether it serves https on this port";
    assert_eq!(fetcher.get(&format!("https://{address}/")).await, unreachable(words));
}

#[tokio::test]
async fn a_redirect_from_https_to_http_is_followed() {
    let image = Server::start(|_| Answer::image()).await;
    let (address, roots) = secure("images.example", Answer::redirect(&image.url("/"))).await;
    let (fetcher, _) = fetcher("127.0.0.1", &["127.0.0.1"], roots);
    let url = format!("https://images.example:{}/", address.port());
    assert_eq!(fetcher.get(&url).await.unwrap(), "an image");
}
