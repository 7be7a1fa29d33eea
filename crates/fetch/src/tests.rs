//! What can only be tested from inside: with a name server and an authority of the test's own.

mod rebinding;
mod secure;

use std::{
    io,
    net::IpAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rustls::RootCertStore;

use crate::{
    Fetcher, Policy,
    names::{LookUp, Names},
    tls,
};

/// A name server that gives one answer after the other, and the last one from then on.
struct Fickle {
    answers: Mutex<Vec<Vec<IpAddr>>>,
    asked: Arc<AtomicUsize>,
}

impl Names for Fickle {
    fn look_up<'a>(&'a self, _: &'a str) -> LookUp<'a> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        let answer = if answer.is_empty() { Err(io::Error::other("no such name")) } else { Ok(answer) };
        Box::pin(std::future::ready(answer))
    }
}

/// A fetcher that asks a fickle name server, and the count of its questions. An answer is written as addresses with
/// spaces between them.
fn fetcher(allowed: &str, answers: &[&str], roots: RootCertStore) -> (Fetcher, Arc<AtomicUsize>) {
    let allowed = allowed.split_whitespace().map(|text| text.parse().unwrap()).collect();
    let policy = Policy { allowed, max_bytes: 1000, timeout: Duration::from_secs(20) };
    let addresses = |text: &&str| text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let asked = Arc::<AtomicUsize>::default();
    let names = Fickle { answers: Mutex::new(answers.iter().map(addresses).collect()), asked: Arc::clone(&asked) };
    (Fetcher::with(policy, tls::trusting(roots).unwrap(), Box::new(names)), asked)
}
