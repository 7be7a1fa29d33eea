//! A server under load: connections that each send the next picture when the last is answered.

use std::{
    fs,
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

use kaisatsu_e2e::http::{Connection, FORM, form};

use crate::figures;

pub(crate) fn run(
    address: SocketAddr,
    target: &str,
    as_form: bool,
    connections: u32,
    seconds: u32,
    files: &[&str],
) -> serde_json::Value {
    let read = |file: &&str| fs::read(file).expect("a picture");
    let requests: Vec<Vec<u8>> = files.iter().map(|file| request(target, as_form, &read(file))).collect();
    let end = Duration::from_secs(u64::from(seconds));
    let began = Instant::now();
    let times = thread::scope(|scope| {
        let clients: Vec<_> = (0..connections as usize)
            .map(|number| {
                let requests = &requests;
                scope.spawn(move || {
                    let mut connection = Connection::open(address);
                    let mut times = Vec::new();
                    for request in requests.iter().cycle().skip(number * 5) {
                        let sent = Instant::now();
                        if began.elapsed() > end {
                            break;
                        }
                        connection.send(request);
                        let answer = connection.answer(false).expect("an answer");
                        assert_eq!(answer.status, 200, "{}", answer.text());
                        times.push(sent.elapsed().as_secs_f64() * 1e3);
                    }
                    times
                })
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
    });
    figures(times, began.elapsed().as_secs_f64())
}

fn request(target: &str, as_form: bool, picture: &[u8]) -> Vec<u8> {
    let (kind, body) = if as_form { (FORM, form(&[("image", picture)])) } else { ("image/jpeg", picture.to_vec()) };
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), &body].concat()
}
