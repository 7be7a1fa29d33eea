//! The limits in size and time, and responses other than 200.

use std::time::{Duration, Instant};

use kaisatsu_fetch::{FetchError, Fetcher, Policy};

use crate::support::{Answer, Server, Then};

const LIMIT: usize = 1000;
const NO_LENGTH: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
const TOO_LARGE: Result<bytes::Bytes, FetchError> = Err(FetchError::TooLarge { limit: LIMIT });

fn fetcher_with_timeout(timeout: Duration) -> Fetcher {
    let allowed = vec!["127.0.0.1".parse().unwrap()];
    Fetcher::new(Policy { allowed, max_bytes: LIMIT, timeout }).unwrap()
}

fn fetcher() -> Fetcher {
    fetcher_with_timeout(Duration::from_secs(20))
}

/// Fetches from a server that always gives this answer.
async fn get(answer: Answer) -> Result<bytes::Bytes, FetchError> {
    let server = Server::start(move |_| answer.clone()).await;
    fetcher().get(&server.url("/")).await
}

#[tokio::test]
async fn an_image_of_exactly_the_limit_is_accepted() {
    let body = vec![b'x'; LIMIT];
    assert_eq!(get(Answer::new(200, "", &body)).await.unwrap(), body);
    let text = String::from_utf8(body.clone()).unwrap();
    assert_eq!(get(Answer::raw(&format!("{NO_LENGTH}{text}"), Then::Close)).await.unwrap(), body);
    assert_eq!(get(Answer::new(200, "", b"")).await.unwrap(), "");
}

#[tokio::test]
async fn a_declared_length_above_the_limit_is_refused_without_reading_the_body() {
    // Nothing follows the head: to be refused in time, it must be refused by its head.
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", LIMIT + 1);
    assert_eq!(get(Answer::raw(&head, Then::Hold)).await, TOO_LARGE);
    let most = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", u64::MAX - 2);
    assert_eq!(get(Answer::raw(&most, Then::Hold)).await, TOO_LARGE);
}

#[tokio::test]
async fn an_endless_body_is_abandoned_at_the_limit() {
    let mut server = Server::start(|_| Answer::raw(NO_LENGTH, Then::Flood)).await;
    assert_eq!(fetcher().get(&server.url("/")).await, TOO_LARGE);
    server.left(1).await;
}

#[tokio::test]
async fn a_body_in_chunks_is_counted_too() {
    let chunk = format!("{:x}\r\n{}\r\n", 400, "x".repeat(400));
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let two = get(Answer::raw(&format!("{head}{chunk}{chunk}0\r\n\r\n"), Then::Close)).await.unwrap();
    assert_eq!(two.len(), 800);
    assert_eq!(get(Answer::raw(&format!("{head}{chunk}{chunk}{chunk}"), Then::Hold)).await, TOO_LARGE);
}

#[tokio::test]
async fn a_silent_and_a_slow_server_time_out() {
    let silent = Answer::raw("", Then::Hold);
    let stuck = Answer::raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", Then::Hold);
    let slow_body = Answer::raw(NO_LENGTH, Then::Drip);
    let slow_head = Answer::raw("HTTP/1.1 200 OK\r\nX-Slow: ", Then::Drip);
    for answer in [silent, stuck, slow_body, slow_head] {
        let mut server = Server::start(move |_| answer.clone()).await;
        let started = Instant::now();
        assert_eq!(
            fetcher_with_timeout(Duration::from_millis(300)).get(&server.url("/")).await,
            Err(FetchError::TimedOut)
        );
        assert!(started.elapsed() < Duration::from_secs(10));
        server.left(1).await;
    }
}

#[tokio::test]
async fn the_timeout_covers_all_redirects_together() {
    let thinking = |path: &str| Answer { thinks: Duration::from_millis(150), ..Answer::redirect(&format!("{path}x")) };
    let server = Server::start(thinking).await;
    let result = fetcher_with_timeout(Duration::from_millis(400)).get(&server.url("/")).await;
    assert_eq!(result, Err(FetchError::TimedOut));
    assert!(server.connections() < 6);
}

#[tokio::test]
async fn an_incomplete_body_is_an_error() {
    let broken_off = "the host broke off before the image was complete; try again later";
    let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf an image",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "SSH-2.0-OpenSSH_9.9\r\n",
        "",
    ];
    for answer in answers {
        let result = get(Answer::raw(answer, Then::Close)).await;
        assert_eq!(result, Err(FetchError::Unreachable(broken_off.to_owned())), "{answer}");
    }
}

#[tokio::test]
async fn other_statuses_are_reported() {
    for status in [404, 410] {
        assert_eq!(get(Answer::new(status, "", b"")).await, Err(FetchError::NotFound(status)));
    }
    for status in [201, 204, 206, 401, 403, 408, 418, 429, 500, 503] {
        let answer = Answer::raw(&format!("HTTP/1.1 {status} Word\r\nConnection: close\r\n\r\n"), Then::Close);
        assert_eq!(get(answer).await, Err(FetchError::Answered(status)));
    }
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let words = "the host cannot be reached; check the address, or try again later";
    let error = fetcher().get(&format!("http://{free}/")).await.unwrap_err();
    assert_eq!(error, FetchError::Unreachable(words.to_owned()));
    assert!(error.is_transient());
}

#[tokio::test]
async fn a_request_has_few_headers_and_a_body_is_not_decompressed() {
    let packed = Answer::new(200, "Content-Encoding: gzip\r\nSet-Cookie: a=b\r\n", b"\x1f\x8b not unpacked");
    let server = Server::start(move |_| packed.clone()).await;
    let fetcher = fetcher();
    for _ in 0..2 {
        assert_eq!(fetcher.get(&server.url("/a.png?size=1#part")).await.unwrap().as_ref(), b"\x1f\x8b not unpacked");
    }
    let requests = server.requests();
    assert!(requests[0].starts_with("GET /a.png?size=1 HTTP/1.1\r\n"));
    let headers: Vec<_> = requests[0].trim_end().lines().skip(1).map(str::to_lowercase).collect();
    let host = format!("host: {}", server.address);
    let mut expected = ["accept: */*", "accept-encoding: identity", "user-agent: kaisatsu", host.as_str()];
    let mut headers: Vec<_> = headers.iter().map(String::as_str).collect();
    headers.sort_unstable();
    expected.sort_unstable();
    assert_eq!(headers, expected);
    assert_eq!(requests[1], requests[0], "no cookie comes back");
}

/// Runs itself once more with proxies in its environment, which must not be changed under other tests.
#[tokio::test(flavor = "multi_thread")]
async fn proxies_from_the_environment_are_not_used() {
    const CHILD: &str = "KAISATSU_FETCH_TEST_URL";
    if let Ok(url) = std::env::var(CHILD) {
        assert_eq!(fetcher().get(&url).await.unwrap(), "an image");
        return;
    }
    let server = Server::start(|_| Answer::image()).await;
    let proxy = Server::start(|_| Answer::new(200, "", b"by proxy")).await;
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "limits::proxies_from_the_environment_are_not_used"]).env(CHILD, server.url("/"));
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        child.env(name, proxy.url("/"));
    }
    child.env_remove("no_proxy").env_remove("NO_PROXY").env_remove("REQUEST_METHOD");
    let output = tokio::task::spawn_blocking(move || child.output().unwrap()).await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!((server.connections(), proxy.connections()), (1, 0));
}
