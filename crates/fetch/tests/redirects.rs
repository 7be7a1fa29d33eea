//! Where redirects lead, and where they do not.

use std::time::Duration;

use kaisatsu_fetch::{FetchError, Fetcher, Policy};

use crate::support::{Answer, Server};

/// A fetcher that may go to these servers, to their ports and no others.
fn fetcher(servers: &[&Server]) -> Fetcher {
    let allowed = servers.iter().map(|server| server.address.to_string().parse().unwrap()).collect();
    Fetcher::new(Policy { allowed, max_bytes: 1000, timeout: Duration::from_secs(20) }).unwrap()
}

#[tokio::test]
async fn a_redirect_to_another_allowed_server_is_followed() {
    let image = Server::start(|_| Answer::image()).await;
    let url = image.url("/a.png");
    let first = Server::start(move |_| Answer::redirect(&url)).await;
    assert_eq!(fetcher(&[&first, &image]).get(&first.url("/")).await.unwrap(), "an image");
    let request = &image.requests()[0];
    assert!(!request.to_lowercase().contains("referer"), "{request}");
}

#[tokio::test]
async fn a_relative_redirect_is_resolved_against_the_url_it_came_from() {
    let server = Server::start(|path| match path {
        "/albums/one/first" => Answer::redirect("../two/second?x=1#there"),
        "/albums/two/second?x=1" => Answer::redirect("/a.png"),
        "/a.png" => Answer::image(),
        other => panic!("{other}"),
    })
    .await;
    assert_eq!(fetcher(&[&server]).get(&server.url("/albums/one/first")).await.unwrap(), "an image");
}

#[tokio::test]
async fn every_kind_of_redirect_is_followed() {
    for status in [301, 302, 303, 307, 308] {
        let server = Server::start(move |path| match path {
            "/a.png" => Answer::image(),
            _ => Answer::new(status, "Location: /a.png\r\n", b"elsewhere"),
        })
        .await;
        assert_eq!(fetcher(&[&server]).get(&server.url("/")).await.unwrap(), "an image", "{status}");
    }
}

#[tokio::test]
async fn a_redirect_to_a_refused_address_is_not_followed() {
    let inside = Server::start(|_| Answer::image()).await;
    let port = inside.address.port();
    let leads = [
        format!("http://127.0.0.1:{port}/"),
        format!("//127.0.0.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://user:word@127.0.0.1:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "http://[".to_owned(),
        format!("/{}", "a".repeat(2001)),
    ];
    for lead in leads {
        let to = lead.clone();
        let first = Server::start(move |_| Answer::redirect(&to)).await;
        let error = fetcher(&[&first]).get(&first.url("/")).await.unwrap_err();
        let words =
            "the address redirects to one that images are not fetched from; give the address of the image itself";
        assert_eq!(error, FetchError::Denied(words.to_owned()), "{lead}");
    }
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn five_redirects_are_followed_and_no_more() {
    let server = Server::start(|path| match path.trim_start_matches('/').parse::<u32>().unwrap() {
        0 => Answer::image(),
        left => Answer::redirect(&format!("/{}", left - 1)),
    })
    .await;
    assert_eq!(fetcher(&[&server]).get(&server.url("/5")).await.unwrap(), "an image");
    assert_eq!(server.connections(), 6);
    assert_eq!(fetcher(&[&server]).get(&server.url("/6")).await, Err(FetchError::TooManyRedirects));
    assert_eq!(server.connections(), 12);
}

#[tokio::test]
async fn a_redirect_loop_ends() {
    let server = Server::start(|_| Answer::redirect("/")).await;
    assert_eq!(fetcher(&[&server]).get(&server.url("/")).await, Err(FetchError::TooManyRedirects));
    assert_eq!(server.connections(), 6);
}

#[tokio::test]
async fn a_redirect_without_a_location_is_reported_as_a_status() {
    let unreadable = b"HTTP/1.1 302 Found\r\nLocation: /\xff\r\nContent-Length: 0\r\n\r\n";
    let answers = [
        (302, Answer::new(302, "", b"")),
        (302, Answer { bytes: unreadable.to_vec(), ..Answer::image() }),
        (304, Answer::new(304, "Location: /\r\n", b"")),
        (300, Answer::new(300, "Location: /\r\n", b"")),
    ];
    for (status, answer) in answers {
        let server = Server::start(move |_| answer.clone()).await;
        assert_eq!(fetcher(&[&server]).get(&server.url("/")).await, Err(FetchError::Answered(status)));
        assert_eq!(server.connections(), 1);
    }
}
