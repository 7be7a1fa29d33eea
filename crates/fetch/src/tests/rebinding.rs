//! DNS rebinding: a connection goes to the address that was checked, whatever the name server answers later.

use std::sync::atomic::Ordering;

use rustls::RootCertStore;

use super::fetcher;
use crate::{
    FetchError,
    support::{Answer, Server},
};

/// Two servers on one port: one that is allowed, at 127.0.0.1, and one that is not, at 127.0.0.2.
async fn pair(answer: fn(&str) -> Answer) -> (Server, Server) {
    let allowed = Server::start(answer).await;
    let inside =
        Server::at(&format!("127.0.0.2:{}", allowed.address.port()), |_| Answer::new(200, "", b"a secret")).await;
    (allowed, inside)
}

#[tokio::test]
async fn a_name_is_resolved_once_and_that_answer_is_connected_to() {
    let (allowed, inside) = pair(|_| Answer::image()).await;
    let (fetcher, asked) = fetcher("127.0.0.1", &["127.0.0.1", "127.0.0.2"], RootCertStore::empty());
    let url = format!("http://rebind.example:{}/", allowed.address.port());
    assert_eq!(fetcher.get(&url).await.unwrap(), "an image");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    // The second fetch resolves and checks again, and does not reuse the first connection.
    assert!(matches!(fetcher.get(&url).await, Err(FetchError::Denied(_))));
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    assert_eq!((allowed.connections(), inside.connections()), (1, 0));
}

#[tokio::test]
async fn a_redirect_to_the_same_name_is_checked_again() {
    let (allowed, inside) = pair(|_| Answer::redirect("/again")).await;
    let (fetcher, asked) = fetcher("127.0.0.1", &["127.0.0.1", "127.0.0.2"], RootCertStore::empty());
    let url = format!("http://rebind.example:{}/", allowed.address.port());
    let error = fetcher.get(&url).await.unwrap_err();
    assert!(matches!(&error, FetchError::Denied(words) if words.starts_with("the address redirects")), "{error}");
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    assert_eq!((allowed.connections(), inside.connections()), (1, 0));
}

#[tokio::test]
async fn of_several_addresses_only_the_permitted_ones_are_used() {
    let (allowed, inside) = pair(|_| Answer::image()).await;
    let answer = "127.0.0.2 169.254.169.254 ::1 127.0.0.1 10.0.0.1";
    let (fetcher, _) = fetcher("127.0.0.1", &[answer], RootCertStore::empty());
    let url = format!("http://mixed.example:{}/", allowed.address.port());
    assert_eq!(fetcher.get(&url).await.unwrap(), "an image");
    assert_eq!((allowed.connections(), inside.connections()), (1, 0));
    // When the permitted one is not there, the others are not tried instead.
    let port = allowed.address.port();
    drop(allowed);
    let (fetcher, _) = super::fetcher("127.0.0.3", &["127.0.0.2 127.0.0.3"], RootCertStore::empty());
    assert!(matches!(fetcher.get(&format!("http://mixed.example:{port}/")).await, Err(FetchError::Unreachable(_))));
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn a_name_that_resolves_to_an_internal_address_is_denied_without_revealing_it() {
    for answer in ["10.1.2.3", "127.0.0.1 ::1", "fd00:ec2::254", "::ffff:10.1.2.3", "64:ff9b::a01:203"] {
        let (fetcher, _) = fetcher("", &[answer], RootCertStore::empty());
        assert_eq!(fetcher.check("http://inside.example/"), Ok(()), "a name is not resolved by the check");
        let words = "images are not fetched from inside.example: it is not on the public internet; give a public \
                     address, or ask the operator to allow this host";
        assert_eq!(fetcher.get("http://inside.example/").await, Err(FetchError::Denied(words.to_owned())), "{answer}");
    }
}

#[tokio::test]
async fn an_allowed_name_may_resolve_to_anything_but_its_redirects_are_checked() {
    let port = Server::start(|_| Answer::image()).await.address.port();
    let server = Server::at("127.0.0.3:0", move |path| match path {
        "/a.png" => Answer::image(),
        "/number" => Answer::redirect(&format!("http://127.0.0.3:{port}/")),
        _ => Answer::redirect(&format!("http://other.internal:{port}/")),
    })
    .await;
    let own = server.address.port();
    let url = |path: &str| format!("http://Images.Internal:{own}{path}");
    for entry in ["images.internal".to_owned(), format!("images.internal:{own}")] {
        let (fetcher, _) = fetcher(&entry, &["127.0.0.3"], RootCertStore::empty());
        assert_eq!(fetcher.get(&url("/a.png")).await.unwrap(), "an image");
        for lead in ["/number", "/name"] {
            assert!(matches!(fetcher.get(&url(lead)).await, Err(FetchError::Denied(_))), "{lead}");
        }
        let number = format!("http://127.0.0.3:{own}/a.png");
        assert!(matches!(fetcher.get(&number).await, Err(FetchError::Denied(_))));
    }
    let (fetcher, _) = fetcher("images.internal:1", &["127.0.0.3"], RootCertStore::empty());
    assert!(matches!(fetcher.get(&url("/a.png")).await, Err(FetchError::Denied(_))));
}

#[tokio::test]
async fn a_name_that_cannot_be_resolved_is_unknown() {
    let (fetcher, _) = fetcher("", &[""], RootCertStore::empty());
    let error = fetcher.get("http://nobody.example/").await.unwrap_err();
    assert!(matches!(&error, FetchError::Unreachable(words) if words.starts_with("the host is not known")), "{error}");
}
